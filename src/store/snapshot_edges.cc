// The neighbours of a node: objects and subjects by predicate, edges out and in. The answer is the
// base's own columns wherever nothing newer touches them; else both are merged in the scratch.
#include <algorithm>
#include <span>
#include <vector>

#include "store/snapshot.h"
#include "store/state/state.h"

namespace anima::store {

using detail::Chain;
using detail::CodePattern;
using detail::DeltaRow;
using detail::Range;
using detail::RowOrder;
using detail::SnapshotState;

namespace {

// The words of a scratch are a buffer that only grows.
std::uint32_t* room(Scratch& scratch, std::size_t words) {
  if (scratch.words.size() < words) scratch.words.resize(words * 2 + 64);
  return scratch.words.data();
}

// One column of the rows of a key: the base's own when nothing newer touches it.
template <typename Pick>
std::span<const std::uint32_t> column_of(const SnapshotState& state, RowOrder order, Range range,
                                         const std::uint32_t* column, const CodePattern& pattern,
                                         Scratch& scratch, const Pick& pick) {
  if (state.plain) return {column + range.begin, range.size()};
  if (state.listed && !state.hides(order, range)) {
    const detail::LayerView& layer = state.layers.front();
    const bool spo = order == RowOrder::kSpo;
    if (!layer.delta->may_hold(spo ? Chain::kSP : Chain::kPO, pattern.s, pattern.p, pattern.o) &&
        !state.any_dead(order, range)) {
      return {column + range.begin, range.size()};
    }
    const auto* list = spo ? layer.delta->outgoing().find(pattern.s, layer.sequence)
                           : layer.delta->incoming().find(pattern.o, layer.sequence);
    if (list == nullptr) return {column + range.begin, range.size()};
    if (!list->many()) {
      const detail::Column all = list->predicates();
      const Range part =
          detail::Base::narrow(all, {0, static_cast<std::uint32_t>(all.size())}, pattern.p);
      return list->others().subspan(part.begin, part.size());
    }
  }
  std::size_t newer = 0;
  std::uint32_t* words = scratch.words.data();
  state.each_delta_row(pattern, [&](std::uint32_t, std::uint32_t, const DeltaRow& row) {
    words = room(scratch, newer + 1);
    words[newer++] = pick(row);
  });
  const auto reach = state.reach(order, range);
  const bool check = reach == SnapshotState::Reach::kSome;
  if (reach == SnapshotState::Reach::kNone) range = {};
  if (newer == 0 && !check) return {column + range.begin, range.size()};
  words = room(scratch, 2 * newer + range.size());
  if (newer > 1) std::sort(words, words + newer);
  std::uint32_t* out = words + newer;
  std::size_t next = 0;
  std::size_t filled = 0;
  for (std::uint32_t at = range.begin; at < range.end; ++at) {
    if (check && !state.base_visible(order, at)) continue;
    while (next < newer && words[next] < column[at]) out[filled++] = words[next++];
    out[filled++] = column[at];
  }
  while (next < newer) out[filled++] = words[next++];
  return {out, filled};
}

}  // namespace

std::span<const std::uint32_t> Snapshot::objects(EntityId subject, Predicate predicate,
                                                 Scratch& scratch) const {
  const SnapshotState& state = *state_;
  const Range range = state.base->of_subject_predicate(subject, predicate);
  const CodePattern pattern{subject, predicate, {}, predicate.code, predicate.code};
  if (subject == EntityId::kNone || predicate.code == 0) return {};
  return column_of(state, RowOrder::kSpo, range, state.base->spo_o.data(), pattern, scratch,
                   [](const DeltaRow& row) { return row.o; });
}

std::span<const std::uint32_t> Snapshot::subjects(Predicate predicate, Term object,
                                                  Scratch& scratch) const {
  const SnapshotState& state = *state_;
  if (predicate.code == 0 || object.code == 0) return {};
  const Range range = state.base->of_object_predicate(object, predicate);
  const CodePattern pattern{{}, predicate, object, predicate.code, predicate.code};
  return column_of(state, RowOrder::kOps, range, state.base->ops_s.data(), pattern, scratch,
                   [](const DeltaRow& row) { return row.s; });
}

namespace {

void sort_pairs(std::uint32_t* words, std::size_t count) {
  const auto at = [&](std::size_t i) { return detail::pair_key(words[2 * i], words[2 * i + 1]); };
  if (count <= 16) {
    for (std::size_t i = 1; i < count; ++i) {
      for (std::size_t k = i; k > 0 && at(k) < at(k - 1); --k) {
        std::swap(words[2 * k], words[2 * k - 2]);
        std::swap(words[2 * k + 1], words[2 * k - 1]);
      }
    }
    return;
  }
  std::vector<std::uint64_t> pairs(count);
  for (std::size_t i = 0; i < count; ++i) pairs[i] = at(i);
  std::sort(pairs.begin(), pairs.end());
  for (std::size_t i = 0; i < count; ++i) {
    words[2 * i] = static_cast<std::uint32_t>(pairs[i] >> 32);
    words[2 * i + 1] = static_cast<std::uint32_t>(pairs[i]);
  }
}

// Both columns of a key's rows, sorted.
Edges edges_of(const SnapshotState& state, RowOrder order, Range range, const CodePattern& pattern,
               Scratch& scratch) {
  const bool spo = order == RowOrder::kSpo;
  const std::uint32_t* predicates = (spo ? state.base->spo_p : state.base->ops_p).data();
  const std::uint32_t* others = (spo ? state.base->spo_o : state.base->ops_s).data();
  std::size_t newer = 0;  // rows of the deltas, as pairs at the front of the buffer
  std::uint32_t* words = scratch.words.data();
  state.each_delta_row(pattern, [&](std::uint32_t, std::uint32_t, const DeltaRow& row) {
    words = room(scratch, 2 * newer + 2);
    words[2 * newer] = row.p;
    words[2 * newer++ + 1] = spo ? row.o : row.s;
  });
  const auto reach = state.reach(order, range);
  const bool check = reach == SnapshotState::Reach::kSome;
  if (reach == SnapshotState::Reach::kNone) range = {};
  if (newer == 0 && !check) {
    return {{predicates + range.begin, range.size()}, {others + range.begin, range.size()}};
  }
  const std::size_t most = newer + range.size();
  words = room(scratch, 2 * newer + 2 * most);
  sort_pairs(words, newer);
  std::uint32_t* out_p = words + 2 * newer;
  std::uint32_t* out_o = out_p + most;
  const auto pair_at = [&](std::size_t i) {
    return detail::pair_key(words[2 * i], words[2 * i + 1]);
  };
  std::size_t next = 0;
  std::size_t filled = 0;
  for (std::uint32_t at = range.begin; at < range.end; ++at) {
    if (check && !state.base_visible(order, at)) continue;
    const std::uint64_t key = detail::pair_key(predicates[at], others[at]);
    for (; next < newer && pair_at(next) < key; ++next, ++filled) {
      out_p[filled] = words[2 * next];
      out_o[filled] = words[2 * next + 1];
    }
    out_p[filled] = predicates[at];
    out_o[filled++] = others[at];
  }
  for (; next < newer; ++next, ++filled) {
    out_p[filled] = words[2 * next];
    out_o[filled] = words[2 * next + 1];
  }
  return {{out_p, filled}, {out_o, filled}};
}

// Of the edges out of a subject (SPO) or into an object (OPS).
CodePattern edge_pattern(RowOrder order, std::uint32_t key, std::uint32_t first,
                         std::uint32_t last) {
  CodePattern pattern;
  if (order == RowOrder::kSpo) {
    pattern.s = SubjectCode{key};
  } else {
    pattern.o = ObjectCode{key};
  }
  pattern.p_first = first;
  pattern.p_last = last;
  return pattern;
}

std::uint32_t first_of(PredicateClass kind) {
  return static_cast<std::uint32_t>(kind) << kTagShift;
}

// The rows with predicates in [first, last] of a range that is sorted by predicate.
Range of_class(const detail::Column& predicates, Range range, std::uint32_t first,
               std::uint32_t last) {
  if (range.size() > 32) return detail::Base::between(predicates, range, first, last);
  const std::uint32_t* data = predicates.data();
  while (range.end > range.begin && data[range.end - 1] > last) --range.end;
  while (range.begin < range.end && data[range.begin] < first) ++range.begin;
  return range;
}

// The answer is a view: of the base's rows, or of the list of a node that changed. The lines that
// will be read are asked for before anything waits for one of them.
Edges edges(const SnapshotState& state, RowOrder order, std::uint32_t key, std::uint32_t first,
            std::uint32_t last, Scratch& scratch) {
  const bool spo = order == RowOrder::kSpo;
  const detail::Base& base = *state.base;
  const detail::Column& predicates = spo ? base.spo_p : base.ops_p;
  const detail::Column& others = spo ? base.spo_o : base.ops_s;
  if (state.listed && !state.plain) {
    const detail::Delta& delta = *state.layers.front().delta;
    (spo ? delta.outgoing() : delta.incoming()).prefetch(key);
  }
  Range range = spo ? base.of_subject(SubjectCode{key}) : base.of_object(ObjectCode{key});
  if (state.listed && !state.plain && !state.hides(order, range)) {
    const detail::LayerView& layer = state.layers.front();
    const detail::Adjacency& newer = spo ? layer.delta->outgoing() : layer.delta->incoming();
    if (const auto* list = newer.find(key, layer.sequence); list != nullptr) {
      if (list->many()) {
        return edges_of(state, order, of_class(predicates, range, first, last),
                        edge_pattern(order, key, first, last), scratch);
      }
      const detail::Column all = list->predicates();
      const Range part = of_class(all, {0, static_cast<std::uint32_t>(all.size())}, first, last);
      return {all.subspan(part.begin, part.size()),
              list->others().subspan(part.begin, part.size())};
    }
    const Range part = of_class(predicates, range, first, last);
    return {{predicates.data() + part.begin, part.size()},
            {others.data() + part.begin, part.size()}};
  }
  __builtin_prefetch(predicates.data() + range.begin);
  __builtin_prefetch(others.data() + range.begin);
  range = of_class(predicates, range, first, last);
  if (state.plain || key == 0) {
    return {{predicates.data() + range.begin, range.size()},
            {others.data() + range.begin, range.size()}};
  }
  return edges_of(state, order, range, edge_pattern(order, key, first, last), scratch);
}

}  // namespace

Edges Snapshot::outgoing(EntityId subject, Scratch& scratch) const {
  return edges(*state_, RowOrder::kSpo, code_of(subject), 0, ~0u, scratch);
}
Edges Snapshot::outgoing(EntityId subject, PredicateClass predicate_class, Scratch& scratch) const {
  const std::uint32_t first = first_of(predicate_class);
  return edges(*state_, RowOrder::kSpo, code_of(subject), first, first | kPayloadMask, scratch);
}
Edges Snapshot::incoming(Term object, Scratch& scratch) const {
  return edges(*state_, RowOrder::kOps, object.code, 0, ~0u, scratch);
}
Edges Snapshot::incoming(Term object, PredicateClass predicate_class, Scratch& scratch) const {
  const std::uint32_t first = first_of(predicate_class);
  return edges(*state_, RowOrder::kOps, object.code, first, first | kPayloadMask, scratch);
}

}  // namespace anima::store
