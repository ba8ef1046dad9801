#include "load/mapping.h"

#include <algorithm>
#include <array>

namespace anima::load {
namespace {

struct NamedForm {
  std::string_view name;
  ValueForm form;
};

constexpr NamedForm kForms[] = {
    {"text", {ValueType::kText}},
    {"text or NA", {ValueType::kText, NumberStyle::kPlain, DateStyle::kIso, true}},
    {"integer", {ValueType::kInteger}},
    {"integer 1,234", {ValueType::kInteger, NumberStyle::kGroupsComma}},
    {"integer 1.234", {ValueType::kInteger, NumberStyle::kGroupsPoint}},
    {"decimal", {ValueType::kDecimal}},
    {"decimal 1,5", {ValueType::kDecimal, NumberStyle::kComma}},
    {"decimal 1,234.5", {ValueType::kDecimal, NumberStyle::kGroupsComma}},
    {"decimal 1.234,5", {ValueType::kDecimal, NumberStyle::kGroupsPoint}},
    {"boolean", {ValueType::kBoolean}},
    {"date", {ValueType::kDate}},
    {"date 2026/12/31", {ValueType::kDate, NumberStyle::kPlain, DateStyle::kYearSlash}},
    {"date 31.12.2026", {ValueType::kDate, NumberStyle::kPlain, DateStyle::kDayDots}},
    {"date 31/12/2026", {ValueType::kDate, NumberStyle::kPlain, DateStyle::kDaySlash}},
    {"date 12/31/2026", {ValueType::kDate, NumberStyle::kPlain, DateStyle::kMonthSlash}},
    {"date 31-12-2026", {ValueType::kDate, NumberStyle::kPlain, DateStyle::kDayDash}},
    {"date 31 Dec 2026", {ValueType::kDate, NumberStyle::kPlain, DateStyle::kDayName}},
    {"date Dec 31, 2026", {ValueType::kDate, NumberStyle::kPlain, DateStyle::kNameDay}},
};

constexpr std::array<std::string_view, 3> kRoles = {"skip", "attribute", "link"};

Unexpected<Error> bad_mapping(std::string message, std::string where) {
  return fail(ErrorCode::kInvalidArgument, std::move(message), "mapping: " + where,
              "--export-mapping shows one that works");
}

Result<std::string> text_in(const Json& json, std::string_view key, const std::string& where,
                            std::string otherwise = {}) {
  const Json* member = json.find(key);
  if (member == nullptr) {
    if (!otherwise.empty()) return otherwise;
    return bad_mapping("\"" + std::string(key) + "\" is missing", where);
  }
  if (!member->is_string() || member->as_string().empty())
    return bad_mapping("\"" + std::string(key) + "\" is no text", where);
  return member->as_string();
}

Json column_json(const ColumnMapping& column) {
  Json json = Json::object(
      {{"column", column.column}, {"as", kRoles[static_cast<std::size_t>(column.role)]}});
  if (column.role == ColumnRole::kAttribute) {
    json.set("attribute", column.attribute);
    json.set("type", form_name(column.form));
  }
  if (column.role == ColumnRole::kLink) {
    json.set("predicate", column.predicate);
    json.set("to", column.target);
    if (column.form != ValueForm()) json.set("type", form_name(column.form));
  }
  if (!column.separator.empty()) json.set("separator", column.separator);
  return json;
}

Result<ColumnMapping> read_column(const Json& json, const std::string& table) {
  ColumnMapping column;
  ANIMA_ASSIGN(column.column, text_in(json, "column", table));
  const std::string where = table + "." + column.column;
  ANIMA_ASSIGN(const std::string role, text_in(json, "as", where, "attribute"));
  const auto found = std::find(kRoles.begin(), kRoles.end(), role);
  if (found == kRoles.end()) return bad_mapping("\"as\" is one of skip, attribute, link", where);
  column.role = static_cast<ColumnRole>(found - kRoles.begin());
  ANIMA_ASSIGN(const std::string type, text_in(json, "type", where, "text"));
  const auto form = parse_form(type);
  if (!form) return bad_mapping("there is no type \"" + type + "\"", where);
  column.form = *form;
  if (column.role == ColumnRole::kAttribute) {
    ANIMA_ASSIGN(column.attribute, text_in(json, "attribute", where, column.column));
  } else if (column.role == ColumnRole::kLink) {
    ANIMA_ASSIGN(column.predicate, text_in(json, "predicate", where));
    ANIMA_ASSIGN(column.target, text_in(json, "to", where));
  }
  if (const Json* separator = json.find("separator")) column.separator = separator->as_string();
  return column;
}

}  // namespace

std::string form_name(const ValueForm& form) {
  for (const NamedForm& each : kForms) {
    if (each.form == form) return std::string(each.name);
  }
  // An integer column whose numbers are written with a decimal comma has none.
  return form.type == ValueType::kInteger ? "integer" : "decimal";
}

std::optional<ValueForm> parse_form(std::string_view name) {
  for (const NamedForm& each : kForms) {
    if (each.name == name) return each.form;
  }
  return std::nullopt;
}

std::vector<std::string> form_names() {
  std::vector<std::string> names;
  for (const NamedForm& each : kForms) names.emplace_back(each.name);
  return names;
}

Result<LinkWish> parse_link_wish(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::size_t dot = equals == std::string::npos ? equals : text.find('.', equals + 1);
  if (dot == std::string::npos || equals == 0 || dot == equals + 1 || dot + 1 == text.size()) {
    return fail(ErrorCode::kInvalidArgument, "a link is COLUMN=TYPE.PREDICATE, not " + text, {},
                "for example host=Host.runs_on");
  }
  return LinkWish{text.substr(0, equals), text.substr(equals + 1, dot - equals - 1),
                  text.substr(dot + 1)};
}

const ColumnMapping* TableMapping::find(std::string_view column) const {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const ColumnMapping& each) { return each.column == column; });
  return found == columns.end() ? nullptr : &*found;
}

