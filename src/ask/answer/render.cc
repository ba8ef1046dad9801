#include "ask/answer/render.h"

#include <fmt/format.h>

#include "base/decimal.h"

namespace anima::ask {
namespace {

constexpr std::size_t kShownRows = 10;

std::string row_text(const JsonArray& row) {
  std::string text = shown(row[0]);
  for (std::size_t i = 1; i < row.size(); ++i) text += (i == 1 ? ": " : ", ") + shown(row[i]);
  return text;
}

}  // namespace

std::string shown(const Json& value) {
  if (value.is_string()) return value.as_string();
  if (value.is_null()) return "-";
  if (value.is_double() && !value.is_long_integer()) {
    // Every digit, and no exponent where the number can be written without one.
    const auto exact = Decimal::of(value.as_number());
    return exact ? exact->text() : fmt::format("{}", value.as_number());
  }
  return value.dump();
}

std::string render(const Reading& reading, const Table& table, const Lexicon& lexicon) {
  const Pack& pack = lexicon.pack();
  const std::string meaning = describe(reading, lexicon);
  if (table.rows.empty()) return fill(pack, "none", {{"reading", meaning}});
  const bool truth = reading.form == Reading::Form::kExists || reading.form == Reading::Form::kWhy;
  if (truth) {
    const bool yes = table.rows[0][0].as_bool();
    return fill(pack, yes ? "true" : "false", {{"reading", meaning}});
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(table.rows.size(), kShownRows); ++i)
    text += (i > 0 ? "; " : "") + row_text(table.rows[i]) +
            (i < table.held.size() && !table.held[i].empty() ? " (" + table.held[i] + ")" : "");
  if (table.rows.size() > kShownRows) {
    text += "; " + fill(pack, "more", {{"n", std::to_string(table.rows.size() - kShownRows)}});
  }
  if (table.columns.size() > 1) text += fmt::format(" ({})", table.columns.back());
  if (reading.attribute >= 0) {
    const std::string& unit =
        lexicon.schema().attributes[static_cast<std::size_t>(reading.attribute)].unit;
    if (!unit.empty() && table.columns.size() < 2) text += " " + unit;
  }
  if (table.numeral > 0) {
    text += ". " +
            fill(pack, "numeral",
                 {{"n", std::to_string(table.numeral)}, {"m", std::to_string(table.rows.size())}});
  }
  return text;
}

}  // namespace anima::ask
