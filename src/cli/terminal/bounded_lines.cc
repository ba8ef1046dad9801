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

BoundedLines::Got BoundedLines::next(std::string& line) {
  while (true) {
    const std::size_t end = held_.find('\n', seen_);
    if (end == std::string::npos) {
      seen_ = held_.size();
      if (skipping_ || seen_ > most_) {
        held_.clear();
        held_.shrink_to_fit();
        seen_ = 0;
        if (!std::exchange(skipping_, true)) return Got::kTooLong;
      }
      if (read_more()) continue;
      if (held_.empty()) return Got::kEnd;
      line = std::exchange(held_, {});
      seen_ = 0;
      return Got::kLine;
    }
    const bool skipped = std::exchange(skipping_, false);
    const bool too_long = end > most_;
    if (!skipped && !too_long) line.assign(held_, 0, end);
    held_.erase(0, end + 1);
    seen_ = 0;
    if (too_long && !skipped) return Got::kTooLong;
    if (!skipped) return Got::kLine;
  }
}

}  // namespace anima::cli
