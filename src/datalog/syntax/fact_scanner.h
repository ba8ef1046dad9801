// The fast path of the parser: ground facts of plain constants straight into columns of codes.
// Thread-safety: one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "datalog/ast.h"
#include "datalog/value.h"
#include "datalog/values/text_batch.h"

namespace anima::datalog::detail {

class FactScanner {
 public:
  // `text` must outlive the scanner.
  FactScanner(std::string_view text, ValueTable& values, std::vector<FactBlock>& blocks)
      : text_(text), batch_(values), blocks_(blocks) {}

  // Reads facts from `at` on, as long as they are plain: `p(1, /a, "b", 2.5).` with blanks and
  // comments between them. Answers the place of the first thing that is not one.
  Offset scan(Offset at);

 private:
  bool fact(const char*& from, const char* end);
  void flush();
  bool argument(const char*& at, const char* end);
  void text(const char* from, const char* to, ValueKind kind);
  FactBlock* block(std::string_view predicate, std::uint32_t arity);

  std::string_view text_;
  TextBatch batch_;
  std::vector<FactBlock>& blocks_;
  std::unordered_map<std::string, std::size_t> by_name_;
  FactBlock* last_ = nullptr;
  std::uint32_t last_number_ = 0;  // of last_ in blocks_
  std::vector<Code> row_;
  struct RowText {
    std::uint32_t place;
    ValueKind kind;
    std::string_view text;
  };
  std::vector<RowText> row_texts_;  // places of row_ that wait for their code
};

}  // namespace anima::datalog::detail
