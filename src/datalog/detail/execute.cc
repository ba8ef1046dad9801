#include "datalog/detail/execute.h"

#include <algorithm>

#include "datalog/detail/line.h"
#include "datalog/detail/stage.h"

namespace anima::datalog {

namespace {

constexpr std::size_t kMostSpareColumns = 64;  // of 4 KiB
thread_local std::vector<std::unique_ptr<Code[]>> spare_columns;

// Where a run's rows of the part begin: runs ascend.
std::uint32_t run_start(const Part& part, const std::uint32_t* postings,
                        const Index::Group& group) {
  if (part.from == 0) return group.begin;
  return static_cast<std::uint32_t>(
      std::lower_bound(postings + group.begin, postings + group.end, part.from) - postings);
}

}  // namespace

Batch::Column Batch::new_column() {
  if (spare_columns.empty()) return Column(new Code[kBatch]);
  Column column = std::move(spare_columns.back());
  spare_columns.pop_back();
  return column;
}

void Batch::give_back() {
  for (Column& column : columns_) {
    if (column != nullptr && spare_columns.size() < kMostSpareColumns)
      spare_columns.push_back(std::move(column));
  }
}

void Batch::renew(std::uint32_t slots) {
  give_back();
  columns_.clear();
  columns_.resize(slots);
  size = 0;
}

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

Executor::Executor(Line& line, const Plan& plan, Sink& sink, const ViewPolicy& views, bool ask)
    : line_(line), plan_(plan), sink_(sink), views_(views), may_ask_(ask), source_(plan.slots) {}

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
      lookup.relation = &line_.relation(access.relation);
      lookup.view = views_(access);
      refresh(access, lookup);
    }
  }
}

Status Executor::start(Batch& batch) {
  if (!prepared_) prepare();
  return step(0, batch);
}

Executor::~Executor() {
  for (std::unique_ptr<Stage>& stage : stages_) SpareStages::of_thread().keep(std::move(stage));
}

void Executor::refresh(const Access& access, Lookup& lookup) {
  Relation& relation = *lookup.relation;
  if (line_.has_foreign()) lookup.foreign = line_.foreign(access.relation, lookup.view);
  lookup.everything = lookup.view.from == 0 && lookup.view.limit >= relation.size() &&
                      lookup.view.epoch >= line_.epoch();
  if (access.full()) {
    lookup.parts = relation.scan_parts(lookup.view);
  } else {
    lookup.parts = relation.parts(access.key_columns, lookup.view, line_.seen());
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
      const RowId room = std::min<RowId>(kBatch - out.size, to - id);
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
    if (out.size == kBatch) {
      ANIMA_TRY(start(out));
      out.size = 0;
    }
  }
  if (out.size > 0) ANIMA_TRY(start(out));
  out.size = 0;
  return {};
}

Status Executor::run_rows(std::span<const Code> codes, std::size_t rows,
                          const std::uint32_t* heights) {
  Batch& out = source_;
  out.size = 0;
  const std::uint32_t width = plan_.access.columns;
  for (std::size_t i = 0; i < rows; ++i) {
    source_row(codes.data() + i * width, heights == nullptr ? 0 : heights[i], out);
    if (out.size == kBatch) {
      ANIMA_TRY(start(out));
      out.size = 0;
    }
  }
  if (out.size > 0) ANIMA_TRY(start(out));
  out.size = 0;
  return {};
}

Status Executor::run_heads(std::span<const Code> codes, std::size_t rows,
                           const std::uint32_t* guards) {
  Batch& out = source_;
  out.size = 0;
  const std::size_t width = plan_.head.size();
  // Small batches: a candidate that found its proof is left alone afterwards.
  const std::uint32_t limit = sink_.selective() ? 64 : kBatch;
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
    if (out.size == limit) {
      ANIMA_TRY(start(out));
      out.size = 0;
    }
  }
  if (out.size > 0) ANIMA_TRY(start(out));
  out.size = 0;
  return {};
}

