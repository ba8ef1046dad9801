#include "store/snapshot.h"

#include <algorithm>
#include <tuple>

#include "base/text/text.h"
#include "store/base/value_code.h"
#include "store/holds.h"
#include "store/own_graphs.h"
#include "store/state/as_of.h"
#include "store/state/cursor.h"
#include "store/state/entity_history.h"
#include "store/state/state.h"
#include "store/state/state_text.h"
#include "store/state/value_scan.h"

namespace anima::store {

using detail::CodePattern;
using detail::Context;
using detail::CursorState;
using detail::EntityRecord;
using detail::RowRef;
using detail::SnapshotState;

namespace {

constexpr auto kConceptKind = static_cast<std::uint32_t>(EntityKind::kConcept);
constexpr auto kPropositionKind = static_cast<std::uint32_t>(EntityKind::kProposition);

}  // namespace

Cursor::Cursor(std::unique_ptr<CursorState> state) : state_(std::move(state)) {}
Cursor::Cursor(Cursor&&) noexcept = default;
Cursor& Cursor::operator=(Cursor&&) noexcept = default;
Cursor::~Cursor() = default;
std::size_t Cursor::next(std::span<Triple> out) {
  return state_ == nullptr || out.empty() ? 0 : state_->next(out);
}

Snapshot::Snapshot(std::shared_ptr<const SnapshotState> state) : state_(std::move(state)) {}

Sequence Snapshot::sequence() const { return static_cast<Sequence>(state_->sequence); }

std::optional<Term> Snapshot::find(const ValueView& value) const {
  return state_->find_value(value);
}

std::optional<Term> Snapshot::find_string(std::string_view text) const {
  ValueView value;
  value.kind = ValueKind::kString;
  value.text = text;
  return state_->find_value(value);
}

ValueView Snapshot::value(Term term) const { return state_->value(term); }

std::optional<int> Snapshot::compare(Term a, Term b) const {
  if (a == b) {
    double number = 0;  // a NaN differs from itself
    if (a.tag() != Tag::kLiteral) return 0;
    const ValueView same = value(a);
    if (same.kind != ValueKind::kDouble || (detail::number_of(same, &number) && number == number))
      return 0;
    return std::nullopt;
  }
  if (a.tag() == Tag::kInteger && b.tag() == Tag::kInteger) {
    return a.as_integer() < b.as_integer() ? -1 : 1;
  }
  return detail::compare_values(value(a), value(b));
}

bool Snapshot::number(Term term, double* out) const {
  if (term.tag() == Tag::kInteger) {
    *out = static_cast<double>(term.as_integer());
    return true;
  }
  return term.tag() == Tag::kLiteral && detail::number_of(value(term), out);
}

std::uint32_t Snapshot::literal_bound() const { return state_->term_bound; }

std::string Snapshot::display(Term term) const { return detail::display_value(value(term)); }

EntityKind Snapshot::kind(EntityId entity) const {
  return static_cast<EntityKind>(state_->entity(code_of(entity)).kind);
}

bool Snapshot::exists(EntityId entity) const {
  const EntityRecord record = state_->entity(code_of(entity));
  if (record.kind == kConceptKind) {
    return static_cast<bool>(state_->find(entity, kTypePredicate, ObjectCode{record.a}));
  }
  return record.kind == kPropositionKind &&
         static_cast<bool>(
             state_->find(SubjectCode{record.a}, PredicateCode{record.b}, ObjectCode{record.c}));
}

EntityId Snapshot::type_of(EntityId entity) const {
  const EntityRecord record = state_->entity(code_of(entity));
  return record.kind == kConceptKind ? static_cast<EntityId>(record.a) : EntityId::kNone;
}

Term Snapshot::name_term(EntityId entity) const {
  const EntityRecord record = state_->entity(code_of(entity));
  return record.kind == kConceptKind ? Term{record.b} : Term{};
}

std::string_view Snapshot::name(EntityId entity) const {
  const Term term = name_term(entity);
  return term.code == 0 ? std::string_view{} : value(term).text;
}

Triple Snapshot::triple_of(EntityId proposition) const {
  const EntityRecord record = state_->entity(code_of(proposition));
  if (record.kind != kPropositionKind) return {};
  return {static_cast<EntityId>(record.a), {record.b}, {record.c}};
}

std::optional<EntityId> Snapshot::find_concept(EntityId type, std::string_view name) const {
  const auto term = find_string(name);
  if (!term) return std::nullopt;
  Scratch scratch;
  for (const std::uint32_t id : subjects(kNamePredicate, *term, scratch)) {
    if (state_->entity(id).a == code_of(type)) return static_cast<EntityId>(id);
  }
  return std::nullopt;
}

std::optional<EntityId> Snapshot::find_type(std::string_view name) const {
  return find_concept(kConceptType, name);
}
std::optional<EntityId> Snapshot::find_predicate(std::string_view name) const {
  return find_concept(kPropositionType, name);
}

std::optional<EntityId> Snapshot::find_proposition(const Triple& link) const {
  const RowRef row = state_->find(link.subject, link.predicate, link.object);
  if (!row) return std::nullopt;
  const std::uint32_t id = state_->proposition_of(row);
  if (id == 0) return std::nullopt;
  return static_cast<EntityId>(id);
}

std::optional<EntityId> Snapshot::known_concept(EntityId type, std::string_view name) const {
  const std::uint32_t id = state_->known_concept(code_of(type), name);
  if (id == 0) return std::nullopt;
  return static_cast<EntityId>(id);
}

std::optional<EntityId> Snapshot::known_proposition(const Triple& link) const {
  const std::uint32_t id = state_->known_proposition(link.subject, link.predicate, link.object);
  if (id == 0) return std::nullopt;
  return static_cast<EntityId>(id);
}

std::vector<EntityId> Snapshot::concepts_named(std::string_view name) const {
  std::vector<EntityId> found;
  if (const auto term = find_string(name)) {
    Scratch scratch;
    for (const std::uint32_t id : subjects(kNamePredicate, *term, scratch)) {
      found.push_back(static_cast<EntityId>(id));
    }
  }
  return found;
}

std::vector<EntityId> Snapshot::concepts_labelled(std::string_view label) const {
  const std::string folded = fold_case(label);
  const std::uint32_t hash = detail::hash_term(folded);
  std::vector<EntityId> found;
  const auto offer = [&](std::uint32_t id) {
    const auto entity = static_cast<EntityId>(id);
    if (id < state_->entity_bound && exists(entity) && fold_case(name(entity)) == folded) {
      found.push_back(entity);
    }
  };
  state_->base->labels(hash, offer);
  for (const auto& layer : state_->layers) layer.delta->labels(hash, offer);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::uint32_t Snapshot::entity_bound() const { return state_->entity_bound; }

bool Snapshot::contains(const Triple& triple) const {
  return static_cast<bool>(state_->find(triple.subject, triple.predicate, triple.object));
}

std::uint64_t Snapshot::count(const Pattern& pattern) const {
  return state_->count(CodePattern::of(pattern));
}

Cursor Snapshot::scan(const Pattern& pattern, Order order) const {
  const CodePattern codes = CodePattern::of(pattern);
  if (order != Order::kObjectSubjectPredicate) {
    return Cursor(std::make_unique<CursorState>(state_, codes, order));
  }
  std::vector<Triple> rows;
  CursorState all(state_, codes, Order::kAny);
  for (Triple batch[256];;) {
    const std::size_t got = all.next(batch);
    if (got == 0) break;
    rows.insert(rows.end(), batch, batch + got);
  }
  std::sort(rows.begin(), rows.end(), [](const Triple& a, const Triple& b) {
    return std::tie(a.object, a.subject, a.predicate) < std::tie(b.object, b.subject, b.predicate);
  });
  return Cursor(std::make_unique<CursorState>(state_, std::move(rows)));
}

Cursor Snapshot::scan_values(Predicate attribute, std::optional<Term> low,
                             std::optional<Term> high) const {
  return Cursor(detail::scan_values(state_, attribute, low, high));
}

std::optional<std::uint64_t> Snapshot::most_values(Predicate attribute, std::optional<Term> low,
                                                   std::optional<Term> high) const {
  return detail::most_in_value_range(*state_, attribute, low, high);
}

namespace {

std::optional<Term> best_value(const Snapshot& snapshot, EntityId entity, Predicate predicate) {
  Scratch scratch;
  const auto objects = snapshot.objects(entity, predicate, scratch);
  if (objects.empty()) return std::nullopt;
  if (objects.size() == 1) return Term{objects.front()};
  const auto held = holding_values(snapshot, entity, predicate,
                                   std::vector<std::uint32_t>(objects.begin(), objects.end()));
  return held.empty() ? std::nullopt : std::optional(Term{held.front()});
}

}  // namespace

std::optional<Term> Snapshot::attribute(EntityId entity, std::string_view key) const {
  const auto term = find_string(key);
  return term ? best_value(*this, entity, Predicate::attribute(*term)) : std::nullopt;
}
std::optional<Term> Snapshot::metadata(EntityId entity, std::string_view key) const {
  const auto term = find_string(key);
  return term ? best_value(*this, entity, Predicate::metadata(*term)) : std::nullopt;
}

std::vector<Assertion> Snapshot::assertions(const Triple& triple) const {
  std::vector<Assertion> found;
  const RowRef row = state_->find(triple.subject, triple.predicate, triple.object);
  if (!row) return found;
  const bool structural = triple.predicate.predicate_class() == PredicateClass::kStructural;
  state_->each_context(state_->set_of(row), [&](std::uint32_t, const Context& context) {
    // Who says that a concept is there may be trusted less than who speaks of it.
    if (structural ? !state_->graph_in_scope(context.graph) : !state_->word_in_scope(context))
      return;
    found.push_back({static_cast<GraphId>(context.graph), context.confidence, context.provenance,
                     static_cast<Sequence>(context.word_of()), Sequence::kNone});
  });
  if (found.size() < 2) return found;
  const auto rank = [this](const Assertion& one) {
    return std::tuple(state_->entry(static_cast<std::uint64_t>(one.born)).trust, one.confidence,
                      ~static_cast<std::uint32_t>(one.graph));
  };
  std::sort(found.begin(), found.end(),
            [&](const Assertion& a, const Assertion& b) { return rank(a) > rank(b); });
  return found;
}

EntryInfo Snapshot::entry(Sequence sequence) const {
  const auto at = static_cast<std::uint64_t>(sequence);
  EntryInfo info;
  if (at == 0 || at > state_->sequence) return info;
  const detail::EntryRecord record = state_->entry(at);
  info.sequence = sequence;
  info.time = record.time;
  info.trust = record.trust;
  info.author = record.author;
  info.source = record.source;
  return info;
}

std::vector<Predicate> Snapshot::predicates(PredicateClass predicate_class) const {
  std::vector<Predicate> found;
  const auto offer = [&](std::uint32_t predicate) {
    if (Predicate{predicate}.predicate_class() != predicate_class) return;
    Pattern pattern;
    pattern.predicate = Predicate{predicate};
    bool any = state_->predicate_count(PredicateCode{predicate}) != 0;
    if (any && state_->scope != nullptr) {
      Triple row;
      any = scan(pattern).next({&row, 1}) != 0;
    }
    if (any) found.push_back({predicate});
  };
  const auto directory = state_->base->pos_directory;
  for (std::size_t i = 0; i + 2 < directory.size(); i += 2) offer(directory[i]);
  for (const auto& layer : state_->layers) {
    for (std::uint32_t i = 0; i < layer.delta->predicate_count(); ++i)
      offer(layer.delta->predicate(i));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::optional<GraphId> Snapshot::find_graph(std::string_view name) const {
  for (std::uint32_t id = 0; id < state_->graph_bound; ++id) {
    if (state_->graph_name(id) == name) return static_cast<GraphId>(id);
  }
  return std::nullopt;
}

std::string_view Snapshot::graph_name(GraphId graph) const {
  return state_->graph_name(static_cast<std::uint32_t>(graph));
}

std::vector<GraphId> Snapshot::graphs() const {
  std::vector<GraphId> all;
  for (std::uint32_t id = 0; id < state_->graph_bound; ++id) {
    if (id != 0 && state_->graph_name(id).empty()) continue;
    if (state_->graph_in_scope(id)) all.push_back(static_cast<GraphId>(id));
  }
  return all;
}

std::uint64_t Snapshot::graph_size(GraphId graph) const {
  const auto id = static_cast<std::uint32_t>(graph);
  std::int64_t total = 0;
  if (id < state_->base->graph_bound())
    total = static_cast<std::int64_t>(state_->base->graph_sizes[id]);
  for (const auto& layer : state_->layers) {
    total = layer.delta->count(detail::graph_count_key(id), layer.sequence, total);
  }
  return static_cast<std::uint64_t>(total);
}

Snapshot Snapshot::in_graphs(std::span<const GraphId> graphs) const {
  auto narrow = std::make_shared<SnapshotState>(*state_);
  auto scope = std::make_shared<detail::GraphScope>();
  if (state_->scope != nullptr) scope->floor = state_->scope->floor;
  std::vector<std::uint32_t>& named = scope->graphs;
  for (const GraphId graph : graphs) named.push_back(static_cast<std::uint32_t>(graph));
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  // Whoever names a graph of the books means it.
  if (state_->scope != nullptr && !state_->scope->all_but) {
    std::erase_if(named, [&](std::uint32_t graph) { return !state_->scope->holds(graph); });
  }
  narrow->narrow(std::move(scope));
  return Snapshot(std::move(narrow));
}

Snapshot Snapshot::with_books() const {
  if (state_->scope == nullptr || !state_->scope->all_but) return *this;
  auto whole = std::make_shared<SnapshotState>(*state_);
  whole->narrow(nullptr);
  if (state_->scope->judges())
    whole->narrow(
        std::make_shared<detail::GraphScope>(detail::GraphScope{{}, true, state_->scope->floor}));
  return Snapshot(std::move(whole));
}

Snapshot Snapshot::knowledge() const {
  if (state_->scope != nullptr) return *this;
  auto scope = std::make_shared<detail::GraphScope>();
  scope->all_but = true;
  for (std::uint32_t id = 0; id < state_->graph_bound; ++id) {
    if (is_own_graph(state_->graph_name(id))) scope->graphs.push_back(id);
  }
  if (scope->graphs.empty()) return *this;
  auto narrow = std::make_shared<SnapshotState>(*state_);
  narrow->narrow(std::move(scope));
  return Snapshot(std::move(narrow));
}

Result<Snapshot> Snapshot::as_of(Sequence sequence) const {
  ANIMA_ASSIGN(auto state, detail::state_as_of(state_, static_cast<std::uint64_t>(sequence)));
  return Snapshot(std::move(state));
}

Result<Snapshot> Snapshot::as_of(Timestamp time) const {
  std::uint64_t low = 0;
  std::uint64_t high = state_->sequence;  // the last entry that is not later than `time`
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (state_->entry(middle).time <= time) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return as_of(static_cast<Sequence>(low));
}

std::vector<Sequence> Snapshot::history(EntityId entity) const {
  return detail::history_of(*state_, code_of(entity));
}

std::vector<TextHit> Snapshot::search(const TextQuery& query) const {
  return detail::search_state(*this, query);
}

}  // namespace anima::store
