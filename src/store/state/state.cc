#include "store/state/state.h"

#include <algorithm>

#include "base/text/text.h"
#include "store/base/value_code.h"

namespace anima::store::detail {

CodePattern CodePattern::of(const Pattern& pattern) {
  CodePattern codes;
  if (pattern.subject) codes.s = *pattern.subject;
  if (pattern.object) codes.o = *pattern.object;
  if (pattern.predicate) {
    codes.p = *pattern.predicate;
    codes.p_first = codes.p_last = codes.p;
  } else {
    codes.p_first = static_cast<std::uint32_t>(pattern.predicate_class) << kTagShift;
    codes.p_last = codes.p_first | kPayloadMask;
  }
  // A bound member that names nothing matches nothing.
  if ((pattern.subject && codes.s == 0) || (pattern.object && codes.o == 0) ||
      (pattern.predicate && codes.p == 0)) {
    codes.p_first = 1;
    codes.p_last = 0;
  }
  return codes;
}

LayerView LayerView::of(std::shared_ptr<const Delta> delta, std::uint64_t sequence) {
  LayerView view;
  view.sequence = sequence;
  view.rows = delta->rows();
  view.contexts = delta->context_bound();
  view.sets = delta->set_bound();
  view.delta = std::move(delta);
  return view;
}

LayerFirsts SnapshotState::next_firsts() const {
  LayerFirsts firsts = base->next_firsts();
  firsts.term = term_bound;
  firsts.entity = entity_bound;
  firsts.graph = graph_bound;
  firsts.sequence = sequence;
  if (!layers.empty()) {
    const LayerView& top = layers.back();
    firsts.row = top.delta->firsts().row + top.rows;
    firsts.context = top.contexts;
    firsts.set = top.sets;
  }
  return firsts;
}

void SnapshotState::refresh_plain() {
  const bool judged = scope != nullptr && scope->judges();
  plain = scope == nullptr || (scope->all_but && !judged && base->books().none());
  listed = layers.size() == 1 && layers.front().delta->lists_edges() &&
           (scope == nullptr || (scope->all_but && !judged));
  for (const LayerView& layer : layers) {
    if (layer.delta->has_rows() || layer.delta->has_kills()) plain = false;
    if (!listed || scope == nullptr) continue;
    for (const std::uint32_t graph : scope->graphs) {
      listed = listed && layer.delta->graph_rows(graph) == 0;
    }
  }
}

void SnapshotState::narrow(std::shared_ptr<const GraphScope> to) {
  scope = std::move(to);
  refresh_plain();
}

std::string_view SnapshotState::stored_term(std::uint32_t place) const {
  if (place < base->term_bound()) return base->term(place);
  if (place >= term_bound) return {};
  for (std::size_t k = layers.size(); k-- > 0;) {
    if (place >= layers[k].delta->firsts().term) return layers[k].delta->term(place);
  }
  return {};
}

EntityRecord SnapshotState::entity(std::uint32_t id) const {
  if (id >= entity_bound) return {};
  if (id < base->entity_bound()) {
    const std::uint32_t a = base->entity_a[id];
    const std::uint32_t b = base->entity_b[id];
    if (a == 0) return {};
    if (a != kPropositionMark) return {static_cast<std::uint32_t>(EntityKind::kConcept), a, b, 0};
    constexpr auto kKind = static_cast<std::uint32_t>(EntityKind::kProposition);
    if ((b & kRetiredMark) == 0) return {kKind, base->spo_s[b], base->spo_p[b], base->spo_o[b]};
    const std::uint32_t at = b & ~kRetiredMark;
    return {kKind, base->retired_s[at], base->retired_p[at], base->retired_o[at]};
  }
  for (std::size_t k = layers.size(); k-- > 0;) {
    if (id >= layers[k].delta->firsts().entity) return layers[k].delta->entity(id);
  }
  return {};
}

const Context& SnapshotState::context(std::uint32_t id) const {
  if (id < base->contexts.size()) return base->contexts[id];
  std::size_t k = layers.size() - 1;
  while (id < layers[k].delta->firsts().context) --k;
  return layers[k].delta->context(id);
}

const std::uint32_t* SnapshotState::set_list(std::uint32_t place) const {
  if (place < base->sets.size()) return &base->sets[place];
  std::size_t k = layers.size() - 1;
  while (place < layers[k].delta->firsts().set) --k;
  return layers[k].delta->set(place);
}

std::string_view SnapshotState::graph_name(std::uint32_t graph) const {
  if (graph >= graph_bound) return {};
  if (graph < base->graph_bound()) return base->graph_name(graph);
  for (std::size_t k = layers.size(); k-- > 0;) {
    if (graph >= layers[k].delta->firsts().graph) return layers[k].delta->graph(graph);
  }
  return {};
}

EntryRecord SnapshotState::entry(std::uint64_t at) const {
  if (at == 0 || at > sequence) return {};
  if (at <= base->counts().sequence) return base->entry(at);
  for (std::size_t k = layers.size(); k-- > 0;) {
    const Delta& delta = *layers[k].delta;
    if (at > delta.firsts().sequence && at <= layers[k].sequence) return delta.entry(at);
  }
  return {};
}

void SnapshotState::prefetch_term_place(std::uint32_t hash) const {
  base->prefetch_term_place(hash);
  for (const LayerView& layer : layers) layer.delta->prefetch_term_place(hash);
}

void SnapshotState::prefetch_term(std::uint32_t hash) const {
  base->prefetch_term(hash);
  for (const LayerView& layer : layers) layer.delta->prefetch_term(hash);
}

void SnapshotState::prefetch_entity(std::uint32_t id) const {
  if (id < base->entity_bound()) {
    __builtin_prefetch(base->entity_a.data() + id);
    __builtin_prefetch(base->entity_b.data() + id);
    return;
  }
  for (std::size_t k = layers.size(); k-- > 0;) {
    if (id >= layers[k].delta->firsts().entity) return layers[k].delta->prefetch_entity(id);
  }
}

void SnapshotState::prefetch_term_bytes(std::uint32_t hash) const {
  base->prefetch_term_bytes(hash);
  for (const LayerView& layer : layers) layer.delta->prefetch_term_bytes(hash);
}

void SnapshotState::prefetch_object_place(ObjectCode object) const {
  base->prefetch_object_place(object);
  for (const LayerView& layer : layers) {
    layer.delta->prefetch_chain(Chain::kPO, {}, kNamePredicate, object);
    layer.delta->incoming().prefetch(object);
  }
}

void SnapshotState::prefetch_object_list(ObjectCode object) const {
  base->prefetch_object_list(object);
  for (const LayerView& layer : layers) layer.delta->incoming().prefetch_list(object);
}

void SnapshotState::prefetch_statement(SubjectCode s, PredicateCode p, ObjectCode o) const {
  if (layers.empty()) return;
  const Delta& top = *layers.back().delta;
  top.prefetch_chain(Chain::kSPO, s, p, o);
  top.prefetch_chain(Chain::kSP, s, p, o);
  top.prefetch_chain(Chain::kPO, s, p, o);
  top.outgoing().prefetch(s);
  top.incoming().prefetch(o);
}

std::uint32_t SnapshotState::find_stored(std::string_view stored) const {
  return find_stored(stored, hash_term(stored));
}

std::uint32_t SnapshotState::find_stored(std::string_view stored, std::uint32_t hash) const {
  if (const std::uint32_t place = base->find_term(stored, hash); place != 0) {
    return place < term_bound ? place : 0;
  }
  for (std::size_t k = 0; k < layers.size(); ++k) {
    const std::uint32_t bound =
        k + 1 < layers.size() ? layers[k + 1].delta->firsts().term : term_bound;
    if (const std::uint32_t place = layers[k].delta->find_term(stored, hash, bound); place != 0) {
      return place;
    }
  }
  return 0;
}

std::optional<Term> SnapshotState::find_value(const ValueView& value) const {
  if (value.kind == ValueKind::kEntity) {
    if (static_cast<std::uint32_t>(value.entity) == 0) return std::nullopt;
    return Term::entity(value.entity);
  }
  if (value.kind == ValueKind::kInteger && Term::fits_integer(value.integer)) {
    return Term::integer(value.integer);
  }
  thread_local std::string stored;
  stored.clear();
  encode_value(value, stored);
  const std::uint32_t place = find_stored(stored);
  if (place == 0) return std::nullopt;
  return Term::literal(place);
}

ValueView SnapshotState::value(Term term) const {
  ValueView value;
  switch (term.tag()) {
    case Tag::kEntity:
      value.kind = ValueKind::kEntity;
      value.entity = term.as_entity();
      return value;
    case Tag::kInteger:
      value.kind = ValueKind::kInteger;
      value.integer = term.as_integer();
      return value;
    case Tag::kLiteral:
      return decode_value(stored_term(term.place()));
    case Tag::kOverlay:
      break;
  }
  return value;
}

bool SnapshotState::killed_above(std::uint32_t layer, std::uint32_t row) const {
  const std::uint32_t address = layers[layer - 1].delta->firsts().row + row;
  for (std::size_t k = layer; k < layers.size(); ++k) {
    const Delta& above = *layers[k].delta;
    if (above.has_kills() && above.killed(RowOrder::kSpo, address, layers[k].sequence)) return true;
  }
  return false;
}

bool SnapshotState::base_alive(RowOrder order, std::uint32_t place) const {
  for (const LayerView& layer : layers) {
    if (layer.delta->has_kills() && layer.delta->killed(order, place, layer.sequence)) return false;
  }
  return true;
}

bool SnapshotState::kills_touch(const Delta& delta, RowOrder order, Range range) {
  for (std::uint32_t at = range.begin; at < range.end; at = (at | 63u) + 1) {
    std::uint64_t word = delta.kill_word(order, at) >> (at % 64);
    if (const std::uint32_t left = range.end - at; left < 64)
      word &= (std::uint64_t{1} << left) - 1;
    if (word != 0) return true;
  }
  return false;
}

bool SnapshotState::set_in_scope(std::uint32_t set) const {
  bool found = false;
  each_context(
      set, [&](std::uint32_t, const Context& context) { found = found || word_in_scope(context); });
  return found;
}

bool SnapshotState::is_heard(const Context& context) const {
  // What was there before the first entry is nobody's word.
  return !scope->judges() || context.word_of() == 0 ||
         entry(context.word_of()).trust >= scope->floor;
}

bool SnapshotState::is_vouched_for(std::uint32_t set, SubjectCode s, PredicateCode p) const {
  if (Predicate{p}.predicate_class() != PredicateClass::kStructural) return false;
  const EntityRecord record = entity(static_cast<std::uint32_t>(s.typed()));
  // What is there has its name.
  if (p == PredicateCode{kNamePredicate})
    return static_cast<bool>(find(s, kTypePredicate, ObjectCode{record.a}));
  bool stated = false;
  each_context(set, [&](std::uint32_t, const Context& context) {
    stated = stated || scope->holds(context.graph);
  });
  const auto type = static_cast<EntityId>(record.a);
  return stated && (type == kConceptType || type == kPropositionType || is_spoken_of(s.typed()));
}

// Does a statement of the scope have it as subject or object?
bool SnapshotState::is_spoken_of(EntityId entity) const {
  using Bounds = std::pair<std::uint32_t, std::uint32_t>;
  constexpr Bounds kLinks{1, (1u << kTagShift) - 1};
  constexpr Bounds kAttributes{2u << kTagShift, (3u << kTagShift) - 1};
  const ObjectCode as_object = Term::entity(entity);
  bool found = false;
  const auto look = [&](RowOrder order, Range range, const CodePattern& pattern) {
    for (; !found && range.begin < range.end; ++range.begin)
      found = base_visible(order, range.begin);
    if (!found)
      each_delta_row(pattern, [&](std::uint32_t, std::uint32_t, const DeltaRow&) { found = true; });
  };
  for (const auto& [first, last] : {kLinks, kAttributes}) {
    const Range out = base->of_subject(SubjectCode{entity});
    look(RowOrder::kSpo, Base::between(base->spo_p, out, first, last),
         {SubjectCode{entity}, {}, {}, first, last});
  }
  const Range in = base->of_object(as_object);
  look(RowOrder::kOps, Base::between(base->ops_p, in, kLinks.first, kLinks.second),
       {{}, {}, as_object, kLinks.first, kLinks.second});
  return found;
}

bool SnapshotState::base_row_heard(RowOrder order, std::uint32_t place) const {
  if (order == RowOrder::kSpo) {
    return row_in_scope(base->spo_set[place], SubjectCode{base->spo_s[place]},
                        PredicateCode{base->spo_p[place]});
  }
  const bool pos = order == RowOrder::kPos;
  const SubjectCode s{pos ? base->pos_s[place] : base->ops_s[place]};
  const PredicateCode p{pos ? base->pos_predicate(place) : base->ops_p[place]};
  if (!base->one_graph())
    return row_in_scope(pos ? base->pos_set[place] : base->ops_set[place], s, p);
  // The sets of the other orders are left out where all are of one graph.
  const ObjectCode o{pos ? base->pos_o[place] : base->ops_object(place)};
  return row_in_scope(base->spo_set[base->find(s, p, o)], s, p);
}

bool SnapshotState::names_graph(std::uint32_t set, std::uint32_t graph) const {
  bool found = false;
  each_context(
      set, [&](std::uint32_t, const Context& context) { found = found || context.graph == graph; });
  return found;
}

std::uint32_t SnapshotState::first_in_scope(std::uint32_t set) const {
  std::uint32_t first = kNoRow;
  each_context(set, [&](std::uint32_t, const Context& context) {
    if (context.graph < first && scope->holds(context.graph)) first = context.graph;
  });
  return first;
}

namespace {

// Reading by graph is one look-up a row, and its order is made anew; reading on is neither.
constexpr std::uint64_t kByGraphCosts = 4;

}  // namespace

bool SnapshotState::few_in_scope(std::uint64_t others) const {
  if (scope == nullptr || scope->all_but || scope->judges() || base->one_graph()) return false;
  std::uint64_t rows = 0;
  for (const std::uint32_t graph : scope->graphs) rows += base->of_graph(graph).size();
  return rows * kByGraphCosts < others;
}

bool SnapshotState::few_in_scope(const Delta& delta, std::uint32_t rows) const {
  if (scope == nullptr || scope->all_but || scope->judges()) return false;
  std::uint64_t listed = 0;
  for (const std::uint32_t graph : scope->graphs) listed += delta.graph_rows(graph);
  return listed * kByGraphCosts < rows;
}

std::vector<std::uint32_t> SnapshotState::base_rows_in_scope(const CodePattern& pattern) const {
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t graph : scope->graphs) {
    for (const std::uint32_t row : base->of_graph(graph)) {
      if (pattern.matches(base->spo_s[row], base->spo_p[row], base->spo_o[row]) &&
          base_alive(RowOrder::kSpo, row)) {
        rows.push_back(row);
      }
    }
  }
  if (scope->graphs.size() > 1) {
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  }
  return rows;
}

