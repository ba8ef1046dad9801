// Learner: counts what shards were refused, allowed and corrected in, and saves what the rules of
// packs/learn/promotion.mg make of it.
//
//   ANIMA_ASSIGN(auto learner, Learner::open(store));
//   ANIMA_TRY(learner->rehydrate("coder"));                         // what was learnt before
//   ANIMA_TRY(learner->track_rejection("coder", "edit", "style:concise"));
//   ANIMA_ASSIGN(auto signals, learner->query("preference_signal(X)"));
//
// Deciding is the rules': three of the same kind are a pattern, and each further one reinforces.
// What was refused by the store (ten saves a minute) is saved with the next of its kind, or by
// persist(). A hit of somebody who is trusted less than the shard asks for is not counted: the
// shard "owner" takes the owner's word alone, whoever says that he said so.
// Thread-safety: from any thread, one at a time; the store is used under the same lock. Ownership:
// the store outlives it. Errors: those of the store and of the engine; kInvalidArgument for a
// shard's name. Complexity: a hit is O(facts that change). Source: learning_and_psyche 1.2 to 1.4;
// source document 003, parts 3 and 8.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "learn/learning_store.h"

namespace anima::learn {

namespace detail {
class Kernel;
}

inline constexpr std::string_view kOwnerShard = "owner";
inline constexpr std::string_view kToolShard = "tools";
inline constexpr std::string_view kCampaignShard = "campaign";

struct Thresholds {  // at least 1
  std::int64_t rejection = 3;
  std::int64_t acceptance = 3;
  std::int64_t correction = 3;
  std::int64_t failure = 3;
  std::int64_t success = 3;
};

struct LearnerOptions {
  Thresholds thresholds = {};
  // Who is trusted less is not counted there; kStandard where a shard is not named.
  std::map<std::string, store::Trust, std::less<>> least_trust = {
      {std::string(kOwnerShard), store::Trust::kOperator},
      {std::string(kToolShard), store::Trust::kHostile},
      {std::string(kCampaignShard), store::Trust::kHostile}};
  // That keep avoid_action(Action, Reason) beside avoid_pattern(Reason).
  std::set<std::string> detailed = {std::string(kOwnerShard)};
  std::string rules = {};  // more rules over what is learnt, in Mangle
};

// Who says so, and of what.
struct Hit {
  store::Trust trust = store::Trust::kStandard;
  std::string evidence = {};  // counted once, however often it is told of; empty: each time
  std::string campaign = {};
};

struct Tracked {
  bool counted = false;  // false: told of before, or by somebody who is trusted too little
  std::int64_t n = 0;    // how often by now
  std::vector<SaveReport> saves;
};

// What of a proposal the owner's learnings say.
struct SetAside {
  std::string call;    // as it was asked
  std::string action;  // that the owner refused
  std::string reason;
};

class Learner {
 public:
  static Result<std::unique_ptr<Learner>> open(LearningStore& store, LearnerOptions options = {});
  ~Learner();
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  Result<Tracked> track_rejection(std::string_view shard, std::string_view action,
                                  std::string_view reason, const Hit& hit = {});
  Result<Tracked> track_acceptance(std::string_view shard, std::string_view action,
                                   const Hit& hit = {});
  Result<Tracked> track_correction(std::string_view shard, std::string_view original,
                                   std::string_view corrected, const Hit& hit = {});
  // How a tool fared: nobody's wish, so no preference comes of it. Its text is not kept as an
  // example: who erases what it quotes would miss it here.
  Result<Tracked> track_failure(std::string_view shard, std::string_view action,
                                std::string_view reason, const Hit& hit = {});
  Result<Tracked> track_success(std::string_view shard, std::string_view action,
                                const Hit& hit = {});
  // The hit of this evidence did not happen after all. What was learnt of it and is not said often
  // enough any more is removed.
  Status take_back(std::string_view shard, std::string_view evidence);

