#include "store/state/travel.h"

#include <algorithm>
#include <atomic>

#include "store/base/value_code.h"

namespace anima::store::detail {
namespace {

OrderKey key_of(const SnapshotState& state, std::uint32_t code) {
  return order_key(state.value(Term{code}));
}

// Kills what was born after `sequence` and brings back what died after it, in a private layer over
// the base.
std::shared_ptr<Delta> rewind(const Base& base, std::uint64_t sequence) {
  auto delta = std::make_shared<Delta>(base.next_firsts());
  const auto later = std::upper_bound(
      base.by_born.begin(), base.by_born.end(), sequence,
      [&](std::uint64_t at, std::uint32_t row) { return at < base.spo_born[row]; });
  for (auto at = later; at != base.by_born.end(); ++at) {
    const std::uint32_t place[3] = {*at, base.pos_place(*at), base.ops_place(*at)};
    delta->kill_below(place, 0);
    delta->add_count(predicate_count_key(base.spo_p[*at]), -1,
                     base.of_predicate(base.spo_p[*at]).size(), 0);
  }
  const auto died = std::upper_bound(
      base.retired_by_died.begin(), base.retired_by_died.end(), sequence,
      [&](std::uint64_t at, std::uint32_t row) { return at < base.retired_died[row]; });
  for (auto at = died; at != base.retired_by_died.end(); ++at) {
    const std::uint32_t row = *at;
    if (base.retired_born[row] > sequence || base.retired_born[row] == 0) continue;
    const Triple triple{
        static_cast<EntityId>(base.retired_s[row]), {base.retired_p[row]}, {base.retired_o[row]}};
    delta->add_row(triple, base.retired_proposition[row], base.retired_set[row], 0);
    delta->add_count(predicate_count_key(triple.predicate.code), 1,
                     base.of_predicate(triple.predicate.code).size(), 0);
  }
  return delta;
}

// Graph sizes of an earlier state: what the changed sets add up to. And which rows a graph has.
void recount_graphs(const SnapshotState& now, Delta& delta, const SnapshotState& then) {
  const Base& base = *now.base;
  std::vector<std::int64_t> change(base.graph_bound(), 0);
  const auto add = [&](std::uint32_t set, std::int64_t sign) {
    then.each_context(set, [&](std::uint32_t, const Context& context) {
      if (context.graph < change.size()) change[context.graph] += sign;
    });
  };
  for (std::uint32_t i = 0; i < delta.kill_count(); ++i)
    add(base.spo_set[delta.kill(i).place[0]], -1);
  for (std::uint32_t i = 0; i < delta.rows(); ++i) {
    add(delta.row(i).set, 1);
    then.each_context(delta.row(i).set, [&](std::uint32_t, const Context& context) {
      delta.list_in_graph(i, context.graph);
    });
  }
  for (std::uint32_t graph = 0; graph < change.size(); ++graph) {
    if (change[graph] == 0) continue;
    delta.add_count(graph_count_key(graph), change[graph],
                    static_cast<std::int64_t>(base.graph_sizes[graph]), 0);
  }
}

}  // namespace

Result<std::shared_ptr<const SnapshotState>> state_as_of(
    const std::shared_ptr<const SnapshotState>& from, std::uint64_t sequence) {
  if (sequence > from->sequence) {
    return fail(ErrorCode::kNotFound, "the space has not come to entry " +
                                          std::to_string(sequence) + " yet; it is at " +
                                          std::to_string(from->sequence));
  }
  if (sequence == from->sequence) return from;
  auto then = std::make_shared<SnapshotState>(*from);
  then->sequence = sequence;
  then->layers.resize(std::min<std::size_t>(then->layers.size(), from->shared_layers));
  then->entity_bound = std::min(then->entity_bound, from->entity_bound);
  if (sequence >= from->base->counts().sequence && from->shared_layers != 0) {
    LayerView& shared = then->layers.front();
    shared.sequence = sequence;
    while (shared.rows > 0 &&
           shared.delta->row(shared.rows - 1).born.load(std::memory_order_relaxed) > sequence) {
      --shared.rows;
    }
    then->refresh_plain();
    then->time = then->entry(sequence).time;
    return std::shared_ptr<const SnapshotState>(std::move(then));
  }
  const Base& base = *from->base;
  auto delta = rewind(base, sequence);
  then->layers = {LayerView::of(delta, 0)};
  then->shared_layers = 0;
  then->entity_bound = base.entity_bound();
  then->term_bound = then->shared_term_bound = base.term_bound();
  then->graph_bound = base.graph_bound();
  then->time = sequence == 0 ? Timestamp{} : base.entry(sequence).time;
  recount_graphs(*from, *delta, *then);
  then->refresh_plain();
  return std::shared_ptr<const SnapshotState>(std::move(then));
}

std::vector<Sequence> history_of(const SnapshotState& state, std::uint32_t entity) {
  std::vector<Sequence> found;
  const auto note = [&](std::uint64_t sequence) {
    if (sequence != 0 && sequence <= state.sequence)
      found.push_back(static_cast<Sequence>(sequence));
  };
  const Base& base = *state.base;
  const EntityRecord record = state.entity(entity);
  const bool proposition = record.kind == static_cast<std::uint32_t>(EntityKind::kProposition);
  const Range rows = base.of_subject(entity);
  for (std::uint32_t at = rows.begin; at < rows.end; ++at) note(base.spo_born[at]);
  const auto note_retired = [&](Range range) {
    for (std::uint32_t at = range.begin; at < range.end; ++at) {
      note(base.retired_born[at]);
      note(base.retired_died[at]);
    }
  };
  note_retired(base.retired_of_subject(entity));
  if (proposition) {
    if (const std::uint32_t at = base.find(record.a, record.b, record.c); at != kNoRow) {
      note(base.spo_born[at]);
    }
    note_retired(base.retired(record.a, record.b, record.c));
  }
  for (std::size_t k = 0; k < state.layers.size(); ++k) {
    const Delta& delta = *state.layers[k].delta;
    const auto note_row = [&](const DeltaRow& row) {
      const std::uint64_t born = row.born.load(std::memory_order_relaxed);
      const std::uint64_t died = row.died.load(std::memory_order_relaxed);
      if (born > state.layers[k].sequence || died == born) return;  // not yet, or never seen
      note(born);
      note(died);
    };
    for (std::uint32_t at = delta.head(Chain::kS, entity, 0, 0); at != kNoRow;
         at = delta.row(at).next[static_cast<int>(Chain::kS)]) {
      note_row(delta.row(at));
    }
    if (proposition) {
      for (std::uint32_t at = delta.head(Chain::kSPO, record.a, record.b, record.c); at != kNoRow;
           at = delta.row(at).next[static_cast<int>(Chain::kSPO)]) {
        note_row(delta.row(at));
      }
    }
    delta.deaths_below(rows, [&](std::uint64_t died) { note(died); });
    if (proposition) {
      const std::uint32_t at = base.find(record.a, record.b, record.c);
      if (at != kNoRow)
        delta.deaths_below(Range{at, at + 1}, [&](std::uint64_t died) { note(died); });
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::unique_ptr<CursorState> scan_values(const std::shared_ptr<const SnapshotState>& state,
                                         Predicate attribute, std::optional<Term> low,
                                         std::optional<Term> high) {
  const Base& base = *state->base;
  const Range range = base.of_predicate(attribute.code);
  const OrderKey low_key = low ? key_of(*state, low->code) : OrderKey{};
  const OrderKey high_key = high ? key_of(*state, high->code) : OrderKey{};
  const auto below = [&](const OrderKey& key) { return low && order_of(key, low_key) < 0; };
  const auto above = [&](const OrderKey& key) { return high && order_of(key, high_key) > 0; };
  struct Valued {
    OrderKey key;
    Triple row;
  };
  std::vector<Triple> rows;
  // The base keeps attributes and metadata in value order; a link's objects are ordered here.
  const std::uint32_t first_valued = base.of_predicates(2u << kTagShift, 0xffffffffu).begin;
  const bool ordered =
      attribute.predicate_class() >= PredicateClass::kAttribute && !base.value_order.empty();
  std::vector<Valued> mixed;
  if (ordered && !range.empty()) {
    const std::uint32_t* begin = base.value_order.data() + (range.begin - first_valued);
    const std::uint32_t* end = begin + range.size();
    const auto key_at = [&](std::uint32_t place) { return key_of(*state, base.pos_o[place]); };
    if (low)
      begin = std::partition_point(begin, end, [&](std::uint32_t at) { return below(key_at(at)); });
    if (high)
      end = std::partition_point(begin, end, [&](std::uint32_t at) { return !above(key_at(at)); });
    rows.reserve(static_cast<std::size_t>(end - begin));
    for (; begin != end; ++begin) {
      if (!state->plain && !state->base_visible(RowOrder::kPos, *begin)) continue;
      rows.push_back({static_cast<EntityId>(base.pos_s[*begin]), attribute, {base.pos_o[*begin]}});
    }
  } else {
    for (std::uint32_t at = range.begin; at < range.end; ++at) {
      if (!state->plain && !state->base_visible(RowOrder::kPos, at)) continue;
      const OrderKey key = key_of(*state, base.pos_o[at]);
      if (below(key) || above(key)) continue;
      mixed.push_back({key, {static_cast<EntityId>(base.pos_s[at]), attribute, {base.pos_o[at]}}});
    }
  }
  CodePattern pattern;
  pattern.p = pattern.p_first = pattern.p_last = attribute.code;
  if (!state->plain) {
    state->each_delta_row(pattern, [&](std::uint32_t, std::uint32_t, const DeltaRow& row) {
      const OrderKey key = key_of(*state, row.o);
      if (below(key) || above(key)) return;
      mixed.push_back({key, {static_cast<EntityId>(row.s), {row.p}, {row.o}}});
    });
  }
  const auto before = [](const Valued& a, const Valued& b) {
    const auto order = order_of(a.key, b.key);
    return order != 0 ? order < 0 : a.row < b.row;
  };
  std::sort(mixed.begin(), mixed.end(), before);
  std::vector<Triple> merged;
  merged.reserve(rows.size() + mixed.size());
  std::size_t next = 0;
  for (const Valued& valued : mixed) {
    for (;
         next < rows.size() && before({key_of(*state, rows[next].object.code), rows[next]}, valued);
         ++next) {
      merged.push_back(rows[next]);
    }
    merged.push_back(valued.row);
  }
  merged.insert(merged.end(), rows.begin() + static_cast<std::ptrdiff_t>(next), rows.end());
  return std::make_unique<CursorState>(state, std::move(merged));
}

std::vector<TextHit> search_state(const Snapshot& snapshot, const TextQuery& query) {
  const SnapshotState& state = snapshot.state();
  if (state.text == nullptr) return {};
  const StateText literals(state);
  const TextScope scope{state.text.get(), &literals, state.shared_term_bound, state.term_bound};
  return search_text(snapshot, scope, query);
}

}  // namespace anima::store::detail
