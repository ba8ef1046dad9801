#include "memory/detail/forgotten_things.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "base/text/text.h"
#include "memory/detail/forgotten_names.h"
#include "store/history.h"
#include "store/holds.h"
#include "store/own_graphs.h"
#include "store/statements.h"
#include "store/symbols.h"

namespace anima::memory::detail {
namespace {

using store::EntityId;
using store::EntityKind;
using store::Sequence;
using store::Snapshot;
using store::Term;

constexpr std::size_t kMostUses = 5;

template <typename Visit>
void each_concept(const Snapshot& snapshot, const Visit& visit) {
  for (std::uint32_t id = 1; id < snapshot.entity_bound(); ++id) {
    if (snapshot.kind(EntityId{id}) == EntityKind::kConcept) visit(EntityId{id});
  }
}

bool stands_in_books_alone(const Snapshot& snapshot, EntityId entity) {
  const auto said =
      snapshot.assertions({entity, store::kTypePredicate, Term::entity(snapshot.type_of(entity))});
  return !said.empty() && std::ranges::all_of(said, [&](const store::Assertion& assertion) {
    return store::is_own_graph(snapshot.graph_name(assertion.graph));
  });
}

bool is_alias(const Snapshot& snapshot, store::Predicate predicate) {
  constexpr std::array<std::string_view, 3> kKeys = {"alias", "aliases", "full_name"};
  if (predicate.predicate_class() != store::PredicateClass::kAttribute) return false;
  return std::ranges::find(kKeys, snapshot.value(predicate.key()).text) != kKeys.end();
}

// A text, or a list of texts.
void add_texts(const Snapshot& snapshot, Term term, std::vector<std::string>& texts) {
  const store::ValueView value = snapshot.value(term);
  if (value.kind == store::ValueKind::kString) add_name(texts, value.text);
  if (value.kind != store::ValueKind::kJson) return;
  const auto list = parse_json(value.text);
  if (!list) return;
  for (const Json& each : list->as_array())
    if (each.is_string()) add_name(texts, each.as_string());
}

bool is_id(std::string_view text) {
  return std::ranges::any_of(std::array<std::string_view, 3>{"C:", "P:", "sym:"},
                             [&](std::string_view prefix) { return text.starts_with(prefix); });
}

// An alias alone is a value: what somebody is also called takes him with nothing that he is.
Result<EntityId> entity_meant(const Snapshot& snapshot, const std::string& text) {
  ANIMA_ASSIGN(const EntityId found, store::find_only_entity(snapshot, text));
  if (is_id(text) || !snapshot.concepts_labelled(text).empty()) return found;
  const std::string type(snapshot.name(snapshot.type_of(found)));
  if (text == type + ":" + std::string(snapshot.name(found))) return found;
  const std::string id = "C:" + std::to_string(static_cast<std::uint32_t>(found));
  return fail(ErrorCode::kNotFound,
              "no thing is called so; it is an alias of " + store::symbol_label(snapshot, found) +
                  " (" + id + ")",
              text, "`anima forget " + id + "` forgets that thing");
}

// A name that it had as an alias and has no more, as after a merge that was undone, is still one of
// it where no other thing is called so.
void add_former_aliases(const Snapshot& snapshot, EntityId entity, const std::set<EntityId>& things,
                        std::vector<std::string>& names) {
  std::vector<std::string> former;
  const auto changes =
      store::entity_changes(snapshot, entity, std::numeric_limits<std::size_t>::max());
  const store::Trust own = store::trust_of_thing(snapshot, entity);
  for (const store::EntityChange& change : changes) {
    if (snapshot.entry(change.sequence).trust < own) continue;
    for (const auto* triples : {&change.added, &change.removed}) {
      for (const store::Triple& triple : *triples) {
        if (triple.subject == entity && is_alias(snapshot, triple.predicate))
          add_texts(snapshot, triple.object, former);
      }
    }
  }
  for (const std::string& name : former) {
    const auto others = snapshot.concepts_labelled(name);
    const bool free = std::ranges::all_of(
        others, [&](EntityId other) { return things.contains(other) || other == entity; });
    if (free) add_name(names, name);
  }
}

bool another_is_called(const Snapshot& snapshot, const std::string& name,
                       const std::set<EntityId>& things) {
  return std::ranges::any_of(snapshot.concepts_labelled(name), [&](EntityId other) {
    return !things.contains(other) && is_thing(snapshot, other);
  });
}

}  // namespace

bool is_of_bootstrap(const Snapshot& snapshot, EntityId entity) {
  const std::vector<Sequence> history = snapshot.history(entity);
  if (history.empty()) return false;
  return history.front() == Sequence{1} ||
         snapshot.entry(history.front()).source == store::kBootstrapSource;
}

bool is_vocabulary(const Snapshot& snapshot, EntityId entity) {
  if (snapshot.kind(entity) != EntityKind::kConcept) return false;
  const EntityId type = snapshot.type_of(entity);
  return type == store::kConceptType || type == store::kPropositionType;
}

bool is_thing(const Snapshot& snapshot, EntityId entity) {
  return snapshot.kind(entity) == EntityKind::kConcept && !snapshot.name(entity).starts_with('$') &&
         !is_vocabulary(snapshot, entity);
}

Status check_not_own(const Snapshot& snapshot, EntityId entity) {
  if (snapshot.kind(entity) != EntityKind::kConcept) return {};
  const std::string name(snapshot.name(entity));
  const std::string what = "a " + std::string(snapshot.name(snapshot.type_of(entity)));
  if (name.starts_with('$') || is_of_bootstrap(snapshot, entity)) {
    return fail(ErrorCode::kDenied,
                "it is " + what + " that every space begins with, and Anima itself needs it", name);
  }
  if (is_vocabulary(snapshot, entity) && is_book_entry(snapshot, entity)) {
    return fail(ErrorCode::kDenied, "it is " + what + " of Anima's own books, which needs it",
                name);
  }
  return {};
}

bool is_book_entry(const Snapshot& snapshot, EntityId entity) {
  if (snapshot.exists(entity)) return stands_in_books_alone(snapshot, entity);
  const std::vector<Sequence> history = snapshot.history(entity);
  if (history.empty()) return false;
  // Compacted away: it is taken for a thing.
  const auto then = snapshot.as_of(history.front());
  return then && stands_in_books_alone(then->with_books(), entity);
}

bool is_program_key(std::string_view key) {
  constexpr std::array<std::string_view, 13> kKeys = {
      "agent", "kind",  "level",    "memory_type", "partition", "phase", "readers",
      "role",  "state", "severity", "status",      "tool",      "trust"};
  return std::ranges::find(kKeys, key) != kKeys.end();
}

bool is_origin_key(std::string_view key) {
  constexpr std::array<std::string_view, 7> kKeys = {
      "author", "created_by", "request_id", "session", "source", "speaker", "verified_by"};
  return std::ranges::find(kKeys, key) != kKeys.end();
}

bool is_own_origin(std::string_view text) {
  constexpr std::array<std::string_view, 15> kWords = {
      "agent_key", "arbiter", "chat", "email",    "executor", "file",     "guardian", "http",
      "library",   "loop",    "mcp",  "operator", "overseer", "terminal", "world"};
  return std::ranges::find(kWords, text) != kWords.end();
}

void add_name(std::vector<std::string>& names, std::string_view name) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
    names.emplace_back(name);
}

