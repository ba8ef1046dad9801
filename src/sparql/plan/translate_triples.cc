// Triples: which statements of the store are meant, and in what order they are matched.
#include <algorithm>
#include <limits>
#include <utility>

#include "sparql/plan/bindings.h"
#include "sparql/plan/checks.h"
#include "sparql/plan/translator.h"
#include "sparql/rdf_mapping.h"
#include "sparql/value/term_codes.h"

namespace anima::sparql::plan {

using query::Expr;
using query::NodePtr;
using query::Ref;
using query::SlotSet;
using query::StatementPattern;
using store::Predicate;

namespace {

bool is_entity(const Ref& ref) { return !ref.is_slot && store::Term{ref.value}.is_entity(); }

// A constant that the store does not hold: no statement has it.
bool is_unknown(const Ref& ref) {
  return !ref.is_slot && (ref.value == 0 || store::Term{ref.value}.tag() == store::Tag::kOverlay);
}

RdfTerm rdf_term(const ast::Term& term) {
  using Kind = ast::Term::Kind;
  switch (term.kind) {
    case Kind::kString:
      return {RdfKind::kString, term.text, {}};
    case Kind::kLanguageString:
      return {RdfKind::kLanguageString, term.text, term.extra};
    case Kind::kTyped:
      return {RdfKind::kTyped, term.text, term.extra};
    case Kind::kBlank:
      return {RdfKind::kBlank, term.text, {}};
    case Kind::kIri:
    case Kind::kVariable:
      break;
  }
  return {RdfKind::kIri, term.text, {}};
}

}  // namespace

std::uint32_t Translator::code_of(const ast::Term& term) {
  return sparql::code_of(ground_.values, rdf_term(term));
}

query::Ref Translator::ref(const ast::Term& term) {
  if (term.is_variable()) return Ref::slot(slot_of(term.text));
  if (term.kind == ast::Term::Kind::kBlank) return Ref::slot(slot_of("_:" + term.text));
  return Ref::constant(code_of(term));
}

Result<NodePtr> Translator::basic(const std::vector<ast::TriplePattern>& triples,
                                  const Target& target) {
  Basic found;
  for (const ast::TriplePattern& triple : triples) {
    const Ref subject = ref(triple.subject);
    const Ref object = ref(triple.object);
    if (const auto* const verb = std::get_if<ast::Term>(&triple.predicate)) {
      ANIMA_TRY(open_statement(subject, slot_of(verb->text), object, target, &found));
    } else {
      ANIMA_TRY(path(subject, std::get<ast::Path>(triple.predicate), object, target, &found));
    }
  }
  return arrange(std::move(found));
}

query::StatementPattern Translator::pattern_of(Ref subject, std::vector<std::uint32_t> predicates,
                                               Ref object, const Target& target) const {
  StatementPattern pattern;
  pattern.subject = subject;
  pattern.object = object;
  pattern.predicate = Ref::constant(predicates.front());
  predicates.erase(predicates.begin());
  pattern.also = std::move(predicates);
  pattern.scope = target.scope;
  pattern.graph = target.graph;
  return pattern;
}

// What rules derive under an IRI, in the default graph alone. Null: nothing.
Result<std::shared_ptr<const query::DerivedRelation>> Translator::derived(std::string_view iri,
                                                                          const Target& target) {
  using Rows = std::shared_ptr<const query::DerivedRelation>;
  if (!ground_.derived || target.graph || target.scope != Dataset::kDefault) return Rows();
  const Named named = read_iri(iri);
  if (named.kind != Named::Kind::kPredicate && named.kind != Named::Kind::kEntity) return Rows();
  ANIMA_ASSIGN(Rows rows, ground_.derived(named.name));
  if (rows != nullptr) uses_derived_ = true;
  return rows;
}

// What rules derive under every name, with the name's predicate in a slot. None outside of the
// default graph.
Result<std::vector<NodePtr>> Translator::all_derived(Ref subject, Slot predicate, Ref object,
                                                     const Target& target) {
  std::vector<NodePtr> branches;
  if (!ground_.derived || target.graph || target.scope != Dataset::kDefault) return branches;
  for (const std::string& name : ground_.derived_names()) {
    ANIMA_ASSIGN(const auto rows, ground_.derived(name));
    if (rows == nullptr) continue;
    uses_derived_ = true;
    const store::Term node{code_of_iri(ground_.values, link_iri(name))};
    NodePtr found = query::relation(ground_.values, *rows, subject, object, fresh());
    const auto is_it = [&](const Ref& end) { return end.is_slot && end.value == predicate; };
    if (is_it(subject) || is_it(object)) {
      std::vector<Expr> tests;
      tests.push_back(is_same(Expr::of_slot(predicate), Expr::of(node)));
      found = query::filter(std::move(found), std::move(tests));
    } else {
      found = query::extend(std::move(found), predicate, Expr::of(node));
    }
    branches.push_back(std::move(found));
  }
  return branches;
}

// A triple whose predicate is an IRI.
Status Translator::statement(Ref subject, std::string_view iri, Ref object, const Target& target,
                             Basic* basic) {
  if (!subject.is_slot && !is_entity(subject)) {
    basic->impossible = true;
    return {};
  }
  std::vector<NodePtr> branches;
  ANIMA_ASSIGN(const auto rows, derived(iri, target));
  if (rows != nullptr)
    branches.push_back(query::relation(ground_.values, *rows, subject, object, fresh()));
  StatementPattern like;
  like.subject = subject;
  like.object = object;
  like.scope = target.scope;
  like.graph = target.graph;
  const PredicateUse use = ground_.vocabulary.use_of(iri);
  const bool thing = object.is_slot || is_entity(object);  // it may be one
  if (use.part != PredicateUse::Part::kNone && (thing || is_unknown(object))) {
    if (NodePtr parts = hidden(subject, Ref::constant(0), object, &use, target))
      branches.push_back(std::move(parts));
  }
  if (is_unknown(object)) {
    add_branches(std::move(branches), like, basic);
    return {};
  }
  std::vector<std::uint32_t> plain;
  if (thing) plain = use.links;
  if (ground_.vocabulary.has_aliases()) {
    references(like, use.values, std::nullopt, &branches);
  } else {
    plain.insert(plain.end(), use.values.begin(), use.values.end());
  }
  if (object.is_slot || !is_entity(object)) references(like, use.literals, true, &branches);
  references(like, use.references, false, &branches);
  if (use.existence && thing) existence(subject, object, target, &plain, &branches);
  if (!plain.empty() && branches.empty()) {
    basic->patterns.push_back(pattern_of(subject, std::move(plain), object, target));
    return {};
  }
  if (!plain.empty()) {
    std::vector<StatementPattern> one;
    one.push_back(pattern_of(subject, std::move(plain), object, target));
    branches.push_back(query::match(std::move(one)));
  }
  add_branches(std::move(branches), like, basic);
  return {};
}

void Translator::add_branches(std::vector<NodePtr> branches, const StatementPattern& like,
                              Basic* basic) {
  if (branches.empty()) {
    basic->impossible = true;
    return;
  }
  const bool open = like.subject.is_slot && like.object.is_slot;
  NodePtr node =
      branches.size() == 1 ? std::move(branches[0]) : query::union_of(std::move(branches));
  basic->parts.push_back({std::move(node), open ? 1e6 : 100});
}

// Attributes where it matters whether the value is a literal, or where the value's code may be one
// of two.
void Translator::references(const StatementPattern& like, std::vector<std::uint32_t> predicates,
                            std::optional<bool> literal, std::vector<NodePtr>* branches) {
  if (predicates.empty()) return;
  const Target target{like.scope, like.graph};
  const Slot read = fresh();
  std::vector<StatementPattern> one;
  one.push_back(pattern_of(like.subject, std::move(predicates), Ref::slot(read), target));
  NodePtr node = query::match(std::move(one));
  if (literal) {
    std::vector<Expr> tests;
    tests.push_back(*literal ? is_literal(read) : is_reference(read));
    node = query::filter(std::move(node), std::move(tests));
  }
  const bool apart =
      !like.object.is_slot || (like.subject.is_slot && like.subject.value == like.object.value);
  const Slot made = apart ? fresh() : like.object.value;
  node = query::extend(std::move(node), made, canonical(read));
  if (apart) {
    Expr wanted = like.object.is_slot ? Expr::of_slot(like.object.value)
                                      : Expr::of(store::Term{like.object.value});
    std::vector<Expr> tests;
    tests.push_back(is_same(Expr::of_slot(made), std::move(wanted)));
    node = query::filter(std::move(node), std::move(tests));
  }
  branches->push_back(std::move(node));
}

// rdf:type, as far as it is the existence of concepts.
void Translator::existence(Ref subject, Ref object, const Target& target,
                           std::vector<std::uint32_t>* plain, std::vector<NodePtr>* branches) {
  const auto of_type = [this](std::optional<store::EntityId> type) {
    store::Pattern pattern;
    pattern.predicate = store::kTypePredicate;
    if (type) pattern.object = store::Term::entity(*type);
    return ground_.dataset.knowledge().count(pattern);
  };
  if (!object.is_slot && !has_hidden_existence(store::Term{object.value}.as_entity())) {
    if (of_type(store::Term{object.value}.as_entity()) > 0)
      plain->push_back(store::kTypePredicate.code);
    return;
  }
  std::uint64_t others = of_type(std::nullopt);
  for (const store::EntityId type : kHiddenExistence) others -= of_type(type);
  if (object.is_slot && others > 0) {
    std::vector<StatementPattern> one;
    one.push_back(pattern_of(subject, {store::kTypePredicate.code}, object, target));
    std::vector<std::uint32_t> codes;
    for (const store::EntityId type : kHiddenExistence)
      codes.push_back(store::Term::entity(type).code);
    std::vector<Expr> tests;
    tests.push_back(is_none_of(object.value, std::move(codes)));
    branches->push_back(query::filter(query::match(std::move(one)), std::move(tests)));
  }
  PredicateUse use;
  use.existence = true;
  if (NodePtr rows = hidden(subject, Ref::constant(0), object, &use, target))
    branches->push_back(std::move(rows));
}

// A triple whose predicate is a variable.
Status Translator::open_statement(Ref subject, Slot predicate, Ref object, const Target& target,
                                  Basic* basic) {
  ANIMA_ASSIGN(std::vector<NodePtr> derived, all_derived(subject, predicate, object, target));
  stated(subject, predicate, object, target, std::move(derived), basic);
  return {};
}

// What is said under any predicate; `branches` are rows from elsewhere.
void Translator::stated(Ref subject, Slot predicate, Ref object, const Target& target,
                        std::vector<NodePtr> branches, Basic* basic) {
  if (!subject.is_slot && !is_entity(subject)) {
    basic->impossible = true;
    return;
  }
  uses_nodes_ = true;
  StatementPattern pattern;
  pattern.subject = subject;
  pattern.predicate = Ref::slot(predicate);
  pattern.object = object;
  pattern.scope = target.scope;
  pattern.graph = target.graph;
  pattern.classes = query::kLinks | query::kAttributes | query::kMetadataKeys | query::kStructure;
  if (NodePtr rows = hidden(subject, Ref::slot(predicate), object, nullptr, target))
    branches.push_back(std::move(rows));
  if (is_unknown(object)) return add_branches(std::move(branches), pattern, basic);
  if (!ground_.vocabulary.has_aliases() && branches.empty()) {
    basic->patterns.push_back(std::move(pattern));
    return;
  }
  std::vector<StatementPattern> one;
  if (ground_.vocabulary.has_aliases()) {
    const Slot read = fresh();
    const Slot made = fresh();
    pattern.object = Ref::slot(read);
    one.push_back(pattern);
    NodePtr node = query::extend(query::match(std::move(one)), made, canonical(read));
    const bool apart = !object.is_slot || (subject.is_slot && subject.value == object.value) ||
                       object.value == predicate;
    if (apart) {
      std::vector<Expr> tests;
      tests.push_back(is_same(Expr::of_slot(made), object.is_slot
                                                       ? Expr::of_slot(object.value)
                                                       : Expr::of(store::Term{object.value})));
      node = query::filter(std::move(node), std::move(tests));
    } else {
      node = query::extend(std::move(node), object.value, Expr::of_slot(made));
    }
    branches.push_back(std::move(node));
  } else {
    one.push_back(pattern);
    branches.push_back(query::match(std::move(one)));
  }
  StatementPattern like = pattern;
  like.object = object;
  add_branches(std::move(branches), like, basic);
}

// --- order

double Translator::guess(const StatementPattern& pattern) const {
  store::Pattern counted;
  if (is_entity(pattern.subject)) counted.subject = store::EntityId{pattern.subject.value};
  if (!pattern.object.is_slot) counted.object = store::Term{pattern.object.value};
  const store::Snapshot& scope = ground_.dataset.scopes()[pattern.scope];
  if (pattern.predicate.is_slot) {
    double rows = 0;
    for (const auto one : {store::PredicateClass::kLink, store::PredicateClass::kAttribute}) {
      counted.predicate_class = one;
      rows += static_cast<double>(scope.count(counted));
    }
    return rows;
  }
  counted.predicate = Predicate{pattern.predicate.value};
  double rows = static_cast<double>(scope.count(counted));
  for (const std::uint32_t code : pattern.also) {
    counted.predicate = Predicate{code};
    rows += static_cast<double>(scope.count(counted));
  }
  return rows;
}

// Plain patterns are one node, whose order the executor chooses. The parts around it follow each
// other by what they are connected with and how few rows they may have.
NodePtr Translator::arrange(Basic basic) {
  if (!basic.impossible) restrict(&basic);
  if (basic.impossible) return nothing();
  std::vector<Basic::Part> parts = std::move(basic.parts);
  if (!basic.patterns.empty()) {
    double rows = std::numeric_limits<double>::infinity();
    if (!parts.empty()) {
      for (const StatementPattern& pattern : basic.patterns) rows = std::min(rows, guess(pattern));
      for (const query::Candidates& list : basic.candidates)
        rows = std::min(rows, static_cast<double>(list.codes.size()));
    }
    parts.push_back({query::match(std::move(basic.patterns), std::move(basic.candidates)), rows});
  }
  NodePtr node = query::unit();
  SlotSet bound;
  while (!parts.empty()) {
    std::size_t best = 0;
    double best_cost = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool apart = bound.any() && (bindings_of(*parts[i].node).possible & bound).none();
      const double cost = parts[i].rows * (apart ? 1e9 : 1);
      if (cost < best_cost) {
        best = i;
        best_cost = cost;
      }
    }
    bound |= bindings_of(*parts[best].node).possible;
    node = join_sides(std::move(node), std::move(parts[best].node));
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best));
  }
  if (basic.conditions.empty()) return node;
  return query::filter(std::move(node), std::move(basic.conditions));
}

}  // namespace anima::sparql::plan
