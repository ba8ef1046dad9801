#include "sparql/plan/prepared.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"

namespace anima::sparql::plan {
namespace {

constexpr std::size_t kLongText = 65536;  // such a text hardly comes again

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// A call of a function, perhaps within a text or a comment: to be wrong costs a plan, no more.
// Whatever stands between the name and its bracket but blanks, such as a comment, is taken for a
// call, too.
bool may_call(std::string_view text, std::string_view name) {
  const auto same = [](char a, char b) { return (a & ~0x20) == b; };
  for (auto from = text.begin();;) {
    const auto at = std::search(from, text.end(), name.begin(), name.end(), same);
    if (at == text.end()) return false;
    from = at + static_cast<std::ptrdiff_t>(name.size());
    const auto next = std::find_if_not(from, text.end(), is_blank);
    if (next != text.end() && (*next == '(' || *next == '#')) return true;
  }
}

}  // namespace

bool PreparedQueries::may_know(std::string_view text, const QueryOptions& options) {
  return !options.dataset.given && !options.explain && text.size() <= kLongText;
}

bool PreparedQueries::may_keep(std::string_view text) {
  return !may_call(text, "NOW") && !may_call(text, "BNODE") &&
         text.find("faded") == std::string_view::npos;  // a function of the moment too
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
