#include "kip/detail/schema.h"

#include <algorithm>

#include "base/text/read_number.h"
#include "base/text/text.h"
#include "store/own_graphs.h"

namespace anima::kip::detail {

std::string id_text(const Snapshot& snapshot, EntityId entity) {
  const bool link = snapshot.kind(entity) == store::EntityKind::kProposition;
  return (link ? "P:" : "C:") + std::to_string(code_of(entity));
}

std::optional<EntityId> parse_id(std::string_view text) {
  std::string_view digits;
  if (text.starts_with("C:") || text.starts_with("P:")) {
    digits = text.substr(2);
  } else if (text.starts_with("sym:")) {
    digits = text.substr(4);
  } else {
    return std::nullopt;
  }
  if (text[0] == 'P') digits = digits.substr(0, digits.find(':'));
  const auto number = read_number<std::uint32_t>(digits);
  if (!number || *number == 0 || *number > store::kPayloadMask) return std::nullopt;
  return EntityId{*number};
}

std::vector<std::string> defined_names(const Snapshot& snapshot, EntityId of_type) {
  store::Scratch scratch;
  std::vector<std::string> names;
  for (const std::uint32_t code :
       snapshot.subjects(store::kTypePredicate, Term::entity(of_type), scratch)) {
    names.emplace_back(snapshot.name(EntityId{code}));
  }
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

Unexpected<Fault> undefined(const Snapshot& snapshot, EntityId of_type, const char* what,
                            std::string_view name, Place place) {
  const std::vector<std::string> names = defined_names(snapshot, of_type);
  std::string hint = did_you_mean(nearest_names(name, names));
  const bool type = of_type == store::kConceptType;
  if (hint.empty()) {
    hint = std::string("run DESCRIBE ") + (type ? "CONCEPT" : "PROPOSITION") +
           " TYPES to see what is defined, or define it first: UPSERT { CONCEPT { {type: \"" +
           (type ? "$ConceptType" : "$PropositionType") + "\", name: " + quote_json(name) + "} } }";
  }
  return refuse(Code::kUndefinedName,
                std::string("the ") + what + " " + quote_json(name) + " is not defined",
                std::move(hint), place.offset);
}

}  // namespace

Outcome<EntityId> require_type(const Snapshot& snapshot, std::string_view name, Place place) {
  if (const auto type = snapshot.find_type(name)) return *type;
  return undefined(snapshot, store::kConceptType, "concept type", name, place);
}

Outcome<EntityId> require_predicate(const Snapshot& snapshot, std::string_view name, Place place) {
  if (const auto predicate = snapshot.find_predicate(name)) return *predicate;
  return undefined(snapshot, store::kPropositionType, "predicate", name, place);
}

Outcome<EntityId> require_id(const Snapshot& snapshot, std::string_view id, Place place) {
  const auto entity = parse_id(id);
  if (entity && snapshot.kind(*entity) != store::EntityKind::kNone && snapshot.exists(*entity))
    return *entity;
  return refuse(Code::kNotFound, "there is nothing with the id " + quote_json(id),
                "ids come from answers of the engine; find it by type and name", place.offset);
}

Unexpected<Fault> no_such_concept(const Snapshot& snapshot, EntityId type,
                                  std::string_view type_name, std::string_view name, Place place) {
  std::string hint;
  std::vector<std::string> names;
  for (const EntityId twin : snapshot.concepts_labelled(name)) {
    if (snapshot.exists(twin))
      names.push_back(std::string(snapshot.name(snapshot.type_of(twin))) + " \"" +
                      std::string(snapshot.name(twin)) + "\"");
  }
  if (!names.empty()) {
    hint = "there is " + join(names, ", ");
  } else {
    store::Scratch scratch;
    const auto members = snapshot.subjects(store::kTypePredicate, Term::entity(type), scratch);
    std::vector<std::string> candidates;
    for (std::size_t i = 0; i < members.size() && i < 2000; ++i)
      candidates.emplace_back(snapshot.name(EntityId{members[i]}));
    hint = did_you_mean(nearest_names(name, candidates));
    if (hint.empty())
      hint = "create it first, or look for it with SEARCH CONCEPT " + quote_json(name);
  }
  return refuse(Code::kNotFound,
                "there is no " + std::string(type_name) + " named " + quote_json(name),
                std::move(hint), place.offset);
}

bool is_schema_node(const Snapshot& snapshot, EntityId entity) {
  if (entity == store::kConceptType || entity == store::kPropositionType ||
      entity == store::kEntityType)
    return true;
  const std::string_view name = snapshot.name(entity);
  const EntityId type = snapshot.type_of(entity);
  if (type == store::kConceptType) return name == "Domain";
  if (type == store::kPropositionType) return name == "belongs_to_domain";
  return name == "CoreSchema" && snapshot.name(type) == "Domain";
}

bool is_protected(const Snapshot& snapshot, EntityId entity) {
  if (is_schema_node(snapshot, entity)) return true;
  const std::string_view name = snapshot.name(entity);
  return (name == "$self" || name == "$system") &&
         snapshot.name(snapshot.type_of(entity)) == "Person";
}

bool is_kept(const Snapshot& snapshot, EntityId entity) {
  const store::Triple statement =
      snapshot.kind(entity) == store::EntityKind::kProposition
          ? snapshot.triple_of(entity)
          : store::Triple{entity, store::kTypePredicate, Term::entity(snapshot.type_of(entity))};
  // A word is free to whoever defines it too.
  if (statement.object == Term::entity(store::kConceptType) ||
      statement.object == Term::entity(store::kPropositionType))
    return false;
  const auto assertions = snapshot.assertions(statement);
  return !assertions.empty() && std::ranges::all_of(assertions, [&](const auto& assertion) {
    return store::is_own_graph(snapshot.graph_name(assertion.graph));
  });
}

Unexpected<Fault> kept_elsewhere(const Snapshot& snapshot, EntityId entity, Place place) {
  return refuse(
      Code::kImmutableTarget,
      id_text(snapshot, entity) + " stands in Anima's own books, which KIP does not change",
      "`anima memory`, `anima agent` and `anima compartment` change them", place.offset);
}

bool is_fixed_attribute(const Snapshot& snapshot, EntityId entity, std::string_view key) {
  return key == "core_directives" && !is_schema_node(snapshot, entity) &&
         is_protected(snapshot, entity);
}

std::int64_t version_of(const Snapshot& snapshot, EntityId entity) {
  if (!snapshot.exists(entity)) return 0;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(snapshot.history(entity).size()));
}

}  // namespace anima::kip::detail
