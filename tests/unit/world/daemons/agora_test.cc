// Row 160 and the refusals of the agora: what is said, bounties and reviews.
#include "world/daemons/agora.h"

#include "support/daemon_test.h"

namespace anima::world::agora_test {
namespace {

class AgoraTest : public test::DaemonTest {
 protected:
  test::DaemonAnswer post(std::string_view content, const Digest& channel = {}) {
    return ask(agents_[0], Message::kMessagePost,
               {{"content", content}, {"channel_id", pack(channel)}});
  }
  std::string refused_bounty(std::uint64_t reward, std::uint64_t deadline) {
    return refused(agents_[0], Message::kBountyCreate,
                   {{"title", "t"}, {"reward", reward}, {"deadline", deadline}, {"expected", 7}});
  }
  Digest bounty() {
    return ask(agents_[0], Message::kBountyCreate,
               {{"title", "a program that leaves 7"},
                {"reward", 20},
                {"deadline", realm_.tick + 50},
                {"expected", 7}})
        .id("bounty_id");
  }
  test::DaemonAnswer on(std::size_t agent, Message type, const Digest& bounty) {
    return ask(agents_[agent], type, {{"bounty_id", pack(bounty)}, {"verdict", "approve"}});
  }
  test::DaemonAnswer submit(std::size_t agent, const Digest& bounty, const Digest& snap) {
    return ask(agents_[agent], Message::kBountySubmit,
               {{"bounty_id", pack(bounty)}, {"submission_snap", pack(snap)}});
  }
  const Bounty& state_of(const Digest& bounty) { return world_.agora.bounties().at(bounty); }
  Digest review_of(const Digest& snap, const std::vector<AgentId>& reviewers) {
    return ask(agents_[0], Message::kReviewRequest,
               {{"snap", pack(snap)}, {"reviewers", pack(reviewers)}})
        .id("review_id");
  }
  test::DaemonAnswer judge(std::size_t agent, const Digest& review, const char* verdict) {
    return ask(agents_[agent], Message::kReviewSubmit,
               {{"review_id", pack(review)}, {"verdict", verdict}});
  }
  std::uint64_t quality(std::size_t agent) { return nexus_.agents().at(agents_[agent].id).quality; }
};

TEST_F(AgoraTest, ChannelsHaveNamesOfTheirOwn) {
  const Digest channel =
      ask(agents_[0], Message::kChannelCreate, {{"name", "work"}}).id("channel_id");
  EXPECT_EQ(refused(agents_[1], Message::kChannelCreate, {{"name", "work"}}),
            "Conflict: a channel has that name");
  EXPECT_EQ(refused(agents_[0], Message::kMessagePost,
                    {{"content", "x"}, {"channel_id", pack(sha256("none"))}}),
            "NotFound: there is no such channel");
  EXPECT_EQ(post("hello").refusal(), "granted");
  EXPECT_EQ(post("hello", channel).refusal(), "granted") << "another channel";
  EXPECT_EQ(refused(agents_[0], Message::kMessagePost, {{"content", "hello"}}),
            "Conflict: this was said in the channel");
  const auto count = [&](FieldList fields) {
    return ask(agents_[1], Message::kMessageQuery, fields).data("messages").array()->size();
  };
  EXPECT_EQ(count({}), 2U);
  EXPECT_EQ(count({{"channel_id", pack(channel)}}), 1U);
  EXPECT_EQ(count({{"author", pack(agents_[1].id)}}), 0U);
  EXPECT_EQ(count({{"limit", 1}}), 1U);
}

TEST_F(AgoraTest, Row160TenPostsACycleForEachAgent) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(post(std::to_string(i)).refusal(), "granted") << i;
  EXPECT_EQ(refused(agents_[0], Message::kMessagePost, {{"content", "ten"}}),
            "QuotaExceeded: ten messages a cycle");
  EXPECT_TRUE(ask(agents_[1], Message::kMessagePost, {{"content", "of another"}}).good());
  world_.agora.end_cycle();
  EXPECT_EQ(post("ten").refusal(), "granted");
}

TEST_F(AgoraTest, HardSignalsNeedAReference) {
  const MessagePack target = pack(agents_[1].id);
  for (const char* kind : {"INCORRECT", "duplicate"}) {
    EXPECT_EQ(refused(agents_[0], Message::kSignalSend, {{"target", target}, {"kind", kind}}),
              "InvalidRequest: that signal needs a reference");
    EXPECT_TRUE(ask(agents_[0], Message::kSignalSend,
                    {{"target", target}, {"kind", kind}, {"reference", target}})
                    .good());
  }
  const auto weight = [&](FieldList fields) {
    EXPECT_TRUE(ask(agents_[0], Message::kSignalSend, fields).good());
    return *last_told(EventKind::kSignalSent).find("weight")->float32();
  };
  EXPECT_FLOAT_EQ(weight({{"target", target}, {"kind", "Disagree"}, {"weight", 0.5F}}), 0.05F);
  EXPECT_FLOAT_EQ(weight({{"target", target}, {"kind", "Disagree"}, {"reference", target}}), 1.0F);
  EXPECT_FLOAT_EQ(weight({{"target", target}, {"kind", "helpful"}}), 1.0F);
}

TEST_F(AgoraTest, ABountyHasItsMoneyAndATime) {
  const std::uint64_t later = realm_.tick + 50;
  EXPECT_EQ(refused_bounty(0, later), "InvalidRequest: a wrong amount");
  EXPECT_EQ(refused_bounty(kSupply + 1, later), "InvalidRequest: a wrong amount");
  EXPECT_EQ(refused_bounty(20, realm_.tick), "InvalidRequest: the deadline is over");
  EXPECT_EQ(refused_bounty(97, later), "QuotaExceeded: the balance does not reach")
      << "97 and a tax of 4";
  bounty();
  EXPECT_EQ(mint_.account(agents_[0].id).locked, 21U);
  EXPECT_EQ(refused_bounty(77, later), "QuotaExceeded: the balance does not reach")
      << "what is locked pays nothing else";
}

TEST_F(AgoraTest, ABountyGoesFromClaimToPayment) {
  const Digest id = bounty(), none = sha256("none"), work = snap(agents_[1], "push 7\nhalt");
  const auto fields = [](const Digest& bounty) {
    return body_of({{"bounty_id", pack(bounty)}, {"verdict", "approve"}});
  };
  const auto claim = [&](std::size_t agent, const Digest& of) {
    return refused(agents_[agent], Message::kBountyClaim, {{"bounty_id", pack(of)}});
  };
  const auto submitted = [&](std::size_t agent, const Digest& of, const Digest& what) {
    return refused(agents_[agent], Message::kBountySubmit,
                   {{"bounty_id", pack(of)}, {"submission_snap", pack(what)}});
  };
  const auto reviewed = [&](std::size_t agent, const Digest& of) {
    return refused(agents_[agent], Message::kBountyReview,
                   {{"bounty_id", pack(of)}, {"verdict", "approve"}});
  };
  EXPECT_EQ(claim(1, none), "NotFound: there is no such bounty");
  EXPECT_EQ(claim(0, id), "Conflict: nobody claims a bounty of his own");
  EXPECT_EQ(submitted(1, none, work), "NotFound: there is no such bounty");
  EXPECT_EQ(submitted(1, id, work), "Unauthorized: only its claimer may submit")
      << "before a claim";
  EXPECT_EQ(reviewed(0, none), "NotFound: there is no such bounty");
  EXPECT_EQ(reviewed(0, id), "Conflict: nothing was submitted");
  ASSERT_TRUE(ask(agents_[1], Message::kBountyClaim, fields(id)).good());
  EXPECT_EQ(claim(2, id), "Conflict: the bounty is not open");
  EXPECT_EQ(submitted(2, id, work), "Unauthorized: only its claimer may submit");
  EXPECT_EQ(submitted(1, id, none), "NotFound: there is no such snapshot");
  ASSERT_TRUE(submit(1, id, work).good());
  EXPECT_EQ(submitted(1, id, work), "Unauthorized: only its claimer may submit") << "once";
  EXPECT_EQ(reviewed(1, id), "Unauthorized: only its creator may review it");
  ASSERT_TRUE(ask(agents_[0], Message::kBountyReview, fields(id)).good());
  EXPECT_EQ(state_of(id).state, "completed");
  EXPECT_EQ(balance(agents_[0].id), 79);
  EXPECT_EQ(balance(agents_[1].id), 120);
  EXPECT_EQ(mint_.account(agents_[0].id).locked, 0U);
  EXPECT_EQ(quality(1), 1U);
  EXPECT_EQ(reviewed(0, id), "Conflict: nothing was submitted") << "nobody is paid twice";
  EXPECT_EQ(claim(2, id), "Conflict: the bounty is not open");
  realm_.tick += 51;
  world_.agora.expire();
  EXPECT_EQ(state_of(id).state, "completed");
}

TEST_F(AgoraTest, WhatIsRefusedIsOpenAgain) {
  const Digest id = bounty(), work = snap(agents_[1], "push 8\nhalt");
  ASSERT_TRUE(on(1, Message::kBountyClaim, id).good());
  ASSERT_TRUE(submit(1, id, work).good());
  ASSERT_TRUE(ask(agents_[0], Message::kBountyReview,
                  {{"bounty_id", pack(id)}, {"approved", false}, {"reviewer", pack(agents_[0].id)}})
                  .good())
      << "as another document of the source has it";
  EXPECT_EQ(state_of(id).state, "open");
  EXPECT_EQ(state_of(id).claimer, AgentId{});
  EXPECT_EQ(balance(agents_[1].id), 100);
  EXPECT_TRUE(on(2, Message::kBountyClaim, id).good());
}

TEST_F(AgoraTest, AfterItsDeadlineItIsOver) {
  const Digest id = bounty();
  realm_.tick += 50;
  world_.agora.expire();
  EXPECT_EQ(state_of(id).state, "open") << "on its last tick";
  ++realm_.tick;
  world_.agora.expire();
  world_.agora.expire();
  EXPECT_EQ(state_of(id).state, "expired");
  EXPECT_EQ(told(EventKind::kBountyExpired), 1U);
  EXPECT_EQ(mint_.account(agents_[0].id).locked, 0U) << "its money is back";
  EXPECT_EQ(on(1, Message::kBountyClaim, id).refusal(), "Conflict: the bounty is not open");
}

TEST_F(AgoraTest, WithoutMoneyNothingIsCompleted) {
  const Digest id = bounty(), work = snap(agents_[1], "push 7\nhalt");
  ASSERT_TRUE(on(1, Message::kBountyClaim, id).good());
  ASSERT_TRUE(submit(1, id, work).good());
  mint_.charge(agents_[0].id, 100);  // upkeep does not ask what is locked
  EXPECT_EQ(refused(agents_[0], Message::kBountyReview,
                    {{"bounty_id", pack(id)}, {"verdict", "approve"}}),
            "QuotaExceeded: the balance does not reach");
  ASSERT_TRUE(mint_.transfer(nexus_.id(), agents_[0].id, 21, "test").has_value());
  EXPECT_TRUE(on(0, Message::kBountyReview, id).good()) << "once it is there, it is paid";
  EXPECT_EQ(state_of(id).state, "completed");
  EXPECT_EQ(balance(agents_[1].id), 120);
  EXPECT_EQ(balance(agents_[0].id), 0);
}

TEST_F(AgoraTest, TheTreasuryRunsWhatItPaysFor) {
  const auto judged = [&](std::string_view program) {
    const Digest id = *world_.agora.post_system_bounty("t", 20, 1, 7, {}, realm_.tick + 50);
    EXPECT_TRUE(on(1, Message::kBountyClaim, id).good());
    EXPECT_TRUE(submit(1, id, snap(agents_[1], program)).good());
    world_.agora.judge_system_bounties();
    return state_of(id).state;
  };
  EXPECT_EQ(judged("push 8\nhalt"), "open");
  EXPECT_EQ(judged("push 7\njump 9"), "open") << "it faults";
  EXPECT_EQ(judged("push 7\nhalt"), "completed");
  EXPECT_EQ(balance(agents_[1].id), 120);
  // What agents ask for, they judge themselves.
  const Digest own = bounty();
  ASSERT_TRUE(on(1, Message::kBountyClaim, own).good());
  ASSERT_TRUE(submit(1, own, snap(agents_[1], "push 7\nhalt\n")).good());
  world_.agora.judge_system_bounties();
  EXPECT_EQ(state_of(own).state, "submitted");
}

TEST_F(AgoraTest, AReviewIsByOthersAndOfSomething) {
  const Digest work = snap(agents_[0], "x");
  const auto asked = [&](const Digest& what, const std::vector<AgentId>& whom) {
    return refused(agents_[0], Message::kReviewRequest,
                   {{"snap", pack(what)}, {"reviewers", pack(whom)}});
  };
  EXPECT_EQ(asked(work, {}), "InvalidRequest: nobody is asked");
  EXPECT_EQ(asked(work, {agents_[1].id, agents_[0].id}),
            "Unauthorized: nobody reviews what he wrote");
  EXPECT_EQ(asked(sha256("none"), {agents_[1].id}), "NotFound: no such snapshot");
  const Digest id = review_of(work, {agents_[1].id, agents_[2].id});
  const auto verdict = [&](std::size_t agent, const Digest& review, const char* said = "approve") {
    return refused(agents_[agent], Message::kReviewSubmit,
                   {{"review_id", pack(review)}, {"verdict", said}});
  };
  EXPECT_EQ(verdict(1, sha256("none")), "NotFound: there is no such review");
  EXPECT_EQ(verdict(3, id), "Unauthorized: it was not asked for from this agent");
  EXPECT_EQ(judge(1, id, "approve").refusal(), "granted");
  EXPECT_EQ(quality(0), 0U) << "one of two";
  EXPECT_EQ(judge(2, id, "reject").refusal(), "granted");
  EXPECT_EQ(quality(0), 0U);
  EXPECT_EQ(verdict(2, id, "reject"), "Conflict: this agent has said so");
  EXPECT_EQ(judge(2, id, "approve").refusal(), "granted") << "it has changed its mind";
  EXPECT_EQ(quality(0), 1U);
  EXPECT_EQ(verdict(1, id), "Conflict: the review is completed") << "it counts once";
}

}  // namespace
}  // namespace anima::world::agora_test