  // A session begins: decays, loads, and asserts what is visible with its counters. Again: what was
  // there of the shard is replaced.
  Result<LoadedLearnings> rehydrate(std::string_view shard);
  // Saves whatever is at its threshold and is not saved yet.
  Result<std::vector<SaveReport>> persist(std::string_view shard);
  // Removes a learning, and the counters that would bring it back. False: it was not there.
  Result<bool> forget(std::string_view shard, std::string_view predicate, const Json& arguments);
  // Saves a fact that needs no counting (campaigns).
  Result<SaveReport> save(std::string_view shard, const NewLearning& learning);

  // The proposals (name, action) that the owner does not want, in their order, with one reason
  // each.
  Result<std::vector<SetAside>> set_aside(
      const std::vector<std::pair<std::string, std::string>>& proposals);

  // Facts of the host and answers of the rules, in Mangle syntax.
  Status assert_fact(std::string_view fact);
  Status retract_fact(std::string_view fact);
  Result<std::vector<std::string>> query(std::string_view atom);

  LearningStore& store() { return store_; }

 private:
  friend class CampaignLearner;
  Learner(LearningStore& store, LearnerOptions options, std::unique_ptr<detail::Kernel> kernel);

  struct Pattern {
    PatternKind kind = PatternKind::kRejection;
    std::string first, second;  // as parts_of_key() gives them
    std::string key;
    std::string example;
  };
  Result<Tracked> track(std::string_view shard, Pattern pattern, const Hit& hit);
  Status put_pattern(const Pattern& pattern) ANIMA_REQUIRES(mutex_);
  Status put_count(std::string_view shard, const PatternCount& count) ANIMA_REQUIRES(mutex_);
  // Again after a restart, what is learnt is known at its present count.
  Status mark_saved(std::string_view shard) ANIMA_REQUIRES(mutex_);
  // Saves what the rules promote of a shard, of one pattern when one is given, as far as it is not
  // saved at this count.
  Result<std::vector<SaveReport>> promote(std::string_view shard, const Pattern* pattern,
                                          const std::string& campaign) ANIMA_REQUIRES(mutex_);
  Status put_learning(const Learning& learning) ANIMA_REQUIRES(mutex_);
  Status drop_learning(const Learning& learning) ANIMA_REQUIRES(mutex_);
  Status drop_counter(std::string_view shard, PatternKind kind, const std::string& key)
      ANIMA_REQUIRES(mutex_);
  Result<LoadedLearnings> rehydrate_locked(std::string_view shard) ANIMA_REQUIRES(mutex_);
  std::int64_t threshold(PatternKind kind) const;
  Result<SaveReport> save_locked(std::string_view shard, const NewLearning& learning)
      ANIMA_REQUIRES(mutex_);

  LearningStore& store_;
  LearnerOptions options_;
  mutable Mutex mutex_;
  std::unique_ptr<detail::Kernel> kernel_ ANIMA_GUARDED_BY(mutex_);
  // By shard and "kind key": the count now, of whom, and the count at which each fact was saved.
  struct Counter {
    PatternCount count;
    std::map<std::string, std::int64_t> saved_at;
  };
  std::map<std::string, std::map<std::string, Counter>, std::less<>> counters_
      ANIMA_GUARDED_BY(mutex_);
  std::map<std::string, std::vector<Learning>, std::less<>> learnt_ ANIMA_GUARDED_BY(mutex_);
};

// The learner as one shard sees it: what every shard that learns has.
class Shard {
 public:
  // `name`: is_shard_name(). The learner outlives it.
  Shard(Learner& learner, std::string name) : learner_(learner), name_(std::move(name)) {}

  Result<Tracked> track_rejection(std::string_view action, std::string_view reason,
                                  const Hit& hit = {}) {
    return learner_.track_rejection(name_, action, reason, hit);
  }
  Result<Tracked> track_acceptance(std::string_view action, const Hit& hit = {}) {
    return learner_.track_acceptance(name_, action, hit);
  }
  Result<Tracked> track_correction(std::string_view original, std::string_view corrected,
                                   const Hit& hit = {}) {
    return learner_.track_correction(name_, original, corrected, hit);
  }
  Result<LoadedLearnings> rehydrate_learnings() { return learner_.rehydrate(name_); }
  Result<std::vector<SaveReport>> persist_learnings() { return learner_.persist(name_); }
  const std::string& name() const { return name_; }

 private:
  Learner& learner_;
  std::string name_;
};

}  // namespace anima::learn
