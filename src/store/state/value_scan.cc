#include "store/state/value_scan.h"

#include <algorithm>
#include <vector>

#include "base/enum_order.h"
#include "store/base/value_code.h"

namespace anima::store::detail {
namespace {

static_assert(ascend({PredicateClass::kLink, PredicateClass::kStructural,
                      PredicateClass::kAttribute, PredicateClass::kMetadata}));

OrderKey key_of(const SnapshotState& state, std::uint32_t code) {
  return order_key(state.value(Term{code}));
}

}  // namespace

std::unique_ptr<CursorState> scan_values(const std::shared_ptr<const SnapshotState>& state,
                                         Predicate attribute, std::optional<Term> low,
                                         std::optional<Term> high) {
  const Base& base = *state->base;
  const Range range = base.of_predicate(attribute);
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
  pattern.p = attribute;
  pattern.p_first = pattern.p_last = attribute.code;
  if (!state->plain) {
    state->each_delta_row(pattern, [&](std::uint32_t, std::uint32_t, const DeltaRow& row) {
      const OrderKey key = key_of(*state, row.o);
      if (below(key) || above(key)) return;
      mixed.push_back({key, {row.s.typed(), row.p.typed(), row.o.typed()}});
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

std::optional<std::uint64_t> most_in_value_range(const SnapshotState& state, Predicate attribute,
                                                 std::optional<Term> low,
                                                 std::optional<Term> high) {
  const Base& base = *state.base;
  const Range range = base.of_predicate(attribute);
  if (attribute.predicate_class() < PredicateClass::kAttribute || base.value_order.empty() ||
      range.empty())
    return std::nullopt;
  const std::uint32_t first_valued = base.of_predicates(2u << kTagShift, 0xffffffffu).begin;
  const std::uint32_t* begin = base.value_order.data() + (range.begin - first_valued);
  const std::uint32_t* end = begin + range.size();
  const auto key_at = [&](std::uint32_t place) { return key_of(state, base.pos_o[place]); };
  if (low) {
    const OrderKey key = key_of(state, low->code);
    begin = std::partition_point(begin, end,
                                 [&](std::uint32_t at) { return order_of(key_at(at), key) < 0; });
  }
  if (high) {
    const OrderKey key = key_of(state, high->code);
    end = std::partition_point(begin, end,
                               [&](std::uint32_t at) { return order_of(key_at(at), key) <= 0; });
  }
  auto rows = static_cast<std::uint64_t>(end - begin);
  if (state.plain) return rows;
  CodePattern pattern;
  pattern.p = attribute;
  pattern.p_first = pattern.p_last = attribute.code;
  state.each_delta_row(pattern, [&rows](std::uint32_t, std::uint32_t, const DeltaRow&) { ++rows; });
  return rows;
}

}  // namespace anima::store::detail
