#include "agent/conversation/recorded_calls.h"

#include "agent/json_fields.h"

namespace anima::agent {
namespace {

constexpr const char* kCallKey = "model-calls";

Result<std::vector<llm::Exchange>> calls_with(store::Space& space, std::string_view member,
                                              std::string_view value, store::Sequence after) {
  std::vector<llm::Exchange> calls;
  ANIMA_TRY(space.changes(after, [&](const store::LogEntry& entry) -> Status {
    // Only what RecordedCalls wrote is sealed; an agent's own records of the kind are not.
    if (entry.seal.empty() || entry.payload.empty()) return {};
    return store::visit_records(
        entry, [&](store::RecordKind kind, std::string_view payload) -> Status {
          if (kind != store::RecordKind::kModelAnswer) return {};
          ANIMA_ASSIGN(const Json json, parse_json(payload));
          const Json* exchange = json.find("exchange");
          if (exchange == nullptr || text_of(json, member) != value) return {};
          ANIMA_ASSIGN(llm::Exchange call, llm::exchange_from_json(*exchange));
          calls.push_back(std::move(call));
          return {};
        });
  }));
  return calls;
}

}  // namespace

Status RecordedCalls::keep(const llm::Exchange& exchange) {
  Json record = Json::object({{"session", session_}, {"exchange", llm::to_json(exchange)}});
  if (!conversation_.empty()) record.set("conversation", conversation_);
  const std::string payload = record.dump();
  return space_
      .write_sealed(origin_, kCallKey,
                    [&](store::Transaction& transaction) {
                      return transaction.record(store::RecordKind::kModelAnswer, payload);
                    })
      .map([](const store::Receipt&) {});
}

Result<std::vector<llm::Exchange>> recorded_calls(store::Space& space, std::string_view session,
                                                  store::Sequence after) {
  return calls_with(space, "session", session, after);
}

Result<std::vector<llm::Exchange>> calls_of_conversation(store::Space& space,
                                                         std::string_view conversation) {
  return calls_with(space, "conversation", conversation, store::Sequence::kNone);
}

}  // namespace anima::agent
