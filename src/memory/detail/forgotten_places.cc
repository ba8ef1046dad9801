#include "memory/detail/forgotten_places.h"

#include <algorithm>
#include <string_view>

#include "base/json/json.h"
#include "base/text/text.h"
#include "memory/detail/forgotten_things.h"
#include "memory/names.h"
#include "store/own_graphs.h"
#include "store/symbols.h"

namespace anima::memory::detail {
namespace {

using store::EntityId;
using store::EntityKind;
using store::GraphId;
using store::Predicate;
using store::PredicateClass;
using store::Snapshot;
using store::Term;

constexpr std::string_view kForgottenGraph = "urn:forgotten:graph:";

// Keys of Anima's own books, and of what a new space begins with: it has the lowest numbers.
std::set<std::uint32_t> own_keys(const Snapshot& snapshot) {
  std::vector<GraphId> books;
  for (const GraphId graph : snapshot.graphs())
    if (store::is_own_graph(snapshot.graph_name(graph))) books.push_back(graph);
  std::set<std::uint32_t> keys = keys_in_use(snapshot.in_graphs(books));
  store::Scratch scratch;
  for (std::uint32_t id = 1; id < snapshot.entity_bound(); ++id) {
    if (snapshot.kind(EntityId{id}) != EntityKind::kConcept) continue;
    if (!is_of_bootstrap(snapshot, EntityId{id})) break;
    for (const PredicateClass kind : {PredicateClass::kAttribute, PredicateClass::kMetadata}) {
      for (const std::uint32_t key : snapshot.outgoing(EntityId{id}, kind, scratch).predicates)
        keys.insert(Predicate{key}.key().code);
    }
  }
  return keys;
}

class Finder {
 public:
  Finder(const Snapshot& snapshot, const ForgottenNames& names, const std::set<EntityId>& things,
         bool mentions)
      : snapshot_(snapshot), names_(names), things_(things), mentions_(mentions) {}

  NamedPlaces find() && {
    find_keys();
    find_vocabulary();
    find_graphs();
    return std::move(found_);
  }

 private:
  void stays(const std::string& what, const std::string& why) {
    found_.stay.push_back(what + ": " + why);
  }
  void stays_unasked(const std::string& what) { stays(what, "--mentions takes it"); }
  // Whether the text names one of them; what may is listed.
  bool named(std::string_view text, const std::string& what) {
    const Naming naming = names_.judge(text);
    if (naming == Naming::kInDoubt) stays(what, "it may name another thing");
    return naming == Naming::kNames;
  }

  void find_keys() {
    std::set<std::uint32_t> own;
    bool own_known = false;
    for (const std::uint32_t code : keys_in_use(snapshot_)) {
      const Term term{code};
      const store::ValueView value = snapshot_.value(term);
      const std::string what = "the key " + quote_json(value.text);
      if (!named(value.text, what)) continue;
      if (!own_known) own = own_keys(snapshot_);
      own_known = true;
      if (own.contains(term.code)) {
        stays(what, "Anima itself reads by it");
      } else if (mentions_) {
        found_.keys.push_back(term);
      } else {
        stays_unasked(what);
      }
    }
  }

  void find_vocabulary() {
    for (std::uint32_t id = 1; id < snapshot_.entity_bound(); ++id) {
      const EntityId entity{id};
      const bool candidate = is_vocabulary(snapshot_, entity) && !things_.contains(entity);
      if (!candidate) continue;
      const bool predicate = snapshot_.type_of(entity) == store::kPropositionType;
      const std::string what = std::string(predicate ? "the predicate" : "the type") +
                               " C:" + std::to_string(static_cast<std::uint32_t>(entity)) + " " +
                               store::symbol_label(snapshot_, entity);
      if (named(snapshot_.name(entity), what)) take_vocabulary(entity, what);
    }
  }

  void take_vocabulary(EntityId entity, const std::string& what) {
    if (const Status own = check_not_own(snapshot_, entity); !own)
      return stays(what, own.error().message);
    const VocabularyUses uses = vocabulary_uses(snapshot_, entity, things_);
    if (uses.count > 0)
      return stays(what, "forget first what uses it: " + join(uses.some, "; ") +
                             (uses.count > uses.some.size() ? "; .." : ""));
    if (snapshot_.exists(entity) && !mentions_) return stays_unasked(what);
    add_vocabulary(snapshot_, entity, found_.things);
  }

  void find_graphs() {
    for (const GraphId graph : snapshot_.graphs()) {
      const std::string name(snapshot_.graph_name(graph));
      if (name.empty() || store::is_own_graph(name) || name.starts_with(kForgottenGraph)) continue;
      const std::string what = "the graph " + name;
      if (!named(name, what)) continue;
      if (snapshot_.graph_size(graph) == 0) {
        found_.graphs.push_back(graph);
      } else if (name.starts_with(kCompartmentPrefix)) {
        stays(what, "unload it with `anima compartment unload " +
                        name.substr(kCompartmentPrefix.size()) + "`, then forget again");
      } else if (mentions_) {
        found_.graphs.push_back(graph);
      } else {
        stays_unasked(what);
      }
    }
  }

  const Snapshot& snapshot_;
  const ForgottenNames& names_;
  const std::set<EntityId>& things_;
  const bool mentions_;
  NamedPlaces found_;
};

}  // namespace

std::set<std::uint32_t> keys_in_use(const Snapshot& snapshot) {
  std::set<std::uint32_t> keys;
  for (const PredicateClass kind : {PredicateClass::kAttribute, PredicateClass::kMetadata})
    for (const Predicate key : snapshot.predicates(kind)) keys.insert(key.key().code);
  return keys;
}

NamedPlaces named_places(const Snapshot& snapshot, const ForgottenNames& names,
                         const std::set<EntityId>& things, bool mentions) {
  return Finder(snapshot, names, things, mentions).find();
}

}  // namespace anima::memory::detail
