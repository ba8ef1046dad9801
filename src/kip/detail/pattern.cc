#include "kip/detail/pattern.h"

#include <algorithm>

#include "base/text.h"
#include "kip/detail/schema.h"

namespace anima::kip::detail {

using query::Candidates;
using query::Expr;
using query::NodePtr;
using query::Ref;
using query::Slot;
using query::StatementPattern;

PatternPlanner::PatternPlanner(const store::Snapshot& snapshot, const Binder& binder,
                               PatternOptions options)
    : snapshot_(snapshot),
      binder_(binder),
      options_(options),
      values_(std::make_shared<query::Values>(snapshot)) {}

Slot PatternPlanner::fresh(std::string name) {
  names_.push_back(name.empty() ? "_" + std::to_string(names_.size()) : std::move(name));
  return static_cast<Slot>(names_.size() - 1);
}

const PatternPlanner::Variable* PatternPlanner::find(const std::string& name) const {
  for (const auto& [known, variable] : scope_) {
    if (known == name) return &variable;
  }
  return nullptr;
}

Outcome<PatternPlanner::Variable> PatternPlanner::require(const DotPath& path) const {
  if (const Variable* variable = find(path.variable)) return *variable;
  std::vector<std::string> names;
  for (const auto& [name, variable] : scope_) names.push_back(name);
  std::string hint = did_you_mean(nearest_names(path.variable, names));
  if (hint.empty()) hint = "bind it in WHERE, outside NOT: variables inside NOT stay there";
  return refuse(Code::kUnboundReference, "the variable ?" + path.variable + " is not bound",
                std::move(hint), path.place.offset);
}

Outcome<Expr> PatternPlanner::expression(const DotPath& path) {
  ANIMA_ASSIGN(const Variable variable, require(path));
  ANIMA_ASSIGN(Expr expr, path_expression(path, variable.slot, variable.kind, snapshot_));
  if (expr.kind != Expr::Kind::kFunction) return expr;
  std::string key;
  for (const std::string& field : path.fields) key += quote_json(field);
  for (const auto& [known, function] : functions_) {
    if (known == key) {
      expr.function = function;
      return expr;
    }
  }
  functions_.emplace_back(std::move(key), expr.function);
  return expr;
}

Outcome<Slot> PatternPlanner::variable(const std::string& name, VariableKind kind, Place place) {
  for (auto& [known, variable] : scope_) {
    if (known != name) continue;
    if (variable.kind == VariableKind::kUnknown) {
      variable.kind = kind;
    } else if (kind != VariableKind::kUnknown && kind != variable.kind) {
      // A predicate is the concept that defines it; anything else contradicts and matches nothing.
      const bool definition =
          kind == VariableKind::kPredicate || variable.kind == VariableKind::kPredicate;
      if (definition && kind != VariableKind::kLink && variable.kind != VariableKind::kLink)
        variable.kind = VariableKind::kConcept;
    }
    return variable.slot;
  }
  Variable made{0, kind};
  bool shared = false;
  for (auto hidden = hidden_.rbegin(); hidden != hidden_.rend() && !shared; ++hidden) {
    for (const auto& [known, variable] : *hidden) {
      if (known != name) continue;
      made.slot = variable.slot;
      shared = true;
    }
  }
  if (!shared) made.slot = fresh(name);
  if (made.slot + 32 >= query::kMaxSlots) {
    return refuse(Code::kResourceExhausted, "the command has too many variables",
                  "split it into several commands", place.offset);
  }
  scope_.emplace_back(name, made);
  return made.slot;
}

Outcome<NodePtr> PatternPlanner::where(const std::vector<Clause>& clauses) {
  return block(clauses);
}

Outcome<NodePtr> PatternPlanner::block(const std::vector<Clause>& clauses) {
  ++depth_;
  NodePtr node;
  Segment segment;
  std::vector<const Clause*> filters;
  const auto so_far = [&]() { return node ? std::move(node) : query::unit(); };
  bool rows_before = false;
  for (const Clause& clause : clauses) {
    switch (clause.kind) {
      case Clause::Kind::kConcept:
      case Clause::Kind::kLink:
        ANIMA_TRY(add_clause(clause, &segment));
        rows_before = true;
        continue;
      case Clause::Kind::kFilter:
        filters.push_back(&clause);
        rows_before = true;
        continue;
      default:
        break;
    }
    node = place(&segment, std::move(node));
    if (clause.kind == Clause::Kind::kNot) {
      const Scope before = scope_;
      ANIMA_ASSIGN(NodePtr inner, block(clause.block));
      scope_ = before;
      node = query::anti_join(so_far(), std::move(inner));
    } else if (clause.kind == Clause::Kind::kOptional) {
      ANIMA_ASSIGN(NodePtr inner, block(clause.block));
      node = query::left_join(so_far(), std::move(inner));
    } else {
      ANIMA_ASSIGN(node, filtered(std::move(node), &filters));
      hidden_.push_back(std::move(scope_));
      scope_.clear();
      ANIMA_ASSIGN(NodePtr branch, block(clause.block));
      Scope merged = std::move(hidden_.back());
      hidden_.pop_back();
      for (auto& entry : scope_) {
        const bool known = std::any_of(merged.begin(), merged.end(), [&](const auto& other) {
          return other.first == entry.first;
        });
        if (!known) merged.push_back(std::move(entry));
      }
      scope_ = std::move(merged);
      if (rows_before) {
        std::vector<NodePtr> branches;
        branches.push_back(so_far());
        branches.push_back(std::move(branch));
        node = query::union_of(std::move(branches));
      } else {
        node = std::move(branch);
      }
    }
    rows_before = true;
  }
  node = place(&segment, std::move(node));
  ANIMA_ASSIGN(node, filtered(std::move(node), &filters));
  --depth_;
  return so_far();
}

// Paths that start at something known come before the patterns, the others behind them.
NodePtr PatternPlanner::place(Segment* segment, NodePtr node) {
  const auto append = [&node](NodePtr next) {
    node = node ? query::join(std::move(node), std::move(next)) : std::move(next);
  };
  const auto is_known = [segment](const Ref& ref) {
    if (!ref.is_slot) return true;
    for (const Candidates& list : segment->candidates) {
      if (list.slot == ref.value && list.codes.size() <= 1) return true;
    }
    return false;
  };
  std::vector<query::PathPattern> late;
  for (query::PathPattern& path : segment->paths) {
    if (!path.subject.is_slot || !path.object.is_slot) {
      append(query::path(std::move(path)));
    } else if (is_known(path.subject) || is_known(path.object)) {
      std::vector<Candidates> starts;
      for (const Candidates& list : segment->candidates) {
        if ((list.slot == path.subject.value || list.slot == path.object.value) &&
            list.codes.size() <= 1)
          starts.push_back(list);
      }
      append(query::match({}, std::move(starts)));
      append(query::path(std::move(path)));
    } else {
      late.push_back(std::move(path));
    }
  }
  if (!segment->patterns.empty() || !segment->candidates.empty()) {
    append(query::match(std::move(segment->patterns), std::move(segment->candidates)));
  }
  for (query::PathPattern& path : late) append(query::path(std::move(path)));
  *segment = Segment{};
  return node;
}

Outcome<NodePtr> PatternPlanner::filtered(NodePtr node, std::vector<const Clause*>* filters) {
  if (filters->empty()) return node;
  std::vector<Expr> conditions;
  for (const Clause* clause : *filters) {
    ANIMA_ASSIGN(Expr expr, condition(clause->condition));
    conditions.push_back(std::move(expr));
  }
  filters->clear();
  return query::filter(node ? std::move(node) : query::unit(), std::move(conditions));
}

// --- concepts and links
// -------------------------------------------------------------------------------------------------

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
    const auto entity = parse_id(id);
    if (entity && snapshot_.kind(*entity) == store::EntityKind::kConcept &&
        snapshot_.exists(*entity))
      return std::vector<std::uint32_t>{code_of(*entity)};
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
  const auto entity = parse_id(id);
  std::vector<std::uint32_t> codes;
  if (entity && snapshot_.kind(*entity) == store::EntityKind::kProposition &&
      snapshot_.exists(*entity)) {
    codes.push_back(code_of(*entity));
  } else if (options_.require_named && depth_ == 1) {
    return refuse(Code::kNotFound, "there is no link with the id " + quote_json(id), {},
                  clause.link.id->place.offset);
  }
  segment->candidates.push_back({proposition ? *proposition : fresh(), std::move(codes)});
  return {};
}

