// Property paths: what can be said with joins and unions is; closures are walked.
#include <algorithm>
#include <utility>

#include "sparql/plan/bindings.h"
#include "sparql/plan/checks.h"
#include "sparql/plan/translator.h"
#include "sparql/value/term_codes.h"

namespace anima::sparql::plan {

using query::NodePtr;
using query::PathExpr;
using query::Ref;
using PathKind = ast::Path::Kind;

// Sequences and alternatives keep how often a pair is found, so they are rows (18.2.2.4).
Status Translator::path(Ref subject, const ast::Path& path, Ref object, const Target& target,
                        Basic* basic) {
  switch (path.kind) {
    case PathKind::kIri:
      return statement(subject, path.iri, object, target, basic);
    case PathKind::kInverse:
      return this->path(object, path.parts[0], subject, target, basic);
    case PathKind::kSequence: {
      Ref from = subject;
      for (std::size_t i = 0; i < path.parts.size(); ++i) {
        const Ref to = i + 1 < path.parts.size() ? Ref::slot(fresh()) : object;
        ANIMA_TRY(this->path(from, path.parts[i], to, target, basic));
        if (next_slot_ > query::kMaxSlots) break;  // finish() says so
        from = to;
      }
      return {};
    }
    case PathKind::kAlternative:
      return alternatives(subject, path, object, target, basic);
    case PathKind::kNegated:
      return negated(subject, path, object, target, basic);
    case PathKind::kZeroOrMore:
    case PathKind::kOneOrMore:
    case PathKind::kZeroOrOne:
      return closure(subject, path, object, target, basic);
  }
  return {};
}

Status Translator::alternatives(Ref subject, const ast::Path& path, Ref object,
                                const Target& target, Basic* basic) {
  std::vector<NodePtr> branches;
  for (const ast::Path& part : path.parts) {
    Basic one;
    ANIMA_TRY(this->path(subject, part, object, target, &one));
    if (one.impossible) continue;
    branches.push_back(arrange(std::move(one)));
  }
  query::StatementPattern like;
  like.subject = subject;
  like.object = object;
  add_branches(std::move(branches), like, basic);
  return {};
}

// A row for each statement whose predicate is none of these.
Status Translator::negated(Ref subject, const ast::Path& path, Ref object, const Target& target,
                           Basic* basic) {
  const auto one_way = [&](Ref from, Ref to,
                           const std::vector<std::string>& never) -> Result<Basic> {
    Basic one;
    const Slot predicate = fresh();
    ANIMA_TRY(open_statement(from, predicate, to, target, &one));
    std::vector<std::uint32_t> codes;
    for (const std::string& iri : never) codes.push_back(code_of_iri(ground_.values, iri));
    one.conditions.push_back(is_none_of(predicate, std::move(codes)));
    return one;
  };
  const bool forward = !path.forward.empty() || path.backward.empty();
  std::vector<NodePtr> branches;
  if (forward) {
    ANIMA_ASSIGN(Basic one, one_way(subject, object, path.forward));
    if (!one.impossible) branches.push_back(arrange(std::move(one)));
  }
  if (!path.backward.empty()) {
    ANIMA_ASSIGN(Basic one, one_way(object, subject, path.backward));
    if (!one.impossible) branches.push_back(arrange(std::move(one)));
  }
  query::StatementPattern like;
  like.subject = subject;
  like.object = object;
  add_branches(std::move(branches), like, basic);
  return {};
}

Status Translator::closure(Ref subject, const ast::Path& path, Ref object, const Target& target,
                           Basic* basic) {
  query::PathPattern pattern;
  pattern.subject = subject;
  pattern.object = object;
  ANIMA_ASSIGN(pattern.path, path_expression(path, target));
  pattern.scope = target.scope;
  pattern.graph = target.graph;
  uses_nodes_ = true;  // existence is no statement of the graph
  const bool open = subject.is_slot && object.is_slot;
  basic->parts.push_back({query::path(std::move(pattern)), open ? 1e7 : 100});
  return {};
}

std::vector<std::uint32_t> Translator::predicates_of(std::string_view iri) {
  const PredicateUse use = ground_.vocabulary.use_of(iri);
  std::vector<std::uint32_t> codes = use.links;
  codes.insert(codes.end(), use.values.begin(), use.values.end());
  codes.insert(codes.end(), use.literals.begin(), use.literals.end());
  if (use.existence) codes.push_back(store::kTypePredicate.code);
  return codes;
}

Result<query::PathExpr> Translator::path_expression(const ast::Path& path, const Target& target) {
  PathExpr made;
  for (const ast::Path& part : path.parts) {
    ANIMA_ASSIGN(PathExpr one, path_expression(part, target));
    made.parts.push_back(std::move(one));
  }
  switch (path.kind) {
    case PathKind::kIri: {
      made.kind = PathExpr::Kind::kStep;
      made.predicates = predicates_of(path.iri);
      ANIMA_ASSIGN(const auto rows, derived(path.iri, target));
      if (rows != nullptr) made.edges = query::edges_of(ground_.values, *rows);
      break;
    }
    case PathKind::kInverse:
      made.kind = PathExpr::Kind::kInverse;
      break;
    case PathKind::kSequence:
      made.kind = PathExpr::Kind::kSequence;
      break;
    case PathKind::kAlternative:
      made.kind = PathExpr::Kind::kAlternative;
      break;
    case PathKind::kZeroOrMore:
    case PathKind::kOneOrMore:
    case PathKind::kZeroOrOne:
      made.kind = PathExpr::Kind::kRepeat;
      made.minimum = path.kind == PathKind::kOneOrMore ? 1 : 0;
      if (path.kind == PathKind::kZeroOrOne) made.maximum = 1;
      if (made.parts[0].kind == PathExpr::Kind::kRepeat) return repeated_again(std::move(made));
      break;
    case PathKind::kNegated:
      return negated_expression(path);
  }
  return made;
}

// (p*)+ and its like are one repetition, for what they reach is a set (18.4). Walked as they are
// written, each level would search anew for every node of the one outside it.
query::PathExpr Translator::repeated_again(PathExpr outer) {
  PathExpr inner = std::move(outer.parts[0]);
  inner.minimum = std::min(inner.minimum, outer.minimum);
  if (!outer.maximum) inner.maximum.reset();
  return inner;
}

query::PathExpr Translator::negated_expression(const ast::Path& path) {
  const auto one_way = [this](const std::vector<std::string>& never) {
    PathExpr one;
    one.kind = PathExpr::Kind::kNegated;
    for (const std::string& iri : never) {
      for (const std::uint32_t code : predicates_of(iri)) one.predicates.push_back(code);
    }
    return one;
  };
  PathExpr backward;
  backward.kind = PathExpr::Kind::kInverse;
  backward.parts.push_back(one_way(path.backward));
  if (path.backward.empty()) return one_way(path.forward);
  if (path.forward.empty()) return backward;
  PathExpr both;
  both.kind = PathExpr::Kind::kAlternative;
  both.parts.push_back(one_way(path.forward));
  both.parts.push_back(std::move(backward));
  return both;
}

}  // namespace anima::sparql::plan
