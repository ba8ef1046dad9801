// Binding a slot from the lists of its neighbours: one list a row, or what several have in common.
#include <algorithm>
#include <memory>
#include <span>

#include "query/detail/describe.h"
#include "query/detail/step_operator.h"

namespace anima::query::detail {

using store::EntityId;
using store::Predicate;
using store::Snapshot;
using store::Term;

namespace {

class Extend final : public StepOperator {
 public:
  Extend(const Step& step, StepContext context, Need need)
      : StepOperator(context),
        slot_(step.slot),
        need_(need),
        shelves_(context.shelves),
        expansion_(run_.slot_count, std::move(context.carried),
                   need == Need::kRows ? std::vector<Slot>{step.slot} : std::vector<Slot>{}) {
    sources_.reserve(step.accessors.size());
    for (const Accessor& accessor : step.accessors)
      sources_.emplace_back(accessor, run_.scope(accessor.scope));
    lists_.resize(sources_.size());
  }

  std::string describe() const override {
    std::string text = need_ == Need::kExistence ? "exists "
                       : need_ == Need::kCount   ? "count "
                                                 : "bind ";
    text += name_of(run_, Ref::slot(slot_)) + " from ";
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (i > 0) text += " and ";
      const Accessor& it = sources_[i].accessor;
      if (it.kind == Accessor::Kind::kList) {
        text += it.list->codes.size() == 1 ? name_of(run_, Ref::constant(it.list->codes[0]))
                                           : std::to_string(it.list->codes.size()) + " candidates";
      } else if (it.kind == Accessor::Kind::kObjects) {
        text += "(" + name_of(run_, it.key) + ", " + predicate_name(run_, it.predicate) + ", *)";
      } else {
        text += "(*, " + predicate_name(run_, it.predicate) + ", " + name_of(run_, it.key) + ")";
      }
    }
    return text;
  }

 protected:
  Flow work(Batch& batch) override {
    if (shelves_ != nullptr && batch.rows >= Shelves::kManyRows) ask_for_shelves(batch.rows);
    const Flow flow = lists_.size() == 1 ? follow(batch) : join(batch);
    if (flow == Flow::kEnough) return flow;
    return expansion_.empty() ? Flow::kMore : pass(expansion_.flush(batch));
  }

 private:
  using List = std::span<const std::uint32_t>;

  struct Source {
    Source(const Accessor& a, const Snapshot& s) : accessor(a), snapshot(&s) {}
    Accessor accessor;
    const Snapshot* snapshot;
    store::Scratch scratch;
    std::shared_ptr<const Shelf> shelf;
    std::uint32_t predicate = 0, key = 0;  // of the list that was read last; 0 = none
    std::vector<std::uint32_t> merged;     // of several predicates
  };

  void ask_for_shelves(std::size_t rows) {
    for (Source& it : sources_) {
      const Accessor& accessor = it.accessor;
      if (it.shelf != nullptr || accessor.kind == Accessor::Kind::kList ||
          accessor.predicate.is_slot || !accessor.key.is_slot || accessor.predicate.value == 0 ||
          !accessor.also.empty())
        continue;
      it.shelf = shelves_->ask(*it.snapshot, Predicate{accessor.predicate.value},
                               accessor.kind == Accessor::Kind::kObjects, rows);
    }
  }

  static List list_of(Source& it, std::uint32_t predicate, std::uint32_t key) {
    if (predicate == 0 || key == 0) return {};
    if (it.shelf != nullptr) return it.shelf->of(key);
    if (it.accessor.also.empty()) return read_list(it, predicate, key);
    const List first = read_list(it, predicate, key);
    it.merged.assign(first.begin(), first.end());
    for (const std::uint32_t other : it.accessor.also) {
      const List list = read_list(it, other, key);
      it.merged.insert(it.merged.end(), list.begin(), list.end());
    }
    std::sort(it.merged.begin(), it.merged.end());
    it.merged.erase(std::unique(it.merged.begin(), it.merged.end()), it.merged.end());
    return it.merged;
  }

  static List read_list(Source& it, std::uint32_t predicate, std::uint32_t key) {
    if (it.accessor.kind == Accessor::Kind::kSubjects)
      return it.snapshot->subjects(Predicate{predicate}, Term{key}, it.scratch);
    return is_entity(key) ? it.snapshot->objects(EntityId{key}, Predicate{predicate}, it.scratch)
                          : List{};
  }

  static ColumnView column(const Ref& ref, const Batch& batch) {
    return ref.is_slot ? batch.view(ref.value) : ColumnView{&ref.value, true};
  }

  // One list a row. Neighbouring rows often share it.
  Flow follow(const Batch& batch) {
    Source& it = sources_[0];
    const bool fixed = it.accessor.kind == Accessor::Kind::kList;
    const ColumnView predicates = column(it.accessor.predicate, batch),
                     keys = column(it.accessor.key, batch);
    std::uint32_t last_predicate = 0, last_key = 0;
    List list;
    if (fixed) list = it.accessor.list->codes;
    for (std::size_t row = 0; row < batch.rows; ++row) {
      if (settled(batch, row)) continue;
      if (!fixed) {
        const std::uint32_t predicate = predicates[row], key = keys[row];
        if (predicate != last_predicate || key != last_key) list = list_of(it, predicate, key);
        last_predicate = predicate;
        last_key = key;
      }
      if (list.empty()) continue;
      if (emit_list(batch, row, list) == Flow::kEnough) return Flow::kEnough;
    }
    return Flow::kMore;
  }

