// Tables into one transaction: things first (found by type and key, or made), then what their rows
// say, then the differences to what was stated before.
//
// Statements about new things go the way of the BulkWriter. For things that were there, what the
// rows say is held against the snapshot; only differences are written, so that a second load writes
// nothing. Thread-safety: one thread. After an error the transaction must be given up.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "load/load.h"
#include "load/read/table.h"
#include "store/transaction.h"

namespace anima::load {

struct WritableTable {
  const SourceTable* source = nullptr;
  const TableMapping* mapping = nullptr;
};

struct WriteHooks {
  std::function<void(std::uint64_t bytes)> progress;  // of the two passes, in all
  std::function<bool()> cancelled;
};

struct Written {
  std::vector<TableReport> tables;
  std::vector<std::string> notes;
};

// `kept`: what earlier loads mapped, for types that links name and no table brings.
Result<Written> write_tables(store::Transaction& transaction,
                             const std::vector<WritableTable>& tables, const Mapping& kept,
                             const WriteHooks& hooks);

}  // namespace anima::load