SnapshotState::Reach SnapshotState::reach_of_layers(RowOrder order, Range range) const {
  if (range.empty()) return Reach::kAll;
  if (scope != nullptr && scope->judges()) return Reach::kSome;
  if (scope != nullptr && !scope->all_but) {
    if (!base->one_graph()) return Reach::kSome;
    if (!in_scope(base->spo_set[0])) return Reach::kNone;
  } else if (hides(order, range)) {
    return Reach::kSome;
  }
  return any_dead(order, range) ? Reach::kSome : Reach::kAll;
}

bool SnapshotState::base_visible(RowOrder order, std::uint32_t place) const {
  if (!base_alive(order, place)) return false;
  if (scope == nullptr) return true;
  if (scope->judges()) return base_row_heard(order, place);
  if (scope->all_but) return !base->books().holds(order, place);
  if (base->one_graph()) return in_scope(base->spo_set[0]);
  const Column& sets = order == RowOrder::kSpo   ? base->spo_set
                       : order == RowOrder::kPos ? base->pos_set
                                                 : base->ops_set;
  return in_scope(sets[place]);
}

RowRef SnapshotState::find(SubjectCode s, PredicateCode p, ObjectCode o) const {
  const std::uint32_t place = base->find(s, p, o);
  if (plain) return {0, place};
  if (place != kNoRow && base_alive(RowOrder::kSpo, place)) {
    return base_visible(RowOrder::kSpo, place) ? RowRef{0, place} : RowRef{};
  }
  for (std::uint32_t k = 1; k <= layers.size(); ++k) {
    const Delta& delta = *layers[k - 1].delta;
    for (std::uint32_t at = delta.head(Chain::kSPO, s, p, o); at != kNoRow;
         at = delta.row(at).next[static_cast<int>(Chain::kSPO)]) {
      if (!row_alive(k, at)) continue;
      return row_in_scope(delta.row(at).set, s, p) ? RowRef{k, at} : RowRef{};
    }
  }
  return {};
}

