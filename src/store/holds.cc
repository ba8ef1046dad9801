#include "store/holds.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "base/enum_order.h"
#include "store/history.h"
#include "store/state/state.h"

namespace anima::store {
namespace {

static_assert(ascend({Trust::kHostile, Trust::kUntrusted, Trust::kStandard, Trust::kVerified,
                      Trust::kOperator, Trust::kSystem}));

// The time that the metadata of a link gives under the key; a text that is no time says nothing.
std::optional<Timestamp> time_of(const Snapshot& snapshot, EntityId link, std::string_view key) {
  const auto term = said_of_link(snapshot, link, key);
  if (!term) return std::nullopt;
  const auto time = parse_timestamp(snapshot.value(*term).text);
  return time ? std::optional(*time) : std::nullopt;
}

Trust trust_of(const Snapshot& snapshot, const Assertion& assertion) {
  return snapshot.entry(assertion.born).trust;
}

// What one graph says on one level of trust.
struct Copy {
  Trust trust = Trust::kHostile;
  double confidence = 0;
  GraphId graph = GraphId::kDefault;
  bool same(const Copy& other) const { return graph == other.graph && trust == other.trust; }
  auto rank() const { return std::tuple(trust, confidence, ~static_cast<std::uint32_t>(graph)); }
};

// A link's confidence goes for all that its graph says about it.
double confidence_of(const Assertion& value, const std::vector<Assertion>& link) {
  for (const Assertion& one : link) {
    if (one.graph == value.graph) return one.confidence;
  }
  return value.confidence;
}

}  // namespace

Standing standing_of(const Snapshot& snapshot, const Triple& statement) {
  Standing standing;
  for (const Assertion& assertion : snapshot.assertions(statement)) {
    const auto rank = std::pair(trust_of(snapshot, assertion), assertion.born);
    if (rank <= std::pair(standing.trust, standing.asserted)) continue;
    standing.trust = rank.first;
    standing.asserted = rank.second;
  }
  if (standing.asserted == Sequence::kNone) return standing;
  standing.observed = snapshot.entry(standing.asserted).time;
  if (statement.predicate.predicate_class() != PredicateClass::kLink) return standing;
  const auto link = snapshot.find_proposition(statement);
  if (!link) return standing;
  if (const auto said = time_of(snapshot, *link, "observed_at");
      said && (standing.trust >= Trust::kVerified || *said <= standing.observed))
    standing.observed = *said;
  standing.valid_from = time_of(snapshot, *link, "valid_from");
  standing.valid_to = time_of(snapshot, *link, "valid_to");
  return standing;
}

Snapshot trusted_view(const Snapshot& snapshot, Trust floor) {
  auto scope = std::make_shared<detail::GraphScope>(detail::GraphScope{{}, true});
  if (snapshot.state().scope != nullptr) *scope = *snapshot.state().scope;
  scope->floor = std::max(scope->floor, floor);
  auto narrow = std::make_shared<detail::SnapshotState>(snapshot.state());
  narrow->narrow(std::move(scope));
  return Snapshot(std::move(narrow));
}

bool is_in_scope(const Snapshot& snapshot, const Triple& statement) {
  const detail::SnapshotState& state = snapshot.state();
  const detail::RowRef row = state.find(statement.subject, statement.predicate, statement.object);
  return row && state.in_scope(state.set_of(row));
}

bool all_trusted(const Snapshot& snapshot, Trust floor) {
  const detail::SnapshotState& state = snapshot.state();
  const auto weak = [&](const detail::Context& context) {
    return state.graph_in_scope(context.graph) && context.word_of() != 0 &&
           state.entry(context.word_of()).trust < floor;
  };
  if (std::any_of(state.base->contexts.begin(), state.base->contexts.end(), weak)) return false;
  for (const detail::LayerView& layer : state.layers) {
    for (std::uint32_t id = layer.delta->firsts().context; id < layer.contexts; ++id) {
      if (weak(layer.delta->context(id))) return false;
    }
  }
  return true;
}

bool outranks(const Standing& a, const Standing& b) {
  return std::tuple(a.trust, a.observed.microseconds, a.asserted) >
         std::tuple(b.trust, b.observed.microseconds, b.asserted);
}

bool is_valid(const Standing& standing, Timestamp from, Timestamp until) {
  if (standing.valid_from && until <= *standing.valid_from) return false;
  return !standing.valid_to || from < *standing.valid_to;
}

bool overlap(const Standing& a, const Standing& b) {
  const bool before = a.valid_to && b.valid_from && *a.valid_to <= *b.valid_from;
  const bool after = b.valid_to && a.valid_from && *b.valid_to <= *a.valid_from;
  return !before && !after;
}

bool has_times(const Snapshot& snapshot) {
  return std::ranges::any_of(std::span(kTimesOfAStatement).subspan(1, 2),
                             [&](std::string_view key) {
                               const auto name = snapshot.find_string(key);
                               if (!name) return false;
                               Pattern bounds;
                               bounds.predicate = Predicate::metadata(*name);
                               bounds.predicate_class = PredicateClass::kMetadata;
                               Triple first;
                               return snapshot.scan(bounds).next({&first, 1}) > 0;
                             });
}

std::optional<Term> said_of_link(const Snapshot& snapshot, EntityId link, std::string_view key) {
  const auto name = snapshot.find_string(key);
  if (!name) return std::nullopt;
  Scratch scratch;
  const Predicate predicate = Predicate::metadata(*name);
  const auto codes = snapshot.objects(link, predicate, scratch);
  if (codes.empty()) return std::nullopt;
  const std::vector<std::uint32_t> values(codes.begin(), codes.end());
  const auto held = holding_values(snapshot, link, predicate, values);
  if (held.empty()) return std::nullopt;
  Trust states = Trust::kHostile, says = Trust::kHostile;
  for (const Assertion& one : snapshot.assertions(snapshot.triple_of(link)))
    states = std::max(states, trust_of(snapshot, one));
  for (const Assertion& one : snapshot.assertions({link, predicate, Term{held.front()}}))
    says = std::max(says, trust_of(snapshot, one));
  if (says < states) return std::nullopt;
  return Term{held.front()};
}

bool defines(const Snapshot& snapshot, EntityId definition, Predicate attribute, Term value) {
  const auto says = [&](const Triple& statement) { return standing_of(snapshot, statement).trust; };
  return says({definition, attribute, value}) >=
         says({definition, kTypePredicate, Term::entity(kPropositionType)});
}

bool is_functional(const Snapshot& snapshot, Predicate predicate) {
  if (predicate.predicate_class() != PredicateClass::kLink) return false;
  const EntityId definition = predicate.as_link();
  const auto key = snapshot.find_string("functional");
  const auto term = key ? snapshot.attribute(definition, "functional") : std::nullopt;
  if (!term) return false;
  const ValueView value = snapshot.value(*term);
  return value.kind == ValueKind::kBoolean && value.integer != 0 &&
         defines(snapshot, definition, Predicate::attribute(*key), *term);
}

std::optional<Term> holder(const Snapshot& snapshot, EntityId subject, Predicate functional,
                           Timestamp from, Timestamp until) {
  Scratch scratch;
  const auto codes = snapshot.objects(subject, functional, scratch);
  if (codes.empty()) return std::nullopt;
  const bool dated = snapshot.find_string("valid_from") || snapshot.find_string("valid_to");
  if (codes.size() == 1 && !dated) return Term{codes.front()};
  std::optional<Term> best;
  Standing best_standing;
  for (const std::uint32_t code : std::vector<std::uint32_t>(codes.begin(), codes.end())) {
    const Standing standing = standing_of(snapshot, {subject, functional, Term{code}});
    if (!is_valid(standing, from, until)) continue;
    if (best && !outranks(standing, best_standing)) continue;
    best = Term{code};
    best_standing = standing;
  }
  return best;
}

namespace {

// A part of a time that something holds in.
struct Stretch {
  std::int64_t from = 0, until = 0;
};

// Takes what is covered out of the stretches.
std::vector<Stretch> without(const std::vector<Stretch>& left, const Stretch& covered) {
  std::vector<Stretch> rest;
  for (const Stretch& one : left) {
    const Stretch before{one.from, std::min(one.until, covered.from)};
    const Stretch after{std::max(one.from, covered.until), one.until};
    if (before.from < before.until) rest.push_back(before);
    if (after.from < after.until) rest.push_back(after);
  }
  return rest;
}

struct Candidate {
  Term object;
  Standing standing;
  bool dated() const { return standing.valid_from || standing.valid_to; }
  Stretch within(const Stretch& time) const {
    return {
        standing.valid_from ? std::max(time.from, standing.valid_from->microseconds) : time.from,
        standing.valid_to ? std::min(time.until, standing.valid_to->microseconds) : time.until};
  }
};

}  // namespace

std::vector<Term> holders(const Snapshot& snapshot, EntityId subject, Predicate functional,
                          Timestamp from, Timestamp until) {
  Scratch scratch;
  const auto objects = snapshot.objects(subject, functional, scratch);
  std::vector<Candidate> candidates;
  for (const std::uint32_t code : std::vector<std::uint32_t>(objects.begin(), objects.end())) {
    const Candidate one{Term{code}, standing_of(snapshot, {subject, functional, Term{code}})};
    if (is_valid(one.standing, from, until)) candidates.push_back(one);
  }
  std::vector<Term> held;
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    if (a.standing.trust != b.standing.trust) return a.standing.trust > b.standing.trust;
    if (a.dated() != b.dated()) return a.dated();
    return outranks(a.standing, b.standing);
  });
  const Stretch time{from.microseconds, until.microseconds};
  std::vector<Stretch> left{time};
  for (const Candidate& one : candidates) {
    const Stretch own = one.within(time);
    const bool holds = std::any_of(left.begin(), left.end(), [&](const Stretch& free) {
      return std::max(own.from, free.from) < std::min(own.until, free.until);
    });
    if (!holds) continue;
    held.push_back(one.object);
    left = without(left, own);
  }
  std::sort(held.begin(), held.end());
  return held;
}

