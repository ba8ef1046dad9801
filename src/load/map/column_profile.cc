#include "load/map/column_profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"

namespace anima::load {
namespace {

constexpr std::size_t kMaxItems = 4096;
constexpr std::size_t kMaxSeparatedText = 300;
constexpr std::size_t kMaxWritings = 4096;
constexpr std::size_t kMostOfVersion = 4;  // digits behind the mark; measurements have more

}  // namespace

void NumberWritings::add(std::string_view text, char mark) {
  const std::size_t at = text.find(mark);
  std::string_view shorter = text;
  if (at != std::string_view::npos) {
    const std::string_view behind = text.substr(at + 1);
    const std::size_t digits = std::min(behind.find_first_not_of("0123456789"), behind.size());
    shortest_ = std::min(shortest_, digits);
    longest_ = std::max(longest_, digits);
    if (padded_.empty() && digits > 1 && behind[digits - 1] == '0') padded_ = text;
    if (digits == behind.size()) {
      while (shorter.ends_with('0')) shorter.remove_suffix(1);
      if (shorter.ends_with(mark)) shorter.remove_suffix(1);
    }
  }
  if (!twice_.empty() || written_.size() + shortened_.size() >= kMaxWritings) return;
  const bool padded = shorter.size() < text.size();
  const std::uint64_t hash = hash_text(shorter);
  if (padded) shortened_.insert(hash);
  if (!padded) written_.insert(hash);
  if ((padded ? written_ : shortened_).contains(hash)) twice_ = shorter;
}

std::string NumberWritings::doubt() const {
  if (!twice_.empty()) return twice_ + " is written with and without zeros at its end";
  if (padded_.empty() || shortest_ == longest_ || longest_ > kMostOfVersion) return {};
  return padded_ + " ends with a zero, and not all have as many digits behind the mark";
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
      if (cell.integer > kMostExact || cell.integer < -kMostExact) inexact = true;
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
  fraction_ = false;
  if (!typed) add_number(text, forms);
  if (plain) {
    const BooleanWord word = boolean_word(text);
    if (word.pair >= 0) ++pairs[static_cast<std::size_t>(word.pair)][word.value ? 1 : 0];
    if (!typed && text == kNotAvailable) {
      ++not_available;
    } else if (!typed && is_short_code(text)) {
      ++short_codes;
    }
    if (is_no_value(text)) {
      ++markers;
      plain = false;
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

void ColumnProfile::add_number(std::string_view text, const CellForms& forms) {
  for (std::size_t i = 0; i < kNumberStyles; ++i) {
    number_styles[i] += forms.numbers >> i & 1u;
    fraction_styles[i] += forms.fractions >> i & 1u;
    if ((forms.numbers >> i & 1u) == 0) continue;
    const auto style = static_cast<NumberStyle>(i);
    if (style == NumberStyle::kPlain) with_point.add(text, '.');
    if (style == NumberStyle::kComma) with_comma.add(text, ',');
  }
  if (forms.has(NumberSign::kLeadingZero)) ++leading_zeros;
  if (forms.numbers != 0 || forms.has(NumberSign::kTooLong)) ++all_numbers;
  for (std::size_t i = 0; i < kNumberSigns; ++i)
    if (sign_samples[i].empty() && forms.has(static_cast<NumberSign>(i))) sign_samples[i] = text;
  // A code such as 1e5 may be a key.
  fraction_ = (forms.fractions & 1u) != 0 && !forms.has(NumberSign::kBareExponent);
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
  // A whole number that a double does not hold: each keeps its own kind.
  if (profile.numbers > 0 && profile.inexact) return chosen;
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
    chosen.doubt = "could be day/month or month/day";
    return true;
  }
  chosen.form.type = ValueType::kDate;
  chosen.form.date = static_cast<DateStyle>(best);
  chosen.wrong = all - profile.date_styles[best];
  return true;
}

// The decimal mark of a column: what its numbers agree on, and why that is not sure.
struct DecimalMark {
  bool point = true;
  std::string doubt;
};

DecimalMark decimal_mark(const ColumnProfile& profile, bool comma_is_free) {
  using enum NumberSign;
  const auto either = [&](NumberSign one) {
    return profile.sample(one) + " could have a group of thousands or a fraction";
  };
  const auto both = [&](NumberSign one, NumberSign other) {
    return profile.sample(one) + " and " + profile.sample(other) + " have other decimal marks";
  };
  if (profile.has(kPoint)) {
    const NumberSign other = profile.has(kComma) ? kComma : kZeroComma;
    return {true, profile.has(other) ? both(kPoint, other) : ""};
  }
  if (profile.has(kComma)) return {false, {}};
  if (profile.has(kZeroComma)) {
    for (const NumberSign one : {kEitherComma, kEitherPoint})
      if (profile.has(one)) return {false, either(one)};
    // Where commas part the cells, the decimal mark is a point.
    return {false, comma_is_free ? ""
                                 : profile.sample(kZeroComma) +
                                       " may have a decimal comma, in a file with commas"};
  }
  if (profile.has(kEitherPoint) && profile.has(kEitherComma)) return {true, either(kEitherComma)};
  const NumberSign one = profile.has(kEitherComma) ? kEitherComma : kEitherPoint;
  return {true, comma_is_free && profile.has(one) ? either(one) : ""};
}

// Why the numbers of a column are perhaps none: phones, codes, versions.
std::string number_doubt(const ColumnProfile& profile, NumberStyle style, bool fraction,
                         bool version) {
  using enum NumberSign;
  if (profile.has(kLeadingZero)) return profile.sample(kLeadingZero) + " begins with a zero";
  if (profile.has(kTooLong)) return profile.sample(kTooLong) + " is too long for a number";
  if (profile.has(kPlus) && !profile.has(kMinus))
    return profile.sample(kPlus) + " has a plus, and none has a minus, as phones have";
  if (profile.has(kBareExponent) && !profile.has(kScientific))
    return profile.sample(kBareExponent) + " may be a code";
  if (fraction && profile.has(kInexact))
    return profile.sample(kInexact) + " has more digits than a decimal keeps";
  if (fraction && version) return "its title says that these are versions";
  // What has thousands is an amount.
  if (style == NumberStyle::kPlain) return profile.with_point.doubt();
  return style == NumberStyle::kComma ? profile.with_comma.doubt() : "";
}

bool choose_number(const ColumnProfile& profile, std::uint64_t all, const ColumnPlace& place,
                   ChosenForm& chosen) {
  const std::uint64_t numbers = profile.all_numbers;
  if (!nearly_all(numbers, all)) {
    if (numbers * 2 > all && profile.leading_zeros == 0)
      chosen.doubt = fmt::format("{} of {} are no numbers", all - numbers, all);
    return false;
  }
  DecimalMark mark = decimal_mark(profile, place.comma_is_free);
  chosen.doubt = std::move(mark.doubt);
  if (!chosen.doubt.empty()) return true;
  const auto count = [&](const auto& counts, NumberStyle style) {
    return counts[static_cast<std::size_t>(style)];
  };
  const NumberStyle plain = mark.point ? NumberStyle::kPlain : NumberStyle::kComma;
  const NumberStyle grouped = mark.point ? NumberStyle::kGroupsComma : NumberStyle::kGroupsPoint;
  const NumberStyle style = count(profile.number_styles, plain) == numbers ? plain : grouped;
  const bool fraction = count(profile.fraction_styles, style) > 0;
  chosen.doubt = number_doubt(profile, style, fraction, place.is_version);
  if (!chosen.doubt.empty()) return true;
  chosen.form.type = fraction ? ValueType::kDecimal : ValueType::kInteger;
  chosen.form.number = style;
  chosen.wrong = all - numbers;
  return true;
}

ChosenForm choose_by_values(const ColumnProfile& profile, const ColumnPlace& place) {
  ChosenForm chosen;
  const std::uint64_t typed = profile.integers + profile.numbers + profile.booleans;
  const std::uint64_t all = profile.written + profile.texts - profile.markers;
  if (typed > 0) return choose_typed(profile);
  if (all == 0) return chosen;
  if (choose_date(profile, all, chosen)) return chosen;
  if (choose_number(profile, all, place, chosen)) return chosen;
  for (std::size_t i = 0; i < kBooleanPairs; ++i) {
    const auto& pair = profile.pairs[i];
    if (pair[0] + pair[1] < all) continue;
    if (!is_truth_alone(static_cast<int>(i)) && (pair[0] == 0 || pair[1] == 0)) continue;
    chosen.form.type = ValueType::kBoolean;
    return chosen;
  }
  return chosen;
}

}  // namespace

ChosenForm choose_form(const ColumnProfile& profile, const ColumnPlace& place) {
  ChosenForm chosen = choose_by_values(profile, place);
  chosen.form.na_is_nothing = chosen.form.type == ValueType::kText && !profile.unique &&
                              profile.not_available > 0 && profile.short_codes == 0;
  return chosen;
}

}  // namespace anima::load
