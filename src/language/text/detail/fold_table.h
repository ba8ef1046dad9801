// The folded form of every code point, made page by page as texts need them.
// Thread-safety: from any thread; a page is made once and stays.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "language/text/fold.h"

namespace anima::language::detail {

struct FoldedLetter {
  static constexpr std::uint8_t kLong = 0xff;

  LetterKind kind = LetterKind::kNone;
  // A mark or part that may join the letter before it: fold the two together.
  bool joins = false;
  bool upper = false;
  std::uint8_t size = 0;  // of `bytes`; kLong: fold_long() has it
  std::array<char, 8> bytes{};

  std::string_view text() const { return {bytes.data(), size}; }
};

const FoldedLetter& folded_letter(char32_t code_point, FoldStrength strength);
// Appends what the letter becomes behind what `out` ends with.
void append_folded_letter(std::string& out, char32_t code_point, const FoldedLetter& letter,
                          FoldStrength strength);

}  // namespace anima::language::detail
