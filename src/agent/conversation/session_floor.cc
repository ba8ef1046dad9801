#include "agent/conversation/session_floor.h"

#include <optional>

#include "agent/detail/attributes.h"
#include "agent/json_fields.h"
#include "agent/talk_notes.h"
#include "memory/names.h"
#include "store/own_graphs.h"

namespace anima::agent {
namespace {

constexpr std::string_view kFloorKey = "agent:floor";
constexpr std::string_view kBeginKey = "agent:begin";
// What each entry says of the floor is also a record of it, which no undo takes back.
constexpr std::string_view kFloorRecord = "model:floor";

govern::Trust level_of(std::string_view name) {
  // A level that this program does not know is no reason to trust.
  return govern::parse_trust(name).value_or(govern::Trust::kHostile);
}

govern::Trust floor_in(const store::Snapshot& snapshot, std::string_view session) {
  const store::Snapshot own = store::in_graph(snapshot, memory::kAgentGraph);
  const auto type = own.find_type(kModelSessionType);
  const auto entity = type ? own.find_concept(*type, session) : std::nullopt;
  const auto key = own.find_string(kFloorKey);
  if (!entity || !key) return govern::Trust::kSystem;
  store::Cursor cursor = own.scan({.subject = *entity,
                                   .predicate = store::Predicate::attribute(*key),
                                   .object = std::nullopt,
                                   .predicate_class = store::PredicateClass::kAttribute});
  store::Triple row;
  if (cursor.next(std::span(&row, 1)) == 0) return govern::Trust::kSystem;
  return level_of(own.value(row.object).text);
}

// What one entry recorded of the floor of the session.
Result<std::optional<govern::Trust>> recorded_in(store::Space& space, store::Sequence sequence,
                                                 std::string_view session) {
  std::optional<govern::Trust> recorded;
  ANIMA_ASSIGN(const store::LogEntry entry, space.log().entry(sequence));
  if (!entry.seal.empty() || entry.payload.empty()) return recorded;
  ANIMA_TRY(
      store::visit_records(entry, [&](store::RecordKind kind, std::string_view payload) -> Status {
        const std::size_t line = payload.find('\n');
        if (kind != store::RecordKind::kSession || payload.substr(0, line) != kFloorRecord)
          return {};
        ANIMA_ASSIGN(const Json json, parse_json(payload.substr(line + 1)));
        if (text_of(json, "session") == session) recorded = level_of(text_of(json, "floor"));
        return {};
      }));
  return recorded;
}

// The entries that said anything of the session, oldest first, with those that were undone.
std::vector<store::Sequence> entries_of(const store::Snapshot& snapshot, std::string_view session) {
  const store::Snapshot all = snapshot.with_books();
  const auto type = all.known_concept(store::kConceptType, kModelSessionType);
  const auto entity = type ? all.known_concept(*type, session) : std::nullopt;
  return entity ? all.history(*entity) : std::vector<store::Sequence>();
}

// The lowest that was recorded since the last reset: an entry that was undone counts, for what the
// model was told it still knows.
Result<govern::Trust> recorded_floor(store::Space& space, const store::Snapshot& snapshot,
                                     std::string_view session) {
  govern::Trust floor = govern::Trust::kSystem;
  const std::vector<store::Sequence> entries = entries_of(snapshot, session);
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    ANIMA_ASSIGN(const std::optional<govern::Trust> recorded, recorded_in(space, *entry, session));
    if (recorded == govern::Trust::kSystem) break;  // the reset
    if (recorded) floor = govern::lowest(floor, *recorded);
  }
  return floor;
}

Status write_text(store::Transaction& transaction, std::string_view session, std::string_view key,
                  std::string_view text) {
  store::AssertOptions options;
  options.graph = transaction.graph(memory::kAgentGraph);
  ANIMA_ASSIGN(const store::EntityId type, transaction.upsert_type(kModelSessionType, options));
  ANIMA_ASSIGN(const store::EntityId entity, transaction.upsert_concept(type, session, options));
  return detail::set_value(transaction, entity, key, store::Value::string(text), options);
}

Status write_floor(store::Transaction& transaction, std::string_view session, govern::Trust trust) {
  ANIMA_TRY(write_text(transaction, session, kFloorKey, govern::trust_name(trust)));
  const Json record = Json::object({{"session", session}, {"floor", govern::trust_name(trust)}});
  return transaction.record(store::RecordKind::kSession,
                            std::string(kFloorRecord) + "\n" + record.dump());
}

}  // namespace

Result<govern::Trust> session_floor(store::Space& space, std::string_view session) {
  ANIMA_ASSIGN(const store::Snapshot snapshot, space.snapshot());
  ANIMA_ASSIGN(const govern::Trust recorded, recorded_floor(space, snapshot, session));
  return govern::lowest(floor_in(snapshot, session), recorded);
}

Result<govern::Trust> lower_session_floor(store::Space& space, const store::Origin& origin,
                                          std::string_view session, govern::Trust trust) {
  ANIMA_ASSIGN(govern::Trust floor, session_floor(space, session));
  if (trust >= floor) return floor;
  ANIMA_TRY(space
                .write(origin,
                       [&](store::Transaction& transaction) -> Status {
                         // Another process may have been lower meanwhile.
                         floor = govern::lowest(floor_in(transaction.view(), session), trust);
                         return write_floor(transaction, session, floor);
                       })
                .map([](const store::Receipt&) {}));
  return floor;
}

Result<std::optional<store::Sequence>> session_begin(store::Space& space,
                                                     std::string_view session) {
  ANIMA_ASSIGN(const store::Snapshot snapshot, space.snapshot());
  const std::vector<store::Sequence> entries = entries_of(snapshot, session);
  if (entries.empty()) return std::optional<store::Sequence>();
  return std::optional(store::Sequence{static_cast<std::uint64_t>(entries.front()) - 1});
}

Status note_session_begin(store::Space& space, const store::Origin& origin,
                          std::string_view session) {
  ANIMA_ASSIGN(const auto begun, session_begin(space, session));
  if (begun) return {};
  return space
      .write(origin,
             [&](store::Transaction& transaction) {
               return write_text(transaction, session, kBeginKey, "1");
             })
      .map([](const store::Receipt&) {});
}

Status reset_session_floor(store::Space& space, const store::Origin& origin,
                           std::string_view session) {
  return space
      .write(origin,
             [&](store::Transaction& transaction) {
               return write_floor(transaction, session, govern::Trust::kSystem);
             })
      .map([](const store::Receipt&) {});
}

}  // namespace anima::agent
