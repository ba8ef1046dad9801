// Meeting atoms in one variable: for each binding the shortest posting run is walked and its values
// are tested against the other atoms, so the work is bounded by the smallest run (the
// worst-case-optimal step of a cyclic body).
//
// A test is a look-up of the full row, or one load where the other atom's values are marked in an
// array. Marks pay when bindings that follow each other have the same key, as they do when the
// outer atom was scanned in order.
#include <algorithm>
#include <array>

#include "datalog/engine/database.h"
#include "datalog/engine/stage.h"

namespace anima::datalog {

namespace {

void prepare_marks(Marks& marks, const Parts& parts, std::uint32_t column, std::uint32_t most) {
  marks.prepared = true;
  if (parts.count != 1) return;
  const Part& part = parts.part[0];
  Code low = 0xFFFFFFFFU;
  Code high = 0;
  for (RowId row = 0; row < part.limit; ++row) {
    const Code value = part.table->row(row)[column];
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high || high - low >= most) return;
  marks.usable = true;
  marks.base = low;
  marks.stamps.assign(std::size_t{high} - low + 1, 0);
}

template <typename Visit>
void for_each_row(const Part& part, std::uint32_t number, const Visit& visit) {
  const Index& index = *part.index;
  const Index::Group& group = index.group(number);
  for (std::uint32_t at = group.begin; at < group.end; ++at) {
    const RowId local = index.postings()[at];
    if (part.visible(local)) visit(local);
  }
  for (RowId local = index.tail(number); local != kNoRow; local = index.next(local)) {
    if (part.visible(local)) visit(local);
  }
}

void set_marks(Marks& marks, const Part& part, std::uint32_t group, std::uint32_t column) {
  marks.group = group;
  ++marks.stamp;
  for_each_row(part, group, [&](RowId local) {
    marks.stamps[part.table->row(local)[column] - marks.base] = marks.stamp;
  });
}

}  // namespace

// Which atom each binding walks: its run's length times what a test of the others costs.
void Executor::choose_walkers(std::size_t number, Batch& in) {
  const Op& op = plan_.ops[number];
  Stage& stage = *stages_[number];
  const std::size_t atoms = op.access.size();
  stage.found.resize(atoms * 2);
  stage.marks.resize(atoms);
  std::vector<std::vector<std::uint32_t>> length(atoms, std::vector<std::uint32_t>(in.size, 0));
  for (std::size_t a = 0; a < atoms; ++a) {
    const Parts& parts = lookups_[number][a].parts;
    const bool heights = op.access[a].recursive && (plan_.track || plan_.guard);
    if (!stage.marks[a].prepared && !heights) {
      prepare_marks(stage.marks[a], parts, op.access[a].binds[0].first,
                    database_.thresholds().marked_codes);
    }
    for (std::uint32_t p = 0; p < parts.count; ++p) {
      std::vector<std::uint32_t>& found = stage.found[a * 2 + p];
      found.resize(in.size);
      find_groups(op.access[a], parts.part[p], in, found.data());
      for (std::uint32_t i = 0; i < in.size; ++i) {
        if (found[i] == Index::kNoGroup) continue;
        length[a][i] += load_relaxed(&parts.part[p].index->group(found[i]).count);
      }
    }
  }
  stage.weight.assign(in.size, 0);
  stage.walker.assign(in.size, 0);
  for (std::uint32_t i = 0; i < in.size; ++i) {
    std::uint64_t best = ~std::uint64_t{0};
    for (std::uint32_t a = 0; a < atoms; ++a) {
      std::uint32_t test = 1;
      for (std::uint32_t b = 0; b < atoms; ++b) {
        if (b == a) continue;
        const std::vector<std::uint32_t>& found = stage.found[b * 2];
        const bool repeats =
            stage.marks[b].usable &&
            ((i > 0 && found[i] == found[i - 1]) || (i + 1 < in.size && found[i] == found[i + 1]));
        if (!repeats) test = database_.thresholds().look_up_cost;
      }
      const std::uint64_t cost = std::uint64_t{length[a][i]} * test;
      if (cost >= best) continue;
      best = cost;
      stage.walker[i] = a;
      stage.weight[i] = length[a][i];
    }
    for (std::uint32_t a = 0; a < atoms; ++a) {
      if (length[a][i] == 0) stage.weight[i] = 0;  // nothing can meet
    }
  }
}

// Tests the staged bindings against one atom.
void Executor::test_staged(std::size_t number, std::uint32_t atom, std::uint8_t* answer) {
  Stage& stage = *stages_[number];
  Batch& staging = stage.staging;
  Marks& marks = stage.marks[atom];
  const Access& open = plan_.ops[number].access[atom];
  Lookup& lookup = lookups_[number][atom];
  if (!marks.usable) {
    exists_full(stage.full[atom], lookup, staging, answer);
    return;
  }
  const Part& part = lookup.parts.part[0];
  const std::vector<std::uint32_t>& groups = stage.found[std::size_t{atom} * 2];
  const Code* values = staging.column(open.binds[0].second);
  std::array<std::uint32_t, kBatch> rest;
  std::uint32_t rest_count = 0;
  for (std::uint32_t k = 0; k < staging.size;) {
    const std::uint32_t group = groups[stage.from[k]];
    std::uint32_t end = k + 1;
    while (end < staging.size && groups[stage.from[end]] == group) ++end;
    if (group == Index::kNoGroup) {
      std::fill(answer + k, answer + end, std::uint8_t{0});
      k = end;
      continue;
    }
    if (marks.group != group && std::uint64_t{end - k} * database_.thresholds().look_up_cost >=
                                    load_relaxed(&part.index->group(group).count)) {
      set_marks(marks, part, group, open.binds[0].first);
    }
    for (; k < end; ++k) {
      if (marks.group == group) {
        answer[k] = marks.test(values[k]) ? 1 : 0;
      } else {
        rest[rest_count++] = k;
      }
    }
  }
  if (rest_count == 0) return;
  const Access& full = stage.full[atom];
  std::vector<std::vector<Code>> gathered(full.key.size(), std::vector<Code>(rest_count));
  std::vector<const Code*> columns;
  for (std::size_t c = 0; c < full.key.size(); ++c) {
    const Argument& argument = full.key[c];
    const Code* source = argument.constant ? nullptr : staging.column(argument.value);
    for (std::uint32_t r = 0; r < rest_count; ++r) {
      gathered[c][r] = source == nullptr ? argument.value : source[rest[r]];
    }
    columns.push_back(gathered[c].data());
  }
  std::array<RowId, kBatch> rows;
  lookup.relation->find(columns.data(), rest_count, lookup.view, rows.data());
  for (std::uint32_t r = 0; r < rest_count; ++r) {
    answer[rest[r]] = rows[r] != kNoRow && rows[r] >= lookup.view.from ? 1 : 0;
  }
}

// Bindings gathered from the walker's rows: those that every other atom knows go on.
Status Executor::pass_staged(std::size_t number, std::uint32_t walker, Batch& in) {
  const Op& op = plan_.ops[number];
  Stage& stage = *stages_[number];
  Batch& staging = stage.staging;
  const std::uint32_t n = stage.count;
  stage.count = 0;
  if (n == 0) return {};
  std::vector<bool> needed(plan_.slots, false);
  for (const Slot s : op.carry) needed[s] = true;
  for (const Access& access : op.access) {
    for (const Argument& k : access.key) {
      if (!k.constant) needed[k.value] = true;
    }
  }
  needed[plan_.guard_slot()] = plan_.guard;
  needed[plan_.height_slot()] = plan_.track;
  for (Slot s = 0; s < plan_.slots; ++s) {
    if (!needed[s]) continue;
    const Code* source = in.column(s);
    Code* target = staging.column(s);
    for (std::uint32_t k = 0; k < n; ++k) target[k] = source[stage.from[k]];
  }
  const Access& access = op.access[walker];
  if (plan_.track && access.recursive) {
    Code* target = staging.column(plan_.height_slot());
    for (std::uint32_t k = 0; k < n; ++k) target[k] = std::max(target[k], stage.height[k]);
  }
  const auto [column, slot] = access.binds[0];
  Code* values = staging.column(slot);
  for (std::uint32_t k = 0; k < n; ++k) values[k] = stage.row[k][column];
  staging.size = n;
  std::array<std::uint8_t, kBatch> good;
  std::array<std::uint8_t, kBatch> answer;
  std::fill_n(good.begin(), n, std::uint8_t{1});
  for (std::uint32_t a = 0; a < op.access.size(); ++a) {
    if (a == walker) continue;
    test_staged(number, a, answer.data());
    for (std::uint32_t k = 0; k < n; ++k) good[k] &= answer[k];
  }
  for (std::uint32_t k = 0; k < n; ++k) {
    if (good[k] == 0) continue;
    const std::uint32_t to = stage.out.size;
    for (const Slot s : op.carry) stage.out.column(s)[to] = staging.column(s)[k];
    stage.out.column(slot)[to] = values[k];
    stage.out.size = to + 1;
    if (stage.out.size == full_batch_) {
      ANIMA_TRY(step(number + 1, stage.out));
      stage.out.size = 0;
    }
  }
  return {};
}

Status Executor::meet(std::size_t number, Batch& in) {
  const Op& op = plan_.ops[number];
  Stage& stage = *stages_[number];
  if (stage.full.empty()) {
    for (const Access& access : op.access) {
      Access full = access;
      const auto [column, slot] = full.binds[0];
      full.key_columns.insert(full.key_columns.begin() + column, column);
      full.key.insert(full.key.begin() + column, Argument::variable(slot));
      full.binds.clear();
      stage.full.push_back(std::move(full));
    }
  }
  choose_walkers(number, in);
  stage.out.size = 0;
  for (std::uint32_t walker = 0; walker < op.access.size(); ++walker) {
    const Access& access = op.access[walker];
    const bool heights = plan_.track && access.recursive;
    const Parts& parts = lookups_[number][walker].parts;
    for (std::uint32_t p = 0; p < parts.count; ++p) {
      const Part& part = parts.part[p];
      const std::vector<std::uint32_t>& found = stage.found[std::size_t{walker} * 2 + p];
      for (std::uint32_t i = 0; i < in.size; ++i) {
        if (stage.walker[i] != walker || stage.weight[i] == 0) continue;
        if (found[i] == Index::kNoGroup) continue;
        Status passed;
        for_each_row(part, found[i], [&](RowId local) {
          if (!passed || !guarded(access, in, i, part, local)) return;
          stage.from[stage.count] = i;
          stage.row[stage.count] = part.table->row(local);
          if (heights) stage.height[stage.count] = part.table->height(local);
          if (++stage.count == full_batch_) passed = pass_staged(number, walker, in);
        });
        ANIMA_TRY(std::move(passed));
      }
    }
    ANIMA_TRY(pass_staged(number, walker, in));
  }
  ANIMA_TRY(step(number + 1, stage.out));
  stage.out.size = 0;
  return {};
}

}  // namespace anima::datalog
