// Operators that keep or drop bindings by whether a row is there.
#include <algorithm>
#include <array>

#include "datalog/engine/database.h"
#include "datalog/engine/execute.h"

namespace anima::datalog {

void Executor::exists_full(const Access& access, Lookup& lookup, Batch& in, std::uint8_t* answer) {
  const ArgumentColumns columns(in, access.key);
  const bool heights = access.recursive && (plan_.track || plan_.guard);
  if (lookup.everything && !heights && lookup.view.limit >= lookup.relation->size()) {
    lookup.relation->alive(columns.data(), in.size, answer);
    return;
  }
  std::array<RowId, kBatch> found;
  lookup.relation->find(columns.data(), in.size, lookup.view, found.data());
  for (std::uint32_t i = 0; i < in.size; ++i) {
    answer[i] = found[i] != kNoRow && found[i] >= lookup.view.from ? 1 : 0;
    if (answer[i] == 0 || !heights) continue;
    const std::uint32_t height = lookup.relation->height(found[i]);
    if (plan_.guard && height >= in.column(plan_.guard_slot())[i]) answer[i] = 0;
    if (plan_.track) {
      Code& h = in.column(plan_.height_slot())[i];
      h = std::max(h, height);
    }
  }
}

void Executor::exists_partial(const Access& access, Lookup& lookup, Batch& in,
                              std::uint8_t* answer) {
  std::fill_n(answer, in.size, std::uint8_t{0});
  const bool heights = plan_.track && access.recursive;
  const auto accept = [&](const Part& part, std::uint32_t i, RowId local) {
    if (!part.visible(local) || !row_fits(access, in, i, part.table->row(local))) return false;
    if (!guarded(access, in, i, part, local)) return false;
    if (heights) {
      Code& h = in.column(plan_.height_slot())[i];
      h = std::max(h, part.table->height(local));
    }
    answer[i] = 1;
    return true;
  };
  std::array<std::uint32_t, kBatch> groups;
  for (std::uint32_t p = 0; p < lookup.parts.count; ++p) {
    const Part& part = lookup.parts.part[p];
    if (access.key.empty()) {
      for (std::uint32_t i = 0; i < in.size; ++i) {
        for (RowId local = part.from; local < part.limit && answer[i] == 0; ++local) {
          accept(part, i, local);
        }
      }
      continue;
    }
    find_groups(access, part, in, groups.data());
    for (std::uint32_t i = 0; i < in.size; ++i) {
      if (groups[i] == Index::kNoGroup || answer[i] != 0) continue;
      const Index::Group& group = part.index->group(groups[i]);
      bool done = false;
      for (std::uint32_t at = group.begin; at < group.end && !done; ++at) {
        done = accept(part, i, part.index->postings()[at]);
      }
      for (RowId local = part.index->tail(groups[i]); local != kNoRow && !done;
           local = part.index->next(local)) {
        done = accept(part, i, local);
      }
    }
  }
}

Status Executor::exists(const Access& access, Lookup& lookup, Batch& in, std::uint8_t* answer) {
  if (database_.is_external(access.relation)) {
    lookup.view = database_.now(access.relation);
    refresh(access, lookup);
  }
  if (access.full()) {
    exists_full(access, lookup, in, answer);
  } else {
    exists_partial(access, lookup, in, answer);
  }
  return lookup.foreign ? exists_foreign(access, lookup, in, answer) : Status{};
}

void Executor::compact(const std::vector<Slot>& carry, Batch& in, const std::uint8_t* keep,
                       bool negate) {
  std::array<std::uint32_t, kBatch> kept;
  std::uint32_t n = 0;
  for (std::uint32_t i = 0; i < in.size; ++i) {
    kept[n] = i;
    n += (keep[i] != 0) != negate ? 1 : 0;
  }
  if (n == in.size) return;
  for (const Slot slot : carry) {
    Code* column = in.column(slot);
    for (std::uint32_t k = 0; k < n; ++k) column[k] = column[kept[k]];
  }
  in.size = n;
}

Status Executor::filter_rows(std::size_t number, Batch& in) {
  const Op& op = plan_.ops[number];
  std::array<std::uint8_t, kBatch> answer;
  ANIMA_TRY(exists(op.access[0], lookups_[number][0], in, answer.data()));
  compact(op.carry, in, answer.data(), op.kind == OpKind::kMissing);
  return step(number + 1, in);
}

}  // namespace anima::datalog
