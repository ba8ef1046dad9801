// A cell as the value that its column says, and names and keys made of cells.
// Thread-safety: pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "load/mapping.h"
#include "load/read/table.h"
#include "store/value.h"

namespace anima::load {

enum class CellReading : std::uint8_t { kNothing, kValue, kWrong };

// What one cell (no list) says under the form; texts live as long as the cell and `own`.
CellReading read_cell(const Cell& cell, const ValueForm& form, store::ValueView& value,
                      std::string& own);

// "a text" as people are told of a wrong cell: "\"abc\" is no whole number".
std::string wrong_words(const Cell& cell, const ValueForm& form);

// A name with columns in braces, resolved against the columns of a table once.
class NameMaker {
 public:
  NameMaker(const TableMapping& mapping, const std::vector<std::string>& columns);
  // Empty when a column that it needs is empty.
  std::string make(const Row& row) const;
  // The same from the key alone, where the name holds nothing else; else empty.
  std::string of_key(std::string_view key) const;

 private:
  struct Piece {
    std::string literal;
    int column = -1;  // -1: literal, -2: the number of the row
    bool is_key = false;
  };
  std::vector<Piece> pieces_;
};

}  // namespace anima::load
