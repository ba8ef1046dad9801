// What a table of a file means in a space: which type its rows are of, what tells them apart, and
// what each column becomes.
//
// A mapping is proposed by looking at the whole file, can be changed, is kept in the space (graph
// urn:anima:load) and is written as JSON. Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"

namespace anima::load {

// In JSON by their names; "decimal" and "date" know in which way their column is written.
enum class ValueType : std::uint8_t { kText, kInteger, kDecimal, kBoolean, kDate };

// How the numbers of a column are written.
enum class NumberStyle : std::uint8_t {
  kPlain,        // 1234, 12.5, 1e6
  kComma,        // 12,5
  kGroupsComma,  // 1,234.5
  kGroupsPoint,  // 1.234,5
};

// How its dates are; a time of day may follow each. What is stored is ISO 8601.
enum class DateStyle : std::uint8_t {
  kIso,         // 2026-05-31
  kYearSlash,   // 2026/05/31
  kDayDots,     // 31.5.2026
  kDaySlash,    // 31/5/2026
  kMonthSlash,  // 5/31/2026
  kDayDash,     // 31-5-2026
  kDayName,     // 31 May 2026, 31-May-2026
  kNameDay,     // May 31, 2026
};
inline constexpr std::size_t kNumberStyles = 4;
inline constexpr std::size_t kDateStyles = 8;

struct ValueForm {
  ValueType type = ValueType::kText;
  NumberStyle number = NumberStyle::kPlain;
  DateStyle date = DateStyle::kIso;
  bool na_is_nothing = false;  // of a text: NA says that there is no value
  bool operator==(const ValueForm&) const = default;
};
// "text", "text or NA", "integer", "integer 1,234", "decimal", "decimal 1,5", "boolean", "date",
// "date 31.12.2026".
std::string form_name(const ValueForm& form);
std::optional<ValueForm> parse_form(std::string_view name);
std::vector<std::string> form_names();

enum class ColumnRole : std::uint8_t { kSkip, kAttribute, kLink };

struct ColumnMapping {
  std::string column;  // as its file calls it
  ColumnRole role = ColumnRole::kAttribute;
  std::string attribute;  // its key
  ValueForm form;         // of a link: of the key that it names
  std::string predicate;  // of a link, with the type of what it names
  std::string target;
  std::string separator;  // several values stand in one cell; empty: one
  bool operator==(const ColumnMapping&) const = default;
};

struct TableMapping {
  std::string table;  // its name in the file: "hosts"
  std::string type;   // of what its rows are
  // Tells the rows apart; empty: their number does.
  std::vector<std::string> key;
  // The name of a row's concept, with columns in braces: "{name}", "Incident {id}", "{a} {b}".
  // Where it names the whole key and nothing else, the name alone is what tells the rows apart;
  // else the one column of the key is kept as an attribute too, and found by it.
  std::string name;
  std::vector<ColumnMapping> columns;
  std::optional<char> delimiter;  // of separated values, when it was said
  std::optional<bool> header;

  const ColumnMapping* find(std::string_view column) const;
  ColumnMapping* find(std::string_view column);
  bool operator==(const TableMapping&) const = default;
};

// A name with columns in braces, taken apart; `column` of literal pieces is empty.
struct NamePiece {
  std::string literal;
  std::string column;
};
std::vector<NamePiece> name_pieces(std::string_view name);
// Whether the name alone tells the rows apart.
bool is_named_by_key(const TableMapping& mapping);

struct Mapping {
  std::vector<TableMapping> tables;
  const TableMapping* find(std::string_view table) const;
};

struct LinkWish {
  std::string column, target, predicate;
};

// "COLUMN=TYPE.PREDICATE". Errors: kInvalidArgument.
Result<LinkWish> parse_link_wish(const std::string& text);

// What a caller says; it goes before what is found.
struct MappingWishes {
  std::optional<std::string> type;
  std::vector<std::string> key;
  std::vector<LinkWish> links;
  std::vector<std::pair<std::string, std::string>> forms;  // column, "skip" or the name of a form
};

// {"version": 1, "tables": [{"table", "type", "key": [..], "name", "columns": [{"column", "as":
// "attribute" | "link" | "skip", ..}]}]}. Errors: kInvalidArgument with the place in the object.
Json to_json(const Mapping& mapping);
Json to_json(const TableMapping& mapping);
Result<Mapping> mapping_from_json(const Json& json);
Result<TableMapping> table_mapping_from_json(const Json& json);

}  // namespace anima::load
