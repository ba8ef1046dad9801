// The script of a letter, as far as languages are told apart by it.
// Thread-safety: pure functions. Source: Unicode 15 Scripts.txt, the blocks of the scripts named.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace anima::language {

enum class Script : std::uint8_t {
  kOther,
  kLatin,
  kGreek,
  kCyrillic,
  kArmenian,
  kHebrew,
  kArabic,
  kDevanagari,
  kTamil,
  kThai,
  kLao,
  kMyanmar,
  kKhmer,
  kHangul,
  kKana,
  kHan,
};
inline constexpr std::size_t kScripts = 16;
std::string_view to_string(Script script);  // "latin", ...
std::optional<Script> script_of_name(std::string_view name);
Script script_of(char32_t letter);
// Of the first letter that has one.
Script script_of(std::string_view text);

}  // namespace anima::language
