#include "load/write/cell_values.h"

#include <algorithm>

#include "base/json/json.h"
#include "base/text/text.h"
#include "load/map/column_profile.h"
#include "load/map/value_forms.h"

namespace anima::load {
namespace {

constexpr int kRowNumber = -2;

store::ValueView text_value(std::string_view text) {
  store::ValueView value;
  value.kind = store::ValueKind::kString;
  value.text = text;
  return value;
}

CellReading read_typed(const Cell& cell, const ValueForm& form, store::ValueView& value,
                       std::string& own) {
  const bool numeric = cell.kind == CellKind::kInteger || cell.kind == CellKind::kNumber;
  switch (form.type) {
    case ValueType::kInteger:
    case ValueType::kDecimal:
      if (!numeric) return CellReading::kWrong;
      if (cell.kind == CellKind::kInteger && form.type == ValueType::kInteger) {
        value.kind = store::ValueKind::kInteger;
        value.integer = cell.integer;
        return CellReading::kValue;
      }
      if (form.type == ValueType::kInteger) return CellReading::kWrong;
      value.kind = store::ValueKind::kDouble;
      value.number = numeric && cell.kind == CellKind::kInteger ? static_cast<double>(cell.integer)
                                                                : cell.number;
      return CellReading::kValue;
    case ValueType::kBoolean:
      if (cell.kind == CellKind::kNumber || (cell.integer != 0 && cell.integer != 1))
        return CellReading::kWrong;
      value.kind = store::ValueKind::kBoolean;
      value.integer = cell.integer;
      return CellReading::kValue;
    case ValueType::kDate:
      return CellReading::kWrong;
    case ValueType::kText:
      break;
  }
  // In a column of several kinds each keeps its own.
  if (cell.kind == CellKind::kBoolean) {
    value.kind = store::ValueKind::kBoolean;
    value.integer = cell.integer;
  } else if (cell.kind == CellKind::kInteger) {
    value.kind = store::ValueKind::kInteger;
    value.integer = cell.integer;
  } else if (cell.kind == CellKind::kNumber) {
    value.kind = store::ValueKind::kDouble;
    value.number = cell.number;
  } else {
    value = text_value(cell_text(cell, own));
  }
  return CellReading::kValue;
}

}  // namespace

CellReading read_cell(const Cell& cell, const ValueForm& form, store::ValueView& value,
                      std::string& own) {
  value = {};
  if (cell.kind == CellKind::kJson) {
    value.kind = store::ValueKind::kJson;
    value.text = cell.text;
    return CellReading::kValue;
  }
  if (cell.kind == CellKind::kEmpty || cell.kind == CellKind::kList) return CellReading::kNothing;
  if (cell.kind != CellKind::kWritten && cell.kind != CellKind::kText)
    return read_typed(cell, form, value, own);
  if (form.type == ValueType::kText) {
    const bool written = cell.kind == CellKind::kWritten;
    if (cell.text.empty() || (written && is_null_word(cell.text)) ||
        (written && form.na_is_nothing && cell.text == kNotAvailable))
      return CellReading::kNothing;
    value = text_value(cell.text);
    return CellReading::kValue;
  }
  const std::string_view text = trim(cell.text);
  if (text.empty()) return CellReading::kNothing;
  if (const auto read = read_written(text, form, own)) {
    value = *read;
    return CellReading::kValue;
  }
  return is_no_value(text) ? CellReading::kNothing : CellReading::kWrong;
}

std::string wrong_words(const Cell& cell, const ValueForm& form) {
  std::string own;
  std::string_view text = cell_text(cell, own);
  std::string words = quote_json(beginning_of(text, 60));
  switch (form.type) {
    case ValueType::kInteger:
      return words + " is no whole number";
    case ValueType::kDecimal:
      return words + " is no number";
    case ValueType::kBoolean:
      return words + " is neither true nor false";
    case ValueType::kDate:
      return words + " is no " + form_name(form);
    case ValueType::kText:
      break;
  }
  return words + " cannot be used";
}

NameMaker::NameMaker(const TableMapping& mapping, const std::vector<std::string>& columns) {
  for (const NamePiece& piece : name_pieces(mapping.name)) {
    Piece& made = pieces_.emplace_back();
    made.literal = piece.literal;
    if (piece.column.empty()) continue;
    if (piece.column == "#") {
      made.column = kRowNumber;
      continue;
    }
    const auto found = std::find(columns.begin(), columns.end(), piece.column);
    if (found != columns.end()) made.column = static_cast<int>(found - columns.begin());
    made.is_key = mapping.key.size() == 1 && mapping.key[0] == piece.column;
  }
}

std::string NameMaker::make(const Row& row) const {
  std::string name, own;
  for (const Piece& piece : pieces_) {
    if (piece.column == kRowNumber) {
      name += std::to_string(row.number);
    } else if (piece.column >= 0) {
      const std::string_view text =
          cell_text(row.cells[static_cast<std::size_t>(piece.column)], own);
      if (text.empty()) return {};
      name += text;
    } else {
      name += piece.literal;
    }
  }
  return name;
}

std::string NameMaker::of_key(std::string_view key) const {
  std::string name;
  for (const Piece& piece : pieces_) {
    if (piece.column != -1 && !piece.is_key) return {};
    name += piece.is_key ? key : std::string_view(piece.literal);
  }
  return name;
}

}  // namespace anima::load