Check PatternPlanner::add_pattern(const LinkMatch& match, std::optional<Slot> proposition,
                                  Segment* segment) {
  const auto& hops = match.predicate.hops;
  const bool is_path = hops && !(hops->minimum == 1 && hops->maximum == 1u);
  if (is_path) {
    query::PathPattern path;
    path.links_are_nodes = true;
    ANIMA_ASSIGN(path.subject, endpoint(match.subject, segment));
    ANIMA_ASSIGN(const std::uint32_t code, predicate_code(match.predicate.names[0]));
    ANIMA_ASSIGN(path.object, endpoint(match.object, segment));
    path.path.kind = query::PathExpr::Kind::kRepeat;
    path.path.minimum = hops->minimum;
    path.path.maximum = hops->maximum;
    path.path.parts.emplace_back();
    path.path.parts[0].predicates = {code};
    segment->paths.push_back(std::move(path));
    return {};
  }
  StatementPattern pattern;
  ANIMA_ASSIGN(pattern.subject, endpoint(match.subject, segment));
  ANIMA_ASSIGN(pattern.predicate, predicate(match.predicate, segment));
  ANIMA_ASSIGN(pattern.object, endpoint(match.object, segment));
  pattern.proposition = proposition;
  segment->patterns.push_back(pattern);
  return {};
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
    const auto entity = parse_id(id);
    const bool found = entity && snapshot_.kind(*entity) == store::EntityKind::kProposition &&
                       snapshot_.exists(*entity);
    if (found) return Ref::constant(code_of(*entity));
    segment->candidates.push_back({slot, {}});
    return Ref::slot(slot);
  }
  if (link.predicate.hops &&
      !(link.predicate.hops->minimum == 1 && link.predicate.hops->maximum == 1u)) {
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

// --- FILTER
// -------------------------------------------------------------------------------------------------------------

Outcome<Expr> PatternPlanner::operand(const Condition& it) {
  if (it.operand.kind == Value::Kind::kPath) return expression(it.operand.path);
  ANIMA_ASSIGN(const Json json, binder_.value(it.operand));
  return Expr::of(json.is_null() ? Term{} : values_->json(json));
}

Outcome<std::vector<Expr>> PatternPlanner::operands(const Condition& it) {
  std::vector<Expr> exprs;
  for (const Condition& part : it.parts) {
    ANIMA_ASSIGN(Expr expr, operand(part));
    exprs.push_back(std::move(expr));
  }
  return exprs;
}

Outcome<Expr> PatternPlanner::membership_of(const Condition& it) {
  if (!it.whole_list) {
    ANIMA_ASSIGN(std::vector<Expr> exprs, operands(it));
    return Expr::test(membership(), std::move(exprs));
  }
  std::vector<Expr> exprs;
  ANIMA_ASSIGN(Expr first, operand(it.parts[0]));
  exprs.push_back(std::move(first));
  ANIMA_ASSIGN(const Json list, binder_.value(it.parts[1].operand));
  if (list.kind() != Json::Kind::kArray) {
    return refuse(Code::kInvalidSyntax, "IN needs an array", {}, it.parts[1].place.offset);
  }
  for (const Json& item : list.as_array())
    exprs.push_back(Expr::of(item.is_null() ? Term{} : values_->json(item)));
  return Expr::test(membership(), std::move(exprs));
}

Outcome<Expr> PatternPlanner::regex_of(const Condition& it) {
  ANIMA_ASSIGN(std::vector<Expr> exprs, operands(it));
  std::string pattern;
  const bool constant = exprs[1].kind == Expr::Kind::kConstant;
  if (constant) {
    const auto view =
        exprs[1].constant.code == 0 ? store::ValueView{} : values_->view(exprs[1].constant.code);
    if (view.kind != store::ValueKind::kString) {
      return refuse(Code::kInvalidSyntax, "REGEX needs its pattern as a string", {},
                    it.parts[1].place.offset);
    }
    pattern = view.text;
  }
  ANIMA_ASSIGN(auto test, regex_test(constant ? &pattern : nullptr, it.parts[1].place));
  return Expr::test(std::move(test), std::move(exprs));
}

Outcome<Expr> PatternPlanner::condition(const Condition& it) {
  switch (it.kind) {
    case Condition::Kind::kOr:
    case Condition::Kind::kAnd:
    case Condition::Kind::kNot: {
      std::vector<Expr> parts;
      for (const Condition& part : it.parts) {
        ANIMA_ASSIGN(Expr expr, condition(part));
        parts.push_back(std::move(expr));
      }
      if (it.kind == Condition::Kind::kNot) return Expr::negate(std::move(parts[0]));
      return it.kind == Condition::Kind::kAnd ? Expr::all(std::move(parts))
                                              : Expr::any(std::move(parts));
    }
    case Condition::Kind::kIn:
      return membership_of(it);
    case Condition::Kind::kRegex:
      return regex_of(it);
    default:
      break;
  }
  ANIMA_ASSIGN(std::vector<Expr> exprs, operands(it));
  switch (it.kind) {
    case Condition::Kind::kContains:
    case Condition::Kind::kStartsWith:
    case Condition::Kind::kEndsWith:
      return Expr::test(text_test(it.kind), std::move(exprs));
    case Condition::Kind::kIsNull:
      return Expr::test(null_test(true), std::move(exprs));
    case Condition::Kind::kIsNotNull:
      return Expr::test(null_test(false), std::move(exprs));
    default:
      break;
  }
  // A constant on the left moves to the right, where the fast comparison looks for it.
  Condition::Kind kind = it.kind;
  if (exprs[0].kind == Expr::Kind::kConstant && exprs[1].kind != Expr::Kind::kConstant) {
    std::swap(exprs[0], exprs[1]);
    switch (kind) {
      case Condition::Kind::kLess:
        kind = Condition::Kind::kGreater;
        break;
      case Condition::Kind::kLessEqual:
        kind = Condition::Kind::kGreaterEqual;
        break;
      case Condition::Kind::kGreater:
        kind = Condition::Kind::kLess;
        break;
      case Condition::Kind::kGreaterEqual:
        kind = Condition::Kind::kLessEqual;
        break;
      default:
        break;
    }
  }
  return Expr::test(comparison(kind), std::move(exprs));
}

query::Plan PatternPlanner::finish(NodePtr root, std::vector<Slot> results) {
  query::Plan plan;
  plan.values = values_;
  plan.root = std::move(root);
  plan.slot_count = static_cast<Slot>(names_.size());
  plan.results = std::move(results);
  plan.slot_names = names_;
  plan.scopes.push_back(snapshot_);
  return plan;
}

}  // namespace anima::kip::detail