std::uint32_t SnapshotState::known_concept(std::uint32_t type, std::string_view name) const {
  ValueView value;
  value.kind = ValueKind::kString;
  value.text = name;
  const auto term = find_value(value);
  if (!term) return 0;
  const std::uint32_t hash = hash_term(fold_case(name));
  std::uint32_t found = 0;
  const auto offer = [&](std::uint32_t id) {
    if (id >= entity_bound) return;
    const EntityRecord record = entity(id);
    if (record.a == type && record.b == term->code) found = id;
  };
  base->labels(hash, offer);
  for (const LayerView& layer : layers) layer.delta->labels(hash, offer);
  return found;
}

std::uint32_t SnapshotState::known_proposition(SubjectCode s, PredicateCode p, ObjectCode o) const {
  if (const std::uint32_t place = base->find(s, p, o); place != kNoRow) {
    return base->spo_proposition[place];
  }
  for (std::size_t k = layers.size(); k-- > 0;) {
    const Delta& delta = *layers[k].delta;
    for (std::uint32_t at = delta.head(Chain::kSPO, s, p, o); at != kNoRow;
         at = delta.row(at).next[static_cast<int>(Chain::kSPO)]) {
      const std::uint32_t proposition = delta.row(at).proposition;
      if (proposition < entity_bound) return proposition;
    }
  }
  const Range range = base->retired(s, p, o);
  return range.empty() ? 0 : base->retired_proposition[range.begin];
}

