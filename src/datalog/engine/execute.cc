#include "datalog/engine/execute.h"

#include <algorithm>

#include "datalog/engine/database.h"
#include "datalog/engine/stage.h"
#include "datalog/limits.h"

namespace anima::datalog {
namespace {

// Where a run's rows of the part begin: runs ascend.
std::uint32_t run_start(const Part& part, const std::uint32_t* postings,
                        const Index::Group& group) {
  if (part.from == 0) return group.begin;
  return static_cast<std::uint32_t>(
      std::lower_bound(postings + group.begin, postings + group.end, part.from) - postings);
}

}  // namespace

struct Executor::SpareStages {
  static constexpr std::size_t kMost = 8;  // of 20 KiB
  std::vector<std::unique_ptr<Stage>> stages;

  std::unique_ptr<Stage> take(std::uint32_t slots) {
    if (stages.empty()) return std::make_unique<Stage>(slots);
    std::unique_ptr<Stage> stage = std::move(stages.back());
    stages.pop_back();
    stage->out.renew(slots);
    stage->staging.renew(slots);
    stage->count = 0;
    return stage;
  }
  // What a kMeet gathered belongs to its plan.
  void keep(std::unique_ptr<Stage> stage) {
    if (stage == nullptr || stages.size() == kMost || !stage->marks.empty()) return;
    stage->out.renew(0);
    stage->staging.renew(0);
    stages.push_back(std::move(stage));
  }
  static SpareStages& of_thread() {
    thread_local SpareStages spare;
    return spare;
  }
};

Executor::Executor(Database& database, const Plan& plan, Sink& sink, const ViewPolicy& views,
                   bool ask)
    : database_(database),
      plan_(plan),
      full_batch_(database.thresholds().batch_rows),
      sink_(sink),
      views_(views),
      may_ask_(ask),
      source_(plan.slots) {}

void Executor::prepare() {
  prepared_ = true;
  lookups_.resize(plan_.ops.size());
  stages_.resize(plan_.ops.size());
  for (std::size_t i = 0; i < plan_.ops.size(); ++i) {
    const Op& op = plan_.ops[i];
    const bool expands =
        op.kind == OpKind::kProbe || op.kind == OpKind::kMeet || op.kind == OpKind::kBuiltin;
    if (expands) stages_[i] = SpareStages::of_thread().take(plan_.slots);
    lookups_[i].reserve(op.access.size());
    for (const Access& access : op.access) {
      Lookup& lookup = lookups_[i].emplace_back();
      lookup.relation = &database_.relation(access.relation);
      lookup.view = views_(access);
      refresh(access, lookup);
    }
  }
}

Status Executor::start(Batch& batch) {
  if (!prepared_) prepare();
  return step(0, batch);
}

Status Executor::drain(Batch& batch) {
  if (batch.size > 0) ANIMA_TRY(start(batch));
  batch.size = 0;
  return {};
}

Executor::~Executor() {
  for (std::unique_ptr<Stage>& stage : stages_) SpareStages::of_thread().keep(std::move(stage));
}

void Executor::refresh(const Access& access, Lookup& lookup) {
  Relation& relation = *lookup.relation;
  if (database_.has_foreign()) lookup.foreign = database_.foreign(access.relation, lookup.view);
  lookup.everything = lookup.view.from == 0 && lookup.view.limit >= relation.size() &&
                      lookup.view.epoch >= database_.epoch();
  if (access.full()) {
    lookup.parts = relation.scan_parts(lookup.view);
  } else {
    lookup.parts = relation.parts(access.key_columns, lookup.view, database_.seen());
  }
}

bool Executor::source_row(const Code* row, std::uint32_t height, Batch& out) const {
  const Access& access = plan_.access;
  for (std::size_t k = 0; k < access.key.size(); ++k) {
    if (row[access.key_columns[k]] != access.key[k].value) return false;
  }
  for (const auto& [column, argument] : access.tests) {
    if (row[column] != argument.value) return false;
  }
  for (const auto& [first, second] : access.same) {
    if (row[first] != row[second]) return false;
  }
  const std::uint32_t n = out.size;
  for (const auto& [column, slot] : access.binds) out.column(slot)[n] = row[column];
  if (plan_.track) out.column(plan_.height_slot())[n] = access.recursive ? height : 0;
  out.size = n + 1;
  return true;
}

Status Executor::run_unit() {
  source_.size = 1;
  if (plan_.track) source_.column(plan_.height_slot())[0] = 0;
  return start(source_);
}

Status Executor::run_range(Relation& relation, RowId from, RowId to, const View& view) {
  Batch& out = source_;
  out.size = 0;
  const bool check = relation.has_dead();
  const Access& access = plan_.access;
  const bool plain =
      access.key.empty() && access.tests.empty() && access.same.empty() && !check && !plan_.track;
  for (RowId id = from; id < to;) {
    if (plain) {
      const RowId room = std::min<RowId>(full_batch_ - out.size, to - id);
      const RowId run = std::min(room, relation.own().contiguous(id));
      const Code* rows = relation.row(id);
      const std::uint32_t width = relation.columns();
      for (const auto& [column, slot] : access.binds) {
        Code* target = out.column(slot) + out.size;
        for (RowId k = 0; k < run; ++k) target[k] = rows[std::size_t{k} * width + column];
      }
      out.size += run;
      id += run;
    } else {
      if (!check || relation.visible(id, view))
        source_row(relation.row(id), relation.height(id), out);
      ++id;
    }
    if (out.size == full_batch_) ANIMA_TRY(drain(out));
  }
  return drain(out);
}

Status Executor::run_rows(std::span<const Code> codes, std::size_t rows,
                          const std::uint32_t* heights) {
  Batch& out = source_;
  out.size = 0;
  const std::uint32_t width = plan_.access.columns;
  for (std::size_t i = 0; i < rows; ++i) {
    source_row(codes.data() + i * width, heights == nullptr ? 0 : heights[i], out);
    if (out.size == full_batch_) ANIMA_TRY(drain(out));
  }
  return drain(out);
}

Status Executor::run_heads(std::span<const Code> codes, std::size_t rows,
                           const std::uint32_t* guards) {
  Batch& out = source_;
  out.size = 0;
  const std::size_t width = plan_.head.size();
  // Small batches: a candidate that found its proof is left alone afterwards.
  const std::uint32_t limit =
      sink_.selective() ? database_.thresholds().selective_rows : full_batch_;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto origin = static_cast<Code>(i);
    if (!sink_.wants(origin)) continue;
    const Code* row = codes.data() + i * width;
    const std::uint32_t n = out.size;
    bool fits = true;
    for (std::size_t c = 0; c < width && fits; ++c) {
      const Argument& argument = plan_.head[c];
      if (argument.constant) {
        fits = row[c] == argument.value;
        continue;
      }
      for (std::size_t earlier = 0; earlier < c; ++earlier) {
        if (plan_.head[earlier] == argument) fits = fits && row[earlier] == row[c];
      }
      out.column(argument.value)[n] = row[c];
    }
    if (!fits) continue;
    out.column(plan_.origin_slot())[n] = origin;
    if (plan_.guard)
      out.column(plan_.guard_slot())[n] = guards == nullptr ? 0xFFFFFFFFU : guards[i];
    if (plan_.track) out.column(plan_.height_slot())[n] = 0;
    out.size = n + 1;
    if (out.size == limit) ANIMA_TRY(drain(out));
  }
  return drain(out);
}

