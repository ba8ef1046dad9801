// Rows 98-108 of the specification: the envelope and who signs it.
#include "world/envelope.h"

#include <gtest/gtest.h>

#include "base/json/message_pack_fields.h"
#include "world/identity.h"
#include "world/messages.h"

namespace anima::world::envelope_test {
namespace {

constexpr std::string_view kKnownFrame =
    "4b444f4d012089a776657273696f6e01a86d73675f74797065cd0103a66d73675f6964c420277de54f3b98ceaa"
    "3e903597c4181fd3cb4af40b8b5436ebfafdb8af3e63d606a6736f75726365c420c247ce76047e1549662cb047"
    "51a33772b08ad94116842b0258be1cc88ab1dd7fa6746172676574c420cdebb5f65a95dc0dc3d06a2d8c1543f9"
    "0e234ceba374b7d672b2ce23a736652da974696d657374616d70cd0700a8626f64795f6c656e3ba9626f64795f"
    "68617368c420b818fdf56c140f04597074d3d1fd5f777aa2d54f27472841ded2871292f63836a97369676e6174"
    "757265c4405986333776a6da7d166a87c5cd5a70f216bc3bf875453e9ec75f30017a366b2de91fc83372a96839"
    "ee8e0f5dfe265d501f278783f13fc392fdd7f6039484410d83a86167656e745f6964c420cdebb5f65a95dc0dc3"
    "d06a2d8c1543f90e234ceba374b7d672b2ce23a736652da662756467657440a56379636c6507";

class EnvelopeTest : public ::testing::Test {
 protected:
  Identity nexus_ = system_identity(System::kNexus);
  Identity agent_ = identity_from_seed(sha256("TEST_AGENT:1"));
  ReplayGuard replays_;

  KeyBook keys() {
    return [this](const AgentId& id) -> std::optional<PublicKey> {
      if (id == nexus_.id) return nexus_.key.public_key;
      if (id == agent_.id) return agent_.key.public_key;
      return std::nullopt;
    };
  }

  Frame frame(std::string body = "\x80", std::uint64_t tick = 1792, std::uint64_t sequence = 1) {
    auto made = encode_envelope(nexus_, {static_cast<std::uint16_t>(Message::kTickAlloc), agent_.id,
                                         tick, sequence, std::move(body)});
    EXPECT_TRUE(made.has_value());
    return std::move(*made);
  }

  Frame known() {
    MessagePack body;
    body.set("agent_id", pack(agent_.id)).set("budget", 64).set("cycle", 7);
    return frame(body.encode());
  }

