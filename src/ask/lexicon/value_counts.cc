#include "ask/lexicon/value_counts.h"

#include "ask/lexicon/words.h"

namespace anima::ask {
namespace {

using store::ValueKind;
using store::ValueView;

constexpr std::size_t kDayLength = 10;

bool is_year(double number) {
  return number >= 1000 && number <= 2999 &&
         number == static_cast<double>(static_cast<int>(number));
}

void count_sign(ValueCounts& counts, double number, int step) {
  if (number == 0) count_by(counts.zeros, step);
  if (number < 0) count_by(counts.negatives, step);
}

void count_number(ValueCounts& counts, double number, int step) {
  count_by(counts.numbers, step);
  if (is_year(number)) count_by(counts.years, step);
  count_sign(counts, number, step);
}

}  // namespace

void count_by(std::uint32_t& count, int step) {
  count = static_cast<std::uint32_t>(static_cast<std::int64_t>(count) + step);
}

bool names_a_value(std::string_view name) {
  double number = 0;
  return reads_as_number(name, &number) || reads_as_date(name);
}

void count_value(ValueCounts& counts, const ValueView& value, int step) {
  switch (value.kind) {
    case ValueKind::kBoolean:
      return count_by(counts.flags, step);
    case ValueKind::kInteger:
      return count_number(counts, static_cast<double>(value.integer), step);
    case ValueKind::kDouble:
      count_sign(counts, value.number, step);
      return count_by(counts.numbers, step);
    case ValueKind::kDecimal: {
      double number = 0;
      if (reads_as_number(value.text, &number)) count_sign(counts, number, step);
      return count_by(counts.numbers, step);
    }
    case ValueKind::kDateTime:
      return count_by(counts.days, step);
    case ValueKind::kString:
      if (!reads_as_date(value.text)) return count_by(counts.texts, step);
      if (value.text.size() > kDayLength && value.text.ends_with('Z'))
        count_by(counts.clocks, step);
      return count_by(counts.days, step);
    default:
      return count_by(counts.texts, step);
  }
}

void count_named_value(ValueCounts& counts, std::string_view name, int step) {
  double number = 0;
  if (reads_as_number(name, &number)) {
    count_number(counts, number, step);
  } else {
    count_by(counts.days, step);
  }
}

}  // namespace anima::ask
