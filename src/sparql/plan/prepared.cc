#include "sparql/plan/prepared.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace anima::sparql::plan {
namespace {

constexpr std::size_t kLongText = 65536;  // such a text hardly comes again

// A word in any case, wherever it stands: to be wrong costs a plan, no more.
bool mentions(std::string_view text, std::string_view word) {
  const auto at = std::search(text.begin(), text.end(), word.begin(), word.end(),
                              [](char a, char b) { return (a & ~0x20) == b; });
  return at != text.end();
}

}  // namespace

bool PreparedQueries::may_keep(std::string_view text, const QueryOptions& options) {
  return !options.dataset.given && !options.explain && text.size() <= kLongText &&
         !mentions(text, "NOW") && !mentions(text, "BNODE");
}

std::string PreparedQueries::key_of(std::string_view text, const QueryOptions& options) {
  std::string key(options.union_default ? "u" : "d");
  if (options.compartment) key += "c" + *options.compartment;
  key += '\n';
  key += options.base_iri;
  key += '\n';
  key += text;
  return key;
}

void PreparedQueries::forget_others(store::Sequence sequence) {
  if (sequence_ == sequence) return;
  queries_.clear();
  sequence_ = sequence;
}

std::shared_ptr<const PreparedQuery> PreparedQueries::find(const std::string& key,
                                                           store::Sequence sequence) {
  const std::lock_guard lock(mutex_);
  if (sequence_ != sequence) return nullptr;
  const auto known = queries_.find(key);
  return known != queries_.end() ? known->second : nullptr;
}

void PreparedQueries::keep(std::string key, store::Sequence sequence,
                           std::shared_ptr<const PreparedQuery> query) {
  const std::lock_guard lock(mutex_);
  if (sequence < sequence_) return;
  forget_others(sequence);
  if (queries_.size() >= capacity_) queries_.clear();
  queries_.insert_or_assign(std::move(key), std::move(query));
}

}  // namespace anima::sparql::plan