std::uint32_t SnapshotState::set_of(RowRef row) const {
  return row.layer == 0 ? base->spo_set[row.row] : layers[row.layer - 1].delta->row(row.row).set;
}

std::uint32_t SnapshotState::proposition_of(RowRef row) const {
  return row.layer == 0 ? base->spo_proposition[row.row]
                        : layers[row.layer - 1].delta->row(row.row).proposition;
}

SnapshotState::Plan SnapshotState::plan(const CodePattern& pattern, Order order) const {
  Plan plan;
  if (pattern.p_first > pattern.p_last) return plan;
  const bool spo = order == Order::kSubjectPredicateObject;
  const bool pos = order == Order::kPredicateObjectSubject;
  const bool ops = order == Order::kObjectPredicateSubject;
  const bool any = !spo && !pos && !ops;
  const Range all{0, base->rows()};
  if (spo || (any && pattern.s != 0)) {
    plan.range = pattern.s == 0 ? all : base->of_subject(pattern.s);
    if (pattern.s != 0)
      plan.range = Base::between(base->spo_p, plan.range, pattern.p_first, pattern.p_last);
    plan.exact = pattern.s != 0 && pattern.o == 0;
    if (pattern.s != 0 && pattern.p != 0 && pattern.o != 0) {
      plan.range = Base::narrow(base->spo_o, plan.range, pattern.o);
      plan.exact = true;
    }
  } else if (ops || (any && pattern.o != 0)) {
    plan.order = RowOrder::kOps;
    plan.range = pattern.o == 0 ? all : base->of_object(pattern.o);
    if (pattern.o != 0)
      plan.range = Base::between(base->ops_p, plan.range, pattern.p_first, pattern.p_last);
    plan.exact = pattern.o != 0 && pattern.s == 0;
  } else {
    plan.order = RowOrder::kPos;
    plan.range = base->of_predicates(pattern.p_first, pattern.p_last);
    if (pattern.p != 0 && pattern.o != 0)
      plan.range = Base::narrow(base->pos_o, plan.range, pattern.o);
    plan.exact = pattern.s == 0 && (pattern.o == 0 || pattern.p != 0);
  }
  return plan;
}

