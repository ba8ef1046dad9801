// What the rules of loaded compartments derive, as relations that KIP and SPARQL can ask.
//
// The rules are run when a query first names one of their predicates, and follow the log from then
// on. An earlier state is asked with the rules of today. Thread-safety: find() and names() from any
// thread; one runs the rules at a time. Ownership: space and file system outlive it. Complexity: of
// find(), O(what changed since the last call + rows), and O(1) at the same state.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/mutex.h"
#include "memory/compartments/compartments.h"
#include "memory/compartments/reasoner.h"
#include "query/derived.h"

namespace anima::memory {

class RuleRelations final : public query::DerivedRelations {
 public:
  // `clock` answers rules that ask for the time; null: the system's.
  RuleRelations(store::Space& space, FileSystem& files, std::shared_ptr<Clock> clock = {});
  ~RuleRelations() override;

  Result<std::shared_ptr<const query::DerivedRelation>> find(const store::Snapshot& snapshot,
                                                             std::string_view predicate) override;
  std::vector<std::string> names() override;

 private:
  Status take_rules() ANIMA_REQUIRES(mutex_);
  Status go_to(const store::Snapshot& snapshot) ANIMA_REQUIRES(mutex_);

  store::Space& space_;
  const std::shared_ptr<Clock> clock_;
  Mutex mutex_;
  CompartmentManager compartments_ ANIMA_GUARDED_BY(mutex_);
  store::Sequence rules_at_ ANIMA_GUARDED_BY(mutex_) = store::Sequence::kNone;
  std::vector<RuleSource> rules_ ANIMA_GUARDED_BY(mutex_);
  std::vector<std::string> names_ ANIMA_GUARDED_BY(mutex_);
  std::unique_ptr<Reasoner> reasoner_ ANIMA_GUARDED_BY(mutex_);
  store::Sequence at_ ANIMA_GUARDED_BY(mutex_) = store::Sequence::kNone;  // of `found_`
  std::map<std::string, std::shared_ptr<const query::DerivedRelation>, std::less<>> found_
      ANIMA_GUARDED_BY(mutex_);
};

}  // namespace anima::memory