// An alias from who is trusted less than the thing itself is none: an import must not say what else
// an owner forgets.
void add_names(const Snapshot& snapshot, EntityId entity, std::vector<std::string>& names) {
  if (snapshot.kind(entity) != EntityKind::kConcept) return;
  add_name(names, snapshot.name(entity));
  const store::Trust own = store::trust_of_thing(snapshot, entity);
  store::Scratch scratch;
  for (const std::string_view key : {"alias", "aliases", "full_name"}) {
    const auto term = snapshot.find_string(key);
    if (!term) continue;
    const auto predicate = store::Predicate::attribute(*term);
    const auto found = snapshot.objects(entity, predicate, scratch);
    for (const std::uint32_t value : std::vector<std::uint32_t>(found.begin(), found.end())) {
      if (store::standing_of(snapshot, {entity, predicate, Term{value}}).trust >= own)
        add_texts(snapshot, Term{value}, names);
    }
  }
}

Result<std::vector<EntityId>> things_named(const Snapshot& snapshot, const std::string& text) {
  const Result<EntityId> found = entity_meant(snapshot, text);
  if (found) return std::vector<EntityId>{*found};
  if (found.error().code != ErrorCode::kNotFound) return fail(found.error());
  const std::string written = same_written(text);
  std::vector<EntityId> withdrawn;
  each_concept(snapshot, [&](EntityId entity) {
    if (same_written(snapshot.name(entity)) == written) withdrawn.push_back(entity);
  });
  if (withdrawn.empty()) return fail(found.error());
  return withdrawn;
}

