#include "ask/parse/columns/value_kind.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "ask/lexicon/words.h"
#include "store/symbols.h"

namespace anima::ask {
namespace {

bool decimal_digit(char c) { return c >= '0' && c <= '9'; }

// The kind that more than half of the values of the key have.
std::optional<TextKind> usual_kind(const store::Snapshot& snapshot, store::Predicate predicate) {
  std::array<std::size_t, static_cast<std::size_t>(TextKind::kWords) + 1> counts{};
  std::size_t all = 0;
  store::Pattern pattern;
  pattern.predicate = predicate;
  pattern.predicate_class = store::PredicateClass::kAttribute;
  store::Cursor cursor = snapshot.scan(pattern);
  std::array<store::Triple, kMostCompared> rows;
  const std::size_t read = cursor.next(rows);
  for (const store::Triple& row : std::span(rows.data(), read)) {
    ++counts[static_cast<std::size_t>(text_kind(store::term_label(snapshot, row.object)))];
    ++all;
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  if (*most * 2 <= all) return std::nullopt;
  return static_cast<TextKind>(most - counts.begin());
}

bool letter_or_digit(char c) {
  return decimal_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Groups of digits with one sign between two of them, each perhaps in brackets: "+49 30/12-34",
// "(030) 1234".
bool is_digits(std::string_view text) {
  std::size_t at = text.starts_with('+') ? 1 : 0;
  bool any = false;
  while (at < text.size()) {
    if (any && std::string_view("-/., :").find(text[at]) != std::string_view::npos) ++at;
    const bool bracket = at < text.size() && text[at] == '(';
    std::size_t end = at + (bracket ? 1 : 0);
    const std::size_t first = end;
    while (end < text.size() && decimal_digit(text[end])) ++end;
    if (end == first) return false;
    if (bracket && (end >= text.size() || text[end++] != ')')) return false;
    any = true;
    at = end;
  }
  return any;
}

// Letters and digits around one "@", with single signs between them.
bool is_mail(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos || text.find('.', at) == std::string_view::npos) return false;
  bool sign = true;
  for (const char c : text) {
    const bool joins = std::string_view("@._-+").find(c) != std::string_view::npos;
    if (!joins && (!letter_or_digit(c) || static_cast<unsigned char>(c) >= 0x80)) return false;
    if (joins && sign) return false;
    sign = joins;
  }
  return !sign && text.find('@', at + 1) == std::string_view::npos;
}

// It begins with a scheme, and ends with what is no sign of the sentence.
bool is_address(std::string_view text) {
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos || colon + 3 >= text.size()) return false;
  const bool scheme = std::ranges::all_of(text.substr(0, colon), letter_or_digit) && colon > 0 &&
                      !decimal_digit(text[0]) && static_cast<unsigned char>(text[0]) < 0x80;
  const char last = text.back();
  return scheme && text.find_first_of(" \t\"<>()[]{}|\\^`") == std::string_view::npos &&
         static_cast<unsigned char>(last) < 0x80 && (letter_or_digit(last) || last == '/');
}

}  // namespace

TextKind text_kind(std::string_view text) {
  if (reads_as_date(text)) return TextKind::kDay;
  if (is_address(text)) return TextKind::kAddress;
  if (is_mail(text)) return TextKind::kMail;
  return is_digits(text) ? TextKind::kDigits : TextKind::kWords;
}

bool fits_value(const store::Snapshot& snapshot, store::EntityId thing, std::string_view key,
                std::string_view text) {
  const auto name = snapshot.find_string(key);
  if (!name) return true;
  const auto predicate = store::Predicate::attribute(*name);
  const TextKind kind = text_kind(text);
  store::Scratch scratch;
  bool has_words = false, has_other = false;
  for (const std::uint32_t code : snapshot.objects(thing, predicate, scratch)) {
    const TextKind own = text_kind(store::term_label(snapshot, store::Term{code}));
    if (own == kind && kind != TextKind::kWords) return true;
    (own == TextKind::kWords ? has_words : has_other) = true;
  }
  if (has_other) return false;
  const auto usual = usual_kind(snapshot, predicate);
  if (usual) return *usual == kind;
  return has_words && kind == TextKind::kWords;
}

}  // namespace anima::ask
