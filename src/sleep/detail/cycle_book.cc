#include "sleep/detail/cycle_book.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/own_graphs.h"
#include "store/undone_acts.h"

namespace anima::sleep::detail {
namespace {

constexpr std::string_view kType = "SleepCycle";
constexpr std::string_view kRecord = "record";
constexpr std::size_t kItemsInTheBook = 100;  // of a phase and kind

std::string cycle_name(std::uint64_t cycle) { return fmt::format("cycle-{:08}", cycle); }

Result<CycleRecord> record_of(const store::Snapshot& book, store::EntityId entity) {
  const auto term = book.attribute(entity, kRecord);
  const auto json = term ? parse_json(book.value(*term).text)
                         : Result<Json>(fail(ErrorCode::kCorrupt, "it has no record"));
  if (!json) {
    return fail(ErrorCode::kCorrupt,
                "the record of a cycle of sleep cannot be read: " + json.error().message,
                std::string(book.name(entity)));
  }
  return CycleRecord::from_json(*json);
}

std::vector<store::EntityId> entities(const store::Snapshot& book) {
  std::vector<store::EntityId> list;
  const auto type = book.find_type(kType);
  if (!type) return list;
  store::Scratch scratch;
  for (const std::uint32_t code :
       book.subjects(store::kTypePredicate, store::Term::entity(*type), scratch))
    list.push_back(store::EntityId{code});
  std::sort(list.begin(), list.end(),
            [&](store::EntityId a, store::EntityId b) { return book.name(a) < book.name(b); });
  return list;
}

}  // namespace

Result<std::vector<CycleRecord>> read_cycles(const store::Snapshot& snapshot) {
  const store::Snapshot book = store::in_graph(snapshot, kSleepGraph);
  std::vector<CycleRecord> records;
  for (const store::EntityId entity : entities(book)) {
    ANIMA_ASSIGN(CycleRecord record, record_of(book, entity));
    records.push_back(std::move(record));
  }
  return records;
}

Result<std::optional<CycleRecord>> read_cycle(const store::Snapshot& snapshot,
                                              std::uint64_t cycle) {
  const store::Snapshot book = store::in_graph(snapshot, kSleepGraph);
  const auto type = book.find_type(kType);
  const auto entity = type ? book.find_concept(*type, cycle_name(cycle)) : std::nullopt;
  if (!entity) return std::nullopt;
  ANIMA_ASSIGN(CycleRecord record, record_of(book, *entity));
  return std::optional(std::move(record));
}

std::uint64_t newest_cycle(const store::Snapshot& snapshot) {
  const store::Snapshot book = store::in_graph(snapshot, kSleepGraph);
  std::uint64_t high = 1;
  const auto type = book.find_type(kType);
  const auto is_there = [&](std::uint64_t cycle) {
    return type && book.find_concept(*type, cycle_name(cycle)).has_value();
  };
  while (is_there(high)) high *= 2;
  std::uint64_t low = high / 2;  // is there, or 0
  while (low + 1 < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    (is_there(middle) ? low : high) = middle;
  }
  return low;
}

Result<std::optional<CycleRecord>> newest_whole_cycle(const store::Snapshot& snapshot) {
  for (std::uint64_t cycle = newest_cycle(snapshot); cycle > 0; --cycle) {
    ANIMA_ASSIGN(std::optional<CycleRecord> record, read_cycle(snapshot, cycle));
    if (record && record->seen != store::Sequence::kNone) return record;
  }
  return std::nullopt;
}

std::string list_of(std::span<const CycleRecord> records) {
  std::string list;
  for (const CycleRecord& record : records)
    list += (list.empty() ? "" : ", ") + std::to_string(record.cycle);
  return list;
}

Status write_cycles(store::Space& space, std::span<const CycleRecord> records) {
  const store::Origin origin{"$system",
                             std::string(store::kSleepBookSource) + ", cycle " + list_of(records),
                             store::Trust::kSystem, store::Sequence::kNone};
  const auto receipt = space.write(origin, [&](store::Transaction& transaction) -> Status {
    store::AssertOptions options;
    options.graph = transaction.graph(kSleepGraph);
    ANIMA_ASSIGN(const store::EntityId type, transaction.upsert_type(kType, options));
    for (const CycleRecord& record : records) {
      ANIMA_ASSIGN(const store::EntityId entity,
                   transaction.upsert_concept(type, cycle_name(record.cycle), options));
      const store::Value value = store::Value::from_json(record.to_json(kItemsInTheBook));
      ANIMA_ASSIGN(const store::Term term, transaction.term(value.view()));
      ANIMA_TRY(transaction.set_attribute(entity, kRecord, std::span(&term, 1), options));
    }
    return {};
  });
  if (!receipt) return fail(receipt.error());
  return {};
}

}  // namespace anima::sleep::detail
