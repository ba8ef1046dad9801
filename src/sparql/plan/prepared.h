// Prepared queries: plans of texts that were asked before, for the state of the space that they
// were made for.
//
// A query of the newest state that comes again needs no parsing and no planning: its plan is kept
// together with the values that were resolved for it, and every run begins with these. What depends
// on the moment (NOW, BNODE) or chooses a dataset is planned each time. When the space changes, all
// plans go. Thread-safety: PreparedQueries locks inside; a PreparedQuery is immutable.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "query/plan.h"
#include "query/values.h"
#include "sparql/engine.h"
#include "store/ids.h"

namespace anima::sparql::plan {

struct PreparedQuery {
  QueryForm form = QueryForm::kSelect;  // kSelect or kAsk
  std::vector<std::string> variables;
  query::Plan plan;                             // without values
  std::shared_ptr<const query::Values> values;  // nobody adds to them any more
  bool whole = true;  // no scope is narrower than what the space published
};

class PreparedQueries {
 public:
  explicit PreparedQueries(std::size_t capacity) : capacity_(capacity) {}

  // Whether a query with these options may be among them.
  static bool may_know(std::string_view text, const QueryOptions& options);
  // Whether one that may be among them may be kept: nothing in it depends on the moment.
  static bool may_keep(std::string_view text);
  static std::string key_of(std::string_view text, const QueryOptions& options);

  // Null when there is none for this state.
  std::shared_ptr<const PreparedQuery> find(const std::string& key, store::Sequence sequence);
  void keep(std::string key, store::Sequence sequence, std::shared_ptr<const PreparedQuery> query);

 private:
  void forget_others(store::Sequence sequence);  // requires the lock

  std::mutex mutex_;
  std::size_t capacity_;
  store::Sequence sequence_ = store::Sequence::kNone;
  std::unordered_map<std::string, std::shared_ptr<const PreparedQuery>> queries_;
};

}  // namespace anima::sparql::plan
