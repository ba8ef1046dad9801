#include "sparql/plan/vocabulary.h"

#include <algorithm>
#include <optional>

#include "sparql/plan/hidden_triples.h"
#include "sparql/rdf_mapping.h"
#include "sparql/value/term_codes.h"

namespace anima::sparql::plan {

using store::EntityId;
using store::Predicate;
using store::PredicateClass;
using store::Snapshot;
using store::Term;
using store::Triple;
using store::ValueKind;

namespace {

bool is_reference(ValueKind kind) {
  return kind == ValueKind::kIri || kind == ValueKind::kBlank || kind == ValueKind::kEntity;
}

// xsd:integer and what is derived from it, decimal, float, double.
bool is_number_type(std::string_view datatype) {
  if (!datatype.starts_with(kXsd)) return false;
  datatype.remove_prefix(kXsd.size());
  constexpr std::string_view kTypes[] = {"decimal", "float", "double"};
  return std::find(std::begin(kTypes), std::end(kTypes), datatype) != std::end(kTypes) ||
         datatype.find("nteger") != std::string_view::npos || datatype.ends_with("ong") ||
         datatype.ends_with("nt") || datatype.ends_with("hort") || datatype.ends_with("yte");
}

// Predicates to nodes and back.
class Nodes final : public query::PredicateNodes {
 public:
  Nodes(const Snapshot& everything, query::Values& values, bool has_references)
      : everything_(everything), has_references_(has_references) {
    for (const PredicateClass one :
         {PredicateClass::kLink, PredicateClass::kAttribute, PredicateClass::kMetadata}) {
      for (const Predicate predicate : everything.predicates(one)) add(predicate, values);
    }
    type_ = code_of_iri(values, kRdfType);
    predicates_[type_].push_back(store::kTypePredicate.code);
    seen_.push_back({store::kTypePredicate, type_, kHiddenExistence});
  }

  std::uint32_t node_of(const Triple& statement) const override {
    if (statement.predicate == store::kTypePredicate)
      return has_hidden_existence(statement.object.as_entity()) ? 0 : type_;
    const auto found = nodes_.find(statement.predicate.code);
    if (found == nodes_.end()) return 0;  // a name, or of the books
    if (found->second.literal == found->second.reference) return found->second.literal;
    return refers(statement.object) ? found->second.reference : found->second.literal;
  }

  std::span<const Seen> seen() const override { return seen_; }

  std::span<const std::uint32_t> predicates_of(std::uint32_t node) const override {
    const auto found = predicates_.find(node);
    if (found == predicates_.end()) return {};
    return found->second;
  }

  std::uint32_t link(EntityId predicate) const {
    const auto found = nodes_.find(Predicate::link(predicate).code);
    return found == nodes_.end() ? 0 : found->second.reference;
  }
  std::uint32_t type() const { return type_; }

 private:
  struct Pair {
    std::uint32_t literal = 0, reference = 0;
  };

  void add(Predicate predicate, query::Values& values) {
    Pair pair;
    pair.literal = code_of_iri(values, predicate_iri(everything_, predicate, true));
    pair.reference = pair.literal;
    if (predicate.predicate_class() == PredicateClass::kAttribute && has_references_)
      pair.reference = code_of_iri(values, predicate_iri(everything_, predicate, false));
    nodes_.emplace(predicate.code, pair);
    seen_.push_back({predicate, pair.literal == pair.reference ? pair.literal : 0, {}});
    predicates_[pair.literal].push_back(predicate.code);
    if (pair.reference != pair.literal) predicates_[pair.reference].push_back(predicate.code);
  }

  bool refers(Term object) const {
    if (object.is_entity()) return true;
    return object.tag() == store::Tag::kLiteral && is_reference(everything_.value(object).kind);
  }

