// A line for each request that was answered: when, its id, by whom, which route, how it ended.
// Never a body, a query of an address, or a token.
//
// The lines are written by a thread of their own, so that nobody who reads them slowly holds up the
// server; when 10,000 wait, further ones are left out, and how many is told. Thread-safety: add()
// from any thread. The destructor writes what waits. Ownership: `write` outlives it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "serve/http/server.h"

namespace anima::serve {

enum class LogForm : std::uint8_t { kText, kJson };

// "2026-11-29T10:00:00Z 3f2a.. http:laptop POST "/v1/recall" 200 12.3 ms 345 B", or the same as
// JSON.
std::string request_line(const http::Noted& noted, Timestamp time, LogForm form);

class RequestLog {
 public:
  using Write = std::function<void(std::string_view line)>;
  RequestLog(LogForm form, Write write);
  ~RequestLog();
  RequestLog(const RequestLog&) = delete;
  RequestLog& operator=(const RequestLog&) = delete;

  void add(const http::Noted& noted);

 private:
  static constexpr std::size_t kMostWaiting = 10'000;
  void run();

  const LogForm form_;
  const Write write_;
  SystemClock clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  std::uint64_t left_out_ = 0;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace anima::serve
