// Phase 6: duplicates.
#include "sleep/detail/duplicates.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text/text.h"
#include "sleep/detail/actions.h"
#include "sleep/detail/phases.h"

namespace anima::sleep::detail {
namespace {

constexpr std::string_view kDescribe =
    "FIND(?it.attributes, ?it.metadata) WHERE { ?it {id: :item} }";
constexpr std::string_view kMerge =
    "MERGE CONCEPT ?other INTO ?kept WHERE { ?other {id: :other} ?kept {id: :kept} }";
constexpr std::size_t kLargestCluster = 12;

struct Described {
  Json attributes, metadata;
};

Result<Described> describe(Cycle& cycle, const Reading& reading, EntityId item) {
  ANIMA_ASSIGN(const Json answer, cycle.ask(kDescribe, Json::object({{"item", reading.id(item)}})));
  Described described{Json::object(), Json::object()};
  const JsonArray& columns = answer.as_array();
  if (columns.size() == 2 && !columns[0].as_array().empty()) {
    described.attributes = columns[0].as_array()[0];
    for (const JsonMember& member : columns[1].as_array()[0].as_object()) {
      if (!member.first.starts_with('_')) described.metadata.set(member.first, member.second);
    }
  }
  return described;
}

std::size_t degree(const Reading& reading, EntityId item) {
  store::Scratch scratch;
  const std::size_t out =
      reading.snapshot().outgoing(item, store::PredicateClass::kLink, scratch).size();
  return out + reading.snapshot()
                   .incoming(Term::entity(item), store::PredicateClass::kLink, scratch)
                   .size();
}

// The canonical one first: the better connected, then the older.
void rank(const Reading& reading, std::vector<EntityId>* members) {
  std::map<EntityId, std::size_t> degrees;
  for (const EntityId item : *members) degrees[item] = degree(reading, item);
  std::sort(members->begin(), members->end(), [&](EntityId a, EntityId b) {
    return degrees[a] != degrees[b] ? degrees[a] > degrees[b] : a < b;
  });
}

Json list_in(const Json& attributes, std::string_view key) {
  const Json* value = attributes.find(key);
  if (value == nullptr) return Json::array();
  return value->is_array() ? *value : Json::array({*value});
}

// Groups of pairs that are surely the same, by a representative.
class Clusters {
 public:
  EntityId root(EntityId item) {
    EntityId& up = up_.try_emplace(item, item).first->second;
    return up == item ? item : up = root(up);
  }
  void join(EntityId a, EntityId b) {
    up_[std::max(root(a), root(b))] = std::min(root(a), root(b));
  }
  std::map<EntityId, std::vector<EntityId>> all() {
    std::map<EntityId, std::vector<EntityId>> groups;
    std::vector<EntityId> items;
    for (const auto& [item, up] : up_) items.push_back(item);
    for (const EntityId item : items) groups[root(item)].push_back(item);
    return groups;
  }

 private:
  std::map<EntityId, EntityId> up_;
};

}  // namespace

std::string objection_to_merge(const Reading& reading, DuplicateFinder& finder,
                               const std::vector<EntityId>& members) {
  if (members.size() > kLargestCluster) return "too many are alike; that is a pattern";
  for (const EntityId item : members) {
    if (reading.is_protected(item)) return reading.title(item) + " is protected";
    if (reading.is_brought(item)) return reading.title(item) + " is stated by a compartment, too";
  }
  const auto [least, most] =
      std::ranges::minmax_element(members, {}, [&](EntityId item) { return reading.trust(item); });
  // Who is not trusted could bring what is trusted down by a concept of the same name.
  if (reading.trust(*least) < Trust::kStandard && reading.trust(*most) >= Trust::kStandard)
    return reading.title(*least) + " comes from an untrusted source, the other does not";
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (std::size_t j = i + 1; j < members.size(); ++j) {
      const Judgement judgement = finder.judge(members[i], members[j]);
      if (judgement.veto) return judgement.reason;
    }
  }
  return {};
}

