#include "cli/terminal/bounded_lines.h"

#include <unistd.h>

#include <cerrno>

namespace anima::cli {

bool BoundedLines::read_more() {
  constexpr std::size_t kChunk = std::size_t{64} << 10;
  const std::size_t before = held_.size();
  while (wait_()) {
    held_.resize(before + kChunk);
    const ssize_t got = read(descriptor_, held_.data() + before, kChunk);
    held_.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got > 0) return true;
    if (got == 0 || errno != EINTR) return false;
  }
  return false;
}

void BoundedLines::skip(std::size_t bytes) {
  if (skipped_) skipped_(std::string_view(held_).substr(0, bytes));
  held_.erase(0, bytes);
  seen_ = 0;
}

BoundedLines::Got BoundedLines::next(std::string& line) {
  while (true) {
    const std::size_t end = held_.find('\n', seen_);
    if (end != std::string::npos) {
      const bool too_long = std::exchange(skipping_, false) || end > most_;
      if (too_long) {
        skip(end);
      } else {
        line.assign(held_, 0, end);
        held_.erase(0, end);
      }
      held_.erase(0, 1);
      seen_ = 0;
      return too_long ? Got::kTooLong : Got::kLine;
    }
    seen_ = held_.size();
    if (skipping_ || seen_ > most_) {
      skipping_ = true;
      skip(held_.size());
      held_.shrink_to_fit();
    }
    if (read_more()) continue;
    if (std::exchange(skipping_, false)) return Got::kTooLong;
    if (held_.empty()) return Got::kEnd;
    line = std::exchange(held_, {});
    seen_ = 0;
    return Got::kLine;
  }
}

}  // namespace anima::cli
