#include "sparql/proposition_names.h"

#include <algorithm>
#include <vector>

#include "base/crypto.h"
#include "sparql/detail/percent_text.h"
#include "sparql/rdf_mapping.h"

namespace anima::sparql {
namespace {

using store::EntityId;

constexpr std::size_t kMostName = 2048;
constexpr int kMostDepth = 16;
constexpr std::string_view kDigest = "sha256-";

// --- writing

bool is_proposition(const store::Snapshot& snapshot, EntityId entity) {
  return snapshot.kind(entity) == store::EntityKind::kProposition;
}

void append_thing(std::string& out, const store::Snapshot& snapshot, EntityId thing) {
  std::string scratch;
  const RdfTerm term = entity_term(snapshot, thing, scratch);
  if (term.kind == RdfKind::kBlank) detail::append_percent_encoded(out, "_:");
  detail::append_percent_encoded(out, term.text);
}

bool append_whole(std::string& out, const store::Snapshot& snapshot, EntityId proposition,
                  int depth);

// The text of a subject or object; false when the name gets too long.
bool append_whole_end(std::string& out, const store::Snapshot& snapshot, EntityId end, int depth) {
  if (is_proposition(snapshot, end)) {
    out.push_back('(');
    if (depth == kMostDepth || !append_whole(out, snapshot, end, depth + 1)) return false;
    out.push_back(')');
  } else {
    append_thing(out, snapshot, end);
  }
  return out.size() <= kMostName;
}

bool append_whole(std::string& out, const store::Snapshot& snapshot, EntityId proposition,
                  int depth) {
  const store::Triple link = snapshot.triple_of(proposition);
  if (!link.object.is_entity() || !append_whole_end(out, snapshot, link.subject, depth))
    return false;
  out.push_back(':');
  detail::append_percent_encoded(out, predicate_iri(snapshot, link.predicate, false));
  out.push_back(':');
  return append_whole_end(out, snapshot, link.object.as_entity(), depth);
}

// --- reading

// The entity that the text of a term names, quoted ones too.
std::optional<EntityId> entity_named(const store::Snapshot& snapshot, std::string_view text) {
  const Named named = read_iri(text);
  if (named.kind != Named::Kind::kConcept) {
    return snapshot.known_concept(store::kEntityType, text);
  }
  const auto type = snapshot.known_concept(store::kConceptType, named.type);
  return type ? snapshot.known_concept(*type, named.name) : std::nullopt;
}

std::optional<EntityId> read_proposition(const store::Snapshot& snapshot, std::string_view& rest);

// One part of a name, up to ":" or ")".
std::optional<std::string> read_part(std::string_view& rest) {
  const std::size_t end = std::min(rest.find_first_of(":)"), rest.size());
  auto text = detail::percent_decoded(rest.substr(0, end));
  rest.remove_prefix(end);
  return text;
}

std::optional<EntityId> read_end(const store::Snapshot& snapshot, std::string_view& rest) {
  if (rest.starts_with('(')) {
    rest.remove_prefix(1);
    const auto inner = read_proposition(snapshot, rest);
    if (!inner || !rest.starts_with(')')) return std::nullopt;
    rest.remove_prefix(1);
    return inner;
  }
  const auto text = read_part(rest);
  return text ? entity_named(snapshot, *text) : std::nullopt;
}

// As deep as the name is long at most, which its limit bounds.
std::optional<EntityId> read_proposition(const store::Snapshot& snapshot, std::string_view& rest) {
  const auto next = [&rest] {
    if (!rest.starts_with(':')) return false;
    rest.remove_prefix(1);
    return true;
  };
  store::Triple link;
  const auto subject = read_end(snapshot, rest);
  if (!subject || !next()) return std::nullopt;
  link.subject = *subject;
  const auto iri = read_part(rest);
  if (!iri || !next()) return std::nullopt;
  const Named named = read_iri(*iri);
  const auto predicate = snapshot.known_concept(
      store::kPropositionType, named.kind == Named::Kind::kPredicate ? named.name : *iri);
  const auto object = read_end(snapshot, rest);
  if (!predicate || !object) return std::nullopt;
  link.predicate = store::Predicate::link(*predicate);
  link.object = store::Term::entity(*object);
  return snapshot.known_proposition(link);
}

}  // namespace

const std::string& PropositionNames::of(EntityId proposition) {
  std::vector<EntityId> open{proposition};
  for (;;) {
    const EntityId next = open.back();
    auto known = names_.find(next);
    if (known == names_.end()) {
      std::string name;
      if (!append_whole(name, snapshot_, next, 1)) {
        const store::Triple link = snapshot_.triple_of(next);
        if (wait_for_ends(link, &open)) continue;
        name = digest(link);
      }
      known = names_.emplace(next, std::move(name)).first;
    }
    open.pop_back();
    if (open.empty()) return known->second;
  }
}

RdfTerm PropositionNames::term(EntityId entity, std::string& scratch) {
  if (!is_proposition(snapshot_, entity)) return entity_term(snapshot_, entity, scratch);
  scratch = kPropositionPrefix;
  scratch += of(entity);
  return {RdfKind::kIri, scratch, {}};
}

// Puts the propositions that this one is about, and that have no name yet, on top of `open`.
bool PropositionNames::wait_for_ends(const store::Triple& link, std::vector<EntityId>* open) const {
  bool waits = false;
  const auto look = [&](EntityId end) {
    if (!is_proposition(snapshot_, end) || names_.contains(end)) return;
    open->push_back(end);
    waits = true;
  };
  look(link.subject);
  if (link.object.is_entity()) look(link.object.as_entity());
  return waits;
}

void PropositionNames::append_end(std::string& out, EntityId end) const {
  if (!is_proposition(snapshot_, end)) return append_thing(out, snapshot_, end);
  out.push_back('(');
  out += names_.at(end);
  out.push_back(')');
}

std::string PropositionNames::digest(const store::Triple& link) const {
  std::string text;
  append_end(text, link.subject);
  text.push_back(':');
  detail::append_percent_encoded(text, predicate_iri(snapshot_, link.predicate, false));
  text.push_back(':');
  if (link.object.is_entity()) {
    append_end(text, link.object.as_entity());
  } else {
    std::string scratch, literal;
    append_ntriples(literal, value_term(snapshot_.value(link.object), scratch));
    detail::append_percent_encoded(text, literal);
  }
  return std::string(kDigest) + hash_hex(HashAlgorithm::kSha256, text);
}

void PropositionFinder::read_digests(const store::Snapshot& snapshot) {
  knows_digests_ = true;
  PropositionNames names(snapshot);
  std::string whole;
  for (std::uint32_t id = 1; id < snapshot.entity_bound(); ++id) {
    const auto entity = static_cast<EntityId>(id);
    if (!is_proposition(snapshot, entity)) continue;
    whole.clear();
    if (!append_whole(whole, snapshot, entity, 1)) digests_.emplace(names.of(entity), entity);
  }
}

std::optional<EntityId> PropositionFinder::find(const store::Snapshot& snapshot,
                                                std::string_view name) {
  if (name.starts_with(kDigest)) {
    if (!knows_digests_) read_digests(snapshot);
    const auto known = digests_.find(std::string(name));
    return known != digests_.end() ? std::optional(known->second) : std::nullopt;
  }
  if (name.size() > 2 * kMostName) return std::nullopt;
  std::string_view rest = name;
  const auto found = read_proposition(snapshot, rest);
  return rest.empty() ? found : std::nullopt;
}

}  // namespace anima::sparql
