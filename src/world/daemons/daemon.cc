#include "world/daemons/daemon.h"

#include "world/daemons/nexus.h"

namespace anima::world {

Daemon::Daemon(Realm& realm, System system, std::string_view secret)
    : realm_(realm),
      system_(system),
      identity_(system_identity(system, secret)),
      member_(realm.bus->join(identity_, BusMode::kNormal)) {}

std::optional<std::string> Daemon::receive(std::string_view frame) {
  const KeyBook keys = [this](const AgentId& id) { return realm_.nexus->key_of(id); };
  const Opened opened = open_envelope(frame, id(), keys, replays_);
  // Who a broken frame is from is not known: nobody is answered.
  if (!opened.envelope) return std::nullopt;
  const Envelope& envelope = *opened.envelope;
  const auto error = [&](Refusal refusal) {
    return reply(envelope.source, Message::kError,
                 body_of({{"ref_msg_id", pack(envelope.message_id)},
                          {"code", static_cast<std::uint64_t>(envelope.type)},
                          {"category", pack(refusal.category)},
                          {"message", refusal.message},
                          {"context", MessagePack(MessagePack::Map())}}));
  };
  const MessageKind* kind = message_kind(envelope.type);
  const auto body = decode_message_pack(envelope.body);
  if (kind == nullptr || !body)
    return error({Category::kInvalidRequest, "unknown message or body"});
  if (kind->code == Message::kPing)
    return reply(envelope.source, Message::kPong,
                 body_of({{"ref_msg_id", pack(envelope.message_id)}}));
  if (daemon_of(kind->code) != system_)
    return error({Category::kInvalidRequest, "this daemon does not answer that"});
  // A new agent has to spawn before it can be active.
  if (kind->command && kind->code != Message::kAgentSpawnRequest &&
      !realm_.nexus->is_active(envelope.source))
    return error({Category::kUnauthorized, "only an active agent may do that"});
  Answer answer = handle({kind->code, envelope.source, envelope.message_id, *body});
  if (!answer) return error(answer.error());
  MessagePack out = body_of({{"ref_msg_id", pack(envelope.message_id)}});
  if (kind->command) {
    if (const MessagePack::Map* more = answer->map(); more != nullptr) {
      for (const auto& member : *more) out.set(*member.first.text(), member.second);
    }
    return reply(envelope.source, Message::kAck, out);
  }
  out.set("data", std::move(*answer));
  return reply(envelope.source, kind->code, out);
}

std::string Daemon::reply(const AgentId& to, Message type, const MessagePack& body) {
  auto frame = encode_envelope(
      identity_, {static_cast<std::uint16_t>(type), to, realm_.tick, ++sequence_, body.encode()});
  if (frame) return std::move(frame->bytes);
  return reply(to, Message::kError,
               body_of({{"ref_msg_id", *body.find("ref_msg_id")},
                        {"code", 0},
                        {"category", pack(Category::kInternal)},
                        {"message", "the answer is too large"},
                        {"context", MessagePack(MessagePack::Map())}}));
}

void Daemon::notify(const AgentId& to, Message type, const MessagePack& body) {
  auto frame = encode_envelope(
      identity_, {static_cast<std::uint16_t>(type), to, realm_.tick, ++sequence_, body.encode()});
  if (frame && realm_.deliver) realm_.deliver(to, std::move(frame->bytes));
}

void Daemon::tell(EventKind kind, const MessagePack& payload) {
  const auto told = realm_.bus->publish(member_, system_, kind, payload.encode(), realm_.tick);
  if (!told && failed_) failed_ = fail(told.error());
}

Digest Daemon::fresh_id(std::string_view what, const AgentId& asker) {
  return Sha256()
      .update(bytes_of(id()))
      .update(what)
      .update(bytes_of(asker))
      .update(big_endian(realm_.tick, 8))
      .update(big_endian(++things_, 8))
      .finish();
}

Status Daemon::add_back(const MessagePack& additions) {
  if (additions.is_nil()) return {};
  return fail(ErrorCode::kCorrupt, "a daemon without additions has some");
}

MessagePack Daemon::wire_state() const {
  return body_of({{"replays", pack(replays_)}, {"sequence", sequence_}, {"things", things_}});
}

Status Daemon::restore_wire(const MessagePack& state) {
  Fields fields(state);
  replays_ = fields.need<ReplayGuard>("replays");
  sequence_ = fields.need<std::uint64_t>("sequence");
  things_ = fields.need<std::uint64_t>("things");
  if (fields.fault()) return fail(ErrorCode::kCorrupt, "the state of a daemon cannot be read");
  return {};
}

}  // namespace anima::world
