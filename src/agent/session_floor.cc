#include "agent/session_floor.h"

#include "agent/detail/attributes.h"
#include "memory/names.h"
#include "store/own_graphs.h"

namespace anima::agent {
namespace {

constexpr std::string_view kSessionType = "ModelSession";
constexpr std::string_view kFloorKey = "agent:floor";

govern::Trust floor_in(const store::Snapshot& snapshot, std::string_view session) {
  const store::Snapshot own = store::in_graph(snapshot, memory::kAgentGraph);
  const auto type = own.find_type(kSessionType);
  const auto entity = type ? own.find_concept(*type, session) : std::nullopt;
  const auto key = own.find_string(kFloorKey);
  if (!entity || !key) return govern::Trust::kSystem;
  store::Cursor cursor = own.scan({.subject = *entity,
                                   .predicate = store::Predicate::attribute(*key),
                                   .object = std::nullopt,
                                   .predicate_class = store::PredicateClass::kAttribute});
  store::Triple row;
  if (cursor.next(std::span(&row, 1)) == 0) return govern::Trust::kSystem;
  // A level that this program does not know is no reason to trust.
  return govern::parse_trust(own.value(row.object).text).value_or(govern::Trust::kHostile);
}

Status write_floor(store::Transaction& transaction, std::string_view session, govern::Trust trust) {
  store::AssertOptions options;
  options.graph = transaction.graph(memory::kAgentGraph);
  ANIMA_ASSIGN(const store::EntityId type, transaction.upsert_type(kSessionType, options));
  ANIMA_ASSIGN(const store::EntityId entity, transaction.upsert_concept(type, session, options));
  return detail::set_value(transaction, entity, kFloorKey,
                           store::Value::string(govern::trust_name(trust)), options);
}

}  // namespace

Result<govern::Trust> session_floor(store::Space& space, std::string_view session) {
  ANIMA_ASSIGN(const store::Snapshot snapshot, space.snapshot());
  return floor_in(snapshot, session);
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
