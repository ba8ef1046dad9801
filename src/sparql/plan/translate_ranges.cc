// Filters that leave few values: a comparison with a constant becomes a list of the values that are
// looked up, where that is worth it.
//
// The filter itself stays. A list only has to hold every value that the filter may let through.
#include <algorithm>
#include <cmath>

#include "sparql/plan/translator.h"
#include "sparql/rdf_mapping.h"
#include "sparql/value/term_codes.h"

namespace anima::sparql::plan {

using query::Candidates;
using query::StatementPattern;
using store::Predicate;
using store::PredicateClass;
using store::Term;
using ExprKind = ast::Expression::Kind;

namespace {

// A range is worth its list while it has at most this part of the values.
constexpr std::uint64_t kWorthIt = 8;
constexpr double kMostNumber = 536'870'911;  // what a code holds as it is

ExprKind turned(ExprKind kind) {
  switch (kind) {
    case ExprKind::kLess:
      return ExprKind::kGreater;
    case ExprKind::kGreater:
      return ExprKind::kLess;
    case ExprKind::kLessOrEqual:
      return ExprKind::kGreaterOrEqual;
    case ExprKind::kGreaterOrEqual:
      return ExprKind::kLessOrEqual;
    default:
      return kind;
  }
}

bool is_comparison(ExprKind kind) {
  return kind == ExprKind::kEqual || kind == ExprKind::kLess || kind == ExprKind::kGreater ||
         kind == ExprKind::kLessOrEqual || kind == ExprKind::kGreaterOrEqual;
}

void narrow(std::optional<double>* bound, double value, bool lower) {
  if (!*bound || (lower ? value > **bound : value < **bound)) *bound = value;
}

}  // namespace

std::unordered_map<query::Slot, Translator::Range> Translator::ranges_of(
    const ast::GroupPattern& group) {
  std::unordered_map<Slot, Range> ranges;
  for (const ast::Element& element : group.elements) {
    if (element.kind == ast::Element::Kind::kFilter) note_range(*element.expression, &ranges);
  }
  return ranges;
}

void Translator::note_range(const ast::Expression& condition,
                            std::unordered_map<Slot, Range>* ranges) {
  if (condition.kind == ExprKind::kAnd) {
    for (const ast::Expression& part : condition.arguments) note_range(part, ranges);
    return;
  }
  if (!is_comparison(condition.kind)) return;
  const ast::Expression* left = &condition.arguments[0];
  const ast::Expression* right = &condition.arguments[1];
  ExprKind kind = condition.kind;
  if (left->kind != ExprKind::kTerm || right->kind != ExprKind::kTerm) return;
  if (!left->term.is_variable()) {
    std::swap(left, right);
    kind = turned(kind);
  }
  if (!left->term.is_variable() || right->term.is_variable()) return;
  const std::uint32_t code = code_of(right->term);
  const bool plain =
      right->term.kind == ast::Term::Kind::kIri || right->term.kind == ast::Term::Kind::kString;
  if (kind == ExprKind::kEqual && plain) {
    (*ranges)[slot_of(left->term.text)].exact = code;
    return;
  }
  double number = 0;
  if (!ground_.values.number_of(code, &number) || std::abs(number) > kMostNumber) return;
  Range& range = (*ranges)[slot_of(left->term.text)];
  if (kind != ExprKind::kLess && kind != ExprKind::kLessOrEqual) narrow(&range.low, number, true);
  if (kind != ExprKind::kGreater && kind != ExprKind::kGreaterOrEqual)
    narrow(&range.high, number, false);
}

// The distinct values, sorted by code; nullopt where there are too many to be worth a list. What a
// link leads to is no number.
std::optional<std::vector<std::uint32_t>> Translator::values_in(const StatementPattern& pattern,
                                                                const Range& range) const {
  const std::vector<std::uint32_t>* const others = ground_.vocabulary.other_numbers();
  if (pattern.predicate.is_slot || others == nullptr) return std::nullopt;
  const store::Snapshot& scope = ground_.dataset.scopes()[pattern.scope];
  std::optional<Term> low, high;
  if (range.low) low = Term::integer(static_cast<std::int64_t>(std::floor(*range.low)));
  if (range.high) high = Term::integer(static_cast<std::int64_t>(std::ceil(*range.high)));
  // Without an end, other kinds of values follow; the filter lets none of them through.
  std::vector<std::uint32_t> predicates = pattern.also;
  predicates.push_back(pattern.predicate.value);
  std::vector<std::uint32_t> codes = *others;
  for (const std::uint32_t code : predicates) {
    const Predicate predicate{code};
    if (predicate.predicate_class() < PredicateClass::kAttribute) continue;
    store::Pattern all;
    all.predicate = predicate;
    const auto most = scope.most_values(predicate, low, high);
    if (!most || *most * kWorthIt > scope.count(all)) return std::nullopt;
    store::Cursor cursor = scope.scan_values(predicate, low, high);
    std::vector<store::Triple> rows(1024);
    while (const std::size_t count = cursor.next(rows)) {
      for (std::size_t i = 0; i < count; ++i) {
        if (codes.empty() || codes.back() != rows[i].object.code)
          codes.push_back(rows[i].object.code);
      }
    }
  }
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  return codes;
}

void Translator::restrict(Basic* basic) const {
  if (ranges_.empty()) return;
  std::vector<Slot> done;
  for (const StatementPattern& pattern : basic->patterns) {
    if (!pattern.object.is_slot) continue;
    const Slot slot = pattern.object.value;
    const auto range = ranges_.find(slot);
    if (range == ranges_.end() || std::find(done.begin(), done.end(), slot) != done.end()) continue;
    if (range->second.exact) {
      if (Term{*range->second.exact}.tag() == store::Tag::kOverlay) continue;
      basic->candidates.push_back({slot, {*range->second.exact}});
      done.push_back(slot);
    } else if (auto codes = values_in(pattern, range->second)) {
      if (codes->empty()) basic->impossible = true;
      basic->candidates.push_back({slot, std::move(*codes)});
      done.push_back(slot);
    }
  }
}

}  // namespace anima::sparql::plan