Status Executor::step(std::size_t number, Batch& batch) {
  if (batch.size == 0) return {};
  ANIMA_TRY(database_.tick(batch.size));
  if (number == plan_.ops.size()) return sink_.take(batch);
  switch (plan_.ops[number].kind) {
    case OpKind::kProbe:
      return probe(number, batch);
    case OpKind::kMeet:
      return meet(number, batch);
    case OpKind::kExists:
    case OpKind::kMissing:
      return filter_rows(number, batch);
    case OpKind::kAssign:
    case OpKind::kCompare:
      return compute(number, batch);
    case OpKind::kBuiltin:
      return expand_builtin(number, batch);
    case OpKind::kAsk:
      return ask(number, batch);
  }
  return {};
}

void Executor::keys_of(const Access& access, Batch& in, std::uint32_t row, Code* key) const {
  for (std::size_t k = 0; k < access.key.size(); ++k) {
    const Argument& argument = access.key[k];
    key[k] = argument.constant ? argument.value : in.column(argument.value)[row];
  }
}

void Executor::find_groups(const Access& access, const Part& part, Batch& in,
                           std::uint32_t* groups) const {
  const Index& index = *part.index;
  if (access.key.size() == 1 && !access.key[0].constant) {
    const Code* keys = in.column(access.key[0].value);
    for (std::uint32_t i = 0; i < in.size; ++i) index.prefetch(keys + i);
    for (std::uint32_t i = 0; i < in.size; ++i) groups[i] = index.find(*part.table, keys + i);
    return;
  }
  Code key[kMaxColumns];
  for (std::uint32_t i = 0; i < in.size; ++i) {
    keys_of(access, in, i, key);
    index.prefetch(key);
  }
  for (std::uint32_t i = 0; i < in.size; ++i) {
    keys_of(access, in, i, key);
    groups[i] = index.find(*part.table, key);
  }
}

