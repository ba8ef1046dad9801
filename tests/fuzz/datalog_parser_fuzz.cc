// Any text: the parser ends, places its errors inside the text, and reads what the formatter wrote
// as the same program; the fast path for facts agrees with the tree; fields of .facts files never
// fail.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/result.h"
#include "datalog/analyze.h"
#include "datalog/facts_file.h"
#include "datalog/format.h"
#include "datalog/parser.h"

using namespace anima::datalog;

namespace {

void check_formatter(const std::string& text) {
  const auto unit = anima::datalog::parse_program(text, "<fuzz>");
  if (!unit) {
    ANIMA_CHECK(!unit.error().message.empty());
    return;
  }
  const std::string formatted = format_unit(*unit);
  const auto again = anima::datalog::parse_program(formatted, "<formatted>");
  ANIMA_CHECK(again.has_value());
  ANIMA_CHECK(unit->same_program(*again));
  ANIMA_CHECK(unit->comments.size() == again->comments.size());
}

void check_fast_path(const std::string& text) {
  ValueTable values;
  const auto tree = anima::datalog::parse_program(text, "<tree>");
  const auto coded = anima::datalog::parse_program(text, "<coded>", &values);
  ANIMA_CHECK(tree.has_value() == coded.has_value());
  if (!tree) return;
  std::uint64_t facts = 0;
  for (const FactBlock& block : coded->facts) {
    ANIMA_CHECK(block.codes.size() == block.rows * block.arity);
    facts += block.rows;
  }
  ANIMA_CHECK(tree->clauses.size() == coded->clauses.size() + facts);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_formatter(text);
  check_fast_path(text);
  (void)parse_query(text);
  (void)parse_term(text);
  ValueTable values;
  (void)read_facts_text(text, "<facts>", values);
  return 0;
}