  std::string fault(std::string_view bytes) {
    ReplayGuard fresh;
    const Opened opened = open_envelope(bytes, agent_.id, keys(), fresh);
    if (opened.fault) return std::string(to_string(*opened.fault));
    return opened.envelope ? "none" : "dropped";
  }
};

TEST_F(EnvelopeTest, Row98KnownFrame) {
  const Frame made = known();
  EXPECT_EQ(made.bytes.size(), 353U);
  EXPECT_EQ(to_hex(made.bytes), kKnownFrame);
  EXPECT_EQ(to_hex(made.message_id),
            "277de54f3b98ceaa3e903597c4181fd3cb4af40b8b5436ebfafdb8af3e63d606");
  const Opened opened = open_envelope(made.bytes, agent_.id, keys(), replays_);
  ASSERT_TRUE(opened.envelope.has_value());
  EXPECT_EQ(opened.envelope->source, nexus_.id);
  EXPECT_EQ(opened.envelope->timestamp, 1792U);
  const auto body = decode_message_pack(opened.envelope->body);
  ASSERT_TRUE(body.has_value());
  EXPECT_EQ(*body->find("cycle")->natural(), 7U);
}

TEST_F(EnvelopeTest, Row99BadMagicAndShort) {
  std::string bytes = known().bytes;
  EXPECT_EQ(fault(bytes.substr(0, 5)), "TooShort");
  EXPECT_EQ(fault(bytes.substr(0, 100)), "TooShort");
  std::string other = bytes;
  other[0] = 'k';
  EXPECT_EQ(fault(other), "BadMagic");
  other = bytes;
  other[6] = '\x01';  // no map
  EXPECT_EQ(fault(other), "BadHeader");
  other = bytes;
  other[15] = '\x02';  // the version, behind "89 a7 version"
  EXPECT_EQ(fault(other), "BadVersion");
}

TEST_F(EnvelopeTest, Row100FlippedBody) {
  std::string bytes = known().bytes;
  bytes.back() = '\x08';
  EXPECT_EQ(fault(bytes), "BodyHashMismatch");
}

TEST_F(EnvelopeTest, Row101BodyLength) {
  const std::string bytes = known().bytes;
  EXPECT_EQ(fault(bytes + "x"), "BodyLenMismatch");
  EXPECT_EQ(fault(bytes.substr(0, bytes.size() - 1)), "BodyLenMismatch");
}

TEST_F(EnvelopeTest, Row102FlippedSignature) {
  std::string bytes = known().bytes;
  bytes[6 + 288 - 1] = static_cast<char>(bytes[6 + 288 - 1] ^ 1);
  EXPECT_EQ(fault(bytes), "BadSignature");
}

TEST_F(EnvelopeTest, Row103WrongKey) {
  const std::string bytes = known().bytes;
  ReplayGuard fresh;
  const KeyBook other = [this](const AgentId&) { return std::optional(agent_.key.public_key); };
  EXPECT_EQ(open_envelope(bytes, agent_.id, other, fresh).fault, EnvelopeFault::kUnknownSource);
  const KeyBook none = [](const AgentId&) { return std::optional<PublicKey>(); };
  EXPECT_EQ(open_envelope(bytes, agent_.id, none, fresh).fault, EnvelopeFault::kUnknownSource);
}

TEST_F(EnvelopeTest, Row104WrongTargetIsDroppedSilently) {
  const std::string bytes = known().bytes;
  const Opened opened = open_envelope(bytes, nexus_.id, keys(), replays_);
  EXPECT_FALSE(opened.envelope.has_value());
  EXPECT_FALSE(opened.fault.has_value());
  const auto all = encode_envelope(nexus_, {2, kBroadcast, 1, 1, "\x80"});
  ASSERT_TRUE(all.has_value());
  EXPECT_TRUE(open_envelope(all->bytes, nexus_.id, keys(), replays_).envelope.has_value());
}

TEST_F(EnvelopeTest, Row105Size) {
  const std::size_t header = frame(std::string(70'000, 'x')).bytes.size() - 6 - 70'000;
  const std::size_t most = kMaxEnvelopeBytes - header;
  EXPECT_EQ(fault(frame(std::string(most, 'x')).bytes), "none");
  const auto over =
      encode_envelope(nexus_, {0x0103, agent_.id, 1792, 1, std::string(most + 1, 'x')});
  ASSERT_FALSE(over.has_value());
  EXPECT_EQ(over.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(fault(frame(std::string(most, 'x')).bytes + "x"), "TooLarge");
}

TEST_F(EnvelopeTest, Row106Replay) {
  const Frame first = frame("\x80", 10, 1);
  const Frame second = frame("\x80", 10, 2);
  const auto open = [&](const Frame& each) {
    return open_envelope(each.bytes, agent_.id, keys(), replays_);
  };
  EXPECT_TRUE(open(first).envelope.has_value());
  EXPECT_TRUE(open(second).envelope.has_value()) << "several messages share a tick";
  EXPECT_EQ(open(first).fault, EnvelopeFault::kReplayed);
  EXPECT_EQ(open(frame("\x80", 9, 3)).fault, EnvelopeFault::kReplayed);
  EXPECT_TRUE(open(frame("\x80", 11, 4)).envelope.has_value());
  EXPECT_EQ(open(second).fault, EnvelopeFault::kReplayed);
}

TEST_F(EnvelopeTest, Row107SystemIds) {
  constexpr std::string_view kIds[] = {
      "c247ce76047e1549662cb04751a33772b08ad94116842b0258be1cc88ab1dd7f",
      "ec5e9491d2b58458b30f8f43a1d20afbc253a88f268a7ded4bcce9cc6f316fe5",
      "61878d2702d0b317600aa33a4d8087472b773050bf9e633db4d715b2006c7470",
      "0d8cabae693b724546ab3fb7ffcfcc2107f378131be021aacc54a9b0981f4547",
      "5489ad1e1d9fb1ccfd9519867a7ab13c4c25eae59ec384813ca29828bc62cd8e",
      "ab221d491489dae422154f1573f070bdd1e6190de9bd0bc92db6cbb89a2f363b",
      "510068b94b5827eb155c07cae5b43235ce2c19d3b2c44fed26d62198b817853c",
      "f8752e3ff08a1a1874fc7401a16654b92d14688b79bcdad7bffb758b72e241bb"};
  for (std::size_t i = 0; i < kSystems; ++i)
    EXPECT_EQ(to_hex(system_identity(static_cast<System>(i)).id), kIds[i]);
  EXPECT_NE(system_identity(System::kNexus, "salt").id, nexus_.id);
}

TEST_F(EnvelopeTest, Row108Alias) { EXPECT_EQ(alias(nexus_.id), "c247ce76"); }

TEST_F(EnvelopeTest, IdentitiesAreSealedAtRest) {
  SeededRandom random(1);
  SealKey key{};
  key[0] = 1;
  const std::string sealed = seal_identity(agent_, key, random);
  EXPECT_EQ(sealed.find(std::string(bytes_of(agent_.key.seed))), std::string::npos);
  const auto again = unseal_identity(sealed, key);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->id, agent_.id);
  EXPECT_EQ(unseal_identity(sealed, SealKey{}).error().code, ErrorCode::kDenied);
}

TEST(Messages, EveryMessageOfTheSourceIsKnown) {
  std::size_t from_agents = 0;
  for (const MessageKind& kind : message_kinds()) {
    EXPECT_EQ(message_kind(static_cast<std::uint16_t>(kind.code)), &kind);
    if (kind.direction != Direction::kFromAgent) continue;
    ++from_agents;
    EXPECT_EQ(message_of_action(action_name(kind)), &kind);
    EXPECT_TRUE(daemon_of(kind.code).has_value());
  }
  EXPECT_EQ(from_agents, 41U);
  EXPECT_EQ(message_of_action("agent_spawn_req"), nullptr);
  EXPECT_EQ(message_kind(0x0999), nullptr);
}

TEST(Messages, ParametersBecomeABody) {
  const MessageKind* claim = message_of_action("bounty_claim");
  ASSERT_NE(claim, nullptr);
  const AgentId me = sha256("me");
  const Json good = Json::object({{"bounty_id", std::string(64, 'a')}, {"claimer", "somebody"}});
  const auto body = message_body(*claim, good, me);
  ASSERT_TRUE(body.has_value());
  EXPECT_EQ(body->find("claimer")->binary()->bytes, bytes_of(me)) << "nobody claims for others";
  EXPECT_EQ(body->find("bounty_id")->binary()->bytes, std::string(32, '\xaa'));
  const auto missing = message_body(*claim, Json::object(), me);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().where, "bounty_id");
}

}  // namespace
}  // namespace anima::world::envelope_test
