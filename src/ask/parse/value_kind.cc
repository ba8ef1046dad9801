#include "ask/parse/value_kind.h"

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

}  // namespace

TextKind text_kind(std::string_view text) {
  if (reads_as_date(text)) return TextKind::kDay;
  if (text.find("://") != std::string_view::npos) return TextKind::kAddress;
  const bool blank = text.find(' ') != std::string_view::npos;
  const std::size_t at = text.find('@');
  if (!blank && at != std::string_view::npos && at > 0 && text.find('.', at) < text.size() - 1)
    return TextKind::kMail;
  const bool digits =
      std::ranges::any_of(text, decimal_digit) && std::ranges::all_of(text, [](char c) {
        return decimal_digit(c) || std::string_view("+-/().,: ").find(c) != std::string_view::npos;
      });
  return digits ? TextKind::kDigits : TextKind::kWords;
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
