// Answers that are kept for a key: there if and only if what the request wrote is, also when the
// process ends at any place in between.
#include "serve/v1/kept_answers.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "base/files/file.h"
#include "store/act.h"

namespace anima::serve::kept_answers_test {
namespace {

using v1::KeptAnswers;
using State = KeptAnswers::State;

const http::Caller kAda{"http:ada", store::Trust::kStandard, true};
const http::Caller kBob{"http:bob", store::Trust::kStandard, true};
const http::Response kAnswer{201, "application/json", "{\"id\":\"x\"}\n", {{"ETag", "\"1\""}}};

class Kept : public testing::Test {
 protected:
  static std::shared_ptr<store::Space> open(const std::string& folder) {
    store::SpaceOptions options;
    options.create = true;
    return store::Space::open(folder, options).value();
  }
  static void write_and_keep(const std::shared_ptr<store::Space>& space, KeptAnswers& kept) {
    ASSERT_TRUE(space->write({}, [](store::Transaction& transaction) {
      return transaction.upsert_type("Written").map([](store::EntityId) {});
    }));
    ASSERT_TRUE(kept.keep(kAda, "key", "request", kAnswer));
  }
  // In a process that ends without a word: within the act, or behind it.
  void run_cut_off(bool within) {
    const pid_t child = ::fork();
    if (child == 0) {
      SystemClock clock;
      const auto space = open(folder_.file("space"));
      KeptAnswers kept(space, clock);
      const store::ActScope act("http:test", store::ActKind::kOwn);
      {
        store::WholeAct whole(*space);
        write_and_keep(space, kept);
        if (within || !whole.done()) ::_exit(0);
      }
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }
  State state_of(KeptAnswers& kept, std::string_view request = "request") {
    const auto claim = kept.claim(kAda, "key", request);
    EXPECT_TRUE(claim) << claim.error().describe();
    return claim->state;
  }
  const TemporaryDirectory folder_{"anima-kept"};
  ManualClock clock_{SystemClock().now()};
};

TEST_F(Kept, WhatWasCutOffIsNoAnswer) {
  run_cut_off(true);
  const auto space = open(folder_.file("space"));
  EXPECT_FALSE(space->snapshot()->find_type("Written"));
  KeptAnswers kept(space, clock_);
  EXPECT_EQ(state_of(kept), State::kNew);
}

TEST_F(Kept, WhatWasDoneIsAnsweredAsBefore) {
  run_cut_off(false);
  const auto space = open(folder_.file("space"));
  EXPECT_TRUE(space->snapshot()->find_type("Written"));
  KeptAnswers kept(space, clock_);
  const auto claim = kept.claim(kAda, "key", "request");
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->state, State::kSame);
  EXPECT_EQ(claim->answer.status, 201U);
  EXPECT_EQ(claim->answer.body, kAnswer.body);
  EXPECT_EQ(claim->answer.headers.front().second, "\"1\"");
  EXPECT_EQ(state_of(kept, "another"), State::kOther);
  EXPECT_EQ(kept.claim(kBob, "key", "request")->state, State::kNew);
}

TEST_F(Kept, ItCountsForADayAndIsOneAtATime) {
  const auto space = open(folder_.file("space"));
  KeptAnswers kept(space, clock_);
  EXPECT_EQ(state_of(kept), State::kNew);
  EXPECT_EQ(state_of(kept), State::kRuns);
  write_and_keep(space, kept);
  kept.release(kAda, "key");
  EXPECT_EQ(state_of(kept), State::kSame);
  // What another server of the space answered is known, too.
  KeptAnswers other(space, clock_);
  EXPECT_EQ(state_of(other), State::kSame);
  clock_.advance(kMicrosecondsPerDay + kMicrosecondsPerSecond);
  EXPECT_EQ(state_of(kept), State::kNew);
}

// Two servers of one folder: a request that one of them answers is no other's to do.
TEST_F(Kept, TwoServersDoOneRequestOnce) {
  const auto space = open(folder_.file("space"));
  KeptAnswers one(space, clock_), other(space, clock_);
  EXPECT_EQ(state_of(one), State::kNew);
  EXPECT_EQ(state_of(other), State::kRuns);
  EXPECT_EQ(other.claim(kAda, "another key", "request")->state, State::kNew);
  write_and_keep(space, one);
  one.release(kAda, "key");
  EXPECT_EQ(state_of(other), State::kSame);
}

// A token that has the name of one that is gone is another.
TEST_F(Kept, ALaterTokenOfTheNameHasKeysOfItsOwn) {
  const auto space = open(folder_.file("space"));
  KeptAnswers kept(space, clock_);
  http::Caller first = kAda, second = kAda;
  first.token = "11";
  second.token = "22";
  ASSERT_TRUE(kept.keep(first, "key", "request", kAnswer));
  EXPECT_EQ(kept.claim(first, "key", "request")->state, State::kSame);
  EXPECT_EQ(kept.claim(second, "key", "request")->state, State::kNew);
}

}  // namespace
}  // namespace anima::serve::kept_answers_test
