// The mappings of earlier loads, in the space's own graph urn:anima:load: a concept of the type
// LoadMapping a table, with the mapping as JSON and the provenance records of its loads, by which a
// load knows what an earlier one stated. Thread-safety: pure but for the transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "load/mapping.h"
#include "store/transaction.h"
#include "store/whole_rows.h"

namespace anima::load {

inline constexpr std::string_view kLoadGraph = "urn:anima:load";

struct KeptMapping {
  std::optional<TableMapping> mapping;
  std::set<std::uint64_t> records;  // provenance of its loads
};

KeptMapping kept_mapping(const store::Snapshot& snapshot, std::string_view table);
Status keep_mapping(store::Transaction& transaction, const TableMapping& mapping,
                    const std::string& file, const std::set<std::uint64_t>& records);
// What a load stated whole of the table's rows, for who undoes another one.
Status keep_rows(store::Transaction& transaction, const std::string& table,
                 const store::WholeRows& rows);
// The attribute by which things of the type are told apart; empty: their name.
std::string key_attribute_of(const TableMapping& mapping);

}  // namespace anima::load
