// The rows of judge_by_table.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace anima::govern::detail {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

enum Trait : std::uint8_t {
  kNoTrait = 0,
  kLocal = 1,          // values and operands name no other machine and no file of arguments
  kInside = 2,         // values and operands stay in the work folder
  kMakes = 4,          // makes files
  kNoDot = 8,          // no operand begins with a dot
  kPlain = 16,         // operands are plain names: letters, digits, _ and -
  kOptionsFirst = 32,  // what stands behind an operand is none of its options
  kStatement = 64,     // the second operand is SQL, that of sqlite3
  kTailed = 128,       // no option that ends like a name with an ending does harm: -v.txt
};

struct TableRow {
  std::string_view words;         // the program and what follows it at once
  std::string_view choices = "";  // the first operand, if there is one: one|of|these
  std::string_view flags = "";    // letters that take no value; they may be joined
  std::string_view valued = "";   // letters that always take one, attached or as the next word
  // Whole options: "--flag", "--option=" with an attached value alone, "--option:" with a value
  // attached or as the next word, "--" where operands alone follow.
  std::string_view options = "";
  std::string_view needs = "";  // one of these must be there
  std::size_t most = 0;         // operands, behind the choice
  std::size_t least = 0;
  unsigned traits = kNoTrait;
};

std::span<const TableRow> table_rows();  // of all programs but git
std::span<const TableRow> git_rows();

}  // namespace anima::govern::detail
