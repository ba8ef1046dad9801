// BoundedLines: the lines of a file descriptor, none kept beyond a length, so that a sender who
// never ends a line costs no more memory than one who does.
//
// Thread-safety: one thread. Complexity: O(bytes read); at most `most` bytes and one read are held.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace anima::cli {

class BoundedLines {
 public:
  enum class Got {
    kLine,     // without its line feed; the last one may have none
    kTooLong,  // more than `most` bytes came without a line feed; told when the line has ended
    kEnd,      // the input ended, could not be read, or `wait` said so
  };

  // `wait` is called before each read, and ends the lines by false. `skipped` sees the bytes of a
  // line that is too long, in their order, before that is told.
  BoundedLines(int descriptor, std::size_t most, std::function<bool()> wait,
               std::function<void(std::string_view)> skipped = {})
      : descriptor_(descriptor),
        most_(most),
        wait_(std::move(wait)),
        skipped_(std::move(skipped)) {}

  Got next(std::string& line);

 private:
  bool read_more();
  void skip(std::size_t bytes);

  int descriptor_;
  std::size_t most_;
  std::function<bool()> wait_;
  std::function<void(std::string_view)> skipped_;
  std::string held_;       // read, and not given yet
  std::size_t seen_ = 0;   // of it without a line feed
  bool skipping_ = false;  // a line that is too long
};

}  // namespace anima::cli
