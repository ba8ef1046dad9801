#include "ask/parse/columns/text_column.h"

#include <algorithm>

#include "ask/lexicon/words.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "store/statements.h"
#include "store/symbols.h"

namespace anima::ask {
namespace {

// "007" is a code, and so is "1e5".
bool is_number_text(std::string_view text, double* number) {
  const bool code = text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
  const bool plain = text.find_first_not_of("-.0123456789") == std::string_view::npos;
  return !code && plain && reads_as_number(text, number);
}

// "1,200.50" without its comma: where there is a point behind it, or a second comma, it parts
// thousands for sure.
std::string without_thousands(std::string_view text) {
  const std::size_t first = text.find(',');
  if (first == std::string_view::npos) return std::string(text);
  const std::size_t point = std::min(text.find('.'), text.size());
  if (first == 0 || first > 3 || text[0] == '0') return std::string(text);
  for (std::size_t comma = first; comma < point; comma += 4) {
    if (text[comma] != ',' || point - comma < 4) return std::string(text);
    if (text.substr(comma + 1, 3).find_first_not_of("0123456789") != std::string_view::npos)
      return std::string(text);
  }
  if (point == text.size() && text.find(',', first + 1) == std::string_view::npos)
    return std::string(text);
  return replace_all(std::string(text), ",", "");
}

// "19%", "12 kg", "$1,200.50": a number with what stands behind it, or the signs before it.
void read_counted(std::string_view text, ColumnValue& value) {
  const std::size_t first = std::min(text.find_first_of("-.0123456789"), text.size());
  const std::string_view before = trim(text.substr(0, first));
  const bool letters = std::ranges::any_of(
      before, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
  if (letters) return;
  text = text.substr(first);
  const std::size_t end = std::min(text.find_first_not_of("-.,0123456789"), text.size());
  const std::string_view behind = trim(text.substr(end));
  double number = 0;
  if (end == 0 || (!before.empty() && !behind.empty()) ||
      !is_number_text(without_thousands(text.substr(0, end)), &number))
    return;
  value.number = number;
  value.unit = fold_case(before.empty() ? behind : before);
}

std::size_t digits_behind_point(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return 0;
  const std::size_t end = text.find_first_not_of("0123456789", point + 1);
  return std::min(end, text.size()) - point - 1;
}

constexpr std::string_view kPartingSigns = ",;|/";

std::vector<std::string> parts_of(std::string_view text, char sign) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(text, sign)) {
    if (std::string one = normal_name(part); !one.empty()) parts.push_back(std::move(one));
  }
  return parts;
}

// What stands in a column alone.
bool is_alone(const Lexicon& lexicon, int attribute, const std::string& words) {
  const auto found = lexicon.schema().values.find(words);
  return found != lexicon.schema().values.end() &&
         std::ranges::any_of(found->second, [&](const ValueEntry& one) {
           return one.attribute == attribute &&
                  one.value.find_first_of(kPartingSigns) == std::string::npos;
         });
}

template <typename Visit>
void each_row_of(const Lexicon& lexicon, int attribute, const Visit& visit) {
  const store::Snapshot& snapshot = lexicon.snapshot();
  const AttributeInfo& info = lexicon.schema().attributes[static_cast<std::size_t>(attribute)];
  const auto key = snapshot.find_string(info.key);
  if (!key) return;
  store::Pattern pattern;
  pattern.predicate = store::Predicate::attribute(*key);
  store::each_statement(snapshot, pattern, [&](const store::Triple& row) {
    return lexicon.schema().types_of_entity(row.subject).empty() || visit(row);
  });
}

}  // namespace

ColumnValue column_value(const store::Snapshot& snapshot, store::Term term) {
  const store::ValueView view = snapshot.value(term);
  ColumnValue value;
  value.text = store::term_label(snapshot, term);
  value.is_string = view.kind == store::ValueKind::kString;
  if (view.kind == store::ValueKind::kBoolean) value.flag = view.integer != 0;
  double number = 0;
  if (value.is_string)
    read_counted(value.text, value);
  else if (snapshot.number(term, &number))
    value.number = number;
  return value;
}

