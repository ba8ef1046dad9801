#include "world/parts/remote_state.h"

#include "base/json/message_pack_fields.h"

namespace anima::world {

Status RemoteState::begin() {
  in_batch_ = true;
  return {};
}

Status RemoteState::commit() {
  in_batch_ = false;
  return {};
}

Result<PartAnswer> RemoteState::ask(const PartQuestion& question) {
  ANIMA_ASSIGN(const std::string bytes, ask_(pack(question).encode()));
  return unpack_bytes<PartAnswer>(bytes);
}

Status RemoteState::save_agent(const Citizen& citizen, std::string_view sealed_key) {
  const KeptAgent kept{
      citizen.id(), {std::string(sealed_key)}, citizen.memory, citizen.goals, citizen.state};
  PartQuestion question;
  question.need = PartNeed::kPut;
  question.agent = kept.id;
  question.bytes.bytes = pack(kept).encode();
  ANIMA_ASSIGN(const PartAnswer answer, ask(question));
  static_cast<void>(answer);
  return {};
}

Result<StoredAgent> RemoteState::load_agent(const AgentId& id) {
  PartQuestion question;
  question.need = PartNeed::kGet;
  question.agent = id;
  ANIMA_ASSIGN(const PartAnswer answer, ask(question));
  if (!answer.bytes) return fail(ErrorCode::kNotFound, "agent not found: " + alias(id));
  ANIMA_ASSIGN(KeptAgent kept, unpack_bytes<KeptAgent>(answer.bytes->bytes));
  StoredAgent stored;
  stored.citizen.identity.id = kept.id;
  stored.citizen.memory = std::move(kept.memory);
  stored.citizen.goals = std::move(kept.goals);
  stored.citizen.state = std::move(kept.state);
  stored.sealed_key = std::move(kept.sealed_key.bytes);
  return stored;
}

Status AgentKeeper::put(const AgentId& id, std::string_view bytes) {
  ANIMA_ASSIGN(KeptAgent kept, unpack_bytes<KeptAgent>(bytes));
  ANIMA_ASSIGN(Identity identity, unseal_identity(kept.sealed_key.bytes, link_));
  if (identity.id != id || kept.id != id)
    return fail(ErrorCode::kDenied, "the key of an agent is another's", alias(id));
  const std::string sealed = seal_identity(identity, seal_, random_);
  const Citizen citizen{std::move(identity), std::move(kept.memory), std::move(kept.goals),
                        std::move(kept.state)};
  return store_.save_agent(citizen, sealed);
}

Result<std::string> AgentKeeper::get(const AgentId& id) {
  ANIMA_ASSIGN(StoredAgent stored, store_.load_agent(id));
  ANIMA_ASSIGN(const Identity identity, unseal_identity(stored.sealed_key, seal_));
  Citizen& citizen = stored.citizen;
  return pack(KeptAgent{id,
                        {seal_identity(identity, link_, random_)},
                        std::move(citizen.memory),
                        std::move(citizen.goals),
                        std::move(citizen.state)})
      .encode();
}

}  // namespace anima::world
