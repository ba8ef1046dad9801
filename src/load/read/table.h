// A table of a file: named columns, and rows that are read again as often as somebody asks.
//
// A cell is empty, written (text of a file without types: what it is, its column decides), or of
// the type that its file gives it. Thread-safety: a SourceTable is read from one thread at a time.
// Lifetime: the texts of a row live until the next row is read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace anima::load {

enum class CellKind : std::uint8_t {
  kEmpty,
  kWritten,
  kText,
  kInteger,
  kNumber,
  kBoolean,  // integer: 0 or 1
  kJson,     // text: an array or object, as store::Value has it
  kList,     // `count` cells of Row::items from `first` on
};

struct Cell {
  CellKind kind = CellKind::kEmpty;
  std::string_view text = {};  // of kWritten and kText
  std::int64_t integer = 0;
  double number = 0;
  std::uint32_t first = 0, count = 0;
};

struct Row {
  std::vector<Cell> cells;   // as many as there are columns
  std::vector<Cell> items;   // of lists; no lists among them
  std::uint64_t number = 0;  // as a spreadsheet counts: the header is row 1
};

class TableReader {
 public:
  virtual ~TableReader() = default;
  // False at the end. Errors: kSyntax with the row as its place.
  virtual Result<bool> next(Row& row) = 0;
  // Bytes of the file read so far.
  virtual std::uint64_t position() const = 0;
};

// "COLUMN of this table names a row of that one", as the file itself says.
struct DeclaredLink {
  std::string column;
  std::string table;
};

struct SourceTable {
  virtual ~SourceTable() = default;
  virtual Result<std::unique_ptr<TableReader>> open() const = 0;

  std::string name;  // of the table: "hosts"
  std::string id;  // by which its mapping is kept: the same, or "shop/orders" of several in a file
  std::string file;    // its path as the user wrote it
  std::string format;  // "csv", "json", ...
  std::vector<std::string> columns;
  std::uint64_t bytes = 0;                // of the file; 0: unknown
  bool comma_is_free = false;             // no delimiter: "1,5" needs no quotes
  std::vector<std::string> declared_key;  // by the file
  std::vector<DeclaredLink> declared_links;
  std::vector<std::string> notes;  // for people: what was odd
};

// "hosts.csv row 7, column port".
std::string place_of(const SourceTable& table, std::uint64_t row, std::string_view column = {});

}  // namespace anima::load