bool Executor::row_fits(const Access& access, Batch& in, std::uint32_t binding,
                        const Code* row) const {
  for (const auto& [first, second] : access.same) {
    if (row[first] != row[second]) return false;
  }
  for (const auto& [column, argument] : access.tests) {
    const Code value = argument.constant ? argument.value : in.column(argument.value)[binding];
    if (row[column] != value) return false;
  }
  return true;
}

// Hands the bindings gathered in the operator's stage to the next operator.
Status Executor::flush(std::size_t number, Batch& in) {
  Stage& stage = *stages_[number];
  const Op& op = plan_.ops[number];
  const std::uint32_t n = stage.count;
  stage.count = 0;
  if (n == 0) return {};
  const Access& access = op.access[0];
  for (const Slot slot : op.carry) {
    const Code* source = in.column(slot);
    Code* target = stage.out.column(slot);
    for (std::uint32_t k = 0; k < n; ++k) target[k] = source[stage.from[k]];
  }
  for (const auto& [column, slot] : access.binds) {
    Code* target = stage.out.column(slot);
    for (std::uint32_t k = 0; k < n; ++k) target[k] = stage.row[k][column];
  }
  if (plan_.track && access.recursive) {
    Code* target = stage.out.column(plan_.height_slot());
    for (std::uint32_t k = 0; k < n; ++k) target[k] = std::max(target[k], stage.height[k]);
  }
  stage.out.size = n;
  return step(number + 1, stage.out);
}

Status Executor::probe(std::size_t number, Batch& in) {
  const Op& op = plan_.ops[number];
  const Access& access = op.access[0];
  Lookup& lookup = lookups_[number][0];
  Stage& stage = *stages_[number];
  if (database_.is_external(access.relation)) {
    lookup.view = database_.now(access.relation);
    refresh(access, lookup);
  }
  const bool fits_always = access.same.empty() && access.tests.empty();
  const bool guard = plan_.guard && access.recursive;
  const bool heights = plan_.track && access.recursive;
  const bool selective = sink_.selective();
  stage.count = 0;
  const std::uint32_t full = full_batch_;
  const auto meet_row = [&](const Part& part, std::uint32_t i, RowId local) {
    const Code* row = part.table->row(local);
    if (!fits_always && !row_fits(access, in, i, row)) return;
    if (guard && !guarded(access, in, i, part, local)) return;
    const std::uint32_t n = stage.count;
    stage.from[n] = i;
    stage.row[n] = row;
    if (heights) stage.height[n] = part.table->height(local);
    stage.count = n + 1;
  };
  for (std::uint32_t p = 0; p < lookup.parts.count; ++p) {
    const Part& part = lookup.parts.part[p];
    if (access.key.empty()) {
      for (std::uint32_t i = 0; i < in.size; ++i) {
        ANIMA_TRY(database_.tick(part.limit - part.from));
        for (RowId local = part.from; local < part.limit; ++local) {
          if (!part.all_visible && !part.visible(local)) continue;
          meet_row(part, i, local);
          if (stage.count == full) ANIMA_TRY(flush(number, in));
        }
      }
      continue;
    }
    find_groups(access, part, in, stage.groups.data());
    const Index& index = *part.index;
    const std::uint32_t* postings = index.postings();
    for (std::uint32_t i = 0; i < in.size; ++i) {
      if (stage.groups[i] == Index::kNoGroup) continue;
      if (selective && !sink_.wants(in.column(plan_.origin_slot())[i])) continue;
      const Index::Group& group = index.group(stage.groups[i]);
      const std::uint32_t first = run_start(part, postings, group);
      if (group.end - first > kBatch) ANIMA_TRY(database_.tick(group.end - first));
      for (std::uint32_t at = first; at < group.end; ++at) {
        const RowId local = postings[at];
        if (local >= part.limit) break;
        if (!part.all_visible && !part.visible(local)) continue;
        meet_row(part, i, local);
        if (stage.count == full) ANIMA_TRY(flush(number, in));
      }
      for (RowId local = index.tail(stage.groups[i]); local != kNoRow && local >= part.from;
           local = index.next(local)) {
        if (!part.visible(local)) continue;
        meet_row(part, i, local);
        if (stage.count == full) ANIMA_TRY(flush(number, in));
      }
    }
  }
  ANIMA_TRY(flush(number, in));
  return lookup.foreign ? probe_foreign(number, in) : Status{};
}

}  // namespace anima::datalog
