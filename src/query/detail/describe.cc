// EXPLAIN: a pipeline in words, with the rows that it counted, and the names in it.
#include "query/detail/describe.h"

#include <algorithm>
#include <cstdio>

#include "query/detail/compile.h"

namespace anima::query::detail {

using store::EntityId;
using store::Predicate;
using store::PredicateClass;
using store::Snapshot;
using store::Term;

namespace {

std::string display(const Run& run, store::Term term) {
  if (term.code == 0) return "null";
  if (term.tag() != store::Tag::kOverlay) return run.values.snapshot().display(term);
  const store::ValueView view = run.values.view(term.code);
  if (view.kind == store::ValueKind::kDouble) return Json(view.number).dump();
  return view.kind == store::ValueKind::kInteger ? std::to_string(view.integer)
                                                 : quote_json(view.text);
}

}  // namespace

std::string slot_name(const Run& run, Slot slot) {
  return slot < run.plan.slot_names.size() ? "?" + run.plan.slot_names[slot]
                                           : "?_" + std::to_string(slot);
}

std::string list_slots(const Run& run, const std::vector<Slot>& slots) {
  std::string text;
  for (const Slot slot : slots) text += (text.empty() ? "" : ", ") + slot_name(run, slot);
  return text;
}

std::string name_of(const Run& run, const Ref& ref) {
  if (ref.is_slot) return slot_name(run, ref.value);
  const Snapshot& snapshot = run.scope(0);
  if (Term{ref.value}.is_entity()) return std::string(snapshot.name(EntityId{ref.value}));
  if (Term{ref.value}.tag() == store::Tag::kInteger)
    return std::to_string(Term{ref.value}.as_integer());
  return snapshot.display(Term{ref.value});
}

std::string predicate_name(const Run& run, const Ref& ref) {
  if (!ref.is_slot && Predicate{ref.value} == store::kTypePredicate) return "type";
  if (!ref.is_slot && Predicate{ref.value} == store::kNamePredicate) return "name";
  if (!ref.is_slot && Predicate{ref.value}.predicate_class() == PredicateClass::kMetadata) {
    return "metadata " + run.scope(0).display(Predicate{ref.value}.key());
  }
  return name_of(run, ref);
}

std::string text_of(const Run& run, const StatementPattern& it) {
  std::string predicate = predicate_name(run, it.predicate);
  for (const std::uint32_t other : it.also)
    predicate += " or " + predicate_name(run, Ref::constant(other));
  return "(" + name_of(run, it.subject) + ", " + predicate + ", " + name_of(run, it.object) + ")";
}

std::string describe_expr(const Run& run, const Expr& expr) {
  const auto join = [&](const char* mark) {
    std::string text;
    for (const Expr& part : expr.parts)
      text += (text.empty() ? "" : mark) + describe_expr(run, part);
    return text;
  };
  switch (expr.kind) {
    case Expr::Kind::kConstant:
      return display(run, expr.constant);
    case Expr::Kind::kSlot:
      return slot_name(run, expr.slot);
    case Expr::Kind::kFunction:
      return expr.function->name() + "(" + join(", ") + ")";
    case Expr::Kind::kCondition:
      return expr.condition->name() + "(" + join(", ") + ")";
    case Expr::Kind::kAnd:
      return "(" + join(" && ") + ")";
    case Expr::Kind::kOr:
      return "(" + join(" || ") + ")";
    case Expr::Kind::kNot:
      return "!" + join("");
    case Expr::Kind::kExists:
      return "exists " + slot_name(run, run.exists_slot(expr));
  }
  return {};
}

std::string describe(const Pipeline& pipeline, bool analyzed) {
  std::string text;
  for (std::size_t i = pipeline.operators.size(); i-- > 0;) {
    const Operator& op = *pipeline.operators[i];
    text.append(static_cast<std::size_t>(op.depth) * 2, ' ');
    text += op.describe();
    char note[128];
    if (op.estimate >= 0) {
      std::snprintf(note, sizeof note, "  [about %.0f rows]", op.estimate);
      text += note;
    }
    if (analyzed) {
      const Operator* next = op.next();
      const std::uint64_t out = next != nullptr ? next->rows_in : 0;
      const std::int64_t own =
          op.nanoseconds - (next != nullptr ? std::min(next->nanoseconds, op.nanoseconds) : 0);
      std::snprintf(note, sizeof note, "  (in %llu, out %llu, %.3f ms)",
                    static_cast<unsigned long long>(op.rows_in),
                    static_cast<unsigned long long>(out), static_cast<double>(own) / 1e6);
      text += note;
    }
    text += '\n';
  }
  return text;
}

}  // namespace anima::query::detail
