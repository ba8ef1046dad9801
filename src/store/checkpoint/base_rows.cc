#include "store/checkpoint/base_rows.h"

#include <algorithm>
#include <atomic>

namespace anima::store::detail {
namespace {

// With the names that follow existence.
std::vector<BaseRow> bulk_rows(const SnapshotState& state, const BuildOptions& options) {
  const BulkRows& bulk = *options.bulk;
  std::vector<BaseRow> rows;
  rows.reserve(bulk.rows.size() + bulk.rows.size() / 4);
  std::uint32_t proposition = bulk.first_proposition;
  const auto born = static_cast<std::uint32_t>(state.sequence);
  for (const BulkRow& row : bulk.rows) {
    rows.push_back(
        {row.s, row.p, row.o, row.is_link() ? proposition++ : 0, options.bulk_context, born});
    if (row.p == kTypePredicate.code) {
      rows.push_back({row.s, kNamePredicate, ObjectCode{state.entity(row.s).b}, 0,
                      options.bulk_context, born});
    }
  }
  return rows;
}

// An object, not a function: sorting and merging then compare in line.
constexpr auto kBefore = [](const BaseRow& a, const BaseRow& b) {
  return std::tie(a.s, a.p, a.o) < std::tie(b.s, b.p, b.o);
};

// What the layers and the bulk add to the base, in SPO order.
std::vector<BaseRow> newer_rows(const SnapshotState& state, const BuildOptions& options) {
  std::vector<BaseRow> newer;
  for (std::uint32_t kind = 0; kind < 4; ++kind) {
    CodePattern all;
    all.p_first = kind << kTagShift;
    all.p_last = all.p_first | kPayloadMask;
    state.each_delta_row(all, [&](std::uint32_t, std::uint32_t, const DeltaRow& row) {
      newer.push_back({row.s, row.p, row.o, row.proposition, row.set,
                       static_cast<std::uint32_t>(row.born.load(std::memory_order_relaxed))});
    });
  }
  std::sort(newer.begin(), newer.end(), kBefore);
  if (options.bulk == nullptr) return newer;
  std::vector<BaseRow> bulk = bulk_rows(state, options);
  if (newer.empty()) return bulk;
  std::vector<BaseRow> both(newer.size() + bulk.size());
  std::merge(newer.begin(), newer.end(), bulk.begin(), bulk.end(), both.begin(), kBefore);
  return both;
}

}  // namespace

std::vector<BaseRow> live_rows(const SnapshotState& state, const BuildOptions& options) {
  const Base& base = *state.base;
  std::vector<BaseRow> newer = newer_rows(state, options);
  if (base.rows() == 0) return newer;
  std::vector<BaseRow> rows;
  rows.reserve(base.rows() + newer.size());
  std::size_t next = 0;
  for (std::uint32_t at = 0; at < base.rows(); ++at) {
    if (!state.plain && !state.base_alive(RowOrder::kSpo, at)) continue;
    const BaseRow row{SubjectCode{base.spo_s[at]},
                      PredicateCode{base.spo_p[at]},
                      ObjectCode{base.spo_o[at]},
                      base.spo_proposition[at],
                      base.spo_set[at],
                      base.spo_born[at]};
    for (; next < newer.size() && kBefore(newer[next], row); ++next) rows.push_back(newer[next]);
    rows.push_back(row);
  }
  rows.insert(rows.end(), newer.begin() + static_cast<std::ptrdiff_t>(next), newer.end());
  return rows;
}

std::vector<RetiredRow> retired_rows(const SnapshotState& state) {
  const Base& base = *state.base;
  std::vector<RetiredRow> retired;
  for (std::uint32_t at = 0; at < base.retired_rows(); ++at) {
    retired.push_back({SubjectCode{base.retired_s[at]}, PredicateCode{base.retired_p[at]},
                       ObjectCode{base.retired_o[at]}, base.retired_proposition[at],
                       base.retired_set[at], base.retired_born[at], base.retired_died[at]});
  }
  for (const LayerView& layer : state.layers) {
    const Delta& delta = *layer.delta;
    if (delta.has_kills()) {
      for (std::uint32_t at = 0; at < base.rows(); ++at) {
        if (state.base_alive(RowOrder::kSpo, at)) continue;
        delta.deaths_below(Range{at, at + 1}, [&](std::uint64_t died) {
          retired.push_back({SubjectCode{base.spo_s[at]}, PredicateCode{base.spo_p[at]},
                             ObjectCode{base.spo_o[at]}, base.spo_proposition[at], base.spo_set[at],
                             base.spo_born[at], static_cast<std::uint32_t>(died)});
        });
      }
    }
    for (std::uint32_t at = 0; at < layer.rows; ++at) {
      const DeltaRow& row = delta.row(at);
      const std::uint64_t born = row.born.load(std::memory_order_relaxed);
      const std::uint64_t died = row.died.load(std::memory_order_relaxed);
      if (born == kQuotedBorn || (born <= layer.sequence && died == born)) {
        // Known, but never seen at the end of an entry.
        if (row.proposition != 0 && row.proposition < state.entity_bound) {
          retired.push_back({row.s, row.p, row.o, row.proposition, 0, 0, 0});
        }
      } else if (born <= layer.sequence && died <= layer.sequence) {
        retired.push_back({row.s, row.p, row.o, row.proposition, row.set,
                           static_cast<std::uint32_t>(born), static_cast<std::uint32_t>(died)});
      }
    }
  }
  std::sort(retired.begin(), retired.end());
  retired.erase(
      std::unique(retired.begin(), retired.end(),
                  [](const RetiredRow& a, const RetiredRow& b) { return a.key() == b.key(); }),
      retired.end());
  return retired;
}

}  // namespace anima::store::detail
