// Rows that are stated whole: whoever loads a table says of each thing of its rows all that the
// table has under its columns, and what an earlier load of the table had there is replaced, also
// where it does not stand at that time because an undo took it away. So that an undo knows, a load
// keeps what it stated whole: an attribute of the table in Anima's own books, under a key with the
// record of provenance of the load. It counts as long as its entry does.
//
// On disk: `whole_rows_N`, a text of JSON {"things": "FIRST+COUNT ..", "keys": [..], "links": [..],
// "records": [..]}. Thread-safety: pure, but for the transaction.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/snapshot.h"
#include "store/transaction.h"

namespace anima::store {

// The type of the concepts that stand for tables.
inline constexpr std::string_view kTypeOfTables = "LoadMapping";

struct WholeRows {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> things = {};  // runs: first, count
  std::vector<Predicate> predicates = {};  // attributes and links of the default graph
  std::set<std::uint64_t> records = {};    // whose words are replaced: of loads of the table
  std::uint64_t record = 0;                // of this load
  Sequence entry = Sequence::kNone;
  bool covers(const WrittenKey& key) const;
};

// As an attribute of the table. Errors: those of set_attribute().
Status keep_whole_rows(Transaction& transaction, EntityId table, const WholeRows& rows,
                       const AssertOptions& options);

// All of a space, also of what is undone, with the records of all loads of each table. O(loads x
// their runs of things).
class AllWholeRows {
 public:
  explicit AllWholeRows(const Snapshot& now);
  // Those that say all under the key, in the order of their entries.
  std::vector<const WholeRows*> of(const WrittenKey& key) const;
  // Those of an entry.
  std::vector<const WholeRows*> of(Sequence entry) const;

 private:
  void add_table(const Snapshot& now, EntityId table);
  std::vector<WholeRows> all_;
};

}  // namespace anima::store
