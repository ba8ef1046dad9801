#include "load/map/column_profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"

namespace anima::load {
namespace {

constexpr std::size_t kMaxItems = 4096;
constexpr std::size_t kMaxSeparatedText = 300;
constexpr std::size_t kMaxWritings = 4096;

constexpr std::uint8_t bit_of(NumberStyle style) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(style));
}

}  // namespace

void NumberWritings::add(std::string_view text, char point) {
  if (!twice_.empty() || written_.size() + shortened_.size() >= kMaxWritings) return;
  const std::size_t at = text.find(point);
  std::string_view shorter = text;
  if (at != std::string_view::npos &&
      text.find_first_not_of("0123456789", at + 1) == std::string_view::npos) {
    while (shorter.ends_with('0')) shorter.remove_suffix(1);
    if (shorter.ends_with(point)) shorter.remove_suffix(1);
  }
  const bool padded = shorter.size() < text.size();
  const std::uint64_t hash = hash_text(shorter);
  if (padded) shortened_.insert(hash);
  if (!padded) written_.insert(hash);
  if ((padded ? written_ : shortened_).contains(hash)) twice_ = shorter;
}

std::string_view cell_text(const Cell& cell, std::string& own) {
  switch (cell.kind) {
    case CellKind::kWritten:
    case CellKind::kText:
      return trim(cell.text);
    case CellKind::kInteger:
      own = std::to_string(cell.integer);
      return own;
    case CellKind::kNumber:
      own = fmt::format("{}", cell.number);
      return own;
    case CellKind::kBoolean:
      return cell.integer != 0 ? "true" : "false";
    default:
      return {};
  }
}

void ColumnProfile::add(const Row& row, const Cell& cell) {
  ++rows;
  if (cell.kind == CellKind::kEmpty) {
    ++empty;
    return;
  }
  if (cell.kind != CellKind::kList) {
    add_value(cell);
    return;
  }
  ++lists;
  unique = false;
  if (cell.count == 0) ++empty;
  for (std::uint32_t i = 0; i < cell.count; ++i) add_value(row.items[cell.first + i]);
}

void ColumnProfile::add_value(const Cell& cell) {
  std::string own;
  const std::string_view text = cell_text(cell, own);
  fraction_ = cell.kind == CellKind::kNumber;
  switch (cell.kind) {
    case CellKind::kWritten:
      if (is_null_word(text) || text.empty()) {
        ++empty;
        return;
      }
      ++written;
      add_text(text, false);
      break;
    case CellKind::kText:
      ++texts;
      add_text(text, true);
      break;
    case CellKind::kInteger:
      ++integers;
      break;
    case CellKind::kNumber:
      ++numbers;
      break;
    case CellKind::kBoolean:
      ++booleans;
      break;
    default:
      return;
  }
  note(text);
}

void ColumnProfile::add_text(std::string_view text, bool typed) {
  bytes += text.size();
  if (text.find('\n') != std::string_view::npos) ++line_ends;
  const CellForms forms = forms_of(text);
  for (std::size_t i = 0; i < kDateStyles; ++i) date_styles[i] += forms.dates >> i & 1u;
  bool plain = forms.numbers == 0 && forms.dates == 0;
  if (!typed) {
    for (std::size_t i = 0; i < kNumberStyles; ++i) {
      number_styles[i] += forms.numbers >> i & 1u;
      fraction_styles[i] += forms.fractions >> i & 1u;
    }
    if (forms.leading_zero) ++leading_zeros;
    if ((forms.numbers & bit_of(NumberStyle::kPlain)) != 0) with_point.add(text, '.');
    if ((forms.numbers & bit_of(NumberStyle::kComma)) != 0) with_comma.add(text, ',');
    fraction_ = (forms.fractions & 1u) != 0;
    if (plain) {
      const BooleanWord word = boolean_word(text);
      if (word.pair >= 0) ++pairs[static_cast<std::size_t>(word.pair)][word.value ? 1 : 0];
      if (is_no_value(text)) {
        ++markers;
        plain = false;
      }
    }
  }
  if (!plain || text.size() > kMaxSeparatedText) return;
  for (std::size_t i = 0; i < kSeparators.size(); ++i) {
    if (!items_open[i]) continue;
    std::string_view rest = text;
    for (;;) {
      const std::size_t at = rest.find(kSeparators[i]);
      const std::string_view item = trim(rest.substr(0, at));
      if (!item.empty()) items[i].insert(hash_text(item));
      if (at == std::string_view::npos) break;
      separated[i] = true;
      rest.remove_prefix(at + 1);
    }
    if (items[i].size() > kMaxItems) {
      items_open[i] = false;
      items[i].clear();
    }
  }
}