std::vector<std::uint32_t> holding_values(const Snapshot& snapshot, EntityId subject,
                                          Predicate predicate,
                                          std::span<const std::uint32_t> codes) {
  if (codes.size() < 2) return {codes.begin(), codes.end()};
  const auto link = snapshot.kind(subject) == EntityKind::kProposition
                        ? snapshot.assertions(snapshot.triple_of(subject))
                        : std::vector<Assertion>();
  std::vector<std::vector<Copy>> copies;
  std::vector<Copy> groups;
  for (const std::uint32_t code : codes) {
    std::vector<Copy>& of_code = copies.emplace_back();
    for (const Assertion& one : snapshot.assertions({subject, predicate, Term{code}})) {
      const Copy copy{trust_of(snapshot, one), confidence_of(one, link), one.graph};
      of_code.push_back(copy);
      const auto known = std::find_if(groups.begin(), groups.end(),
                                      [&](const Copy& group) { return group.same(copy); });
      if (known == groups.end()) {
        groups.push_back(copy);
      } else {
        known->confidence = std::max(known->confidence, copy.confidence);
      }
    }
  }
  if (groups.empty()) return {};
  const Copy best =
      *std::max_element(groups.begin(), groups.end(),
                        [](const Copy& a, const Copy& b) { return a.rank() < b.rank(); });
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const bool says = std::any_of(copies[i].begin(), copies[i].end(),
                                  [&](const Copy& copy) { return copy.same(best); });
    if (says) kept.push_back(codes[i]);
  }
  return kept;
}

bool is_outranked(const Snapshot& snapshot, EntityId subject, Predicate attribute, GraphId graph,
                  Trust trust) {
  Scratch scratch;
  const auto codes = snapshot.objects(subject, attribute, scratch);
  for (const std::uint32_t code : std::vector<std::uint32_t>(codes.begin(), codes.end())) {
    for (const Assertion& one : snapshot.assertions({subject, attribute, Term{code}})) {
      if (one.graph == graph && trust_of(snapshot, one) > trust) return true;
    }
  }
  return false;
}

bool is_stated_by_higher(const Snapshot& snapshot, const Triple& statement,
                         std::optional<GraphId> graph, Trust trust) {
  for (const Assertion& one : snapshot.assertions(statement)) {
    if (graph && one.graph != *graph) continue;
    const EntryInfo by = snapshot.entry(one.born);
    const bool begins = by.source == kBootstrapSource && trust < Trust::kOperator;
    if (by.trust > trust && (by.trust != Trust::kSystem || begins)) return true;
  }
  return false;
}

}  // namespace anima::store
