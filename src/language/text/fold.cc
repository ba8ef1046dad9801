#include "language/text/fold.h"

#include <utf8proc.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <utility>

#include "base/text/text.h"
#include "language/text/detail/fold_table.h"

namespace anima::language {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kSpelled = {
    {{"ä", "ae"}, {"ö", "oe"}, {"ü", "ue"}, {"å", "aa"}, {"ø", "oe"}}};

}  // namespace

void append_folded(std::string& out, std::string_view text, FoldStrength strength) {
  // A sign joins nothing that was there before the text.
  std::string folded;
  folded.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (static_cast<unsigned char>(c) < 0x80) {
      folded.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c);
      ++at;
      continue;
    }
    const CodePoint point = decode_utf8(text, at);
    at += point.size;
    detail::append_folded_letter(folded, point.value, detail::folded_letter(point.value, strength),
                                 strength);
  }
  out += folded;
}

std::string fold(std::string_view text, FoldStrength strength) {
  std::string folded;
  if (is_ascii(text)) {
    folded = text;
    for (char& c : folded)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    return folded;
  }
  append_folded(folded, text, strength);
  return folded;
}

std::string fold_for_finding(std::string_view text) { return fold(text, FoldStrength::kMarks); }

std::string transcribed(std::string_view word) {
  if (is_ascii(word)) return fold_for_finding(word);
  std::string text = fold(to_nfc(word), FoldStrength::kCase);
  for (const auto& [from, to] : kSpelled) text = replace_all(text, from, to);
  return fold_for_finding(text);
}

LetterKind letter_kind(char32_t code_point) {
  return detail::folded_letter(code_point, FoldStrength::kCase).kind;
}

bool is_upper(char32_t code_point) {
  return detail::folded_letter(code_point, FoldStrength::kCase).upper;
}

std::string to_nfc(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  utf8proc_uint8_t* mapped = nullptr;
  const auto size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &mapped,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
  if (size < 0) return std::string(text);
  return {reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(size)};
}

}  // namespace anima::language
