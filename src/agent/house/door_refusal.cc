#include "agent/house/door_refusal.h"

#include <utility>

#include "govern/ledger/ledger.h"

namespace anima::agent {

Refusal refuse_at_door(Gate& gate, const DoorCall& call, Act act, std::string reason) {
  Json arguments = call.arguments;
  arguments.set("act", std::string(to_string(act)));
  const auto entry = gate.ledger().write(
      "permission_denied", call.subject, call.trust,
      Json::object({{"tool", name_of(call)},
                    {"argumentsHash", govern::arguments_hash(arguments)},
                    {"layer", std::string(govern::to_string(govern::Layer::kAllowList))},
                    {"reason", reason}}));
  const std::string id = entry.value_or(std::string());
  return {{ErrorCode::kDenied, std::move(reason), name_of(call),
           id.empty() ? std::string() : "anima why-denied " + id},
          {},
          id};
}

}  // namespace anima::agent
