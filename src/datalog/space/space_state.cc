#include "datalog/space/space_state.h"

#include <algorithm>
#include <set>

#include "store/symbols.h"

namespace anima::datalog {

namespace {

constexpr std::string_view kAgentPrefix = "agent:";
constexpr std::size_t kBatch = 1024;

std::uint32_t number(EntityId id) { return static_cast<std::uint32_t>(id); }

template <typename Row>
void scan(const store::Snapshot& snapshot, const store::Pattern& pattern, store::Order order,
          const Row& row) {
  store::Cursor cursor = snapshot.scan(pattern, order);
  std::vector<store::Triple> batch(kBatch);
  for (std::size_t count = cursor.next(batch); count != 0; count = cursor.next(batch)) {
    for (std::size_t i = 0; i < count; ++i) row(batch[i]);
  }
}

void insert_sorted(std::vector<EntityId>& list, EntityId entity) {
  const auto at = std::lower_bound(list.begin(), list.end(), entity);
  if (at == list.end() || *at != entity) list.insert(at, entity);
}

template <typename Key>
void erase_from(std::unordered_map<Key, std::vector<EntityId>>& map, Key key, EntityId entity) {
  const auto found = map.find(key);
  if (found == map.end()) return;
  std::erase(found->second, entity);
  if (found->second.empty()) map.erase(found);
}

}  // namespace

std::string predicate_name(std::string_view label) {
  std::string name;
  for (const char c : label) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += word ? c : '_';
  }
  if (name.empty()) return "_";
  if (name[0] >= 'A' && name[0] <= 'Z') name[0] = static_cast<char>(name[0] - 'A' + 'a');
  if (!(name[0] >= 'a' && name[0] <= 'z')) name = "p_" + name;
  return name;
}

void SpaceLabels::set(EntityId entity, Code code) {
  clear(entity);
  const std::uint32_t id = number(entity);
  if (bits.size() <= id / 64) bits.resize(std::max<std::size_t>(id / 64 + 1, bits.size() * 2));
  bits[id / 64] |= std::uint64_t{1} << (id % 64);
  special[id] = code;
  insert_sorted(by_code[code], entity);
}

void SpaceLabels::clear(EntityId entity) {
  if (!is_special(entity)) return;
  const std::uint32_t id = number(entity);
  bits[id / 64] &= ~(std::uint64_t{1} << (id % 64));
  const auto found = special.find(id);
  erase_from(by_code, found->second, entity);
  special.erase(found);
}

bool SpaceLinks::is_hidden(store::Predicate predicate) const {
  return std::binary_search(hidden.begin(), hidden.end(), predicate.code);
}

Code SpaceState::entity(EntityId id) const {
  if (labels->is_special(id)) return labels->special.find(number(id))->second;
  const store::Term name = snapshot.name_term(id);
  return name.code == 0 ? number(id) : terms->literal(name);
}

void SpaceState::named(Code code, std::vector<EntityId>& out, store::Scratch& scratch) const {
  std::vector<store::Term> literals;
  terms->literals_of(code, literals);
  for (const store::Term literal : literals) {
    if (literal.tag() != store::Tag::kLiteral) continue;
    for (const std::uint32_t id : snapshot.subjects(store::kNamePredicate, literal, scratch)) {
      out.push_back(EntityId{id});
    }
    const auto quoted = labels->unasserted.find(literal.code);
    if (quoted != labels->unasserted.end()) {
      out.insert(out.end(), quoted->second.begin(), quoted->second.end());
    }
  }
}

void SpaceState::entities_of(Code code, std::vector<EntityId>& out, store::Scratch& scratch) const {
  if ((code & kTagMask) == kTagEntity) {
    const bool link = snapshot.kind(EntityId{code}) == store::EntityKind::kProposition;
    if (link) out.push_back(EntityId{code});
    return;
  }
  if ((code & kTagMask) == kTagInt) return;
  const auto before = static_cast<std::ptrdiff_t>(out.size());
  named(code, out, scratch);
  const auto kept = std::remove_if(out.begin() + before, out.end(),
                                   [&](EntityId id) { return labels->is_special(id); });
  out.erase(kept, out.end());
  if (const auto found = labels->by_code.find(code); found != labels->by_code.end()) {
    out.insert(out.end(), found->second.begin(), found->second.end());
  }
}

Code SpaceState::qualified(EntityId entity) const {
  return values->string(std::string(snapshot.name(snapshot.type_of(entity))) + ":" +
                        std::string(snapshot.name(entity)));
}

// Names the asserted and the unasserted concepts of one name.
void SpaceState::label_group(Code name_term, std::span<const EntityId> members,
                             SpaceLabels& out) const {
  std::vector<EntityId> asserted;
  std::vector<EntityId> quoted;
  for (const EntityId id : members) (snapshot.exists(id) ? asserted : quoted).push_back(id);
  for (const EntityId id : asserted) {
    erase_from(out.unasserted, name_term, id);
    const bool plain = asserted.size() == 1 || snapshot.type_of(id) == store::kEntityType;
    if (plain) {
      out.clear(id);
    } else {
      out.set(id, qualified(id));
    }
  }
  for (const EntityId id : quoted) {
    insert_sorted(out.unasserted[name_term], id);
    const bool alone =
        asserted.empty() && (quoted.size() == 1 || snapshot.type_of(id) == store::kEntityType);
    out.set(id, alone ? terms->literal(store::Term{name_term}) : qualified(id));
  }
}

