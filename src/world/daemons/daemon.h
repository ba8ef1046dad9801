// What all daemons of a world do alike: open the envelope, look whether the sender may write,
// answer with ACK, data or ERROR, and tell what happened on the bus. Source:
// governance_and_runtime 2.2, 2.8. Thread-safety: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/message_pack_fields.h"
#include "world/citizen.h"
#include "world/envelope.h"
#include "world/event_bus.h"
#include "world/messages.h"

namespace anima::world {

class Nexus;
class Vault;
class Agora;
class Oracle;
class Forge;
class Mint;
class Portal;

struct Refusal {
  Category category = Category::kInvalidRequest;
  std::string message;
};
using Answer = Expected<MessagePack, Refusal>;
template <typename T>
using Or = Expected<T, Refusal>;
inline Unexpected<Refusal> refuse(Category category, std::string message) {
  return Unexpected<Refusal>(Refusal{category, std::move(message)});
}

struct Request {
  Message type = Message::kPing;
  AgentId sender{};
  Digest message_id{};
  MessagePack body;
};

// The fields of a body, the first wrong one remembered: a daemon reads them all and asks once.
class Fields {
 public:
  explicit Fields(const MessagePack& body) : body_(body) {}
  template <typename T>
  T need(std::string_view name) {
    T value{};
    const MessagePack* found = body_.find(name);
    if (found == nullptr || !unpack_to(*found, value)) wrong(name);
    return value;
  }
  template <typename T>
  T take(std::string_view name, T otherwise = {}) {
    const MessagePack* found = body_.find(name);
    if (found == nullptr || found->is_nil()) return otherwise;
    if (!unpack_to(*found, otherwise)) wrong(name);
    return otherwise;
  }
  // Requires that fault() says something.
  Unexpected<Refusal> refusal() const {
    return refuse(Category::kInvalidRequest, "the field " + fault_ + " is missing or wrong");
  }
  bool fault() const { return !fault_.empty(); }

 private:
  void wrong(std::string_view name) {
    if (fault_.empty()) fault_ = std::string(name);
  }
  const MessagePack& body_;
  std::string fault_;
};

// What the daemons of one world share.
struct Realm {
  EventBus* bus = nullptr;
  std::uint64_t tick = 0;  // since the beginning
  std::uint64_t cycle = 0;
  std::function<void(const AgentId& to, std::string frame)> deliver;
  Nexus* nexus = nullptr;
  Vault* vault = nullptr;
  Agora* agora = nullptr;
  Oracle* oracle = nullptr;
  Forge* forge = nullptr;
  Mint* mint = nullptr;
  Portal* portal = nullptr;
};

class Daemon {
 public:
  Daemon(Realm& realm, System system, std::string_view secret);
  virtual ~Daemon() = default;
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  const Identity& identity() const { return identity_; }
  const AgentId& id() const { return identity_.id; }
  System system() const { return system_; }
  // A frame from an agent; the answer's frame, or nothing for what is no message to this daemon.
  std::optional<std::string> receive(std::string_view frame);

  // All that the daemon knows, as MessagePack: what its state hash is of.
  virtual MessagePack state() const = 0;
  // What the world keeps of it: the state, or where else that is. restore() takes what kept() gave.
  virtual MessagePack kept() const { return state(); }
  virtual Status restore(const MessagePack& state) = 0;
  Digest state_hash() const { return sha256(state().encode()); }
  // What was added since settle() and never changes again. It is kept beside the state, cycle by
  // cycle: a world does not write again what it has written. Nil: nothing was added.
  virtual MessagePack additions() const { return {}; }
  virtual void settle() {}
  // What additions() gave, in that order and before restore(). Errors: kCorrupt.
  virtual Status add_back(const MessagePack& additions);
  // What must be kept beside the state: numbers of messages, and who was heard.
  MessagePack wire_state() const;
  Status restore_wire(const MessagePack& state);
  // Whether a world has been closed by an error that has no answer: a full disk.
  const Status& failed() const { return failed_; }

 protected:
  virtual Answer handle(const Request& request) = 0;
  // A message without a question.
  void notify(const AgentId& to, Message type, const MessagePack& body);
  void tell(EventKind kind, const MessagePack& payload);
  // An id that nobody can choose: of who asked, what, and which of this daemon's things it is.
  Digest fresh_id(std::string_view what, const AgentId& asker);

  Realm& realm_;

 private:
  std::string reply(const AgentId& to, Message type, const MessagePack& body);

  const System system_;
  const Identity identity_;
  const MemberId member_;
  ReplayGuard replays_;
  std::uint64_t sequence_ = 0;
  std::uint64_t things_ = 0;
  Status failed_;
};

inline MessagePack body_of(std::initializer_list<std::pair<std::string_view, MessagePack>> fields) {
  MessagePack body{MessagePack::Map()};
  for (const auto& field : fields) body.set(field.first, field.second);
  return body;
}

}  // namespace anima::world
