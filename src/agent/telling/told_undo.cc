#include "agent/telling/told_undo.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "agent/telling/detail/timeline.h"
#include "agent/telling/detail/told_statements.h"
#include "agent/telling/detail/told_times.h"
#include "agent/telling/told_facts.h"
#include "store/restate.h"

namespace anima::agent {

using detail::ToldTime;
using store::GraphId;
using store::Sequence;
using store::Snapshot;
using store::Triple;

namespace {

std::set<Triple> links_of(const Snapshot& now, std::span<const store::WrittenKey> keys) {
  std::set<Triple> links;
  for (const store::WrittenKey& key : keys) {
    Triple link{key.subject, key.predicate, key.object};
    if (key.predicate.predicate_class() == store::PredicateClass::kMetadata &&
        now.kind(key.subject) == store::EntityKind::kProposition)
      link = now.triple_of(key.subject);
    if (detail::is_link(link)) links.insert(link);
  }
  return links;
}

bool is_among(const ToldTime& time, const std::vector<ToldTime>& times) {
  return std::ranges::any_of(times, [&](const ToldTime& one) {
    return one.value == time.value && one.word.provenance == time.word.provenance;
  });
}

// One link, by what was told of it before the undo and what the undo left of that.
class Relay {
 public:
  Relay(store::Transaction& transaction, const Snapshot& before, std::span<const Sequence> undone,
        GraphId graph)
      : transaction_(transaction), before_(before), undone_(undone), graph_(graph) {}

  Status run(const Triple& link) {
    const std::vector<ToldTime> left = detail::told_times(transaction_.live(), link);
    const std::vector<ToldTime> known = detail::told_times(before_, link);
    // By author, and how far he is trusted.
    std::map<std::string, store::Trust> changed;
    const auto changes = [&](const ToldTime& one) {
      const std::string author(before_.entry(one.word.entry).author);
      const auto [at, first] = changed.emplace(author, one.trust);
      if (!first) at->second = std::max(at->second, one.trust);
    };
    const ToldTime* back = nullptr;
    for (const ToldTime& one : left) {
      const bool comes = !is_among(one, known);
      if (comes || is_undone(one)) changes(one);
      if (comes && !one.ends && !is_undone(one)) back = &one;
    }
    for (const ToldTime& one : known)
      if (!is_among(one, left)) changes(one);
    if (back != nullptr && !transaction_.live().contains(link)) ANIMA_TRY(restate(*back));
    const bool moves =
        std::ranges::any_of(left, &ToldTime::moves) || std::ranges::any_of(known, &ToldTime::moves);
    for (const auto& [author, trust] : changed)
      ANIMA_TRY(lay_out(link, moves, left, author, trust));
    return {};
  }

 private:
  bool is_undone(const ToldTime& one) const {
    return std::ranges::find(undone_, one.word.entry) != undone_.end();
  }

  Status restate(const ToldTime& back) {
    store::AssertOptions options;
    options.graph = graph_;
    options.confidence = back.word.confidence;
    options.provenance = back.word.provenance;
    return store::restate(transaction_, back.link, options, back.word.entry)
        .map([](store::EntityId) {});
  }

  Status lay_out(const Triple& link, bool moves, const std::vector<ToldTime>& left,
                 const std::string& author, store::Trust trust) {
    const Snapshot undone = transaction_.view();
    const Timestamp now = before_.entry(before_.sequence()).time;
    detail::ToldPlace was{{}, trust, author, now, before_};
    detail::ToldPlace is{{}, trust, author, now, undone};
    was.told.graph = is.told.graph = graph_;
    const detail::Timeline known(before_, link, was, moves);
    detail::Timeline timeline(transaction_, link, is, moves, &known);
    for (const ToldTime& one : left) {
      const bool own = transaction_.live().entry(one.word.entry).author == author;
      if (own && is_undone(one)) ANIMA_TRY(timeline.drop(one));
    }
    return timeline.write(now).map([](const std::vector<Triple>&) {});
  }

  store::Transaction& transaction_;
  const Snapshot& before_;
  const std::span<const Sequence> undone_;
  const GraphId graph_;
};

}  // namespace

Result<std::vector<Triple>> lay_out_undone(store::Transaction& transaction, const Snapshot& before,
                                           std::span<const Sequence> undone,
                                           std::span<const store::WrittenKey> keys) {
  const auto graph = before.find_graph(kToldGraph);
  if (!graph) return std::vector<Triple>();
  const std::set<Triple> links = links_of(before, keys);
  Relay relay(transaction, before, undone, *graph);
  for (const Triple& link : links) ANIMA_TRY(relay.run(link));
  return std::vector<Triple>(links.begin(), links.end());
}

}  // namespace anima::agent
