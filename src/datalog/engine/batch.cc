#include "datalog/engine/batch.h"

#include <utility>

namespace anima::datalog {
namespace {

constexpr std::size_t kMostSpareColumns = 64;  // of 4 KiB
thread_local std::vector<std::unique_ptr<Code[]>> spare_columns;

}  // namespace

Batch::Column Batch::new_column() {
  if (spare_columns.empty()) return Column(new Code[kBatch]);
  Column column = std::move(spare_columns.back());
  spare_columns.pop_back();
  return column;
}

void Batch::give_back() {
  for (Column& column : columns_) {
    if (column != nullptr && spare_columns.size() < kMostSpareColumns)
      spare_columns.push_back(std::move(column));
  }
}

void Batch::renew(std::uint32_t slots) {
  give_back();
  columns_.clear();
  columns_.resize(slots);
  size = 0;
}

}  // namespace anima::datalog