  const Snapshot everything_;
  bool has_references_;
  std::uint32_t type_ = 0;
  std::vector<Seen> seen_;
  std::unordered_map<std::uint32_t, Pair> nodes_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> predicates_;
};

}  // namespace

std::shared_ptr<const LiteralKinds> LiteralSurvey::of(const Snapshot& everything, bool published) {
  const std::lock_guard lock(mutex_);
  const std::uint32_t bound = everything.literal_bound();
  LiteralKinds fresh;
  for (std::uint32_t place = std::max(1u, looked_at_); place < bound; ++place) {
    const Term term = Term::literal(place);
    const store::ValueView view = everything.value(term);
    if (view.kind == ValueKind::kIri || view.kind == ValueKind::kBlank)
      fresh.references.push_back(term.code);
    if (view.kind == ValueKind::kTyped && is_number_type(view.extra) &&
        fresh.other_numbers.size() < LiteralKinds::kMostOthers)
      fresh.other_numbers.push_back(term.code);
  }
  std::shared_ptr<const LiteralKinds> all = found_;
  if (!fresh.references.empty() || !fresh.other_numbers.empty()) {
    auto more = std::make_shared<LiteralKinds>(*found_);
    more->references.insert(more->references.end(), fresh.references.begin(),
                            fresh.references.end());
    const std::size_t room = LiteralKinds::kMostOthers - more->other_numbers.size();
    if (fresh.other_numbers.size() > room) fresh.other_numbers.resize(room);
    more->other_numbers.insert(more->other_numbers.end(), fresh.other_numbers.begin(),
                               fresh.other_numbers.end());
    all = std::move(more);
  }
  if (published && bound > looked_at_) {
    looked_at_ = bound;
    found_ = all;
  }
  return all;
}

Vocabulary::Vocabulary(const Snapshot& everything, query::Values& values,
                       std::shared_ptr<const LiteralKinds> literals)
    : everything_(everything), values_(values), literals_(std::move(literals)) {}

Vocabulary::~Vocabulary() = default;

std::uint64_t Vocabulary::rows(Predicate predicate) const {
  store::Pattern pattern;
  pattern.predicate = predicate;
  return everything_.count(pattern);
}

PredicateUse Vocabulary::use_of(std::string_view iri) const {
  PredicateUse use;
  const Named named = read_iri(iri);
  const auto add = [&](std::vector<std::uint32_t>& to, Predicate predicate) {
    // Only the spelling that is written is the predicate's own.
    if (rows(predicate) > 0) to.push_back(predicate.code);
  };
  const bool plain = named.kind == Named::Kind::kEntity && is_absolute_iri(iri);
  if (plain || named.kind == Named::Kind::kPredicate) {
    const auto link = everything_.find_predicate(named.name);
    if (link && predicate_iri(everything_, Predicate::link(*link), false) == iri)
      add(use.links, Predicate::link(*link));
  }
  const auto key = everything_.find_string(named.name);
  if (key && (plain || named.kind == Named::Kind::kAttribute)) {
    const Predicate attribute = Predicate::attribute(*key);
    const bool literal = predicate_iri(everything_, attribute, true) == iri;
    const bool reference = predicate_iri(everything_, attribute, false) == iri;
    if (literal && (reference || !has_references())) add(use.values, attribute);
    if (literal && !reference && has_references()) add(use.literals, attribute);
    if (!literal && reference && has_references()) add(use.references, attribute);
  }
  if (key && named.kind == Named::Kind::kMetadata &&
      predicate_iri(everything_, Predicate::metadata(*key), true) == iri)
    add(use.values, Predicate::metadata(*key));
  use.existence = iri == kRdfType;
  if (iri == kRdfSubject) use.part = PredicateUse::Part::kSubject;
  if (iri == kRdfPredicate) use.part = PredicateUse::Part::kPredicate;
  if (iri == kRdfObject) use.part = PredicateUse::Part::kObject;
  return use;
}

std::shared_ptr<const query::PredicateNodes> Vocabulary::nodes() {
  if (!nodes_) nodes_ = std::make_shared<Nodes>(everything_, values_, has_references());
  return nodes_;
}

std::uint32_t Vocabulary::type_node() { return static_cast<const Nodes&>(*nodes()).type(); }

std::uint32_t Vocabulary::node_of_link(EntityId predicate) {
  const std::uint32_t known = static_cast<const Nodes&>(*nodes()).link(predicate);
  if (known != 0) return known;  // else it is only quoted
  return code_of_iri(values_, predicate_iri(everything_, Predicate::link(predicate), false));
}

bool Vocabulary::has_aliases() {
  if (aliases_ < 0) {
    aliases_ = 0;
    for (const std::uint32_t code : literals_->references) {
      if (store::Term{code}.place() < everything_.literal_bound() &&
          canonical_code(values_, code) != code) {
        aliases_ = 1;
        break;
      }
    }
  }
  return aliases_ == 1;
}

}  // namespace anima::sparql::plan
