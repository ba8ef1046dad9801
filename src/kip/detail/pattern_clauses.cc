// The clauses of WHERE that match concepts and propositions, as nodes of the algebra.
#include <algorithm>
#include <optional>
#include <utility>

#include "kip/detail/pattern.h"
#include "kip/detail/schema.h"
#include "kip/detail/validity.h"
#include "store/holds.h"
#include "store/symbols.h"

namespace anima::kip::detail {

using query::Ref;
using query::Slot;
using query::StatementPattern;

namespace {

// {1,1} hops are the plain statement.
bool is_path(const PredicateMatch& match) {
  return match.hops && !(match.hops->minimum == 1 && match.hops->maximum == 1u);
}

// The code of the entity with this id, where it exists and is of this kind.
std::optional<std::uint32_t> live_code(const store::Snapshot& snapshot, std::string_view id,
                                       store::EntityKind kind) {
  const auto entity = parse_id(id);
  if (!entity || snapshot.kind(*entity) != kind || !snapshot.exists(*entity)) return std::nullopt;
  return code_of(*entity);
}

}  // namespace

Check PatternPlanner::add_clause(const Clause& clause, Segment* segment) {
  return clause.kind == Clause::Kind::kConcept ? add_concept(clause, segment)
                                               : add_link(clause, segment);
}

Check PatternPlanner::add_concept(const Clause& clause, Segment* segment) {
  ANIMA_ASSIGN(const Slot slot, variable(clause.variable, VariableKind::kConcept, clause.place));
  return match_concept(clause.concept_match, slot, true, segment);
}

// The concepts that a matcher with an id or a name picks, sorted.
Outcome<std::vector<std::uint32_t>> PatternPlanner::named(const ConceptMatch& match,
                                                          bool must_exist) const {
  if (match.id) {
    ANIMA_ASSIGN(const std::string_view id, binder_.text(*match.id, "an id"));
    if (const auto code = live_code(snapshot_, id, store::EntityKind::kConcept))
      return std::vector<std::uint32_t>{*code};
    if (must_exist)
      return refuse(Code::kNotFound, "there is no concept with the id " + quote_json(id), {},
                    match.id->place.offset);
    return std::vector<std::uint32_t>{};
  }
  ANIMA_ASSIGN(const std::string_view name, binder_.text(*match.name, "a name"));
  if (!match.type) {
    std::vector<std::uint32_t> codes;
    for (const EntityId entity : snapshot_.concepts_named(name)) {
      if (snapshot_.exists(entity)) codes.push_back(code_of(entity));
    }
    return codes;
  }
  ANIMA_ASSIGN(const std::string_view type_name, binder_.text(*match.type, "a type"));
  auto type = require_type(snapshot_, type_name, match.type->place);
  if (!type) {
    if (options_.strict) return fail(std::move(type).error());
    return std::vector<std::uint32_t>{};
  }
  if (const auto found = snapshot_.find_concept(*type, name))
    return std::vector<std::uint32_t>{code_of(*found)};
  // What is changed or deleted is called by its own name.
  if (!must_exist) {
    if (const auto aliased = store::find_by_alias(snapshot_, name, *type))
      return std::vector<std::uint32_t>{code_of(*aliased)};
  }
  if (must_exist) return no_such_concept(snapshot_, *type, type_name, name, match.name->place);
  return std::vector<std::uint32_t>{};
}

Check PatternPlanner::match_concept(const ConceptMatch& match, Slot slot, bool named_clause,
                                    Segment* segment) {
  StatementPattern pattern;
  pattern.subject = Ref::slot(slot);
  pattern.predicate = Ref::constant(store::kTypePredicate.code);
  if (match.id || match.name) {
    const bool must_exist =
        named_clause && options_.require_named && depth_ == 1 && (match.id || match.type);
    ANIMA_ASSIGN(std::vector<std::uint32_t> codes, named(match, must_exist));
    segment->candidates.push_back({slot, std::move(codes)});
    return {};
  }
  if (!match.type) {
    pattern.object = Ref::slot(fresh());
    segment->patterns.push_back(pattern);
    return {};
  }
  ANIMA_ASSIGN(const std::string_view name, binder_.text(*match.type, "a type"));
  auto type = require_type(snapshot_, name, match.type->place);
  if (!type) {
    if (options_.strict) return fail(std::move(type).error());
    segment->candidates.push_back({slot, {}});
    return {};
  }
  pattern.object = Ref::constant(Term::entity(*type).code);
  segment->patterns.push_back(pattern);
  return {};
}

Check PatternPlanner::add_link(const Clause& clause, Segment* segment) {
  std::optional<Slot> proposition;
  if (!clause.variable.empty()) {
    ANIMA_ASSIGN(proposition, variable(clause.variable, VariableKind::kLink, clause.place));
  }
  if (!clause.link.id) return add_pattern(clause.link, proposition, segment);
  ANIMA_ASSIGN(const std::string_view id, binder_.text(*clause.link.id, "an id"));
  const auto code = live_code(snapshot_, id, store::EntityKind::kProposition);
  if (!code && options_.require_named && depth_ == 1) {
    return refuse(Code::kNotFound, "there is no link with the id " + quote_json(id), {},
                  clause.link.id->place.offset);
  }
  std::vector<std::uint32_t> codes;
  if (code) codes.push_back(*code);
  const Slot link = proposition ? *proposition : fresh();
  if (options_.valid_at) segment->checks.push_back(holds_at(link, *options_.valid_at));
  segment->candidates.push_back({link, std::move(codes)});
  return {};
}

Check PatternPlanner::add_pattern(const LinkMatch& match, std::optional<Slot> proposition,
                                  Segment* segment) {
  if (is_path(match.predicate)) {
    query::PathPattern path;
    path.links_are_nodes = true;
    ANIMA_ASSIGN(path.subject, endpoint(match.subject, segment));
    ANIMA_ASSIGN(query::PathExpr step, path_step(match.predicate.names[0]));
    ANIMA_ASSIGN(path.object, endpoint(match.object, segment));
    path.path.kind = query::PathExpr::Kind::kRepeat;
    path.path.minimum = match.predicate.hops->minimum;
    path.path.maximum = match.predicate.hops->maximum;
    path.path.parts.push_back(std::move(step));
    segment->paths.push_back(std::move(path));
    return {};
  }
  ANIMA_ASSIGN(const bool is_derived, add_derived(match, proposition.has_value(), segment));
  if (is_derived) return {};
  StatementPattern pattern;
  ANIMA_ASSIGN(pattern.subject, endpoint(match.subject, segment));
  ANIMA_ASSIGN(pattern.predicate, predicate(match.predicate, segment));
  ANIMA_ASSIGN(pattern.object, endpoint(match.object, segment));
  const store::Predicate link{pattern.predicate.value};
  const bool one_holds = pattern.predicate.is_slot || store::is_functional(snapshot_, link);
  pattern.proposition = add_checks(one_holds, proposition, &segment->checks);
  segment->patterns.push_back(pattern);
  return {};
}

// What must be true of the pattern's link, in the slot that is returned. `one_holds`: its
// predicate is functional, or may be.
std::optional<Slot> PatternPlanner::add_checks(bool one_holds, std::optional<Slot> proposition,
                                               std::vector<query::Expr>* checks) {
  const bool what_holds = options_.what_holds && !proposition;
  const ValidTime time = time_that_holds();
  if (what_holds && one_holds) {
    proposition = fresh();
    checks->push_back(holds_of(*proposition, time));
  }
  if (options_.valid_at || (what_holds && dated_)) {
    if (!proposition) proposition = fresh();
    checks->push_back(holds_at(*proposition, time));
  }
  return proposition;
}

ValidTime PatternPlanner::time_that_holds() const {
  return options_.valid_at ? *options_.valid_at : moment(options_.what_holds.value_or(Timestamp{}));
}

// One hop, along what is stated and what rules derive.
Outcome<query::PathExpr> PatternPlanner::path_step(const Atom& name) const {
  query::PathExpr step;
  ANIMA_ASSIGN(const std::string_view text, binder_.text(name, "a predicate"));
  if (options_.derived != nullptr) {
    const auto rows = options_.derived->find(snapshot_, text);
    if (!rows) return fail(Fault(rows.error()));
    if (*rows != nullptr) step.edges = query::edges_of(*values_, **rows);
  }
  if (step.edges != nullptr && !snapshot_.find_predicate(text)) return step;
  ANIMA_ASSIGN(const std::uint32_t code, predicate_code(name));
  step.predicates = {code};
  const store::Predicate link{code};
  const bool functional = options_.what_holds && store::is_functional(snapshot_, link);
  const bool dated = options_.valid_at || (options_.what_holds && dated_);
  if (functional || dated) step.test = edge_holds(functional, time_that_holds(), dated);
  return step;
}

// What rules derive joins as rows, beside what is stated where the space has the predicate, too.
// False when no rule derives it, or when the link itself is wanted (`named`) and may be stated.
Outcome<bool> PatternPlanner::add_derived(const LinkMatch& match, bool named, Segment* segment) {
  if (options_.derived == nullptr || match.predicate.names.size() != 1) return false;
  const Atom& name = match.predicate.names[0];
  ANIMA_ASSIGN(const std::string_view text, binder_.text(name, "a predicate"));
  const auto stated = snapshot_.find_predicate(text);
  if (named && stated) return false;
  auto rows = options_.derived->find(snapshot_, text);
  if (!rows) return fail(Fault(rows.error()));
  if (*rows == nullptr) return false;
  if (named) {
    return refuse(Code::kInvalidSyntax,
                  "rules derive " + quote_json(text) + "; no link of the space says it",
                  "leave the link's variable or the pattern around it out; `anima why` proves what "
                  "is derived",
                  name.place.offset);
  }
  ANIMA_ASSIGN(const Ref subject, endpoint(match.subject, segment));
  ANIMA_ASSIGN(const Ref object, endpoint(match.object, segment));
  query::NodePtr node = query::relation(*values_, **rows, subject, object, fresh());
  if (stated) {
    StatementPattern pattern;
    pattern.subject = subject;
    pattern.predicate = Ref::constant(code_of(*stated));
    pattern.object = object;
    std::vector<query::Expr> checks;
    pattern.proposition =
        add_checks(store::is_functional(snapshot_, store::Predicate{pattern.predicate.value}),
                   std::nullopt, &checks);
    query::NodePtr stated_rows = query::match({pattern});
    if (!checks.empty()) stated_rows = query::filter(std::move(stated_rows), std::move(checks));
    std::vector<query::NodePtr> sides;
    sides.push_back(std::move(stated_rows));
    sides.push_back(std::move(node));
    node = query::union_of(std::move(sides));
  }
  segment->derived.push_back(std::move(node));
  return true;
}

Outcome<Ref> PatternPlanner::endpoint(const Endpoint& end, Segment* segment) {
  if (end.kind == Endpoint::Kind::kVariable) {
    ANIMA_ASSIGN(const Slot slot, variable(end.variable, VariableKind::kUnknown, end.place));
    return Ref::slot(slot);
  }
  if (end.kind == Endpoint::Kind::kConcept) {
    if (end.concept_match.id || (end.concept_match.type && end.concept_match.name)) {
      ANIMA_ASSIGN(std::vector<std::uint32_t> codes, named(end.concept_match, false));
      if (codes.size() == 1) return Ref::constant(codes[0]);
      const Slot slot = fresh();
      segment->candidates.push_back({slot, std::move(codes)});
      return Ref::slot(slot);
    }
    const Slot slot = fresh();
    ANIMA_TRY(match_concept(end.concept_match, slot, false, segment));
    return Ref::slot(slot);
  }
  const LinkMatch& link = end.link.front();
  const Slot slot = fresh();
  if (link.id) {
    ANIMA_ASSIGN(const std::string_view id, binder_.text(*link.id, "an id"));
    const auto code = live_code(snapshot_, id, store::EntityKind::kProposition);
    if (code) return Ref::constant(*code);
    segment->candidates.push_back({slot, {}});
    return Ref::slot(slot);
  }
  if (is_path(link.predicate)) {
    return refuse(Code::kInvalidSyntax,
                  "a path of several hops is no link that something can be said about", {},
                  link.place.offset);
  }
  ANIMA_TRY(add_pattern(link, slot, segment));
  return Ref::slot(slot);
}

// 0 = undefined, and the command is lenient.
Outcome<std::uint32_t> PatternPlanner::predicate_code(const Atom& name) const {
  ANIMA_ASSIGN(const std::string_view text, binder_.text(name, "a predicate"));
  auto found = require_predicate(snapshot_, text, name.place);
  if (found) return code_of(*found);
  if (options_.strict) return fail(std::move(found).error());
  return 0u;
}

Outcome<Ref> PatternPlanner::predicate(const PredicateMatch& match, Segment* segment) {
  if (match.names.empty()) {
    ANIMA_ASSIGN(const Slot slot, variable(match.variable, VariableKind::kPredicate, match.place));
    return Ref::slot(slot);
  }
  std::vector<std::uint32_t> codes;
  for (const Atom& name : match.names) {
    ANIMA_ASSIGN(const std::uint32_t code, predicate_code(name));
    if (code != 0) codes.push_back(code);
  }
  if (match.names.size() == 1 && codes.size() == 1) return Ref::constant(codes[0]);
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  const Slot slot = fresh();
  segment->candidates.push_back({slot, std::move(codes)});
  return Ref::slot(slot);
}

}  // namespace anima::kip::detail