std::vector<ColumnValue> column_values(const store::Snapshot& snapshot, store::Term term) {
  const store::ValueView view = snapshot.value(term);
  const auto list = view.kind == store::ValueKind::kJson ? parse_json(view.text) : Result<Json>();
  if (view.kind != store::ValueKind::kJson || !list || !list->is_array())
    return {column_value(snapshot, term)};
  std::vector<ColumnValue> values;
  for (const Json& one : list->as_array()) {
    ColumnValue value;
    value.text = one.is_string() ? one.as_string() : one.dump();
    value.is_string = one.is_string();
    if (one.is_number()) value.number = one.as_number();
    if (one.is_string()) read_counted(value.text, value);
    if (one.is_bool()) value.flag = one.as_bool();
    values.push_back(std::move(value));
  }
  return values;
}

bool is_ordering(Compare compare) {
  return compare != Compare::kEqual && compare != Compare::kNotEqual;
}

void each_in_column(const Lexicon& lexicon, int attribute,
                    const std::function<bool(const ColumnValue&)>& visit) {
  each_row_of(lexicon, attribute, [&](const store::Triple& row) {
    return visit(column_value(lexicon.snapshot(), row.object));
  });
}

std::vector<store::EntityId> having_column(const Lexicon& lexicon, int attribute) {
  std::vector<store::EntityId> things;
  each_row_of(lexicon, attribute, [&](const store::Triple& row) {
    things.push_back(row.subject);
    return true;
  });
  std::sort(things.begin(), things.end());
  things.erase(std::unique(things.begin(), things.end()), things.end());
  return things;
}

std::vector<std::string> texts_with(const Lexicon& lexicon, int attribute, Compare compare,
                                    const Constant& value) {
  if (is_ordering(compare) || value.kind != Constant::Kind::kText || value.text.empty()) return {};
  std::vector<std::string> found{value.text};
  const std::string wanted = normal_name(value.text);
  const auto& separated =
      lexicon.schema().attributes[static_cast<std::size_t>(attribute)].separated;
  for (const auto& [text, uses] : separated) {
    if (text == value.text) continue;
    for (const char sign : kPartingSigns) {
      const std::vector<std::string> parts = parts_of(text, sign);
      const bool among = parts.size() > 1 && std::ranges::find(parts, wanted) != parts.end();
      if (!among || !std::ranges::all_of(parts, [&](const std::string& part) {
            return is_alone(lexicon, attribute, part);
          }))
        continue;
      found.push_back(text);
      break;
    }
  }
  return found;
}

std::optional<std::int64_t> second_of_day(std::string_view text) {
  std::int64_t seconds = 0;
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  for (std::size_t i = 0; i < 3; ++i) {
    std::int64_t number = 0;
    if (i < parts.size()) {
      const std::string_view part = parts[i];
      const bool digits = (part.size() == 2 || (i == 0 && part.size() == 1)) &&
                          std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
      if (!digits) return std::nullopt;
      for (const char c : part) number = number * 10 + (c - '0');
      if (number >= (i == 0 ? 24 : 60)) return std::nullopt;
    }
    seconds = seconds * 60 + number;
  }
  return seconds;
}

TextColumn text_column(const Lexicon& lexicon, int attribute) {
  TextColumn column;
  bool clocks = false;
  each_in_column(lexicon, attribute, [&](const ColumnValue& value) {
    clocks = value.is_string && second_of_day(value.text).has_value();
    if (clocks) column.example = value.text;
    return clocks;
  });
  if (clocks) {
    column.kind = TextColumn::Kind::kClocks;
    return column;
  }
  column.example.clear();
  std::optional<std::string> unit;
  std::optional<std::size_t> behind;  // the point of the first that has one
  bool differ = false, may_be_thousands = true, any_point = false;
  each_in_column(lexicon, attribute, [&](const ColumnValue& value) {
    const bool counted = value.number && (value.unit.empty() || lexicon.pack().unit(value.unit));
    if (!counted || value.unit != unit.value_or(value.unit)) {
      column.kind = TextColumn::Kind::kWords;
      column.example = value.text;
      return false;
    }
    unit = value.unit;
    const std::size_t digits = value.is_string ? digits_behind_point(value.text) : 0;
    if (digits > 0) {
      any_point = true;
      differ = differ || digits != behind.value_or(digits);
      behind = digits;
      if (differ || column.example.empty()) column.example = value.text;
    }
    may_be_thousands = may_be_thousands && (digits == 3 || *value.number == 0);
    return true;
  });
  if (column.kind == TextColumn::Kind::kWords) return column;
  column.unit = unit.value_or("");
  if (differ || (any_point && may_be_thousands)) column.kind = TextColumn::Kind::kCodes;
  return column;
}

}  // namespace anima::ask
