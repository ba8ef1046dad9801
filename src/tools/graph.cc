#include "tools/graph.h"

#include <algorithm>
#include <tuple>

#include "store/symbols.h"

namespace anima::tools {
namespace {

using store::EntityId;
using store::Pattern;
using store::PredicateClass;
using store::Snapshot;
using store::Term;
using store::Triple;

constexpr std::size_t kBatch = 256;

void read(const Snapshot& snapshot, const Pattern& pattern, std::size_t limit, Edges& out) {
  store::Cursor cursor = snapshot.scan(pattern);
  Triple batch[kBatch];
  for (;;) {
    const std::size_t count = cursor.next(batch);
    if (count == 0) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (out.edges.size() >= limit) return;
      Edge edge;
      edge.triple = batch[i];
      edge.predicate = store::predicate_label(snapshot, batch[i].predicate);
      if (is_bookkeeping(edge.predicate)) continue;
      edge.subject = store::symbol_label(snapshot, batch[i].subject);
      edge.object = store::term_label(snapshot, batch[i].object);
      if (is_bookkeeping(edge.subject) || is_bookkeeping(edge.object)) continue;
      const auto assertions = snapshot.assertions(batch[i]);
      if (!assertions.empty()) edge.confidence = assertions.front().confidence;
      out.edges.push_back(std::move(edge));
    }
  }
}

Pattern from(EntityId symbol, PredicateClass predicate_class) {
  Pattern pattern;
  pattern.subject = symbol;
  pattern.predicate_class = predicate_class;
  return pattern;
}

Pattern to(EntityId symbol) {
  Pattern pattern;
  pattern.object = Term::entity(symbol);
  return pattern;
}

}  // namespace

bool is_bookkeeping(std::string_view label) {
  static constexpr std::string_view kPrefixes[] = {
      "agent:",    "goal:",    "desc:",    "status:", "priority:",
      "criteria:", "episode:", "summary:", "tag:",    "quarantine:"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return label.starts_with(prefix); });
}

Edges edges_of(const Snapshot& snapshot, EntityId symbol, Direction direction, std::size_t limit) {
  Edges out;
  if (direction != Direction::kTo) {
    const Pattern links = from(symbol, PredicateClass::kLink);
    const Pattern attributes = from(symbol, PredicateClass::kAttribute);
    out.total += snapshot.count(links) + snapshot.count(attributes);
    read(snapshot, links, limit, out);
    read(snapshot, attributes, limit, out);
  }
  if (direction != Direction::kFrom) {
    out.total += snapshot.count(to(symbol));
    read(snapshot, to(symbol), limit, out);
  }
  std::sort(out.edges.begin(), out.edges.end(), [&](const Edge& a, const Edge& b) {
    const bool a_from = a.triple.subject == symbol, b_from = b.triple.subject == symbol;
    if (a_from != b_from) return a_from;
    return std::tie(a.predicate, a.subject, a.object) < std::tie(b.predicate, b.subject, b.object);
  });
  const auto same = [](const Edge& a, const Edge& b) { return a.triple == b.triple; };
  out.edges.erase(std::unique(out.edges.begin(), out.edges.end(), same), out.edges.end());
  out.total = out.edges.size() < limit ? out.edges.size() : std::max(out.total, limit);
  return out;
}

std::uint64_t out_degree(const Snapshot& snapshot, EntityId symbol) {
  return snapshot.count(from(symbol, PredicateClass::kLink));
}

std::uint64_t degree(const Snapshot& snapshot, EntityId symbol) {
  return out_degree(snapshot, symbol) + snapshot.count(to(symbol));
}

}  // namespace anima::tools
