#include "datalog/space/space_state.h"

#include <algorithm>
#include <set>

#include "store/holds.h"
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
  named(code, *labels, out, scratch);
}

void SpaceState::named(Code code, const SpaceLabels& known, std::vector<EntityId>& out,
                       store::Scratch& scratch) const {
  std::vector<store::Term> literals;
  terms->literals_of(code, literals);
  for (const store::Term literal : literals) {
    if (literal.tag() != store::Tag::kLiteral) continue;
    for (const std::uint32_t id : snapshot.subjects(store::kNamePredicate, literal, scratch)) {
      out.push_back(EntityId{id});
    }
    const auto quoted = known.unasserted.find(literal.code);
    if (quoted != known.unasserted.end()) {
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

std::string SpaceState::qualified(EntityId entity) const {
  return std::string(snapshot.name(snapshot.type_of(entity))) + ":" +
         std::string(snapshot.name(entity));
}

// The oldest of the concepts whose name is this string and who are called by it.
EntityId SpaceState::plain_owner(Code name, const SpaceLabels& known) const {
  std::vector<EntityId> bearers;
  store::Scratch scratch;
  named(name, known, bearers, scratch);
  EntityId owner = EntityId::kNone;
  for (const EntityId id : bearers) {
    if (known.is_special(id)) continue;
    if (owner == EntityId::kNone || id < owner) owner = id;
  }
  return owner;
}

// Is nobody older called so?
bool SpaceState::is_free(Code code, EntityId entity, const SpaceLabels& known) const {
  if (const auto taken = known.by_code.find(code); taken != known.by_code.end()) {
    if (taken->second.front() != entity) return false;
  }
  const EntityId owner = plain_owner(code, known);
  return owner == EntityId::kNone || owner >= entity;
}

bool SpaceState::may_be_plain(EntityId entity, const SpaceLabels& known) const {
  return is_free(terms->literal(snapshot.name_term(entity)), entity, known);
}

// Gives an entity the first of its names that no older one is called by. Younger ones that are
// called by it go to `displaced`. Requires that every older one has its name already.
void SpaceState::label(EntityId entity, SpaceLabels& out, std::set<EntityId>& displaced) const {
  if (may_be_plain(entity, out)) return;
  const Code full = values->string(qualified(entity));
  if (!is_free(full, entity, out)) {
    out.set(entity, values->name("/concept/" + std::to_string(number(entity))));
    return;
  }
  out.set(entity, full);
  const EntityId younger = plain_owner(full, out);
  if (younger != EntityId::kNone) displaced.insert(younger);
}

std::shared_ptr<const SpaceLabels> SpaceState::all_labels() const {
  auto out = std::make_shared<SpaceLabels>();
  store::Pattern pattern;
  pattern.predicate = store::kNamePredicate;
  pattern.predicate_class = store::PredicateClass::kStructural;
  std::vector<bool> asserted(snapshot.entity_bound(), false);
  std::set<EntityId> shared;  // that may not have their plain name
  EntityId oldest = EntityId::kNone;
  Code name = 0;
  scan(snapshot, pattern, store::Order::kPredicateObjectSubject, [&](const store::Triple& row) {
    if (row.object.code == name) shared.insert({oldest, row.subject});
    if (row.object.code != name) oldest = row.subject;
    name = row.object.code;
    asserted[number(row.subject)] = true;
  });
  store::Scratch scratch;
  for (std::uint32_t id = 1; id < snapshot.entity_bound(); ++id) {
    if (asserted[id] || snapshot.kind(EntityId{id}) != store::EntityKind::kConcept) continue;
    const store::Term term = snapshot.name_term(EntityId{id});
    std::vector<EntityId>& members = out->unasserted[term.code];
    members.push_back(EntityId{id});
    shared.insert(members.begin(), members.end());
    for (const std::uint32_t other : snapshot.subjects(store::kNamePredicate, term, scratch)) {
      shared.insert(EntityId{other});
    }
  }
  while (!shared.empty()) {
    const EntityId next = *shared.begin();
    shared.erase(shared.begin());
    label(next, *out, shared);
  }
  return out;
}

// Appends the concepts that "Type:name" names by both parts, whatever they are called.
void SpaceState::typed(std::string_view text, std::vector<EntityId>& out) const {
  store::Scratch scratch;
  for (std::size_t colon = text.find(':'); colon != text.npos; colon = text.find(':', colon + 1)) {
    ValueView wanted;
    wanted.kind = ValueKind::kString;
    wanted.text = text.substr(colon + 1);
    const std::optional<Code> name = terms->find(wanted);
    if (!name) continue;
    std::vector<EntityId> bearers;
    named(*name, bearers, scratch);
    for (const EntityId id : bearers) {
      if (snapshot.name(snapshot.type_of(id)) == text.substr(0, colon)) out.push_back(id);
    }
  }
}

Code SpaceState::lasting(Code code) const {
  if (values->kind(code) != ValueKind::kString) return code;
  std::vector<EntityId> meant;
  store::Scratch scratch;
  named(code, meant, scratch);
  typed(values->view(code).text, meant);
  return meant.empty() ? code : entity(*std::ranges::min_element(meant));
}

bool SpaceState::has_new(const std::unordered_set<std::string>& texts, std::uint32_t from) const {
  for (std::uint32_t id = from; id < snapshot.entity_bound(); ++id) {
    const EntityId entity{id};
    if (snapshot.kind(entity) != store::EntityKind::kConcept) continue;
    if (texts.contains(qualified(entity))) return true;
  }
  return false;
}

bool SpaceState::is_called(Code code) const {
  std::vector<EntityId> called;
  store::Scratch scratch;
  entities_of(code, called, scratch);
  return !called.empty();
}

Result<Code> SpaceState::meant_now(Code code) const {
  if (values->kind(code) != ValueKind::kString) return code;
  std::vector<EntityId> meant;
  store::Scratch scratch;
  named(code, meant, scratch);
  const std::string text(values->view(code).text);
  typed(text, meant);
  std::erase_if(meant, [&](EntityId id) { return !snapshot.exists(id); });
  const auto is_schema = [&](EntityId id) {
    const EntityId type = snapshot.type_of(id);
    return type == store::kConceptType || type == store::kPropositionType;
  };
  if (!std::ranges::all_of(meant, is_schema)) std::erase_if(meant, is_schema);
  std::ranges::sort(meant);
  meant.erase(std::unique(meant.begin(), meant.end()), meant.end());
  store::keep_most_trusted(snapshot, meant);
  if (meant.empty()) return lasting(code);
  if (meant.size() == 1) return entity(meant.front());
  std::string list;
  for (const EntityId id : meant) {
    const std::string full = qualified(id);
    if (!list.empty()) list += ", ";
    list += full == text ? values->text(entity(id)) : values->text(values->string(full));
  }
  return anima::fail(
      ErrorCode::kInvalidArgument,
      values->text(code) + " is the name of " + std::to_string(meant.size()) + " concepts: " + list,
      {}, "write the one that is meant, with its type");
}

std::shared_ptr<const SpaceLinks> SpaceState::all_links() const {
  auto out = std::make_shared<SpaceLinks>();
  // Those that have links, and those that are only defined: they are relations without rows.
  std::vector<store::Predicate> all = snapshot.predicates(store::PredicateClass::kLink);
  store::Scratch scratch;
  for (const std::uint32_t id : snapshot.subjects(
           store::kTypePredicate, store::Term::entity(store::kPropositionType), scratch)) {
    all.push_back(store::Predicate::link(EntityId{id}));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (const store::Predicate predicate : all) {
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

std::shared_ptr<const SpaceState> SpaceState::next(
    const store::Snapshot& newer, std::span<const store::WrittenKey> written) const {
  auto state =
      std::make_shared<SpaceState>(SpaceState{newer, terms, values, labels, links, graphs});
  std::shared_ptr<SpaceLabels> fresh;
  const auto changed = [&]() -> SpaceLabels& {
    if (fresh == nullptr) fresh = std::make_shared<SpaceLabels>(*labels);
    return *fresh;
  };
  bool new_links = false;
  // Who is asserted now, and who no longer.
  const auto settle = [&](EntityId id) {
    const Code term = newer.name_term(id).code;
    if (term == 0 || newer.kind(id) != store::EntityKind::kConcept) return;
    const SpaceLabels& now = fresh == nullptr ? *labels : *fresh;
    const auto quoted = now.unasserted.find(term);
    const bool was = quoted != now.unasserted.end() &&
                     std::binary_search(quoted->second.begin(), quoted->second.end(), id);
    if (was == !newer.exists(id)) return;
    if (was) {
      erase_from(changed().unasserted, term, id);
    } else {
      insert_sorted(changed().unasserted[term], id);
    }
  };
  for (const store::WrittenKey& key : written) {
    const store::PredicateClass kind = key.predicate.predicate_class();
    if (kind == store::PredicateClass::kStructural) settle(key.subject);
    const bool defined = key.predicate == store::kTypePredicate &&
                         newer.type_of(key.subject) == store::kPropositionType;
    const std::uint32_t link = defined ? number(key.subject) : key.predicate.code;
    new_links = new_links || ((defined || kind == store::PredicateClass::kLink) &&
                              !std::binary_search(links->known.begin(), links->known.end(), link));
  }
  for (std::uint32_t id = snapshot.entity_bound(); id < newer.entity_bound(); ++id) {
    settle(EntityId{id});
  }
  // Those that were there keep what they are called (label()): only new ones are given it.
  std::set<EntityId> nameless;
  for (std::uint32_t id = snapshot.entity_bound(); id < newer.entity_bound(); ++id) {
    if (newer.kind(EntityId{id}) == store::EntityKind::kConcept) nameless.insert(EntityId{id});
  }
  while (!nameless.empty()) {
    const EntityId next = *nameless.begin();
    nameless.erase(nameless.begin());
    const SpaceLabels& now = fresh == nullptr ? *labels : *fresh;
    if (!state->may_be_plain(next, now)) state->label(next, changed(), nameless);
  }
  if (fresh != nullptr) state->labels = std::move(fresh);
  if (new_links) state->links = state->all_links();
  state->take_graphs();
  return state;
}

}  // namespace anima::datalog
