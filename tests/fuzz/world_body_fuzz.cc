// Any bytes as MessagePack, and as the bodies of messages that agents sign and send to the daemons
// of a world: each is answered or refused, no money is made or lost, and what the daemons know
// reads back from its own encoding.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/small_world.h"

namespace {

using namespace anima;
using namespace anima::world;

void value(std::string_view bytes) {
  const auto read = decode_message_pack(bytes);
  if (!read) {
    ANIMA_CHECK(!read.error().message.empty());
    return;
  }
  const std::string encoded = read->encode();
  ANIMA_CHECK(encoded.size() <= bytes.size());
  const auto again = decode_message_pack(encoded);
  ANIMA_CHECK(again && again->encode() == encoded);
}

class NoMind final : public Mind {
 public:
  Result<std::string> think(const ThinkRequest&) override { return std::string(); }
};

class Senders {
 public:
  explicit Senders(std::string_view bytes) : rest_(bytes) {
    for (const Identity& each : agents()) {
      world_.nexus.introduce(each.key.public_key);
      ask(each, Message::kAgentSpawnRequest,
          body_of({{"role", "Explorer"}, {"initial_fund", std::uint64_t{100}}}));
      known_.push_back(each.id);
    }
    world_.begin_cycle(1);
  }

  void run() {
    for (int sent = 0; sent < 24 && !rest_.empty(); ++sent) {
      const auto kinds = message_kinds();
      const MessageKind& kind = kinds[byte() % kinds.size()];
      const Identity& sender = agents()[byte() % agents().size()];
      const std::uint8_t after = byte();
      if (after % 4 == 0) pass(after);
      if (!daemon_of(kind.code)) continue;
      ask(sender, kind.code, after % 8 == 1 ? some() : body(kind));
    }
    for (Daemon* each : daemons()) {
      const MessagePack state = each->state();
      ANIMA_CHECK(each->restore(state).has_value() && each->state() == state);
      ANIMA_CHECK(each->failed().has_value());
    }
  }

 private:
  static const std::vector<Identity>& agents() {
    static const std::vector<Identity> all = {identity_from_seed(sha256("FUZZ:0")),
                                              identity_from_seed(sha256("FUZZ:1"))};
    return all;
  }
  std::vector<Daemon*> daemons() {
    return {&world_.nexus, &world_.vault, &world_.agora, &world_.oracle,
            &world_.forge, &world_.mint,  &world_.portal};
  }

  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto first = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return first;
  }
  std::string_view bytes() {
    const std::string_view some = rest_.substr(0, byte());
    rest_.remove_prefix(std::min(rest_.size(), some.size()));
    return some;
  }

  // A value of any kind; ids that somebody was told are likely.
  MessagePack some() {
    switch (byte() % 8) {
      case 0:
        return pack(known_[byte() % known_.size()]);
      case 1:
        return MessagePack(std::uint64_t{byte()});
      case 2:
        return MessagePack(std::string(bytes()));
      case 3:
        return MessagePack(Binary{std::string(bytes())});
      case 4:
        return MessagePack(byte() % 2 == 0);
      case 5:
        return MessagePack(world_.realm.tick + byte());
      case 6:
        return pack(std::vector<AgentId>{known_[byte() % known_.size()]});
      default:
        return decode_message_pack(bytes()).value_or(MessagePack());
    }
  }

  // The fields that such a message has, most of them.
  MessagePack body(const MessageKind& kind) {
    MessagePack body{MessagePack::Map()};
    std::string_view fields = kind.fields;
    while (!fields.empty()) {
      const std::string_view field = fields.substr(0, fields.find(' '));
      fields.remove_prefix(std::min(fields.size(), field.size() + 1));
      body.set(field.substr(0, field.find(':')), some());
    }
    return body;
  }

  void pass(std::uint8_t what) {
    ++world_.realm.tick;
    world_.forge.work();
    world_.agora.judge_system_bounties();
    world_.agora.expire();
    world_.mint.refund_overdue();
    if (what % 32 != 0) return;
    for (const Identity& each : agents()) world_.mint.charge(each.id, what);
    world_.nexus.end_cycle();
    world_.agora.end_cycle();
    world_.forge.end_cycle();
    world_.portal.end_cycle();
    world_.begin_cycle(world_.realm.cycle + 1);
  }

  void ask(const Identity& sender, Message type, const MessagePack& body) {
    const System system = *daemon_of(type);
    for (Daemon* each : daemons()) {
      if (each->system() != system) continue;
      const auto frame = encode_envelope(sender, {static_cast<std::uint16_t>(type), each->id(),
                                                  world_.realm.tick, ++sequence_, body.encode()});
      ANIMA_CHECK(frame.has_value());
      const auto answer = each->receive(frame->bytes);
      ANIMA_CHECK(answer.has_value());
      ReplayGuard fresh;
      const Opened opened = open_envelope(*answer, sender.id, world_.keys(), fresh);
      ANIMA_CHECK(opened.envelope.has_value());
      learn(*decode_message_pack(opened.envelope->body));
    }
    ANIMA_CHECK(world_.mint.total() == static_cast<std::int64_t>(world_.mint.supply()));
  }

  void learn(const MessagePack& answer) {
    for (const auto& member : *answer.map()) {
      Digest id{};
      if (known_.size() < 200 && unpack_to(member.second, id)) known_.push_back(id);
    }
  }

  NoMind mind_;
  test::SmallWorld world_{mind_};
  std::string_view rest_;
  std::vector<Digest> known_;
  std::uint64_t sequence_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 4 == 0) {
    value(bytes);
  } else {
    Senders(bytes).run();
  }
  return 0;
}
