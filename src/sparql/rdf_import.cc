#include "sparql/rdf_import.h"

namespace anima::sparql {
namespace {

using store::EntityId;
using store::Term;

constexpr std::string_view kPropositionPrefix = "urn:anima:proposition:";

bool is_proposition(const RdfTerm& term) {
  return term.kind == RdfKind::kIri && term.text.starts_with(kPropositionPrefix);
}

}  // namespace

RdfImporter::RdfImporter(store::Transaction& transaction, RdfImportOptions options)
    : transaction_(transaction), options_(std::move(options)) {
  assert_.graph = options_.graph;
}

Status RdfImporter::add(const RdfTriple& triple) {
  ++counts_.triples;
  if (is_proposition(triple.subject) || is_proposition(triple.object)) {
    waiting_.push_back({triple.object.kind, std::string(triple.subject.text),
                        std::string(triple.predicate.text), std::string(triple.object.text),
                        std::string(triple.object.extra)});
    if (!is_proposition(triple.subject)) {
      about_.push_back(std::move(waiting_.back()));
      about_.back().kind = triple.subject.kind;
      waiting_.pop_back();
    }
    return {};
  }
  ANIMA_ASSIGN(const EntityId subject, entity(triple.subject));
  if (is_existence(triple)) return {};
  return say(subject, triple.predicate.text, triple.object);
}

// CONCEPT rdf:type urn:anima:concept:%24ConceptType:TYPE, where TYPE is the concept's own.
bool RdfImporter::is_existence(const RdfTriple& triple) const {
  if (triple.predicate.text != kRdfType || triple.object.kind != RdfKind::kIri ||
      !triple.object.text.starts_with("urn:anima:concept:%24ConceptType:")) {
    return false;
  }
  const Named object = read_iri(triple.object.text);
  if (object.kind != Named::Kind::kConcept) return false;
  if (triple.subject.kind == RdfKind::kBlank) return object.name == "Entity";
  const Named subject = read_iri(triple.subject.text);
  return object.name == (subject.kind == Named::Kind::kConcept ? subject.type : "Entity");
}

Status RdfImporter::say(EntityId subject, std::string_view predicate, const RdfTerm& object) {
  const bool literal = object.kind != RdfKind::kIri && object.kind != RdfKind::kBlank;
  if (predicate.starts_with(kAnima)) {
    const Named named = read_iri(predicate);
    if (named.kind == Named::Kind::kAttribute) return add_value(subject, named.name, object);
    if (named.kind == Named::Kind::kMetadata) {
      std::string label;
      RdfTerm value = object;
      if (object.kind == RdfKind::kBlank) value.text = label = scoped(object.text);
      ANIMA_ASSIGN(const Term term, transaction_.term(literal_value(value)));
      metadata_[{subject, named.name}].push_back(term);
      ++counts_.attributes;
      return {};
    }
  }
  if (literal) return add_value(subject, predicate, object);
  ANIMA_ASSIGN(const EntityId target, entity(object));
  store::Triple link;
  link.subject = subject;
  ANIMA_ASSIGN(link.predicate, link_predicate(predicate));
  link.object = Term::entity(target);
  ANIMA_TRY(transaction_.assert_link(link, assert_));
  ++counts_.links;
  return {};
}

Status RdfImporter::add_value(EntityId subject, std::string_view key, const RdfTerm& object) {
  std::string label;
  RdfTerm value = object;
  if (object.kind == RdfKind::kBlank) value.text = label = scoped(object.text);
  ANIMA_ASSIGN(const Term term, transaction_.term(literal_value(value)));
  ++counts_.attributes;
  return transaction_.add_attribute(subject, key, term, assert_);
}

Result<EntityId> RdfImporter::entity(const RdfTerm& term) {
  key_.assign(term.kind == RdfKind::kBlank ? "_" : "<");
  key_ += term.text;
  const auto found = entities_.find(key_);
  if (found != entities_.end()) return found->second;
  ANIMA_ASSIGN(const EntityId id, make_entity(term));
  entities_.emplace((term.kind == RdfKind::kBlank ? "_" : "<") + std::string(term.text), id);
  return id;
}

Result<EntityId> RdfImporter::make_entity(const RdfTerm& term) {
  if (term.kind == RdfKind::kBlank) {
    return transaction_.upsert_concept(store::kEntityType, "_:" + scoped(term.text), assert_);
  }
  const Named named = read_iri(term.text);
  if (named.kind != Named::Kind::kConcept) {
    return transaction_.upsert_concept(store::kEntityType, term.text, assert_);
  }
  if (named.type == "$ConceptType") return transaction_.upsert_type(named.name, assert_);
  if (named.type == "$PropositionType") return transaction_.upsert_predicate(named.name, assert_);
  ANIMA_ASSIGN(const EntityId of_type, type(named.type));
  return transaction_.upsert_concept(of_type, named.name, assert_);
}

Result<EntityId> RdfImporter::type(std::string_view name) {
  if (name == "Entity") return store::kEntityType;
  return transaction_.upsert_type(name, assert_);
}

Result<store::Predicate> RdfImporter::link_predicate(std::string_view iri) {
  key_.assign(iri);
  const auto found = predicates_.find(key_);
  if (found != predicates_.end()) return store::Predicate::link(found->second);
  const Named named = read_iri(iri);
  const std::string name = named.kind == Named::Kind::kPredicate ? named.name : std::string(iri);
  ANIMA_ASSIGN(const EntityId id, transaction_.upsert_predicate(name, assert_));
  predicates_.emplace(iri, id);
  return store::Predicate::link(id);
}

std::string RdfImporter::scoped(std::string_view label) const {
  return options_.blank_scope.empty() ? std::string(label)
                                      : options_.blank_scope + "." + std::string(label);
}

Result<EntityId> RdfImporter::reified_end(const std::string& key) {
  if (key.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "a proposition has no rdf:subject, rdf:predicate or rdf:object");
  }
  const RdfTerm term{
      key[0] == '_' ? RdfKind::kBlank : RdfKind::kIri, std::string_view(key).substr(1), {}};
  return is_proposition(term) ? proposition(std::string(term.text)) : entity(term);
}