  Flow join(const Batch& batch) {
    for (Source& it : sources_) it.predicate = it.key = 0;
    for (std::size_t row = 0; row < batch.rows; ++row) {
      if (settled(batch, row) || !fetch(batch, row)) continue;
      if (search_budget() == Flow::kEnough) return Flow::kEnough;
      if (intersect(batch, row) == Flow::kEnough) return Flow::kEnough;
    }
    return Flow::kMore;
  }

  // The lists of this row; false when one of them is empty.
  bool fetch(const Batch& batch, std::size_t row) {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      Source& it = sources_[i];
      if (it.accessor.kind == Accessor::Kind::kList) {
        lists_[i] = it.accessor.list->codes;
      } else {
        const std::uint32_t predicate = cell(it.accessor.predicate, batch, row);
        const std::uint32_t key = cell(it.accessor.key, batch, row);
        if (predicate == 0 || key == 0) return false;
        if (it.predicate != predicate || it.key != key) lists_[i] = list_of(it, predicate, key);
        it.predicate = predicate;
        it.key = key;
      }
      if (lists_[i].empty()) return false;
    }
    return true;
  }

  // Long lists may have little in common: the clock is looked at for what is searched, too.
  Flow search_budget() {
    std::size_t shortest = lists_[0].size();
    for (const List& list : lists_) shortest = std::min(shortest, list.size());
    searched_ += shortest;
    if (searched_ < kSearchedBetweenLooks) return Flow::kMore;
    searched_ = 0;
    return run_.look();
  }

  Flow flush_if_full(const Batch& batch) {
    return expansion_.full() ? pass(expansion_.flush(batch)) : Flow::kMore;
  }

  Flow emit_list(const Batch& batch, std::size_t row, List list) {
    if (need_ == Need::kExistence) {
      expansion_.add(row);
      return flush_if_full(batch);
    }
    if (need_ == Need::kCount) {
      expansion_.add_weighted(row, list.size());
      return flush_if_full(batch);
    }
    if (list.size() == 1) {
      expansion_.add(row, list[0]);
      return flush_if_full(batch);
    }
    while (!list.empty()) {
      const std::size_t take = std::min(list.size(), expansion_.room());
      expansion_.add_many(row, list.first(take));
      list = list.subspan(take);
      if (flush_if_full(batch) == Flow::kEnough) return Flow::kEnough;
      if (settled(batch, row)) return Flow::kMore;
    }
    return Flow::kMore;
  }

  // Walks the shortest list and gallops through the others.
  Flow intersect(const Batch& batch, std::size_t row) {
    common_.clear();
    if (lists_.size() == 2) {
      const bool swapped = lists_[1].size() < lists_[0].size();
      const List &few = lists_[swapped ? 1 : 0], &many = lists_[swapped ? 0 : 1];
      if (few.size() == 1) {
        if (contains(many, few[0])) common_.push_back(few[0]);
      } else if (many.size() < 8 * few.size()) {
        merge(few, many);
      } else {
        rest_.assign({few, many});
        gallop();
      }
    } else {
      rest_.assign(lists_.begin(), lists_.end());
      std::size_t shortest = 0;
      for (std::size_t i = 1; i < rest_.size(); ++i) {
        if (rest_[i].size() < rest_[shortest].size()) shortest = i;
      }
      std::swap(rest_[0], rest_[shortest]);
      gallop();
    }
    return common_.empty() ? Flow::kMore : emit_list(batch, row, common_);
  }

  static bool contains(List list, std::uint32_t code) {
    if (list.size() > 8) return std::binary_search(list.begin(), list.end(), code);
    for (const std::uint32_t other : list) {
      if (other == code) return true;
    }
    return false;
  }

  void merge(List a, List b) {
    const bool first_only = need_ == Need::kExistence;
    const std::uint32_t *i = a.data(), *j = b.data();
    const std::uint32_t *end_i = i + a.size(), *end_j = j + b.size();
    while (i != end_i && j != end_j) {
      if (*i == *j) {
        common_.push_back(*i);
        if (first_only) return;
        ++i;
        ++j;
      } else {
        const bool less = *i < *j;
        i += less;
        j += !less;
      }
    }
  }

  static const std::uint32_t* seek(const std::uint32_t* from, const std::uint32_t* end,
                                   std::uint32_t code) {
    std::ptrdiff_t step = 1;
    const std::uint32_t* low = from;
    while (low + step < end && low[step] < code) {
      low += step;
      step *= 2;
    }
    return std::lower_bound(low, std::min(low + step + 1, end), code);
  }

  void gallop() {
    for (const std::uint32_t code : rest_[0]) {
      bool everywhere = true;
      for (std::size_t i = 1; i < rest_.size() && everywhere; ++i) {
        const List list = rest_[i];
        const std::uint32_t* at = seek(list.data(), list.data() + list.size(), code);
        rest_[i] = {at, static_cast<std::size_t>(list.data() + list.size() - at)};
        if (rest_[i].empty()) return;
        everywhere = *at == code;
      }
      if (!everywhere) continue;
      common_.push_back(code);
      if (need_ == Need::kExistence) return;
    }
  }

  static constexpr std::size_t kSearchedBetweenLooks = 65536;

  Slot slot_;
  Need need_;
  Shelves* shelves_;
  Expansion expansion_;
  std::vector<Source> sources_;
  std::vector<List> lists_;  // of the row
  std::vector<List> rest_;   // what is still to be searched of them
  std::vector<std::uint32_t> common_;
  std::size_t searched_ = 0;
};

}  // namespace

std::unique_ptr<Operator> make_extend_step(const Step& step, StepContext context, Need need) {
  return std::make_unique<Extend>(step, std::move(context), need);
}

}  // namespace anima::query::detail
