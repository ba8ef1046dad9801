#include "ask/parse/text_column.h"

#include <algorithm>

#include "ask/lexicon/words.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "store/statements.h"
#include "store/symbols.h"

namespace anima::ask {
namespace {

// "007" is a code.
bool is_number_text(std::string_view text, double* number) {
  const bool code = text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
  return !code && reads_as_number(text, number);
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
  ColumnValue value{store::term_label(snapshot, term), view.kind == store::ValueKind::kString,
                    std::nullopt, std::nullopt};
  if (view.kind == store::ValueKind::kBoolean) value.flag = view.integer != 0;
  double number = 0;
  if (value.is_string ? is_number_text(value.text, &number) : snapshot.number(term, &number))
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
    ColumnValue value{one.is_string() ? one.as_string() : one.dump(), one.is_string(), std::nullopt,
                      std::nullopt};
    double number = 0;
    if (one.is_number()) value.number = one.as_number();
    if (one.is_string() && is_number_text(one.as_string(), &number)) value.number = number;
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

std::optional<std::string> text_in_column(const Lexicon& lexicon, int attribute) {
  std::optional<std::string> text;
  each_in_column(lexicon, attribute, [&](const ColumnValue& value) {
    if (!value.number) text = value.text;
    return !text;
  });
  return text;
}

}  // namespace anima::ask