void ColumnProfile::note(std::string_view text) {
  if (!unique && distinct.size() >= kMaxDistinct) return;
  if (fraction_) {  // a measured value is neither a key nor a link
    unique = false;
    return;
  }
  if (!distinct.insert(hash_text(text))) {
    unique = false;
    return;
  }
  if (samples.size() < kMaxSamples) samples.emplace_back(text);
}

namespace {

bool nearly_all(std::uint64_t fitting, std::uint64_t all) {
  if (fitting == 0 || fitting > all) return false;
  const std::uint64_t wrong = all - fitting;
  return wrong == 0 || (wrong == 1 && fitting >= 2) || wrong * 10 <= all;
}

// Of what its file typed itself.
ChosenForm choose_typed(const ColumnProfile& profile) {
  ChosenForm chosen;
  const std::uint64_t numeric = profile.integers + profile.numbers;
  const std::uint64_t all = numeric + profile.booleans + profile.texts;
  if (numeric > 0 && nearly_all(numeric, all)) {
    chosen.form.type = profile.numbers > 0 ? ValueType::kDecimal : ValueType::kInteger;
    chosen.wrong = all - numeric;
  } else if (profile.booleans > 0 && profile.booleans == all) {
    chosen.form.type = ValueType::kBoolean;
  }
  return chosen;
}

bool choose_date(const ColumnProfile& profile, std::uint64_t all, ChosenForm& chosen) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < kDateStyles; ++i) {
    if (profile.date_styles[i] > profile.date_styles[best]) best = i;
  }
  if (!nearly_all(profile.date_styles[best], all)) return false;
  const std::uint64_t day = profile.date_styles[static_cast<std::size_t>(DateStyle::kDaySlash)];
  const std::uint64_t month = profile.date_styles[static_cast<std::size_t>(DateStyle::kMonthSlash)];
  if (day == month && day == profile.date_styles[best]) {
    chosen.note = "could be day/month or month/day, so it stays text";
    return true;
  }
  chosen.form.type = ValueType::kDate;
  chosen.form.date = static_cast<DateStyle>(best);
  chosen.wrong = all - profile.date_styles[best];
  return true;
}

bool choose_number(const ColumnProfile& profile, std::uint64_t all, bool comma_is_free,
                   ChosenForm& chosen) {
  if (profile.leading_zeros > 0) return false;
  const NumberStyle order[] = {
      NumberStyle::kPlain, comma_is_free ? NumberStyle::kComma : NumberStyle::kGroupsComma,
      comma_is_free ? NumberStyle::kGroupsComma : NumberStyle::kComma, NumberStyle::kGroupsPoint};
  NumberStyle best = NumberStyle::kPlain;
  const auto count = [&](NumberStyle style) {
    return profile.number_styles[static_cast<std::size_t>(style)];
  };
  for (const NumberStyle style : order) {
    if (count(style) > count(best)) best = style;
  }
  if (!nearly_all(count(best), all)) {
    if (count(best) * 2 > all) {
      chosen.note =
          fmt::format("{} of {} are no numbers, so it stays text", all - count(best), all);
    }
    return false;
  }
  const NumberWritings* writings = best == NumberStyle::kPlain   ? &profile.with_point
                                   : best == NumberStyle::kComma ? &profile.with_comma
                                                                 : nullptr;
  if (writings != nullptr && !writings->written_twice().empty()) {
    chosen.note = writings->written_twice() +
                  " is written with and without zeros at its end, so it stays text";
    return true;
  }
  const bool fraction = profile.fraction_styles[static_cast<std::size_t>(best)] > 0;
  chosen.form.type = fraction ? ValueType::kDecimal : ValueType::kInteger;
  chosen.form.number = best;
  chosen.wrong = all - count(best);
  return true;
}

}  // namespace

ChosenForm choose_form(const ColumnProfile& profile, bool comma_is_free) {
  ChosenForm chosen;
  const std::uint64_t typed = profile.integers + profile.numbers + profile.booleans;
  const std::uint64_t all = profile.written + profile.texts - profile.markers;
  if (typed > 0) return choose_typed(profile);
  if (all == 0) return chosen;
  if (choose_date(profile, all, chosen)) return chosen;
  if (profile.written == 0) return chosen;
  if (choose_number(profile, all, comma_is_free, chosen)) return chosen;
  for (std::size_t i = 0; i < kBooleanPairs; ++i) {
    const auto& pair = profile.pairs[i];
    if (pair[0] + pair[1] < all) continue;
    if (!is_truth_alone(static_cast<int>(i)) && (pair[0] == 0 || pair[1] == 0)) continue;
    chosen.form.type = ValueType::kBoolean;
    return chosen;
  }
  return chosen;
}

}  // namespace anima::load
