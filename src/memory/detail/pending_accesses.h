// PendingAccesses: who read what since the last transaction, gathered so that a read costs no
// write.
//
// Thread-safety: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "govern/ledger/ledger.h"
#include "memory/memory_item.h"
#include "store/transaction.h"

namespace anima::memory::detail {

class PendingAccesses {
 public:
  // Counts one access at `now`, with its audit record.
  void note(std::string_view id, Timestamp now, govern::LedgerRecord audit);
  // Adds to the item's counters what is not written yet.
  void add_to(MemoryItem& item) const;

  bool empty() const { return counts_.empty() && audits_.empty(); }
  // Puts counters and audit records into the transaction; clear() once it is committed. O(items).
  Status write(store::Transaction& transaction) const;
  void clear();

 private:
  struct Count {
    std::uint64_t accesses = 0;
    Timestamp last;
  };
  std::map<std::string, Count, std::less<>> counts_;
  std::vector<govern::LedgerRecord> audits_;
};

}  // namespace anima::memory::detail