Status Executor::step(std::size_t number, Batch& batch) {
  if (batch.size == 0) return {};
  ANIMA_TRY(line_.tick(batch.size));
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
  Code key[64];
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

bool Executor::guarded(const Access& access, Batch& in, std::uint32_t binding, const Part& part,
                       RowId local) const {
  if (!plan_.guard || !access.recursive) return true;
  return part.table->height(local) < in.column(plan_.guard_slot())[binding];
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
  if (line_.is_external(access.relation)) {
    lookup.view = line_.now(access.relation);
    refresh(access, lookup);
  }
  const bool fits_always = access.same.empty() && access.tests.empty();
  const bool guard = plan_.guard && access.recursive;
  const bool heights = plan_.track && access.recursive;
  const bool selective = sink_.selective();
  stage.count = 0;
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
        ANIMA_TRY(line_.tick(part.limit - part.from));
        for (RowId local = part.from; local < part.limit; ++local) {
          if (!part.all_visible && !part.visible(local)) continue;
          meet_row(part, i, local);
          if (stage.count == kBatch) ANIMA_TRY(flush(number, in));
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
      if (group.end - first > kBatch) ANIMA_TRY(line_.tick(group.end - first));
      for (std::uint32_t at = first; at < group.end; ++at) {
        const RowId local = postings[at];
        if (local >= part.limit) break;
        if (!part.all_visible && !part.visible(local)) continue;
        meet_row(part, i, local);
        if (stage.count == kBatch) ANIMA_TRY(flush(number, in));
      }
      for (RowId local = index.tail(stage.groups[i]); local != kNoRow && local >= part.from;
           local = index.next(local)) {
        if (!part.visible(local)) continue;
        meet_row(part, i, local);
        if (stage.count == kBatch) ANIMA_TRY(flush(number, in));
      }
    }
  }
  ANIMA_TRY(flush(number, in));
  return lookup.foreign ? probe_foreign(number, in) : Status{};
}

