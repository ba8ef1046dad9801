// Statements of one graph in bulk, sorted, and their encoding as one operation.
//
// Encoding (on disk, never change): number of predicates, their codes, number of rows, then per row
// the difference of the subject to the row before, the number of the predicate, and the object (for
// the same subject and predicate, and the same tag: the difference to the object before).
// Proposition ids are not stored: links get them in order from the operation's id on.
// Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/base/positions.h"
#include "store/transaction.h"

namespace anima::store::detail {

struct BulkRow {
  SubjectCode s;
  PredicateCode p;
  ObjectCode o;
  auto operator<=>(const BulkRow&) const = default;
  bool is_link() const { return (p >> kTagShift) == 0; }
};

struct BulkRows {
  AssertOptions options;
  std::uint32_t first_proposition = 0;
  std::vector<BulkRow> rows;  // ascending, distinct
  std::uint32_t links() const;
};

void sort_unique(std::vector<BulkRow>& rows);
std::string encode_rows(const std::vector<BulkRow>& rows);
// Fails with kCorrupt unless the rows ascend.
Result<std::vector<BulkRow>> decode_rows(std::string_view bytes);

}  // namespace anima::store::detail
