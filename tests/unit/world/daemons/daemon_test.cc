// What every daemon does alike: whom it answers, and what it asks of a body.
#include "world/daemons/daemon.h"

#include "support/daemon_test.h"

namespace anima::world::daemon_test {
namespace {

class AnyDaemon : public test::DaemonTest {
 protected:
  std::optional<std::string> post(const std::string& bytes) { return world_.vault.receive(bytes); }
};

TEST_F(AnyDaemon, Row104AFrameForAnotherIsNotAnswered) {
  const MessagePack body = body_of({{"type_tag", 1}, {"data", Binary{"x"}}});
  EXPECT_FALSE(post(frame(agents_[0], Message::kObjectPut, body, world_.mint.id())).has_value());
  EXPECT_FALSE(post("KDOM").has_value()) << "nor one that is broken";
  const Identity stranger = identity_from_seed(sha256("nobody knows me"));
  EXPECT_FALSE(post(frame(stranger, Message::kObjectPut, body, world_.vault.id())).has_value());
  const std::string once = frame(agents_[0], Message::kObjectPut, body, world_.vault.id());
  EXPECT_TRUE(post(once).has_value());
  EXPECT_FALSE(post(once).has_value()) << "nor one that was heard before";
}

TEST_F(AnyDaemon, AnswersAPingWithItsNumber) {
  const std::string ping = frame(agents_[0], Message::kPing, body_of({}), world_.vault.id());
  ReplayGuard fresh;
  const Digest number =
      open_envelope(ping, world_.vault.id(), world_.keys(), fresh).envelope->message_id;
  const test::DaemonAnswer pong = read(post(ping), agents_[0].id);
  EXPECT_EQ(pong.type, Message::kPong);
  EXPECT_EQ(pong.id("ref_msg_id"), number);
}

TEST_F(AnyDaemon, RefusesWhatItDoesNotKnow) {
  const auto answered = [&](Message type) {
    return read(post(frame(agents_[0], type, body_of({}), world_.vault.id())), agents_[0].id)
        .refusal();
  };
  EXPECT_EQ(answered(static_cast<Message>(0x0299)), "InvalidRequest: unknown message or body");
  EXPECT_EQ(answered(Message::kTransfer), "InvalidRequest: this daemon does not answer that");
  const auto sent = encode_envelope(agents_[0], {static_cast<std::uint16_t>(Message::kObjectPut),
                                                 world_.vault.id(), realm_.tick, 999, "\xc1"});
  EXPECT_EQ(read(post(sent->bytes), agents_[0].id).refusal(),
            "InvalidRequest: unknown message or body");
}

// Codes that a daemon has and agents do not send.
TEST_F(AnyDaemon, RefusesMessagesThatAreNotForIt) {
  const std::pair<Message, const char*> cases[] = {
      {Message::kTickAlloc, "the nexus does not answer that"},
      {Message::kDeltaCompute, "the vault does not answer that"},
      {Message::kCitationQuery, "the oracle does not answer that"},
      {Message::kSandboxStatus, "the forge does not answer that"},
      {Message::kEscrowRelease, "the mint does not answer that"},
  };
  for (const auto& each : cases)
    EXPECT_EQ(refused(agents_[0], each.first, {}), std::string("InvalidRequest: ") + each.second);
}

TEST_F(AnyDaemon, OnlyTheActiveWriteAndEverybodyAsks) {
  const Identity young = identity_from_seed(sha256("young"));
  spawn(young);
  ASSERT_TRUE(nexus_.set_status(agents_[1].id, AgentStatus::kDormant));
  ASSERT_TRUE(nexus_.set_status(agents_[2].id, AgentStatus::kDead));
  for (const Identity* each : std::array<const Identity*, 3>{&young, &agents_[1], &agents_[2]}) {
    EXPECT_EQ(refused(*each, Message::kMessagePost, {{"content", "hello"}}),
              "Unauthorized: only an active agent may do that");
    EXPECT_TRUE(ask(*each, Message::kMessageQuery, {}).good());
  }
  EXPECT_TRUE(ask(agents_[0], Message::kMessagePost, {{"content", "hello"}}).good());
}

TEST_F(AnyDaemon, SaysSoWhenAnAnswerIsTooLarge) {
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(ask(agents_[0], Message::kMessagePost,
                    {{"content", std::to_string(i) + std::string(600'000, 'x')}})
                    .good());
  EXPECT_EQ(ask(agents_[0], Message::kMessageQuery, {}).refusal(),
            "Internal: the answer is too large");
  EXPECT_TRUE(ask(agents_[0], Message::kMessageQuery, {{"limit", 1}}).good());
}

// A field that is needed is missing, and any field is of another type.
TEST_F(AnyDaemon, NamesTheFieldThatIsMissingOrWrong) {
  struct Case {
    Message type;
    std::vector<std::string> needed;
    std::vector<std::string> may_be = {};
  };
  const Case cases[] = {
      {Message::kAgentSpawnRequest, {"role", "initial_fund"}, {"parent"}},
      {Message::kAgentStatus, {"agent_id"}},
      {Message::kProposalSubmit, {"kind", "title"}},
      {Message::kProposalVote, {"proposal_id", "vote"}},
      {Message::kRepoCreate, {"name"}, {"access_policy"}},
      {Message::kSnapCreate, {"root", "author", "message"}, {"parent"}},
      {Message::kSnapGet, {"snap_id"}},
      {Message::kObjectGet, {"object_id"}},
      {Message::kObjectPut, {"type_tag", "data"}},
      {Message::kMerge, {"base", "left", "right"}},
      {Message::kChainCreate, {"repo", "name", "from_snap"}},
      {Message::kChainAdvance, {"repo", "chain_name", "new_head"}},
      {Message::kTagCreate, {"repo", "name", "target"}},
      {Message::kRegistryQuery, {}, {"text_match", "limit"}},
      {Message::kDependencyAdd, {"repo", "on"}},
      {Message::kChannelCreate, {"name"}},
      {Message::kMessagePost, {"content"}, {"channel_id"}},
      {Message::kMessageQuery, {}, {"channel_id", "author", "limit"}},
      {Message::kSignalSend, {"target", "kind"}, {"reference", "weight"}},
      {Message::kBountyCreate, {"title", "reward", "deadline", "expected"}, {"difficulty", "tags"}},
      {Message::kBountyClaim, {"bounty_id"}},
      {Message::kBountySubmit, {"bounty_id", "submission_snap"}},
      {Message::kBountyReview, {"bounty_id", "verdict"}},
      {Message::kReviewRequest, {"snap", "reviewers"}},
      {Message::kReviewSubmit, {"review_id", "verdict"}},
      {Message::kEntryPublish, {"title", "body"}, {"review"}},
      {Message::kEntryUpdate, {"entry_id", "new_body"}},
      {Message::kEntryQuery, {}, {"text_match", "limit"}},
      {Message::kEntryVerify, {"entry_id", "verdict"}},
      {Message::kEntryGet, {"entry_id"}, {"version"}},
      {Message::kCitationAdd, {"from", "to"}},
      {Message::kSandboxCreate, {"program"}, {"tick_limit"}},
      {Message::kExecStart, {"sandbox_id"}},
      {Message::kProofRequest, {"sandbox_id"}},
      {Message::kServiceCreate, {"name", "program"}, {"fee"}},
      {Message::kServiceCall, {"service_id"}, {"data"}},
      {Message::kLinkResolve, {}, {"imports"}},
      {Message::kTransfer, {"to", "amount"}},
      {Message::kBalanceQuery, {"agent_id"}},
      {Message::kEscrowCreate, {"payee", "amount", "deadline"}},
      {Message::kStakeCreate, {"proposal_id", "amount", "side"}},
      {Message::kWebRequest, {"method", "url"}},
  };
  // A value that each field takes.
  const auto value = [](const std::string& name) -> MessagePack {
    for (const char* each : {"vote", "side"}) {
      if (name == each) return MessagePack(true);
    }
    if (name == "role") return MessagePack("Explorer");
    if (name == "data") return MessagePack(Binary{"x"});
    if (name == "reviewers") return pack(std::vector<AgentId>{sha256("reviewer")});
    for (const char* each : {"kind", "title", "name", "access_policy", "message", "chain_name",
                             "content", "verdict", "body", "new_body", "method", "url"}) {
      if (name == each) return MessagePack("Custom");
    }
    for (const char* each :
         {"initial_fund", "type_tag", "reward", "deadline", "expected", "amount"}) {
      if (name == each) return MessagePack(1);
    }
    return pack(sha256(name));
  };
  for (const Case& each : cases) {
    const auto asked = [&](const std::string& changed, bool missing) {
      MessagePack body{MessagePack::Map()};
      for (const std::string& name : each.needed) {
        if (name != changed) body.set(name, value(name));
      }
      // No field is a list of truths, and only two are a truth.
      const bool truth = changed == "vote" || changed == "side";
      if (!missing) body.set(changed, truth ? MessagePack("maybe") : MessagePack(true));
      return ask(agents_[0], each.type, body).refusal();
    };
    const auto wanted = [](const std::string& name) {
      return "InvalidRequest: the field " + name + " is missing or wrong";
    };
    const auto before = hashes();
    const std::string what(message_kind(static_cast<std::uint16_t>(each.type))->name);
    for (const std::string& name : each.needed) {
      EXPECT_EQ(asked(name, true), wanted(name)) << what;
      EXPECT_EQ(asked(name, false), wanted(name)) << what;
    }
    for (const std::string& name : each.may_be) EXPECT_EQ(asked(name, false), wanted(name)) << what;
    EXPECT_EQ(hashes(), before) << what;
  }
}

}  // namespace
}  // namespace anima::world::daemon_test
