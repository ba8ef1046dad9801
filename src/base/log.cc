#include "base/log.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <atomic>
#include <mutex>

#include "base/text/text.h"

namespace anima {
namespace {

constexpr std::array<std::string_view, 6> kNames{"trace",   "debug", "info",
                                                 "warning", "error", "off"};

std::atomic<LogLevel> threshold{LogLevel::kWarning};
std::mutex sink_mutex;

LogSink& sink() {
  static LogSink current;
  return current;
}

spdlog::logger& standard_error() {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto made = std::make_shared<spdlog::logger>("anima",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
    made->set_level(spdlog::level::trace);
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *logger;
}

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::kTrace:
      return spdlog::level::trace;
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      break;
  }
  return spdlog::level::off;
}

std::string without_control_characters(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      out += c;
    } else {
      out += c == '\n' ? std::string("\\n") : fmt::format("\\x{:02x}", byte);
    }
  }
  return out;
}

}  // namespace

Result<LogLevel> parse_log_level(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (equals_ignoring_ascii_case(name, kNames[i])) return static_cast<LogLevel>(i);
  }
  return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" is no log level", name), {},
              "choose one of trace, debug, info, warning, error, off");
}

void set_log_level(LogLevel level) { threshold = level; }

bool log_enabled(LogLevel level) {
  return level >= threshold.load(std::memory_order_relaxed) && level != LogLevel::kOff;
}

void log(LogLevel level, std::string_view room, std::string_view message) {
  if (!log_enabled(level)) return;
  const std::string clean = without_control_characters(message);
  const std::lock_guard lock(sink_mutex);
  if (sink()) {
    sink()(level, room, clean);
  } else {
    standard_error().log(level_of(level), "{}: {}", room, clean);
  }
}

void set_log_sink(LogSink replacement) {
  const std::lock_guard lock(sink_mutex);
  sink() = std::move(replacement);
}

}  // namespace anima