// MERGE itself keeps the names and what the two say differently; the record of who was merged when
// is of sleep.
Result<Action> merge_action(Cycle& cycle, const Reading& reading, std::vector<EntityId> members,
                            std::string reason) {
  rank(reading, &members);
  const EntityId kept = members.front();
  ANIMA_ASSIGN(const Described target, describe(cycle, reading, kept));
  Json merged_from = list_in(target.attributes, "merged_from");
  Action action{"merged", {}, std::move(reason), {}, reading.trust(kept)};
  std::vector<Statement> merges;
  for (std::size_t i = 1; i < members.size(); ++i) {
    const EntityId other = members[i];
    ANIMA_ASSIGN(const Described source, describe(cycle, reading, other));
    action.about += (i == 1 ? "" : ", ") + reading.title(other);
    action.trust = std::min(action.trust, reading.trust(other));
    merged_from.push_back(Json::object({{"id", reading.id(other)},
                                        {"name", std::string(reading.snapshot().name(other))},
                                        {"attributes", source.attributes},
                                        {"metadata", source.metadata},
                                        {"cycle", cycle.number()}}));
    // The inbox and the archive are no shelves to inherit.
    for (const EntityId domain : reading.domains_of(other)) {
      if (domain == reading.unsorted() || domain == reading.archived())
        merges.push_back(take_out_of(reading, other, domain));
    }
    merges.push_back(
        {kMerge, Json::object({{"other", reading.id(other)}, {"kept", reading.id(kept)}})});
  }
  action.about += " into " + reading.title(kept);
  action.statements.push_back(
      set_attributes(reading, kept, Json::object({{"merged_from", std::move(merged_from)}})));
  for (Statement& merge : merges) action.statements.push_back(std::move(merge));
  action.changes = members.size() - 1;
  return action;
}

namespace {

std::string titles(const Reading& reading, const std::vector<EntityId>& members) {
  std::string all = reading.title(members.front());
  for (std::size_t i = 1; i < members.size(); ++i)
    all += (i + 1 == members.size() ? " and " : ", ") + reading.title(members[i]);
  return all;
}

// What may be one, as it is called behind the merges of the cycle.
void list_possible(Cycle& cycle, const Reading& reading, const std::vector<Pair>& pairs,
                   const std::map<EntityId, EntityId>& merged_into) {
  const auto as_now = [&](EntityId item) {
    const auto kept = merged_into.find(item);
    return kept == merged_into.end() ? item : kept->second;
  };
  std::set<std::pair<EntityId, EntityId>> listed;
  for (const Pair& pair : pairs) {
    const EntityId a = as_now(pair.a), b = as_now(pair.b);
    if (pair.judgement.verdict != Verdict::kPossible || a == b) continue;
    if (!listed.emplace(std::min(a, b), std::max(a, b)).second) continue;
    cycle.leave("perhaps the same", titles(reading, {a, b}),
                pair.judgement.reason + "; if they are: anima sleep merge " + reading.id(a) + " " +
                    reading.id(b));
  }
}

}  // namespace

std::string reason_of_merge(const Reading& reading, const std::vector<const Pair*>& pairs) {
  const bool one = std::ranges::all_of(pairs, [&](const Pair* pair) {
    return pair->judgement.reason == pairs.front()->judgement.reason;
  });
  if (one) return pairs.front()->judgement.reason;
  std::string all;
  for (const Pair* pair : pairs)
    all += (all.empty() ? "" : "; ") + titles(reading, {pair->a, pair->b}) + ": " +
           pair->judgement.reason;
  return all;
}

Status merge_duplicates(Cycle& cycle) {
  ANIMA_ASSIGN(const Reading reading, cycle.read());
  DuplicateFinder finder(reading);
  const std::vector<Pair> pairs =
      finder.find(cycle.work().concepts(), cycle.work().is_everything());
  Clusters clusters;
  std::vector<const Pair*> joins;  // by which two groups became one
  for (const Pair& pair : pairs) {
    if (pair.judgement.verdict != Verdict::kSame) continue;
    if (clusters.root(pair.a) != clusters.root(pair.b)) joins.push_back(&pair);
    clusters.join(pair.a, pair.b);
  }
  std::map<EntityId, std::vector<const Pair*>> joins_of;
  for (const Pair* join : joins) joins_of[clusters.root(join->a)].push_back(join);
  std::map<EntityId, EntityId> merged_into;
  for (auto& [root, members] : clusters.all()) {
    std::string against = objection_to_merge(reading, finder, members);
    ANIMA_ASSIGN(const bool parted, cycle.was_parted(members));
    if (parted) against = kParted;
    if (!against.empty()) {
      cycle.leave("not merged", titles(reading, members), against);
      continue;
    }
    ANIMA_ASSIGN(Action action,
                 merge_action(cycle, reading, members, reason_of_merge(reading, joins_of[root])));
    if (!cycle.act(std::move(action))) return {};
    rank(reading, &members);
    for (const EntityId item : members) merged_into[item] = members.front();
  }
  if (cycle.over()) return {};  // who asked to stop waits for no list
  list_possible(cycle, reading, pairs, merged_into);
  return {};
}

}  // namespace anima::sleep::detail