ColumnMapping* TableMapping::find(std::string_view column) {
  return const_cast<ColumnMapping*>(std::as_const(*this).find(column));
}

const TableMapping* Mapping::find(std::string_view table) const {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const TableMapping& each) { return each.table == table; });
  return found == tables.end() ? nullptr : &*found;
}

std::vector<NamePiece> name_pieces(std::string_view name) {
  std::vector<NamePiece> pieces;
  while (!name.empty()) {
    const std::size_t open = name.find('{');
    const std::size_t close = open == name.npos ? name.npos : name.find('}', open);
    if (close == name.npos) {
      pieces.push_back({std::string(name), {}});
      break;
    }
    if (open > 0) pieces.push_back({std::string(name.substr(0, open)), {}});
    pieces.push_back({{}, std::string(name.substr(open + 1, close - open - 1))});
    name.remove_prefix(close + 1);
  }
  return pieces;
}

bool is_named_by_key(const TableMapping& mapping) {
  std::vector<std::string> named;
  for (const NamePiece& piece : name_pieces(mapping.name)) {
    if (!piece.column.empty()) named.push_back(piece.column);
  }
  std::vector<std::string> key = mapping.key;
  std::sort(named.begin(), named.end());
  std::sort(key.begin(), key.end());
  return named == key;
}

Json to_json(const TableMapping& mapping) {
  Json key = Json::array(), columns = Json::array();
  for (const std::string& column : mapping.key) key.push_back(column);
  for (const ColumnMapping& column : mapping.columns) columns.push_back(column_json(column));
  Json json = Json::object({{"table", mapping.table},
                            {"type", mapping.type},
                            {"key", std::move(key)},
                            {"name", mapping.name}});
  if (mapping.delimiter) json.set("delimiter", std::string(1, *mapping.delimiter));
  if (mapping.header) json.set("header", *mapping.header);
  json.set("columns", std::move(columns));
  return json;
}

Json to_json(const Mapping& mapping) {
  Json tables = Json::array();
  for (const TableMapping& table : mapping.tables) tables.push_back(to_json(table));
  return Json::object({{"version", 1}, {"tables", std::move(tables)}});
}

Result<TableMapping> table_mapping_from_json(const Json& json) {
  TableMapping mapping;
  ANIMA_ASSIGN(mapping.table, text_in(json, "table", "a table"));
  ANIMA_ASSIGN(mapping.type, text_in(json, "type", mapping.table));
  ANIMA_ASSIGN(mapping.name, text_in(json, "name", mapping.table));
  if (const Json* key = json.find("key")) {
    for (const Json& column : key->as_array()) mapping.key.push_back(column.as_string());
  }
  if (const Json* delimiter = json.find("delimiter");
      delimiter && delimiter->as_string().size() == 1)
    mapping.delimiter = delimiter->as_string()[0];
  if (const Json* header = json.find("header")) mapping.header = header->as_bool();
  const Json* columns = json.find("columns");
  if (columns == nullptr || !columns->is_array())
    return bad_mapping("\"columns\" is missing", mapping.table);
  for (const Json& column : columns->as_array()) {
    ANIMA_ASSIGN(ColumnMapping read, read_column(column, mapping.table));
    if (mapping.find(read.column) != nullptr)
      return bad_mapping("the column stands there twice", mapping.table + "." + read.column);
    mapping.columns.push_back(std::move(read));
  }
  for (const std::string& column : mapping.key) {
    if (mapping.find(column) == nullptr)
      return bad_mapping("the key \"" + column + "\" is no column", mapping.table);
  }
  for (const NamePiece& piece : name_pieces(mapping.name)) {
    if (!piece.column.empty() && piece.column != "#" && mapping.find(piece.column) == nullptr)
      return bad_mapping("the name holds \"" + piece.column + "\", which is no column",
                         mapping.table);
  }
  if (mapping.key.size() > 1 && !is_named_by_key(mapping))
    return bad_mapping("a key of several columns must be the name, in braces", mapping.table);
  return mapping;
}

Result<Mapping> mapping_from_json(const Json& json) {
  const Json* tables = json.find("tables");
  if (tables == nullptr || !tables->is_array())
    return bad_mapping("\"tables\" is missing", "the object");
  Mapping mapping;
  for (const Json& table : tables->as_array()) {
    ANIMA_ASSIGN(TableMapping read, table_mapping_from_json(table));
    mapping.tables.push_back(std::move(read));
  }
  return mapping;
}

}  // namespace anima::load
