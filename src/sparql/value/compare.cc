#include "sparql/value/compare.h"

#include <cmath>

#include "query/value_keys.h"

namespace anima::sparql::value {
namespace {

using query::SortKey;
using query::Truth;
using store::Tag;
using store::Term;

Truth truth(bool value) { return value ? Truth::kTrue : Truth::kFalse; }

template <typename T>
int sign_of(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

// Numbers of different types meet in the wider one: decimal, float, double.
std::optional<int> compare_numbers(const Value& a, const Value& b) {
  if (a.is_exact() && b.is_exact()) return a.decimal.compare(b.decimal);
  double x = a.as_double(), y = b.as_double();
  if (a.kind != Kind::kDouble && b.kind != Kind::kDouble) {
    x = static_cast<float>(x);
    y = static_cast<float>(y);
  }
  if (std::isnan(x) || std::isnan(y)) return std::nullopt;
  return sign_of(x, y);
}

bool same_term(const Value& a, const Value& b) {
  return a.kind == b.kind && a.text == b.text && a.extra == b.extra;
}

Truth equal_of_one_kind(const Value& a, const Value& b) {
  switch (a.kind) {
    case Kind::kIri:
    case Kind::kBlank:
    case Kind::kString:
      return truth(a.text == b.text);
    case Kind::kLanguageString:
      return truth(a.text == b.text && same_language(a.extra, b.extra));
    case Kind::kBoolean:
      return truth(a.boolean == b.boolean);
    case Kind::kMoment: {
      if (a.moment.kind != b.moment.kind) return Truth::kFalse;
      const auto sign = a.moment.compare(b.moment);
      return sign ? truth(*sign == 0) : Truth::kError;
    }
    case Kind::kDuration:
      return truth(a.duration == b.duration);
    case Kind::kOther:
      return same_term(a, b) ? Truth::kTrue : Truth::kError;
    default:
      return Truth::kError;
  }
}

// NaN is not equal to itself; everything else is.
bool is_not_itself(const query::Values& values, std::uint32_t code) {
  const Tag tag = Term{code}.tag();
  if (tag == Tag::kInteger || tag == Tag::kEntity) return false;
  const Value value = read_briefly(values, code);
  return (value.kind == Kind::kDouble || value.kind == Kind::kFloat) && std::isnan(value.number);
}

enum Rank : std::uint8_t {
  kBlankRank = 1,
  kIriRank,
  kBooleanRank,
  kNumberRank,
  kMomentRank,  // and the other kinds of moments behind it
  kDurationRank = kMomentRank + 8,
  kStringRank,
  kLanguageStringRank,
  kOtherRank,
};

void put_moment(query::Values& values, const Moment& moment, SortKey* key) {
  key->rank = static_cast<std::uint8_t>(kMomentRank + static_cast<int>(moment.kind));
  key->number = static_cast<double>(moment.instant());
  if (moment.attoseconds == 0) return;
  std::string digits = std::to_string(moment.attoseconds);
  constexpr std::size_t kDigits = 18;
  key->text = query::keep_text(values, std::string(kDigits - digits.size(), '0') + digits);
}

void put_duration(const Duration& duration, SortKey* key) {
  constexpr double kMonthSeconds = 30.436875 * 86400;  // of the Gregorian calendar, on average
  key->rank = kDurationRank;
  key->number = static_cast<double>(duration.months) * kMonthSeconds + duration.seconds.number();
}

}  // namespace

Truth equal(const Value& a, const Value& b) {
  if (a.kind == Kind::kUnbound || b.kind == Kind::kUnbound) return Truth::kError;
  if (a.is_numeric() && b.is_numeric()) {
    const auto sign = compare_numbers(a, b);
    return truth(sign && *sign == 0);
  }
  if (a.kind == b.kind) return equal_of_one_kind(a, b);
  // What has a language tag has no datatype of its own, so it is no value of an unknown one.
  const bool tagged = a.kind == Kind::kLanguageString || b.kind == Kind::kLanguageString;
  const bool unknown = a.kind == Kind::kOther || b.kind == Kind::kOther;
  return unknown && !tagged && a.is_literal() && b.is_literal() ? Truth::kError : Truth::kFalse;
}

Truth equal(const query::Values& values, std::uint32_t a, std::uint32_t b) {
  if (a == 0 || b == 0) return Truth::kError;
  if (a == b) return truth(!is_not_itself(values, a));
  const Tag x = Term{a}.tag(), y = Term{b}.tag();
  // One entity has one code, and one small integer.
  if (x == y && (x == Tag::kEntity || x == Tag::kInteger)) return Truth::kFalse;
  // An entity's name is no other term's: canonical codes see to that.
  if (x == Tag::kEntity || y == Tag::kEntity) return Truth::kFalse;
  return equal(read_briefly(values, a), read_briefly(values, b));
}

std::optional<int> compare(const Value& a, const Value& b, bool* unordered) {
  *unordered = false;
  if (a.is_numeric() && b.is_numeric()) {
    const auto sign = compare_numbers(a, b);
    *unordered = !sign;
    return sign;
  }
  if (a.kind != b.kind) return std::nullopt;
  switch (a.kind) {
    case Kind::kString:
      return sign_of(a.text, b.text);
    case Kind::kLanguageString:
      if (!same_language(a.extra, b.extra)) return std::nullopt;
      return sign_of(a.text, b.text);
    case Kind::kBoolean:
      return sign_of(a.boolean, b.boolean);
    case Kind::kMoment:
      if (a.moment.kind != b.moment.kind) return std::nullopt;
      return a.moment.compare(b.moment);
    case Kind::kDuration:
      if (a.duration.months == 0 && b.duration.months == 0)
        return a.duration.seconds.compare(b.duration.seconds);
      if (!a.duration.seconds.is_zero() || !b.duration.seconds.is_zero()) return std::nullopt;
      return sign_of(a.duration.months, b.duration.months);
    default:
      return std::nullopt;
  }
}

SortKey sort_key(query::Values& values, std::uint32_t code) {
  SortKey key;
  if (const Term term{code}; term.tag() == Tag::kInteger) {
    key.rank = kNumberRank;
    key.number = static_cast<double>(term.as_integer());
    return key;
  }
  std::string scratch;
  const Value value = read(values, code, scratch);
  key.text = scratch.empty() ? value.text : query::keep_text(values, value.text);
  switch (value.kind) {
    case Kind::kUnbound:
      break;
    case Kind::kBlank:
      key.rank = kBlankRank;
      break;
    case Kind::kIri:
      key.rank = kIriRank;
      break;
    case Kind::kBoolean:
      key.rank = kBooleanRank;
      key.number = value.boolean ? 1 : 0;
      break;
    case Kind::kInteger:
    case Kind::kDecimal:
      key.rank = kNumberRank;
      query::put_number(values, *store::decimal_key(value.decimal.text(), false), &key);
      break;
    case Kind::kFloat:
    case Kind::kDouble:
      key.rank = kNumberRank;
      query::put_number(values, store::number_key(value.number), &key);
      break;
    case Kind::kMoment:
      put_moment(values, value.moment, &key);
      break;
    case Kind::kDuration:
      put_duration(value.duration, &key);
      break;
    case Kind::kString:
      key.rank = kStringRank;
      break;
    case Kind::kLanguageString:
      key.rank = kLanguageStringRank;
      break;
    case Kind::kOther:
      key.rank = kOtherRank;
      break;
  }
  return key;
}

}  // namespace anima::sparql::value
