// Tab-separated `.facts` files: one row a line. A field that reads as a Mangle constant (number,
// float, name, quoted string, bytes, list, map, struct) is that constant, anything else is a string
// as it stands. A trailing carriage return is dropped, an empty last line too; a file of arity 0
// has at most empty lines.
//
// The file is mapped, integers become inline codes without interning. Errors: kIo, kInvalidArgument
// with "file:line" for a row of another width. Thread-safety: functions without shared state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "datalog/value.h"

namespace anima::datalog {

struct FactsFile {
  std::uint32_t arity = 0;  // fields of the first line; kUnknownArity when there is no line
  std::uint64_t rows = 0;
  std::vector<Code> codes;  // rows * arity
};

inline constexpr std::uint32_t kUnknownArity = 0xFFFFFFFFU;

// `arity` is what a declaration says, or kUnknownArity. O(bytes).
Result<FactsFile> read_facts_file(const std::string& path, ValueTable& values,
                                  std::uint32_t arity = kUnknownArity);
Result<FactsFile> read_facts_text(std::string_view text, const std::string& name,
                                  ValueTable& values, std::uint32_t arity = kUnknownArity);

}  // namespace anima::datalog