void add_merged_and_withdrawn(const Snapshot& snapshot, std::set<EntityId>& things,
                              std::vector<std::string>& names) {
  std::multimap<std::string, EntityId> withdrawn;
  each_concept(snapshot, [&](EntityId entity) {
    if (!snapshot.exists(entity) && is_thing(snapshot, entity))
      withdrawn.emplace(same_written(snapshot.name(entity)), entity);
  });
  std::vector<EntityId> open(things.begin(), things.end());
  while (!open.empty()) {
    const EntityId thing = open.back();
    open.pop_back();
    std::vector<std::string> called;
    add_names(snapshot, thing, called);
    add_former_aliases(snapshot, thing, things, called);
    for (const std::string& name : called) {
      add_name(names, name);
      if (another_is_called(snapshot, name, things)) continue;
      const auto [first, last] = withdrawn.equal_range(same_written(name));
      for (auto at = first; at != last; ++at)
        if (things.insert(at->second).second) open.push_back(at->second);
    }
  }
}

VocabularyUses vocabulary_uses(const Snapshot& snapshot, EntityId vocabulary,
                               const std::set<EntityId>& things) {
  VocabularyUses uses;
  const auto note = [&](const store::Triple& triple) {
    const bool goes = things.contains(triple.subject) || triple.subject == vocabulary ||
                      (triple.object.is_entity() && things.contains(triple.object.as_entity()) &&
                       triple.predicate != store::kTypePredicate);
    if (goes || uses.count++ >= kMostUses) return;
    const store::StatementWords words = store::statement_words(snapshot, triple);
    uses.some.push_back(words.subject + " " + words.predicate + " " + words.object);
  };
  store::Pattern pattern;
  if (snapshot.type_of(vocabulary) == store::kPropositionType) {
    pattern.predicate = store::Predicate::link(vocabulary);
  } else {
    pattern.predicate = store::kTypePredicate;
    pattern.predicate_class = store::PredicateClass::kStructural;
    pattern.object = Term::entity(vocabulary);
  }
  store::each_statement(snapshot, pattern, note);
  return uses;
}

void add_vocabulary(const Snapshot& snapshot, EntityId vocabulary, std::set<EntityId>& things) {
  things.insert(vocabulary);
  for (std::uint32_t id = 1; id < snapshot.entity_bound(); ++id) {
    const EntityId entity{id};
    const EntityKind kind = snapshot.kind(entity);
    const bool instance = kind == EntityKind::kConcept && snapshot.type_of(entity) == vocabulary;
    const bool link = kind == EntityKind::kProposition &&
                      snapshot.triple_of(entity).predicate == store::Predicate::link(vocabulary);
    if (instance || link) things.insert(entity);
  }
}

}  // namespace anima::memory::detail