void Executor::exists_full(const Access& access, Lookup& lookup, Batch& in, std::uint8_t* answer) {
  std::array<const Code*, 64> small;
  std::vector<const Code*> large;
  std::vector<std::vector<Code>> constants;
  const Code** columns = small.data();
  if (access.key.size() > small.size()) {
    large.resize(access.key.size());
    columns = large.data();
  }
  constants.reserve(access.key.size());
  for (std::size_t k = 0; k < access.key.size(); ++k) {
    if (access.key[k].constant) {
      constants.emplace_back(in.size, access.key[k].value);
      columns[k] = constants.back().data();
    } else {
      columns[k] = in.column(access.key[k].value);
    }
  }
  const bool heights = access.recursive && (plan_.track || plan_.guard);
  if (lookup.everything && !heights && lookup.view.limit >= lookup.relation->size()) {
    lookup.relation->alive(columns, in.size, answer);
    return;
  }
  std::array<RowId, kBatch> found;
  lookup.relation->find(columns, in.size, lookup.view, found.data());
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
  if (line_.is_external(access.relation)) {
    lookup.view = line_.now(access.relation);
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

Error Executor::evaluation_error(const Literal& literal) const {
  return line_.evaluation_error(plan_.rule->rule, literal);
}

bool Executor::evaluate_term(const Term& term, Batch& batch, std::uint32_t row, Code& out) {
  switch (term.kind) {
    case Term::Kind::kVariable:
      out = batch.column(term.value)[row];
      return true;
    case Term::Kind::kConstant:
      out = term.value;
      return true;
    case Term::Kind::kApply:
      break;
  }
  constexpr std::size_t kFew = 8;
  std::array<Code, kFew> few;
  std::vector<Code> many;
  Code* arguments = few.data();
  if (term.arguments.size() > kFew) {
    many.resize(term.arguments.size());
    arguments = many.data();
  }
  for (std::size_t i = 0; i < term.arguments.size(); ++i) {
    if (!evaluate_term(term.arguments[i], batch, row, arguments[i])) return false;
  }
  return evaluate(term.function, std::span<const Code>(arguments, term.arguments.size()),
                  line_.evaluation(), out);
}

Status Executor::compute(std::size_t number, Batch& in) {
  const Op& op = plan_.ops[number];
  const Literal& literal = plan_.rule->rule.body[op.literal];
  if (op.kind == OpKind::kAssign && !op.known) {
    Code* target = in.column(literal.variable);
    for (std::uint32_t i = 0; i < in.size; ++i) {
      if (!evaluate_term(literal.left, in, i, target[i])) return fail(evaluation_error(literal));
    }
    return step(number + 1, in);
  }
  std::array<std::uint8_t, kBatch> keep;
  for (std::uint32_t i = 0; i < in.size; ++i) {
    Code left = 0;
    if (!evaluate_term(literal.left, in, i, left)) return fail(evaluation_error(literal));
    if (op.kind == OpKind::kAssign) {
      keep[i] = left == in.column(literal.variable)[i] ? 1 : 0;
      continue;
    }
    Code right = 0;
    bool holds = false;
    if (!evaluate_term(literal.right, in, i, right) ||
        !compare_values(literal.comparison, left, right, line_.evaluation(), holds)) {
      return fail(evaluation_error(literal));
    }
    keep[i] = holds ? 1 : 0;
  }
  compact(op.carry, in, keep.data(), false);
  return step(number + 1, in);
}

Status Executor::expand_builtin(std::size_t number, Batch& in) {
  const Op& op = plan_.ops[number];
  const Literal& literal = plan_.rule->rule.body[op.literal];
  Stage& stage = *stages_[number];
  std::vector<Code> arguments(literal.arguments.size());
  std::vector<std::uint32_t> open;  // argument places to be found, ascending
  const auto output_of = [&](std::size_t place) {
    const Argument& argument = literal.arguments[place];
    if (argument.constant) return literal.outputs.size();
    return static_cast<std::size_t>(std::ranges::find(literal.outputs, argument.value) -
                                    literal.outputs.begin());
  };
  for (std::uint32_t a = 0; a < literal.arguments.size(); ++a) {
    if (output_of(a) < literal.outputs.size()) open.push_back(a);
  }
  std::vector<Code> solutions;
  stage.out.size = 0;
  for (std::uint32_t i = 0; i < in.size; ++i) {
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      const Argument& argument = literal.arguments[a];
      arguments[a] = argument.constant                       ? argument.value
                     : output_of(a) < literal.outputs.size() ? kUnbound
                                                             : in.column(argument.value)[i];
    }
    solutions.clear();
    std::size_t count = 0;
    if (!solve(literal.builtin, arguments, line_.evaluation(), solutions, count)) {
      return fail(evaluation_error(literal));
    }
    if (literal.negated) count = count == 0 ? 1 : 0;
    for (std::size_t s = 0; s < count; ++s) {
      bool fits = true;
      const std::uint32_t n = stage.out.size;
      for (std::size_t o = 0; o < open.size() && !literal.negated; ++o) {
        const Code value = solutions[s * open.size() + o];
        const std::size_t output = output_of(open[o]);
        const Slot slot = literal.outputs[output];
        if (op.bound[output]) {
          fits = fits && in.column(slot)[i] == value;
        } else {
          stage.out.column(slot)[n] = value;
        }
      }
      if (!fits) continue;
      for (const Slot slot : op.carry) stage.out.column(slot)[n] = in.column(slot)[i];
      stage.out.size = n + 1;
      if (stage.out.size == kBatch) {
        ANIMA_TRY(step(number + 1, stage.out));
        stage.out.size = 0;
      }
    }
  }
  ANIMA_TRY(step(number + 1, stage.out));
  stage.out.size = 0;
  return {};
}

Status Executor::ask(std::size_t number, Batch& in) {
  const Op& op = plan_.ops[number];
  if (may_ask_) {
    const Literal& literal = plan_.rule->rule.body[op.literal];
    std::vector<Code> inputs;
    const std::vector<std::uint32_t> places = line_.ask_places(literal);
    for (std::uint32_t i = 0; i < in.size; ++i) {
      for (const std::uint32_t place : places) {
        const Argument& argument = literal.arguments[place];
        inputs.push_back(argument.constant ? argument.value : in.column(argument.value)[i]);
      }
    }
    ANIMA_TRY(line_.ask(literal.predicate, places, inputs, in.size));
  }
  return step(number + 1, in);
}

}  // namespace anima::datalog
