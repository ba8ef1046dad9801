#include "sparql/rdf_import.h"

#include <map>
#include <utility>
#include <vector>

#include "sparql/detail/name_table.h"
#include "sparql/rdf_mapping.h"
#include "store/bulk.h"

namespace anima::sparql {
namespace {

using store::EntityId;
using store::Predicate;
using store::Term;

constexpr std::string_view kPropositionPrefix = "urn:anima:proposition:";

bool is_proposition(const RdfTerm& term) {
  return term.kind == RdfKind::kIri && term.text.starts_with(kPropositionPrefix);
}

// A term that outlives the reader's batch.
struct OwnTerm {
  RdfKind kind = RdfKind::kIri;
  std::string text;
  std::string extra;

  OwnTerm() = default;
  explicit OwnTerm(const RdfTerm& term) : kind(term.kind), text(term.text), extra(term.extra) {}
  RdfTerm view() const { return {kind, text, extra}; }
};

// A triple about a proposition, or whose object is one.
struct Waiting {
  OwnTerm subject;
  std::string predicate;
  OwnTerm object;
};

struct Reified {
  OwnTerm subject, predicate, object;  // empty text: not said
  EntityId link = EntityId::kNone;
  bool open = false;  // its ends are being resolved: met again below them means a circle
};

store::AssertOptions assert_in(store::GraphId graph) {
  store::AssertOptions options;
  options.graph = graph;
  return options;
}

}  // namespace

struct RdfImporter::State {
  State(store::Transaction& to, RdfImportOptions given)
      : transaction(to),
        options(std::move(given)),
        assertion(assert_in(options.graph)),
        bulk(to, assertion) {}

  Status add(const RdfTriple& triple);
  Status finish();

  Result<EntityId> entity(const RdfTerm& term);
  Result<EntityId> make_entity(const RdfTerm& term);
  Result<Predicate> link_predicate(std::string_view iri);
  Result<Predicate> attribute_key(std::string_view key);
  Result<Term> value(const RdfTerm& term);
  Result<EntityId> proposition(const std::string& name);
  Result<Reified*> described(const std::string& name);
  Result<bool> wait_for_ends(Reified& said, const std::string& name,
                             std::vector<std::string>* open);
  Result<EntityId> quote(const Reified& said, const std::string& name);
  Result<EntityId> reified_end(const OwnTerm& term, std::string_view which);
  Status say(EntityId subject, std::string_view predicate, const RdfTerm& object);
  Status say_special(EntityId subject, std::string_view predicate, const RdfTerm& object);
  Status add_value(EntityId subject, std::string_view key, const RdfTerm& object);
  Status add_link(EntityId subject, std::string_view predicate, EntityId object);
  Status say_waiting(const Waiting& waiting);
  bool is_existence(const RdfTriple& triple) const;
  std::string scoped(std::string_view label) const {
    return options.blank_scope.empty() ? std::string(label)
                                       : options.blank_scope + "." + std::string(label);
  }

