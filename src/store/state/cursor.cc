#include "store/state/cursor.h"

#include <algorithm>
#include <tuple>

namespace anima::store::detail {
namespace {

Triple make_triple(SubjectCode s, PredicateCode p, ObjectCode o) {
  return {s.typed(), p.typed(), o.typed()};
}

RowOrder native(Order order, RowOrder otherwise) {
  switch (order) {
    case Order::kSubjectPredicateObject:
      return RowOrder::kSpo;
    case Order::kPredicateObjectSubject:
      return RowOrder::kPos;
    case Order::kObjectPredicateSubject:
      return RowOrder::kOps;
    default:
      return otherwise;
  }
}

}  // namespace

bool row_before(RowOrder order, const Triple& a, const Triple& b) {
  switch (order) {
    case RowOrder::kSpo:
      return a < b;
    case RowOrder::kPos:
      return std::tie(a.predicate, a.object, a.subject) <
             std::tie(b.predicate, b.object, b.subject);
    case RowOrder::kOps:
      break;
  }
  return std::tie(a.object, a.predicate, a.subject) < std::tie(b.object, b.predicate, b.subject);
}

CursorState::CursorState(std::shared_ptr<const SnapshotState> from, const CodePattern& codes,
                         Order wanted)
    : state(std::move(from)), pattern(codes) {
  const SnapshotState::Plan plan = state->plan(pattern, wanted);
  order = native(wanted, plan.order);
  range = plan.range;
  exact = plan.exact;
  if (state->few_in_scope(range.size())) {
    const Base& base = *state->base;
    for (const std::uint32_t row : state->base_rows_in_scope(pattern)) {
      extra.push_back(make_triple(SubjectCode{base.spo_s[row]}, PredicateCode{base.spo_p[row]},
                                  ObjectCode{base.spo_o[row]}));
    }
    range = {};
  }
  const auto reach = state->reach(order, range);
  if (reach == SnapshotState::Reach::kNone) range = {};
  check = reach == SnapshotState::Reach::kSome;
  if (!state->plain) {
    state->each_delta_row(pattern, [&](std::uint32_t, std::uint32_t, const DeltaRow& row) {
      extra.push_back(make_triple(row.s, row.p, row.o));
    });
  }
  merge = wanted != Order::kAny && !extra.empty();
  if (merge) {
    std::sort(extra.begin(), extra.end(),
              [&](const Triple& a, const Triple& b) { return row_before(order, a, b); });
  }
}

CursorState::CursorState(std::shared_ptr<const SnapshotState> from, std::vector<Triple> rows)
    : state(std::move(from)), extra(std::move(rows)) {}

Triple CursorState::base_row(std::uint32_t place) {
  const Base& base = *state->base;
  if (order == RowOrder::kSpo)
    return make_triple(SubjectCode{base.spo_s[place]}, PredicateCode{base.spo_p[place]},
                       ObjectCode{base.spo_o[place]});
  if (place >= group_end) {
    if (order == RowOrder::kPos) {
      const auto& directory = base.pos_directory;
      std::size_t low = 0;
      std::size_t high = directory.size() / 2 - 1;
      while (low + 1 < high) {
        const std::size_t middle = (low + high) / 2;
        (directory[2 * middle + 1] <= place ? low : high) = middle;
      }
      group = directory[2 * low];
      group_end = directory[2 * low + 3];
    } else {
      group = pattern.o != 0 ? pattern.o : base.ops_object(place);
      group_end = base.of_object(ObjectCode{group}).end;
    }
  }
  if (order == RowOrder::kPos)
    return make_triple(SubjectCode{base.pos_s[place]}, PredicateCode{group},
                       ObjectCode{base.pos_o[place]});
  return make_triple(SubjectCode{base.ops_s[place]}, PredicateCode{base.ops_p[place]},
                     ObjectCode{group});
}

std::size_t CursorState::read_base(std::span<Triple> out) {
  std::size_t filled = 0;
  while (filled < out.size() && range.begin < range.end) {
    const std::uint32_t place = range.begin++;
    if (check && !state->base_visible(order, place)) continue;
    out[filled] = base_row(place);
    if (!exact) {
      const Triple& row = out[filled];
      if (!pattern.matches(static_cast<std::uint32_t>(row.subject), row.predicate.code,
                           row.object.code)) {
        continue;
      }
    }
    ++filled;
  }
  return filled;
}

std::size_t CursorState::next(std::span<Triple> out) {
  std::size_t filled = 0;
  if (!merge) {
    filled = read_base(out);
    while (filled < out.size() && extra_at < extra.size()) out[filled++] = extra[extra_at++];
    return filled;
  }
  // Base rows up to the next delta row, then that row. A base row that was found stays found: the
  // dead ones before it are many where much was changed.
  while (filled < out.size()) {
    if (!ahead) {
      Triple row;
      if (read_base({&row, 1}) == 1) ahead = row;
    }
    const bool delta_left = extra_at < extra.size();
    if (delta_left && (!ahead || row_before(order, extra[extra_at], *ahead))) {
      out[filled++] = extra[extra_at++];
    } else if (ahead) {
      out[filled++] = *ahead;
      ahead.reset();
    } else {
      break;
    }
  }
  return filled;
}

}  // namespace anima::store::detail
