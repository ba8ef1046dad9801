// The program's log for people: one line a message on standard error (results go to standard
// output). spdlog is behind this door. Not the log of the store.
//
// Messages never hold secrets. Control characters are escaped, so that content cannot forge a line.
// Thread-safety: every function may be called from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"

namespace anima {

enum class LogLevel : std::uint8_t { kTrace, kDebug, kInfo, kWarning, kError, kOff };

Result<LogLevel> parse_log_level(std::string_view name);

// kWarning until set.
void set_log_level(LogLevel level);
bool log_enabled(LogLevel level);
// `room` names who speaks: "store", "serve".
void log(LogLevel level, std::string_view room, std::string_view message);

inline void log_debug(std::string_view room, std::string_view message) {
  if (log_enabled(LogLevel::kDebug)) log(LogLevel::kDebug, room, message);
}
inline void log_info(std::string_view room, std::string_view message) {
  if (log_enabled(LogLevel::kInfo)) log(LogLevel::kInfo, room, message);
}
inline void log_warning(std::string_view room, std::string_view message) {
  log(LogLevel::kWarning, room, message);
}
inline void log_error(std::string_view room, std::string_view message) {
  log(LogLevel::kError, room, message);
}

// Takes the messages instead of standard error; an empty function gives them back. For tests.
using LogSink = std::function<void(LogLevel, std::string_view room, std::string_view message)>;
void set_log_sink(LogSink sink);

}  // namespace anima
