#include "store/checkpoint/rebase.h"

#include <algorithm>
#include <atomic>

#include "base/text/text.h"

namespace anima::store::detail {
namespace {

class Rebase {
 public:
  Rebase(const SnapshotState& now, const std::shared_ptr<const Base>& next)
      : now_(now),
        old_(*now.layers.front().delta),
        next_(*next),
        at_(next->counts().sequence),
        delta_(std::make_shared<Delta>(next->next_firsts(), next)) {}

  std::shared_ptr<Delta> run() {
    names();
    // The deaths first: a row that follows a dead one of its triple comes after it.
    for (std::uint32_t i = 0; i < old_.kill_count(); ++i) {
      const Kill& kill = old_.kill(i);
      const std::uint64_t died = kill.died.load(std::memory_order_relaxed);
      if (died == kAlive || died <= at_) continue;
      const Base& base = *now_.base;
      const std::uint32_t row = kill.place[0];
      const PredicateCode predicate{base.spo_p[row]};
      kill_in_next(SubjectCode{base.spo_s[row]}, predicate, ObjectCode{base.spo_o[row]}, died);
      changes_.push_back({died, predicate, base.spo_set[row], -1});
    }
    for (std::uint32_t i = 0; i < old_.rows(); ++i) move_row(old_.row(i));
    counts();
    delta_->forget_journal();
    return delta_;
  }

 private:
  struct Change {
    std::uint64_t sequence;
    PredicateCode predicate;
    std::uint32_t set;  // of the old numbers
    std::int64_t sign;
  };

  void names() {
    for (std::uint32_t place = next_.term_bound(); place < old_.term_bound(); ++place) {
      const std::string_view stored = now_.stored_term(place);
      if (stored.empty()) {
        delta_->pad_terms(place + 1);
      } else {
        delta_->add_term_at(place, stored);
      }
    }
    for (std::uint32_t id = next_.entity_bound(); id < old_.entity_bound(); ++id) {
      const EntityRecord record = now_.entity(id);
      delta_->add_entity(id, record);
      if (record.kind == static_cast<std::uint32_t>(EntityKind::kConcept)) {
        delta_->add_label(fold_case(now_.value(Term{record.b}).text), id);
      }
    }
    for (std::uint32_t id = next_.graph_bound(); id < old_.graph_bound(); ++id) {
      delta_->add_graph(now_.graph_name(id));
    }
    for (std::uint64_t at = at_ + 1; at <= now_.sequence; ++at) delta_->add_entry(now_.entry(at));
  }

  std::uint32_t moved_set(std::uint32_t set) {
    std::vector<std::uint32_t> contexts;
    now_.each_context(set, [&](std::uint32_t, const Context& context) {
      contexts.push_back(delta_->add_context(context));
    });
    return delta_->add_set(contexts);
  }

  void kill_in_next(SubjectCode s, PredicateCode p, ObjectCode o, std::uint64_t died) {
    const std::uint32_t row = next_.find(s, p, o);
    if (row == kNoRow) return;
    const std::uint32_t place[3] = {row, next_.pos_place(row), next_.ops_place(row)};
    delta_->kill_below(place, died);
  }

  void move_row(const DeltaRow& row) {
    const std::uint64_t born = row.born.load(std::memory_order_relaxed);
    const std::uint64_t died = row.died.load(std::memory_order_relaxed);
    const Triple triple{row.s.typed(), row.p.typed(), row.o.typed()};
    if (born == kNever) return;
    if (born == kQuotedBorn) {
      if (row.proposition >= next_.entity_bound())
        delta_->add_row(triple, row.proposition, 0, kQuotedBorn);
      return;
    }
    if (born <= at_) {
      if (died != kAlive && died > at_) {
        kill_in_next(row.s, row.p, row.o, died);
        changes_.push_back({died, row.p, row.set, -1});
      }
      return;
    }
    const std::uint32_t at = delta_->add_row(triple, row.proposition, moved_set(row.set), born);
    now_.each_context(row.set, [&](std::uint32_t, const Context& context) {
      delta_->list_in_graph(at, context.graph);
    });
    changes_.push_back({born, row.p, row.set, 1});
    if (died != kAlive) {
      delta_->kill_row(at, died);
      changes_.push_back({died, row.p, row.set, -1});
    }
  }

  // The running totals again, in the order of the entries.
  void counts() {
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const Change& a, const Change& b) { return a.sequence < b.sequence; });
    for (const Change& change : changes_) {
      delta_->add_count(predicate_count_key(change.predicate), change.sign,
                        next_.of_predicate(change.predicate).size(), change.sequence);
      if (change.predicate.typed().predicate_class() == PredicateClass::kLink) {
        delta_->add_count(kLinksKey, change.sign,
                          static_cast<std::int64_t>(next_.counts().propositions), change.sequence);
      }
      now_.each_context(change.set, [&](std::uint32_t, const Context& context) {
        const std::uint64_t below =
            context.graph < next_.graph_bound() ? next_.graph_sizes[context.graph] : 0;
        delta_->add_count(graph_count_key(context.graph), change.sign,
                          static_cast<std::int64_t>(below), change.sequence);
        delta_->add_count(kAssertionsKey, change.sign,
                          static_cast<std::int64_t>(next_.counts().assertions), change.sequence);
      });
    }
  }

  const SnapshotState& now_;
  const Delta& old_;
  const Base& next_;
  std::uint64_t at_;
  std::shared_ptr<Delta> delta_;
  std::vector<Change> changes_;
};

bool set_has(const SnapshotState& state, std::uint32_t set, std::uint32_t graph) {
  bool found = false;
  state.each_context(
      set, [&](std::uint32_t, const Context& context) { found = found || context.graph == graph; });
  return found;
}

}  // namespace

std::shared_ptr<Delta> rebase_delta(const SnapshotState& now,
                                    const std::shared_ptr<const Base>& next) {
  return Rebase(now, next).run();
}

Status visit_dropped(const SnapshotState& state, std::uint64_t sequence, std::uint32_t graph,
                     const std::function<Status(const Triple&)>& visit) {
  const Base& base = *state.base;
  const Range died = base.retired_at(sequence);
  for (std::uint32_t i = died.begin; i < died.end; ++i) {
    const std::uint32_t at = base.retired_by_died[i];
    if (base.retired_born[at] == 0 || !set_has(state, base.retired_set[at], graph)) continue;
    ANIMA_TRY(visit(
        {static_cast<EntityId>(base.retired_s[at]), {base.retired_p[at]}, {base.retired_o[at]}}));
  }
  std::vector<Triple> dropped;
  for (const LayerView& layer : state.layers) {
    const Delta& delta = *layer.delta;
    delta.each_of_graph(graph, [&](std::uint32_t at) {
      const DeltaRow& row = delta.row(at);
      if (row.died.load(std::memory_order_relaxed) == sequence &&
          row.born.load(std::memory_order_relaxed) < sequence) {
        dropped.push_back({row.s.typed(), row.p.typed(), row.o.typed()});
      }
    });
    if (!delta.has_kills()) continue;
    state.each_base_row_of(graph, [&](std::uint32_t row) {
      delta.deaths_below(Range{row, row + 1}, [&](std::uint64_t at) {
        if (at != sequence) return;
        dropped.push_back(
            {static_cast<EntityId>(base.spo_s[row]), {base.spo_p[row]}, {base.spo_o[row]}});
      });
    });
  }
  for (const Triple& triple : dropped) ANIMA_TRY(visit(triple));
  return {};
}

}  // namespace anima::store::detail