  store::Transaction& transaction;
  RdfImportOptions options;
  store::AssertOptions assertion;
  store::BulkWriter bulk;
  RdfImportCounts counts;
  detail::NameTable iris, blanks, predicates, keys;
  std::string last_subject;  // files say everything about one thing in a row
  EntityId last_entity = EntityId::kNone;
  std::map<std::pair<EntityId, std::string>, std::vector<Term>> metadata;
  std::map<std::string, Reified> reified;
  std::vector<Waiting> waiting;
};

RdfImporter::RdfImporter(store::Transaction& transaction, RdfImportOptions options)
    : state_(std::make_unique<State>(transaction, std::move(options))) {}
RdfImporter::~RdfImporter() = default;

Status RdfImporter::add(const RdfTriple& triple) { return state_->add(triple); }
Status RdfImporter::finish() { return state_->finish(); }
const RdfImportCounts& RdfImporter::counts() const { return state_->counts; }
void RdfImporter::next_file(std::string blank_scope) {
  state_->options.blank_scope = std::move(blank_scope);
  state_->blanks = {};
}

Status RdfImporter::State::add(const RdfTriple& triple) {
  ++counts.triples;
  if (is_proposition(triple.subject) || is_proposition(triple.object)) {
    waiting.push_back(
        {OwnTerm(triple.subject), std::string(triple.predicate.text), OwnTerm(triple.object)});
    // Blank nodes belong to the file that they stand in.
    if (triple.subject.kind == RdfKind::kBlank)
      waiting.back().subject.text = scoped(triple.subject.text);
    if (triple.object.kind == RdfKind::kBlank)
      waiting.back().object.text = scoped(triple.object.text);
    return {};
  }
  EntityId subject = last_entity;
  if (triple.subject.kind != RdfKind::kIri || triple.subject.text != last_subject) {
    ANIMA_ASSIGN(subject, entity(triple.subject));
    if (triple.subject.kind == RdfKind::kIri) {
      last_subject.assign(triple.subject.text);
      last_entity = subject;
    }
  }
  if (is_existence(triple)) return {};
  return say(subject, triple.predicate.text, triple.object);
}

// CONCEPT rdf:type urn:anima:concept:%24ConceptType:TYPE, where TYPE is the concept's own.
bool RdfImporter::State::is_existence(const RdfTriple& triple) const {
  if (triple.object.kind != RdfKind::kIri ||
      !triple.object.text.starts_with("urn:anima:concept:%24ConceptType:") ||
      triple.predicate.text != kRdfType) {
    return false;
  }
  const Named object = read_iri(triple.object.text);
  if (object.kind != Named::Kind::kConcept) return false;
  if (triple.subject.kind == RdfKind::kBlank) return object.name == "Entity";
  const Named subject = read_iri(triple.subject.text);
  return object.name == (subject.kind == Named::Kind::kConcept ? subject.type : "Entity");
}

Status RdfImporter::State::say(EntityId subject, std::string_view predicate,
                               const RdfTerm& object) {
  if (predicate.starts_with(kAnima)) return say_special(subject, predicate, object);
  if (object.kind != RdfKind::kIri && object.kind != RdfKind::kBlank) {
    return add_value(subject, predicate, object);
  }
  ANIMA_ASSIGN(const EntityId target, entity(object));
  return add_link(subject, predicate, target);
}

Status RdfImporter::State::say_special(EntityId subject, std::string_view predicate,
                                       const RdfTerm& object) {
  const Named named = read_iri(predicate);
  if (named.kind == Named::Kind::kAttribute) return add_value(subject, named.name, object);
  if (named.kind == Named::Kind::kMetadata) {
    ANIMA_ASSIGN(const Term term, value(object));
    metadata[{subject, named.name}].push_back(term);
    ++counts.attributes;
    return {};
  }
  if (object.kind != RdfKind::kIri && object.kind != RdfKind::kBlank) {
    return add_value(subject, predicate, object);
  }
  ANIMA_ASSIGN(const EntityId target, entity(object));
  return add_link(subject, predicate, target);
}

Status RdfImporter::State::add_link(EntityId subject, std::string_view predicate, EntityId object) {
  ANIMA_ASSIGN(const Predicate link, link_predicate(predicate));
  bulk.add({subject, link, Term::entity(object)});
  ++counts.links;
  return {};
}

Status RdfImporter::State::add_value(EntityId subject, std::string_view key,
                                     const RdfTerm& object) {
  ANIMA_ASSIGN(const Term term, value(object));
  ANIMA_ASSIGN(const Predicate attribute, attribute_key(key));
  bulk.add({subject, attribute, term});
  ++counts.attributes;
  return {};
}

Result<Term> RdfImporter::State::value(const RdfTerm& term) {
  if (term.kind != RdfKind::kBlank) return bulk.term(literal_value(term));
  const std::string label = scoped(term.text);
  return bulk.term(literal_value({RdfKind::kBlank, label, {}}));
}

Result<EntityId> RdfImporter::State::entity(const RdfTerm& term) {
  detail::NameTable& table = term.kind == RdfKind::kBlank ? blanks : iris;
  std::uint32_t& known = table[term.text];
  if (known != 0) return static_cast<EntityId>(known);
  ANIMA_ASSIGN(const EntityId id, make_entity(term));
  known = static_cast<std::uint32_t>(id);
  return id;
}

Result<EntityId> RdfImporter::State::make_entity(const RdfTerm& term) {
  if (term.kind == RdfKind::kBlank) {
    return bulk.upsert_concept(store::kEntityType, "_:" + scoped(term.text));
  }
  if (!term.text.starts_with(kAnima)) return bulk.upsert_concept(store::kEntityType, term.text);
  const Named named = read_iri(term.text);
  if (named.kind != Named::Kind::kConcept) {
    return bulk.upsert_concept(store::kEntityType, term.text);
  }
  if (named.type == "Entity") return bulk.upsert_concept(store::kEntityType, named.name);
  if (named.type == "$ConceptType") return transaction.upsert_type(named.name, assertion);
  if (named.type == "$PropositionType") return transaction.upsert_predicate(named.name, assertion);
  ANIMA_ASSIGN(const EntityId type, transaction.upsert_type(named.type, assertion));
  return transaction.upsert_concept(type, named.name, assertion);
}

Result<Predicate> RdfImporter::State::link_predicate(std::string_view iri) {
  std::uint32_t& known = predicates[iri];
  if (known == 0) {
    const Named named = read_iri(iri);
    ANIMA_ASSIGN(
        const EntityId id,
        transaction.upsert_predicate(
            named.kind == Named::Kind::kPredicate ? named.name : std::string(iri), assertion));
    known = static_cast<std::uint32_t>(id);
  }
  return Predicate{known};
}

Result<Predicate> RdfImporter::State::attribute_key(std::string_view key) {
  std::uint32_t& known = keys[key];
  if (known == 0) {
    if (key.empty()) return fail(ErrorCode::kInvalidArgument, "an attribute needs a key");
    store::ValueView name;
    name.kind = store::ValueKind::kString;
    name.text = key;
    ANIMA_ASSIGN(const Term term, bulk.term(name));
    known = Predicate::attribute(term).code;
  }
  return Predicate{known};
}

Result<EntityId> RdfImporter::State::reified_end(const OwnTerm& term, std::string_view which) {
  if (term.text.empty()) {
    return fail(ErrorCode::kInvalidArgument, "a proposition has no rdf:" + std::string(which));
  }
  if (is_proposition(term.view())) return proposition(term.text);
  if (term.kind == RdfKind::kBlank) {
    return bulk.upsert_concept(store::kEntityType, "_:" + term.text);
  }
  if (term.kind != RdfKind::kIri) {
    return fail(ErrorCode::kInvalidArgument, "a proposition is about things, not literals");
  }
  return entity(term.view());
}

Result<Reified*> RdfImporter::State::described(const std::string& name) {
  const auto found = reified.find(name);
  if (found != reified.end()) return &found->second;
  return fail(ErrorCode::kInvalidArgument, "nothing says what the proposition is", name,
              "it needs rdf:subject, rdf:predicate and rdf:object");
}

// Puts the propositions that this one is about, and that have no link yet, on top of `open`; false
// when there are none.
Result<bool> RdfImporter::State::wait_for_ends(Reified& said, const std::string& name,
                                               std::vector<std::string>* open) {
  said.open = true;
  bool waits = false;
  for (const OwnTerm* end : {&said.object, &said.subject}) {
    if (!is_proposition(end->view())) continue;
    ANIMA_ASSIGN(const Reified* const about, described(end->text));
    if (about->link != EntityId::kNone) continue;
    if (about->open)
      return fail(ErrorCode::kInvalidArgument, "the proposition is about itself", name);
    open->push_back(end->text);
    waits = true;
  }
  return waits;
}

// Requires that the propositions it is about have their links.
Result<EntityId> RdfImporter::State::quote(const Reified& said, const std::string& name) {
  const auto end = [this](const OwnTerm& term, std::string_view which) -> Result<EntityId> {
    if (is_proposition(term.view())) return reified.find(term.text)->second.link;
    return reified_end(term, which);
  };
  store::Triple link;
  ANIMA_ASSIGN(link.subject, end(said.subject, "subject"));
  ANIMA_ASSIGN(const EntityId object, end(said.object, "object"));
  link.object = Term::entity(object);
  if (said.predicate.text.empty()) {
    return fail(ErrorCode::kInvalidArgument, "the proposition has no rdf:predicate", name);
  }
  ANIMA_ASSIGN(link.predicate, link_predicate(said.predicate.text));
  return transaction.quote_link(link);
}

// With a stack of its own: a proposition about one about one may go on as long as a file does.
Result<EntityId> RdfImporter::State::proposition(const std::string& name) {
  ANIMA_ASSIGN(const Reified* const wanted, described(name));
  if (wanted->link != EntityId::kNone) return wanted->link;
  std::vector<std::string> open{name};
  while (!open.empty()) {
    const std::string next = open.back();
    ANIMA_ASSIGN(Reified* const said, described(next));
    if (said->link == EntityId::kNone) {
      ANIMA_ASSIGN(const bool waits, wait_for_ends(*said, next, &open));
      if (waits) continue;
      ANIMA_ASSIGN(said->link, quote(*said, next));
    }
    open.pop_back();
  }
  return wanted->link;
}

Status RdfImporter::State::say_waiting(const Waiting& item) {
  ANIMA_ASSIGN(const EntityId subject, reified_end(item.subject, "subject"));
  const RdfTerm object = item.object.view();
  if (object.kind == RdfKind::kIri && !item.predicate.starts_with(kAnima)) {
    ANIMA_ASSIGN(const EntityId target, reified_end(item.object, "object"));
    return add_link(subject, item.predicate, target);
  }
  if (is_proposition(object)) {
    ANIMA_ASSIGN(const EntityId target, proposition(item.object.text));
    return add_link(subject, item.predicate, target);
  }
  // The label of a blank node has its scope already.
  const std::string scope = std::exchange(options.blank_scope, {});
  detail::NameTable apart;
  std::swap(apart, blanks);
  const Status said = say(subject, item.predicate, object);
  std::swap(apart, blanks);
  options.blank_scope = scope;
  return said;
}

Status RdfImporter::State::finish() {
  std::vector<Waiting> said;
  for (Waiting& item : waiting) {
    Reified* about = is_proposition(item.subject.view()) ? &reified[item.subject.text] : nullptr;
    if (about != nullptr && item.predicate == kRdfSubject) {
      about->subject = std::move(item.object);
    } else if (about != nullptr && item.predicate == kRdfPredicate) {
      about->predicate = std::move(item.object);
    } else if (about != nullptr && item.predicate == kRdfObject) {
      about->object = std::move(item.object);
    } else {
      said.push_back(std::move(item));
    }
  }
  waiting.clear();
  for (const auto& [name, about] : reified) ANIMA_TRY(proposition(name));
  for (const Waiting& item : said) ANIMA_TRY(say_waiting(item));
  for (const auto& [key, values] : metadata) {
    ANIMA_TRY(transaction.set_metadata(key.first, key.second, values, assertion));
  }
  return bulk.finish();
}

}  // namespace anima::sparql