std::uint64_t SnapshotState::predicate_count(PredicateCode predicate) const {
  auto total = static_cast<std::int64_t>(base->of_predicate(predicate).size());
  for (const LayerView& layer : layers) {
    total = layer.delta->count(predicate_count_key(predicate), layer.sequence, total);
  }
  return static_cast<std::uint64_t>(total);
}

std::uint64_t SnapshotState::count(const CodePattern& pattern) const {
  if (scope == nullptr && pattern.s == 0 && pattern.o == 0 && pattern.p != 0) {
    return predicate_count(pattern.p);
  }
  // With subject and object, the shorter list decides.
  Plan plan = this->plan(pattern, Order::kAny);
  std::uint64_t total = 0;
  if (!plan.exact && pattern.s != 0 && pattern.o != 0) {
    const Plan other = this->plan(pattern, Order::kObjectPredicateSubject);
    if (other.range.size() < plan.range.size()) plan = other;
  }
  const Reach visible = reach(plan.order, plan.range);
  if (few_in_scope(plan.range.size())) {
    total = base_rows_in_scope(pattern).size();
  } else if (plan.exact && visible == Reach::kAll) {
    total = plan.range.size();
  } else if (visible != Reach::kNone) {
    for (std::uint32_t at = plan.range.begin; at < plan.range.end; ++at) {
      if (!plan.exact) {
        const bool fits = plan.order == RowOrder::kSpo
                              ? pattern.o == 0 || base->spo_o[at] == pattern.o
                              : pattern.s == 0 || base->ops_s[at] == pattern.s;
        if (!fits) continue;
      }
      total += base_visible(plan.order, at) ? 1 : 0;
    }
  }
  if (!plain) {
    each_delta_row(pattern, [&](std::uint32_t, std::uint32_t, const DeltaRow&) { ++total; });
  }
  return total;
}

}  // namespace anima::store::detail
