#include "serve/request_log.h"

#include <fmt/format.h>

#include <utility>

#include "base/json/json.h"
#include "base/text/shown_text.h"
#include "base/text/valid_text.h"

namespace anima::serve {

std::string request_line(const http::Noted& noted, Timestamp time, LogForm form) {
  const std::string path = valid_text(noted.path);
  const double milliseconds = static_cast<double>(noted.microseconds) / 1000;
  if (form == LogForm::kJson) {
    return Json::object({{"time", format_timestamp(time)},
                         {"request", noted.request},
                         {"caller", noted.caller},
                         {"method", valid_text(noted.method)},
                         {"path", path},
                         {"status", noted.status},
                         {"ms", milliseconds},
                         {"bytes", noted.bytes}})
        .dump();
  }
  const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
  // For people, on a terminal as a rule.
  return terminal_text(fmt::format("{} {} {} {} {} {} {:.1f} ms {} B", format_timestamp(time),
                                   or_dash(noted.request), or_dash(noted.caller),
                                   or_dash(valid_text(noted.method)), quote_json(path),
                                   noted.status, milliseconds, noted.bytes));
}

RequestLog::RequestLog(LogForm form, Write write)
    : form_(form), write_(std::move(write)), thread_([this] { run(); }) {}

RequestLog::~RequestLog() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RequestLog::add(const http::Noted& noted) {
  std::string line = request_line(noted, clock_.now(), form_);
  {
    const std::lock_guard lock(mutex_);
    if (lines_.size() >= kMostWaiting) {
      ++left_out_;
      return;
    }
    lines_.push_back(std::move(line));
  }
  changed_.notify_one();
}

void RequestLog::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ended_ || !lines_.empty(); });
    if (lines_.empty()) return;
    const std::deque<std::string> lines = std::exchange(lines_, {});
    const std::uint64_t left_out = std::exchange(left_out_, 0);
    lock.unlock();
    for (const std::string& line : lines) write_(line + "\n");
    if (left_out > 0) {
      write_(form_ == LogForm::kJson ? Json::object({{"left_out", left_out}}).dump() + "\n"
                                     : fmt::format("{} lines were left out\n", left_out));
    }
    lock.lock();
  }
}

}  // namespace anima::serve
