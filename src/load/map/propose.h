// A mapping for each table, proposed from what its columns hold, from the other tables of the same
// command, from the things that the space knows, and from the mapping of an earlier load.
//
// Rules, in docs/load.md: what is unique and called like a name or an identifier is the key; a
// column whose values are keys of a table, or names of known things, is a link. Thread-safety:
// pure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "load/map/column_profile.h"
#include "load/mapping.h"
#include "load/read/table.h"
#include "store/snapshot.h"

namespace anima::load {

struct ProfiledTable {
  const SourceTable* table = nullptr;
  std::vector<ColumnProfile> columns;
  std::uint64_t rows = 0;
};

struct ProposedTable {
  TableMapping mapping;
  bool kept = false;               // of an earlier load
  bool repeated_keys = false;      // rows share a key: their values are put together
  std::vector<std::string> notes;  // for people
};

// Errors: kInvalidArgument (a wish names no column, no form).
Result<std::vector<ProposedTable>> propose_mappings(const std::vector<ProfiledTable>& tables,
                                                    const MappingWishes& wishes,
                                                    const Mapping& kept,
                                                    const store::Snapshot& snapshot);

}  // namespace anima::load