Result<EntityId> RdfImporter::proposition(const std::string& name) {
  const auto found = reified_.find(name);
  if (found == reified_.end()) {
    return fail(ErrorCode::kInvalidArgument, "nothing says what the proposition is", name,
                "it needs rdf:subject, rdf:predicate and rdf:object");
  }
  Reified& reified = found->second;
  if (reified.link != EntityId::kNone) return reified.link;
  if (reified.open) {
    return fail(ErrorCode::kInvalidArgument, "the proposition is about itself", name);
  }
  reified.open = true;
  store::Triple link;
  ANIMA_ASSIGN(link.subject, reified_end(reified.subject));
  ANIMA_ASSIGN(const EntityId object, reified_end(reified.object));
  link.object = Term::entity(object);
  if (reified.predicate.empty()) {
    return fail(ErrorCode::kInvalidArgument, "the proposition has no rdf:predicate", name);
  }
  ANIMA_ASSIGN(link.predicate, link_predicate(reified.predicate.substr(1)));
  ANIMA_ASSIGN(reified.link, transaction_.quote_link(link));
  return reified.link;
}

Status RdfImporter::finish() {
  std::vector<Waiting> said;
  for (Waiting& item : waiting_) {
    const std::string term = (item.kind == RdfKind::kBlank ? "_" : "<") + item.text;
    if (item.predicate == kRdfSubject) {
      reified_[item.proposition].subject = term;
    } else if (item.predicate == kRdfPredicate) {
      reified_[item.proposition].predicate = term;
    } else if (item.predicate == kRdfObject) {
      reified_[item.proposition].object = term;
    } else {
      said.push_back(std::move(item));
    }
  }
  for (auto& [name, reified] : reified_) ANIMA_TRY(proposition(name));
  for (const Waiting& item : said) {
    ANIMA_ASSIGN(const EntityId subject, proposition(item.proposition));
    const RdfTerm object{item.kind, item.text, item.extra};
    if (is_proposition(object)) {
      store::Triple link;
      link.subject = subject;
      ANIMA_ASSIGN(link.predicate, link_predicate(item.predicate));
      ANIMA_ASSIGN(const EntityId target, proposition(item.text));
      link.object = Term::entity(target);
      ANIMA_TRY(transaction_.assert_link(link, assert_));
      ++counts_.links;
    } else {
      ANIMA_TRY(say(subject, item.predicate, object));
    }
  }
  for (const Waiting& item : about_) {
    store::Triple link;
    ANIMA_ASSIGN(link.subject, entity({item.kind, item.proposition, {}}));
    ANIMA_ASSIGN(link.predicate, link_predicate(item.predicate));
    ANIMA_ASSIGN(const EntityId target, proposition(item.text));
    link.object = Term::entity(target);
    ANIMA_TRY(transaction_.assert_link(link, assert_));
    ++counts_.links;
  }
  for (const auto& [key, values] : metadata_) {
    ANIMA_TRY(transaction_.set_metadata(key.first, key.second, values, assert_));
  }
  waiting_.clear();
  about_.clear();
  metadata_.clear();
  return {};
}

}  // namespace anima::sparql
