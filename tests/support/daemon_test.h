// Agents that are nothing but their keys, for asking the daemons of a world by signed messages:
// what comes back, and that a refusal leaves everything as it was.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <concepts>
#include <string>
#include <vector>

#include "support/small_world.h"

namespace anima::test {

// Nobody in these worlds thinks.
class NoMind final : public world::Mind {
 public:
  Result<std::string> think(const world::ThinkRequest&) override { return std::string(); }
};

struct DaemonAnswer {
  bool there = false;
  world::Message type{};
  MessagePack body;

  bool good() const { return there && type != world::Message::kError; }
  std::string text(std::string_view name) const {
    const MessagePack* found = body.find(name);
    return found == nullptr || found->text() == nullptr ? std::string() : *found->text();
  }
  // "Category: message" of an error, else what came.
  std::string refusal() const {
    if (!there) return "no answer";
    return good() ? "granted" : text("category") + ": " + text("message");
  }
  Digest id(std::string_view name) const {
    Digest id{};
    const MessagePack* found = body.find(name);
    EXPECT_TRUE(found != nullptr && unpack_to(*found, id)) << name << ": " << refusal();
    return id;
  }
  // A field of the data that a question brings.
  const MessagePack& data(std::string_view name) const {
    static const MessagePack kNone;
    const MessagePack* all = body.find("data");
    const MessagePack* found = all == nullptr ? nullptr : all->find(name);
    EXPECT_NE(found, nullptr) << name << ": " << refusal();
    return found == nullptr ? kNone : *found;
  }
};

class DaemonTest : public ::testing::Test {
 protected:
  using FieldList = std::initializer_list<std::pair<std::string_view, MessagePack>>;

  DaemonTest() {
    for (std::size_t i = 0; i < 4; ++i) {
      agents_.push_back(world::identity_from_seed(sha256("ASKING:" + std::to_string(i))));
      spawn(agents_.back());
    }
    world_.begin_cycle(1);
  }

  DaemonAnswer spawn(const world::Identity& who, std::uint64_t fund = world::kGrant) {
    nexus_.introduce(who.key.public_key);
    return ask(who, world::Message::kAgentSpawnRequest,
               {{"role", pack(world::AgentRole::kGeneralist)}, {"initial_fund", fund}});
  }

  std::string frame(const world::Identity& who, world::Message type, const MessagePack& body,
                    const world::AgentId& to) {
    return world::encode_envelope(
               who, {static_cast<std::uint16_t>(type), to, realm_.tick, ++sequence_, body.encode()})
        ->bytes;
  }

  DaemonAnswer read(const std::optional<std::string>& reply, const world::AgentId& reader) {
    DaemonAnswer answer;
    if (!reply) return answer;
    world::ReplayGuard fresh;
    const world::Opened opened = world::open_envelope(*reply, reader, world_.keys(), fresh);
    EXPECT_TRUE(opened.envelope.has_value());
    if (!opened.envelope) return answer;
    answer.there = true;
    answer.type = static_cast<world::Message>(opened.envelope->type);
    answer.body = *decode_message_pack(opened.envelope->body);
    return answer;
  }

  // To the daemon that answers such messages.
  // A template, so that braces are always fields.
  template <std::same_as<MessagePack> Body>
  DaemonAnswer ask(const world::Identity& who, world::Message type, const Body& body) {
    world::Daemon& daemon = daemon_of(*world::daemon_of(type));
    return read(daemon.receive(frame(who, type, body, daemon.id())), who.id);
  }
  DaemonAnswer ask(const world::Identity& who, world::Message type, FieldList fields) {
    return ask(who, type, world::body_of(fields));
  }

  // The refusal, after a look that nothing else came of it.
  std::string refused(const world::Identity& who, world::Message type, FieldList fields) {
    const auto before = hashes();
    const std::uint64_t told = world_.bus.current_lamport();
    const std::string refusal = ask(who, type, fields).refusal();
    EXPECT_EQ(hashes(), before) << "a refusal changed something: " << refusal;
    EXPECT_EQ(world_.bus.current_lamport(), told) << "a refusal was told: " << refusal;
    return refusal;
  }

  std::array<Digest, 7> hashes() {
    std::array<Digest, 7> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = daemon_of(static_cast<world::System>(i)).state_hash();
    return all;
  }

  world::Daemon& daemon_of(world::System system) {
    const std::array<world::Daemon*, 7> all{&world_.nexus,  &world_.vault, &world_.agora,
                                            &world_.oracle, &world_.forge, &world_.mint,
                                            &world_.portal};
    return *all[static_cast<std::size_t>(system)];
  }

  // Events of a kind since the beginning.
  std::size_t told(world::EventKind kind) const {
    world::EventFilter filter;
    filter.kinds = {static_cast<std::uint16_t>(kind)};
    return world_.bus.replay({}, filter).size();
  }
  MessagePack last_told(world::EventKind kind) const {
    world::EventFilter filter;
    filter.kinds = {static_cast<std::uint16_t>(kind)};
    const auto events = world_.bus.replay({}, filter);
    return events.empty() ? MessagePack() : *decode_message_pack(events.back().payload.bytes);
  }

  // An object of the vault, and a snapshot of it.
  Digest object(std::string_view text) {
    return ask(agents_[0], world::Message::kObjectPut,
               {{"type_tag", 1}, {"data", Binary{std::string(text)}}})
        .id("object_id");
  }
  Digest snap(const world::Identity& author, std::string_view text) {
    const Digest root = object(text);
    return ask(author, world::Message::kSnapCreate,
               {{"root", pack(root)}, {"author", pack(author.id)}, {"message", "of a test"}})
        .id("snap_id");
  }

  std::int64_t balance(const world::AgentId& who) const { return world_.mint.account(who).balance; }

  NoMind mind_;
  SmallWorld world_{mind_};
  world::Realm& realm_ = world_.realm;
  world::Nexus& nexus_ = world_.nexus;
  world::Mint& mint_ = world_.mint;
  std::vector<world::Identity> agents_;  // four active ones with 100 each

 private:
  std::uint64_t sequence_ = 0;
};

}  // namespace anima::test