std::shared_ptr<const SpaceLabels> SpaceState::all_labels() const {
  auto out = std::make_shared<SpaceLabels>();
  store::Pattern pattern;
  pattern.predicate = store::kNamePredicate;
  pattern.predicate_class = store::PredicateClass::kStructural;
  std::vector<bool> asserted(snapshot.entity_bound(), false);
  std::vector<EntityId> group;
  std::map<Code, std::vector<EntityId>> groups;  // those with a choice
  Code name = 0;
  const auto close = [&] {
    if (group.size() > 1) groups[name] = group;
    group.clear();
  };
  scan(snapshot, pattern, store::Order::kPredicateObjectSubject, [&](const store::Triple& row) {
    if (row.object.code != name) close();
    name = row.object.code;
    group.push_back(row.subject);
    asserted[number(row.subject)] = true;
  });
  close();
  store::Scratch scratch;
  for (std::uint32_t id = 1; id < snapshot.entity_bound(); ++id) {
    if (asserted[id] || snapshot.kind(EntityId{id}) != store::EntityKind::kConcept) continue;
    const Code term = snapshot.name_term(EntityId{id}).code;
    std::vector<EntityId>& members = groups[term];
    if (members.empty()) {
      for (const std::uint32_t other :
           snapshot.subjects(store::kNamePredicate, store::Term{term}, scratch)) {
        members.push_back(EntityId{other});
      }
    }
    members.push_back(EntityId{id});
  }
  for (const auto& [term, members] : groups) label_group(term, members, *out);
  return out;
}

std::shared_ptr<const SpaceLinks> SpaceState::all_links() const {
  auto out = std::make_shared<SpaceLinks>();
  for (const store::Predicate predicate : snapshot.predicates(store::PredicateClass::kLink)) {
    const std::string label = store::predicate_label(snapshot, predicate);
    out->known.push_back(predicate.code);
    if (label.starts_with(kAgentPrefix)) {
      out->hidden.push_back(predicate.code);
    } else {
      out->by_name[predicate_name(label)].push_back(predicate);
    }
  }
  std::sort(out->known.begin(), out->known.end());
  std::sort(out->hidden.begin(), out->hidden.end());
  return out;
}

void SpaceState::take_graphs() {
  for (const store::GraphId graph : snapshot.graphs()) {
    if (!graphs.contains(graph)) graphs[graph] = values->string(snapshot.graph_name(graph));
  }
}

std::shared_ptr<const SpaceState> SpaceState::first(const store::Snapshot& snapshot,
                                                    std::shared_ptr<SpaceTerms> terms,
                                                    std::shared_ptr<ValueTable> values) {
  auto state = std::make_shared<SpaceState>(
      SpaceState{snapshot, std::move(terms), std::move(values), nullptr, nullptr, {}});
  state->terms->advance(snapshot, *state->values);
  state->labels = state->all_labels();
  state->links = state->all_links();
  state->take_graphs();
  return state;
}

std::shared_ptr<const SpaceState> SpaceState::next(const store::Snapshot& newer,
                                                   std::span<const store::WrittenKey> written,
                                                   std::vector<EntityId>& relabelled) const {
  auto state =
      std::make_shared<SpaceState>(SpaceState{newer, terms, values, labels, links, graphs});
  std::map<Code, std::set<EntityId>> groups;  // by name, whose members may be called differently
  const auto touch = [&](EntityId id) {
    const Code term = newer.name_term(id).code;
    if (term != 0) groups[term].insert(id);
  };
  bool new_links = false;
  for (const store::WrittenKey& key : written) {
    const store::PredicateClass kind = key.predicate.predicate_class();
    if (kind == store::PredicateClass::kStructural) touch(key.subject);
    new_links = new_links ||
                (kind == store::PredicateClass::kLink &&
                 !std::binary_search(links->known.begin(), links->known.end(), key.predicate.code));
  }
  for (std::uint32_t id = snapshot.entity_bound(); id < newer.entity_bound(); ++id) {
    if (newer.kind(EntityId{id}) == store::EntityKind::kConcept) touch(EntityId{id});
  }
  store::Scratch scratch;
  for (auto& [term, members] : groups) {
    for (const store::Snapshot* at : {&snapshot, &newer}) {
      for (const std::uint32_t id :
           at->subjects(store::kNamePredicate, store::Term{term}, scratch)) {
        members.insert(EntityId{id});
      }
    }
    if (const auto old = labels->unasserted.find(term); old != labels->unasserted.end()) {
      members.insert(old->second.begin(), old->second.end());
    }
  }
  // A concept alone with its name, before and now, is the rule.
  std::erase_if(groups, [&](const auto& group) {
    const EntityId first = *group.second.begin();
    return group.second.size() == 1 && newer.exists(first) && !labels->is_special(first);
  });
  if (!groups.empty()) {
    auto fresh = std::make_shared<SpaceLabels>(*labels);
    for (const auto& [term, members] : groups) {
      const std::vector<EntityId> list(members.begin(), members.end());
      state->label_group(term, list, *fresh);
    }
    state->labels = std::move(fresh);
    for (const auto& [term, members] : groups) {
      for (const EntityId id : members) {
        if (number(id) < snapshot.entity_bound() && state->entity(id) != entity(id)) {
          relabelled.push_back(id);
        }
      }
    }
  }
  if (new_links) state->links = state->all_links();
  state->take_graphs();
  return state;
}

}  // namespace anima::datalog
