#include "store/holds.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <tuple>

#include "base/enum_order.h"
#include "base/json/json.h"
#include "store/history.h"
#include "store/state/state.h"

namespace anima::store {
namespace {

static_assert(ascend({Trust::kHostile, Trust::kUntrusted, Trust::kStandard, Trust::kVerified,
                      Trust::kOperator, Trust::kSystem}));

// The values that hold of what is said of a link under the key, by who may say so.
std::vector<std::uint32_t> said_values(const Snapshot& snapshot, EntityId link,
                                       std::string_view key);

// The time that the metadata of a link gives under the key; a text that is no time says nothing.
std::optional<Timestamp> time_of(const Snapshot& snapshot, EntityId link, std::string_view key) {
  const auto term = said_of_link(snapshot, link, key);
  if (!term) return std::nullopt;
  const auto time = parse_timestamp(snapshot.value(*term).text);
  return time ? std::optional(*time) : std::nullopt;
}

constexpr std::string_view kOpenEnd = "..";

std::string bound_text(const std::optional<Timestamp>& time) {
  return time ? format_timestamp(*time) : std::string(kOpenEnd);
}

// The earlier times of a link, in order.
std::vector<Period> periods_before(const Snapshot& snapshot, EntityId link) {
  std::vector<Period> periods;
  for (const std::uint32_t code : said_values(snapshot, link, kHeldBefore)) {
    if (auto said = read_periods(snapshot.value(Term{code})))
      periods.insert(periods.end(), said->begin(), said->end());
  }
  std::sort(periods.begin(), periods.end(), [](const Period& a, const Period& b) {
    return std::tuple(a.to.has_value() ? a.to->microseconds : INT64_MAX,
                      a.from.has_value() ? a.from->microseconds : INT64_MIN) <
           std::tuple(b.to.has_value() ? b.to->microseconds : INT64_MAX,
                      b.from.has_value() ? b.from->microseconds : INT64_MIN);
  });
  return periods;
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
  standing.before = periods_before(snapshot, *link);
  return standing;
}

std::string to_string(const Period& period) {
  return bound_text(period.from) + "/" + bound_text(period.to);
}

std::optional<Period> parse_period(std::string_view text) {
  const std::size_t cut = text.find('/');
  if (cut == text.npos) return std::nullopt;
  Period period;
  for (const bool begin : {true, false}) {
    const std::string_view bound = begin ? text.substr(0, cut) : text.substr(cut + 1);
    if (bound == kOpenEnd) continue;
    const auto time = parse_timestamp(bound);
    if (!time) return std::nullopt;
    (begin ? period.from : period.to) = *time;
  }
  if (period.from && period.to && *period.to <= *period.from) return std::nullopt;
  return period;
}

std::optional<std::vector<Period>> read_periods(const ValueView& value) {
  std::vector<Period> periods;
  if (value.kind != ValueKind::kJson) {
    const auto period = parse_period(value.text);
    if (period) periods.push_back(*period);
    return period ? std::optional(std::move(periods)) : std::nullopt;
  }
  const auto list = parse_json(value.text);
  if (!list || !list->is_array()) return std::nullopt;
  for (const Json& one : list->as_array()) {
    const auto period = one.is_string() ? parse_period(one.as_string()) : std::nullopt;
    if (!period) return std::nullopt;
    periods.push_back(*period);
  }
  return periods;
}

bool is_valid(const Period& period, Timestamp from, Timestamp until) {
  // The moment itself, where the range is empty.
  const Timestamp end{std::max(until.microseconds, from.microseconds + 1)};
  if (period.from && end <= *period.from) return false;
  return !period.to || from < *period.to;
}

bool overlap(const Period& a, const Period& b) {
  const bool before = a.to && b.from && *a.to <= *b.from;
  const bool after = b.to && a.from && *b.to <= *a.from;
  return !before && !after;
}

std::vector<Period> periods_of(const Snapshot& snapshot, EntityId link) {
  std::vector<Period> periods = periods_before(snapshot, link);
  periods.push_back({time_of(snapshot, link, "valid_from"), time_of(snapshot, link, "valid_to")});
  return periods;
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

namespace {

std::vector<Period> periods_of(const Standing& standing) {
  std::vector<Period> periods = standing.before;
  periods.push_back({standing.valid_from, standing.valid_to});
  return periods;
}

}  // namespace

bool is_valid(const Standing& standing, Timestamp from, Timestamp until) {
  if (is_valid(Period{standing.valid_from, standing.valid_to}, from, until)) return true;
  return std::ranges::any_of(standing.before,
                             [&](const Period& one) { return is_valid(one, from, until); });
}

bool makes_place(const Standing& earlier, const Standing& later) {
  return earlier.valid_to && later.valid_to && *earlier.valid_to < *later.valid_to &&
         !earlier.valid_from && !later.valid_from && earlier.before.empty() &&
         later.before.empty() && earlier.trust >= later.trust;
}

bool overlap(const Standing& a, const Standing& b) {
  if (makes_place(a, b) || makes_place(b, a)) return false;
  if (a.before.empty() && b.before.empty())
    return overlap(Period{a.valid_from, a.valid_to}, Period{b.valid_from, b.valid_to});
  const std::vector<Period> times = periods_of(b);
  return std::ranges::any_of(periods_of(a), [&](const Period& one) {
    return std::ranges::any_of(times, [&](const Period& other) { return overlap(one, other); });
  });
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

namespace {

std::vector<std::uint32_t> said_values(const Snapshot& snapshot, EntityId link,
                                       std::string_view key) {
  const auto name = snapshot.find_string(key);
  if (!name) return {};
  Scratch scratch;
  const Predicate predicate = Predicate::metadata(*name);
  const auto codes = snapshot.objects(link, predicate, scratch);
  if (codes.empty()) return {};
  const std::vector<std::uint32_t> values(codes.begin(), codes.end());
  std::vector<std::uint32_t> held = holding_values(snapshot, link, predicate, values);
  if (held.empty()) return {};
  Trust states = Trust::kHostile, says = Trust::kHostile;
  for (const Assertion& one : snapshot.assertions(snapshot.triple_of(link)))
    states = std::max(states, trust_of(snapshot, one));
  for (const Assertion& one : snapshot.assertions({link, predicate, Term{held.front()}}))
    says = std::max(says, trust_of(snapshot, one));
  return says < states ? std::vector<std::uint32_t>() : held;
}

}  // namespace

std::optional<Term> said_of_link(const Snapshot& snapshot, EntityId link, std::string_view key) {
  const auto held = said_values(snapshot, link, key);
  return held.empty() ? std::nullopt : std::optional(Term{held.front()});
}

Trust trust_of_thing(const Snapshot& snapshot, EntityId thing) {
  const Term type = Term::entity(snapshot.type_of(thing));
  return standing_of(snapshot, {thing, kTypePredicate, type}).trust;
}

void keep_most_trusted(const Snapshot& snapshot, std::vector<EntityId>& things) {
  if (things.size() < 2) return;
  Trust most = Trust::kHostile;
  for (const EntityId one : things) most = std::max(most, trust_of_thing(snapshot, one));
  std::erase_if(things, [&](EntityId one) { return trust_of_thing(snapshot, one) < most; });
}

bool defines(const Snapshot& snapshot, EntityId definition, Predicate attribute, Term value) {
  return standing_of(snapshot, {definition, attribute, value}).trust >=
         trust_of_thing(snapshot, definition);
}

namespace {

// With the words of those, too, who are trusted less than the snapshot asks for.
Snapshot of_everybody(const Snapshot& snapshot) {
  auto scope = std::make_shared<detail::GraphScope>(*snapshot.state().scope);
  scope->floor = Trust::kHostile;
  auto wide = std::make_shared<detail::SnapshotState>(snapshot.state());
  wide->narrow(std::move(scope));
  return Snapshot(std::move(wide));
}

}  // namespace

bool is_functional(const Snapshot& snapshot, Predicate predicate) {
  const auto* const scope = snapshot.state().scope.get();
  if (scope != nullptr && scope->judges()) return is_functional(of_everybody(snapshot), predicate);
  if (predicate.predicate_class() != PredicateClass::kLink) return false;
  const EntityId definition = predicate.as_link();
  const auto key = snapshot.find_string("functional");
  const auto term = key ? snapshot.attribute(definition, "functional") : std::nullopt;
  if (!term) return false;
  const ValueView value = snapshot.value(*term);
  return value.kind == ValueKind::kBoolean && value.integer != 0 &&
         defines(snapshot, definition, Predicate::attribute(*key), *term);
}

namespace {

// A part of a time that something holds in.
struct Stretch {
  std::int64_t from = 0, until = 0;
  bool empty() const { return until <= from; }
};

// Takes what is covered out of the stretches.
std::vector<Stretch> without(const std::vector<Stretch>& left, const Stretch& covered) {
  std::vector<Stretch> rest;
  for (const Stretch& one : left) {
    const Stretch before{one.from, std::min(one.until, covered.from)};
    const Stretch after{std::max(one.from, covered.until), one.until};
    if (!before.empty()) rest.push_back(before);
    if (!after.empty()) rest.push_back(after);
  }
  return rest;
}

struct Candidate {
  Term object;
  Standing standing;
};

// For a part of the time, with what that stands on. What says when it began is said of all its
// time; what does not is sure from when it was seen on, and before that as long as nothing else is.
struct Claim {
  Stretch time;
  bool sure = false;
  const Candidate* by = nullptr;
};

Stretch cut(const Stretch& one, const Stretch& time) {
  return {std::max(one.from, time.from), std::min(one.until, time.until)};
}

std::int64_t or_else(const std::optional<Timestamp>& time, std::int64_t otherwise) {
  return time ? time->microseconds : otherwise;
}

void add_claims(const Snapshot& snapshot, const Candidate& one, const Stretch& time,
                std::vector<Claim>& claims) {
  for (const Period& period : periods_of(one.standing)) {
    const Stretch own =
        cut({or_else(period.from, time.from), or_else(period.to, time.until)}, time);
    if (own.empty()) continue;
    if (period.from) {
      claims.push_back({own, true, &one});
      continue;
    }
    const Timestamp asserted = snapshot.entry(one.standing.asserted).time;
    const std::int64_t seen = std::min(one.standing.observed, asserted).microseconds;
    const Stretch before = cut({own.from, seen}, own), since = cut({seen, own.until}, own);
    if (!before.empty()) claims.push_back({before, false, &one});
    if (!since.empty()) claims.push_back({since, true, &one});
  }
}

// From the one whose word goes first.
bool goes_first(const Claim& a, const Claim& b) {
  const Standing &x = a.by->standing, &y = b.by->standing;
  if (x.trust != y.trust) return x.trust > y.trust;
  if (a.sure != b.sure) return a.sure;
  return outranks(x, y);
}

// What says only when it ended began when what ended before it did.
void make_place(std::vector<Candidate>& all) {
  std::vector<Candidate*> ended;
  for (Candidate& one : all) {
    const Standing& it = one.standing;
    if (it.valid_to && !it.valid_from && it.before.empty()) ended.push_back(&one);
  }
  std::stable_sort(ended.begin(), ended.end(), [](const Candidate* a, const Candidate* b) {
    return *a->standing.valid_to < *b->standing.valid_to;
  });
  std::map<Trust, Timestamp, std::greater<>> last;  // end of what each level of trust says
  for (std::size_t first = 0, next = 0; first < ended.size(); first = next) {
    const Timestamp end = *ended[first]->standing.valid_to;
    for (next = first; next < ended.size() && *ended[next]->standing.valid_to == end; ++next) {
      Standing& it = ended[next]->standing;
      for (const auto& [trust, before] : last) {
        if (trust >= it.trust) it.valid_from = std::max(it.valid_from.value_or(before), before);
      }
    }
    for (std::size_t at = first; at < next; ++at) last[ended[at]->standing.trust] = end;
  }
}

// And what took the place of another began when that ended.
void follow(const Snapshot& snapshot, EntityId subject, Predicate predicate,
            std::vector<Candidate>& all) {
  if (!snapshot.find_string("superseded_by")) return;
  std::map<std::string, Candidate*, std::less<>> undated;
  std::vector<std::pair<EntityId, const Candidate*>> ended;
  for (Candidate& one : all) {
    const auto link = snapshot.find_proposition({subject, predicate, one.object});
    if (!link) continue;
    if (one.standing.valid_to) ended.emplace_back(*link, &one);
    if (!one.standing.valid_from && one.standing.before.empty())
      undated.emplace("P:" + std::to_string(static_cast<std::uint32_t>(*link)), &one);
  }
  for (const auto& [link, older] : ended) {
    const auto said = said_of_link(snapshot, link, "superseded_by");
    const auto newer = said ? undated.find(snapshot.value(*said).text) : undated.end();
    if (newer == undated.end() || older->standing.trust < newer->second->standing.trust) continue;
    std::optional<Timestamp>& from = newer->second->standing.valid_from;
    from = std::max(from.value_or(*older->standing.valid_to), *older->standing.valid_to);
  }
}

bool fits_in(const Stretch& own, const std::vector<Stretch>& left) {
  return std::any_of(left.begin(), left.end(),
                     [&](const Stretch& free) { return !cut(own, free).empty(); });
}

}  // namespace

std::vector<Term> holders(const Snapshot& snapshot, EntityId subject, Predicate functional,
                          Timestamp from, Timestamp until) {
  Scratch scratch;
  const auto objects = snapshot.objects(subject, functional, scratch);
  if (objects.empty()) return {};
  const bool dated = snapshot.find_string("valid_from") || snapshot.find_string("valid_to");
  if (objects.size() == 1 && !dated) return {Term{objects.front()}};
  std::vector<Candidate> all;
  for (const std::uint32_t code : std::vector<std::uint32_t>(objects.begin(), objects.end()))
    all.push_back({Term{code}, standing_of(snapshot, {subject, functional, Term{code}})});
  make_place(all);
  follow(snapshot, subject, functional, all);
  const Stretch time{from.microseconds, until.microseconds};
  std::vector<Claim> claims;
  for (const Candidate& one : all) add_claims(snapshot, one, time, claims);
  std::sort(claims.begin(), claims.end(), goes_first);
  std::vector<Term> held;
  std::vector<Stretch> left{time};
  for (std::size_t first = 0, next = 0; first < claims.size(); first = next) {
    // Those that nothing tells apart hold together.
    for (next = first; next < claims.size() && !goes_first(claims[first], claims[next]); ++next)
      if (fits_in(claims[next].time, left)) held.push_back(claims[next].by->object);
    for (std::size_t at = first; at < next; ++at) left = without(left, claims[at].time);
  }
  std::sort(held.begin(), held.end());
  held.erase(std::unique(held.begin(), held.end()), held.end());
  return held;
}

std::vector<Term> holders_at(const Snapshot& snapshot, EntityId subject, Predicate functional,
                             Timestamp at) {
  return holders(snapshot, subject, functional, at, Timestamp{at.microseconds + 1});
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
