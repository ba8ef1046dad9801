#include "store/state/as_of.h"

#include <algorithm>
#include <atomic>

namespace anima::store::detail {
namespace {

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
    delta->add_count(predicate_count_key(PredicateCode{base.spo_p[*at]}), -1,
                     base.of_predicate(PredicateCode{base.spo_p[*at]}).size(), 0);
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
    delta->add_count(predicate_count_key(triple.predicate), 1,
                     base.of_predicate(triple.predicate).size(), 0);
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
  // Before its first entry every space is empty.
  if (from->horizon != nullptr && sequence != 0 && sequence < from->horizon->oldest) {
    return fail(ErrorCode::kNotFound, from->horizon->said, "entry " + std::to_string(sequence),
                from->horizon->hint);
  }
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

}  // namespace anima::store::detail
