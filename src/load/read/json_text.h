// The elements of a JSON array, the members of an object and the lines of JSON Lines, one after the
// other, without holding the whole: each comes as the text that it is, to be parsed by whoever
// wants it. Errors: kSyntax (no comma, no end). Thread-safety: one thread. O(bytes).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace anima::load {

class JsonParts {
 public:
  enum class Of : std::uint8_t { kArray, kObject, kLines };
  // Of an array or object: the text begins with its bracket, after blanks.
  JsonParts(std::string_view text, Of of);
  // False at the end. `key` is filled for members.
  Result<bool> next(std::string_view& part, std::string* key = nullptr);
  std::size_t position() const { return at_; }
  std::uint64_t number() const {
    return number_;
  }  // of the part read last: from 1; of lines the line

 private:
  void pass_blanks();
  Result<std::string_view> value();
  Result<bool> next_line(std::string_view& part);

  std::string_view text_;
  Of of_;
  std::size_t at_ = 0;
  std::uint64_t number_ = 0;
  bool begun_ = false;
};

}  // namespace anima::load
