// The oracle: who may write, verify and cite, and what comes of verdicts.
#include "world/daemons/oracle.h"

#include "support/daemon_test.h"

namespace anima::world::oracle_test {
namespace {

class OracleTest : public test::DaemonTest {
 protected:
  Digest publish(std::size_t agent, const char* title, const char* mode = "Immediate") {
    return ask(agents_[agent], Message::kEntryPublish,
               {{"title", title}, {"body", "the first text"}, {"review", mode}})
        .id("entry_id");
  }
  std::string verify(std::size_t agent, const Digest& entry, const char* verdict) {
    return ask(agents_[agent], Message::kEntryVerify,
               {{"entry_id", pack(entry)}, {"verdict", verdict}})
        .refusal();
  }
  double accuracy(const Digest& entry) {
    return *ask(agents_[0], Message::kEntryGet, {{"entry_id", pack(entry)}})
                .data("accuracy")
                .float64();
  }
  std::size_t found(const char* text) {
    return ask(agents_[0], Message::kEntryQuery, {{"text_match", text}})
        .data("entries")
        .array()
        ->size();
  }
  const MessagePack none_ = pack(sha256("none"));
};

TEST_F(OracleTest, OnlyItsAuthorChangesAnEntry) {
  const Digest id = publish(0, "on water");
  EXPECT_EQ(refused(agents_[0], Message::kEntryUpdate, {{"entry_id", none_}, {"new_body", "n"}}),
            "NotFound: there is no such entry");
  EXPECT_EQ(refused(agents_[1], Message::kEntryUpdate, {{"entry_id", pack(id)}, {"new_body", "n"}}),
            "Unauthorized: only its author may change it");
  const auto updated = ask(agents_[0], Message::kEntryUpdate,
                           {{"entry_id", pack(id)}, {"new_body", "the second text"}});
  EXPECT_EQ(*updated.body.find("version")->natural(), 2U);
  const auto body = [&](std::uint64_t version) {
    return ask(agents_[1], Message::kEntryGet, {{"entry_id", pack(id)}, {"version", version}});
  };
  EXPECT_EQ(*body(1).data("body").text(), "the first text");
  EXPECT_EQ(*body(2).data("body").text(), "the second text");
  EXPECT_EQ(body(0).refusal(), "NotFound: there is no such version");
  EXPECT_EQ(body(3).refusal(), "NotFound: there is no such version");
  EXPECT_EQ(refused(agents_[0], Message::kEntryGet, {{"entry_id", none_}}),
            "NotFound: there is no such entry");
}

TEST_F(OracleTest, NobodyVerifiesTwiceOrHisOwn) {
  const Digest id = publish(0, "on water");
  EXPECT_EQ(
      refused(agents_[1], Message::kEntryVerify, {{"entry_id", pack(id)}, {"verdict", "nice"}}),
      "InvalidRequest: the verdicts are accurate, partial, outdated and incorrect");
  EXPECT_EQ(
      refused(agents_[1], Message::kEntryVerify, {{"entry_id", none_}, {"verdict", "accurate"}}),
      "NotFound: there is no such entry");
  EXPECT_EQ(
      refused(agents_[0], Message::kEntryVerify, {{"entry_id", pack(id)}, {"verdict", "accurate"}}),
      "Unauthorized: nobody verifies what he wrote");
  EXPECT_EQ(verify(1, id, "accurate"), "granted");
  EXPECT_EQ(
      refused(agents_[1], Message::kEntryVerify, {{"entry_id", pack(id)}, {"verdict", "partial"}}),
      "Conflict: this agent has verified it");
}

TEST_F(OracleTest, AccuracyIsTheMeanOfTheVerdicts) {
  const Digest id = publish(0, "on water");
  EXPECT_EQ(accuracy(id), 0.0);
  EXPECT_EQ(verify(1, id, "accurate"), "granted");
  EXPECT_NEAR(accuracy(id), 1.0, 1e-9);
  EXPECT_EQ(verify(2, id, "Partial"), "granted");
  EXPECT_NEAR(accuracy(id), 0.75, 1e-9);
  EXPECT_EQ(verify(3, id, "outdated"), "granted");
  EXPECT_NEAR(accuracy(id), 0.6, 1e-9);
  const Digest other = publish(1, "on fire");
  EXPECT_EQ(verify(2, other, "incorrect"), "granted");
  EXPECT_NEAR(accuracy(other), 0.0, 1e-9);
}

TEST_F(OracleTest, VerdictsWeighAsMuchAsWhoGivesThem) {
  const Digest id = publish(0, "on water");
  nexus_.credit_quality(agents_[1].id);
  nexus_.end_cycle();
  EXPECT_EQ(verify(1, id, "accurate"), "granted");
  EXPECT_EQ(verify(2, id, "incorrect"), "granted");
  EXPECT_NEAR(accuracy(id), 0.45 / 0.5, 1e-6) << "0.4 and 0.05 beside 0.05";
}

TEST_F(OracleTest, WhatPeersReviewIsShownOnceTwoApprove) {
  const Digest id = publish(0, "under review", "PeerReview");
  EXPECT_EQ(found("under review"), 0U);
  EXPECT_EQ(verify(1, id, "accurate"), "granted");
  EXPECT_EQ(verify(2, id, "partial"), "granted");
  EXPECT_EQ(found("under review"), 0U) << "one approves";
  EXPECT_EQ(verify(3, id, "accurate"), "granted");
  EXPECT_EQ(found("under review"), 1U);
  EXPECT_NEAR(accuracy(id), 0.5, 1e-9);
}

TEST_F(OracleTest, OnlyItsAuthorCitesAndOnce) {
  const Digest from = publish(0, "a"), to = publish(1, "b");
  const auto cite = [&](std::size_t agent, const MessagePack& first, const MessagePack& second) {
    return refused(agents_[agent], Message::kCitationAdd, {{"from", first}, {"to", second}});
  };
  EXPECT_EQ(cite(0, none_, pack(to)), "NotFound: there is no such entry");
  EXPECT_EQ(cite(0, pack(from), none_), "NotFound: there is no such entry");
  EXPECT_EQ(cite(1, pack(from), pack(to)), "Unauthorized: only its author may add a citation");
  EXPECT_EQ(cite(0, pack(from), pack(from)), "Conflict: it cites that already");
  ASSERT_TRUE(
      ask(agents_[0], Message::kCitationAdd, {{"from", pack(from)}, {"to", pack(to)}}).good());
  EXPECT_EQ(cite(0, pack(from), pack(to)), "Conflict: it cites that already");
}

TEST_F(OracleTest, EntryZeroIsAccurate) {
  world_.oracle.found();
  EXPECT_EQ(found("Genesis"), 1U);
  EXPECT_EQ(accuracy(sha256("Genesis")), 1.0);
}

}  // namespace
}  // namespace anima::world::oracle_test
