#include "query/detail/steps.h"

namespace anima::query::detail {

using store::EntityId;
using store::Pattern;
using store::Predicate;
using store::PredicateClass;
using store::Snapshot;
using store::Term;
using store::Triple;

namespace {

bool is_entity(std::uint32_t code) { return Term{code}.is_entity(); }

std::string name_of(const Run& run, const Ref& ref) {
  if (ref.is_slot) {
    if (ref.value < run.plan.slot_names.size()) return "?" + run.plan.slot_names[ref.value];
    return "?_" + std::to_string(ref.value);
  }
  const Snapshot& snapshot = run.scope(0);
  if (Term{ref.value}.is_entity()) return std::string(snapshot.name(EntityId{ref.value}));
  if (Term{ref.value}.tag() == store::Tag::kInteger)
    return std::to_string(Term{ref.value}.as_integer());
  return snapshot.display(Term{ref.value});
}

std::string predicate_name(const Run& run, const Ref& ref) {
  if (!ref.is_slot && Predicate{ref.value} == store::kTypePredicate) return "type";
  if (!ref.is_slot && Predicate{ref.value} == store::kNamePredicate) return "name";
  if (!ref.is_slot && Predicate{ref.value}.predicate_class() == PredicateClass::kMetadata) {
    return "metadata " + run.scope(0).display(Predicate{ref.value}.key());
  }
  return name_of(run, ref);
}

std::string text_of(const Run& run, const StatementPattern& it) {
  return "(" + name_of(run, it.subject) + ", " + predicate_name(run, it.predicate) + ", " +
         name_of(run, it.object) + ")";
}

// One value per row: the constant, or the slot's cell.
std::uint32_t cell(const Ref& ref, const Batch& batch, std::size_t row) {
  return ref.is_slot ? batch.at(ref.value, row) : ref.value;
}

class StepOperator : public Operator {
 public:
  explicit StepOperator(const StepContext& context)
      : Operator(context.run, context.next), marks_(context.marks) {}

 protected:
  bool settled(const Batch& batch, std::size_t row) const {
    return marks_ != nullptr && marks_->done(batch, row);
  }
  const Marks* marks_;
};

// --- scan
// ---------------------------------------------------------------------------------------------------------------

class Scan final : public StepOperator {
 public:
  Scan(const StatementPattern& pattern, StepContext context, std::vector<Slot> made)
      : StepOperator(context),
        pattern_(pattern),
        made_(made),
        snapshot_(run_.scope(pattern.scope)),
        expansion_(run_.slot_count, std::move(context.carried), std::move(made)),
        triples_(1024) {}

  std::string describe() const override { return "scan " + text_of(run_, pattern_); }

 protected:
  Flow work(Batch& batch) override {
    for (std::size_t row = 0; row < batch.rows; ++row) {
      if (settled(batch, row)) continue;
      if (scan_row(batch, row) == Flow::kEnough) return Flow::kEnough;
    }
    return expansion_.empty() ? Flow::kMore : pass(expansion_.flush(batch));
  }

 private:
  Flow scan_row(const Batch& batch, std::size_t row) {
    Pattern pattern;
    if (const std::uint32_t code = cell(pattern_.subject, batch, row)) {
      if (!is_entity(code)) return Flow::kMore;
      pattern.subject = EntityId{code};
    }
    if (const std::uint32_t code = cell(pattern_.object, batch, row)) pattern.object = Term{code};
    if (const std::uint32_t code = cell(pattern_.predicate, batch, row)) {
      pattern.predicate = Predicate{code};
      return scan_pattern(pattern, batch, row);
    }
    for (unsigned i = 0; i < 4; ++i) {
      if ((pattern_.classes & (1u << i)) == 0) continue;
      pattern.predicate_class = static_cast<PredicateClass>(i);
      if (scan_pattern(pattern, batch, row) == Flow::kEnough) return Flow::kEnough;
    }
    return Flow::kMore;
  }

  Flow scan_pattern(const Pattern& pattern, const Batch& batch, std::size_t row) {
    store::Cursor cursor = snapshot_.scan(pattern);
    while (const std::size_t count = cursor.next(triples_)) {
      for (std::size_t i = 0; i < count; ++i) {
        if (!add(triples_[i], row)) continue;
        if (!expansion_.full()) continue;
        if (pass(expansion_.flush(batch)) == Flow::kEnough) return Flow::kEnough;
        if (settled(batch, row)) return Flow::kMore;
      }
    }
    return Flow::kMore;
  }

  // False when a slot that stands twice in the pattern would get two values.
  bool add(const Triple& triple, std::size_t row) {
    const std::uint32_t codes[] = {static_cast<std::uint32_t>(triple.subject),
                                   triple.predicate.code, triple.object.code};
    const Ref* refs[] = {&pattern_.subject, &pattern_.predicate, &pattern_.object};
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = a + 1; b < 3; ++b) {
        if (refs[a]->is_slot && refs[b]->is_slot && refs[a]->value == refs[b]->value &&
            codes[a] != codes[b])
          return false;
      }
    }
    expansion_.add(row);
    for (std::size_t k = 0; k < made_.size(); ++k) {
      for (std::size_t a = 0; a < 3; ++a) {
        if (refs[a]->is_slot && refs[a]->value == made_[k]) {
          expansion_.cells(k).push_back(codes[a]);
          break;
        }
      }
    }
    return true;
  }

  const StatementPattern& pattern_;
  std::vector<Slot> made_;
  const Snapshot& snapshot_;
  Expansion expansion_;
  std::vector<Triple> triples_;
};

// --- extend
// -------------------------------------------------------------------------------------------------------------

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
    if (shelves_ != nullptr && batch.rows >= kManyRows) ask_for_shelves(batch.rows);
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
  };

  void ask_for_shelves(std::size_t rows) {
    for (Source& it : sources_) {
      const Accessor& accessor = it.accessor;
      if (it.shelf != nullptr || accessor.kind == Accessor::Kind::kList ||
          accessor.predicate.is_slot || !accessor.key.is_slot || accessor.predicate.value == 0)
        continue;
      it.shelf = shelves_->ask(*it.snapshot, Predicate{accessor.predicate.value},
                               accessor.kind == Accessor::Kind::kObjects, rows);
    }
  }

  static List list_of(Source& it, std::uint32_t predicate, std::uint32_t key) {
    if (predicate == 0 || key == 0) return {};
    if (it.shelf != nullptr) return it.shelf->of(key);
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

  static constexpr std::size_t kManyRows = 256;

  Slot slot_;
  Need need_;
  Shelves* shelves_;
  Expansion expansion_;
  std::vector<Source> sources_;
  std::vector<List> lists_;  // of the row
  std::vector<List> rest_;   // what is still to be searched of them
  std::vector<std::uint32_t> common_;
};

// --- check
// --------------------------------------------------------------------------------------------------------------

// The members of one end of a pattern whose other two parts are constant, for many tests: short
// lists are searched, long ones become a bitmap once the tests are worth it.
class Members {
 public:
  Members(const StatementPattern& pattern, const Snapshot& snapshot) : snapshot_(snapshot) {
    const bool subject_open = pattern.subject.is_slot && !pattern.object.is_slot;
    usable_ = !pattern.predicate.is_slot && pattern.subject.is_slot != pattern.object.is_slot;
    if (!usable_) return;
    if (subject_open) {
      list_ = snapshot.subjects(Predicate{pattern.predicate.value}, Term{pattern.object.value},
                                scratch_);
    } else if (is_entity(pattern.subject.value)) {
      list_ = snapshot.objects(EntityId{pattern.subject.value}, Predicate{pattern.predicate.value},
                               scratch_);
    }
    slot_ = subject_open ? pattern.subject.value : pattern.object.value;
  }
  bool usable() const { return usable_; }

  bool contains(const Batch& batch, std::size_t row) {
    const std::uint32_t code = batch.at(slot_, row);
    if (bits_.empty() && list_.size() > 64 && ++tests_ > list_.size() / 16) fill();
    if (!bits_.empty() && code / 64 < bits_.size())
      return (bits_[code / 64] >> (code % 64) & 1) != 0;
    return std::binary_search(list_.begin(), list_.end(), code);
  }

 private:
  void fill() {
    bits_.resize((snapshot_.entity_bound() + 63) / 64);
    for (const std::uint32_t code : list_) {
      if (code / 64 < bits_.size()) bits_[code / 64] |= std::uint64_t{1} << (code % 64);
    }
  }
  const Snapshot& snapshot_;
  store::Scratch scratch_;
  std::span<const std::uint32_t> list_;
  std::vector<std::uint64_t> bits_;
  std::size_t tests_ = 0;
  Slot slot_ = 0;
  bool usable_ = false;
};

class Check final : public StepOperator {
 public:
  Check(const Step& step, const StepContext& context)
      : StepOperator(context), patterns_(step.patterns), lists_(step.lists) {}

  std::string describe() const override {
    std::string text = "check";
    for (const StatementPattern* pattern : patterns_) text += " " + text_of(run_, *pattern);
    for (const Candidates* list : lists_) {
      text += " " + name_of(run_, Ref::slot(list->slot)) + " in " +
              std::to_string(list->codes.size()) + " candidates";
    }
    return text;
  }

 protected:
  Flow work(Batch& batch) override {
    if (members_.empty()) {
      for (const StatementPattern* it : patterns_)
        members_.push_back(std::make_unique<Members>(*it, run_.scope(it->scope)));
    }
    keep_.clear();
    for (std::size_t row = 0; row < batch.rows; ++row) {
      if (!settled(batch, row) && holds(batch, row))
        keep_.push_back(static_cast<std::uint32_t>(row));
    }
    keep_rows(batch, keep_);
    return pass(batch);
  }

 private:
  bool holds(const Batch& batch, std::size_t row) {
    for (const Candidates* list : lists_) {
      if (!std::binary_search(list->codes.begin(), list->codes.end(), batch.at(list->slot, row)))
        return false;
    }
    for (std::size_t i = 0; i < patterns_.size(); ++i) {
      const StatementPattern* it = patterns_[i];
      if (members_[i]->usable()) {
        if (!members_[i]->contains(batch, row)) return false;
        continue;
      }
      const std::uint32_t subject = cell(it->subject, batch, row),
                          predicate = cell(it->predicate, batch, row);
      const std::uint32_t object = cell(it->object, batch, row);
      if (!is_entity(subject) || predicate == 0 || object == 0) return false;
      if (!run_.scope(it->scope).contains({EntityId{subject}, Predicate{predicate}, Term{object}}))
        return false;
    }
    return true;
  }

  std::vector<const StatementPattern*> patterns_;
  std::vector<const Candidates*> lists_;
  std::vector<std::unique_ptr<Members>> members_;
  std::vector<std::uint32_t> keep_;
};

// --- links as entities
// --------------------------------------------------------------------------------------------------

class FindProposition final : public StepOperator {
 public:
  FindProposition(const Step& step, const StepContext& context)
      : StepOperator(context),
        pattern_(*step.patterns[0]),
        slot_(step.slot),
        snapshot_(run_.scope(pattern_.scope)) {}

  std::string describe() const override {
    return "link " + name_of(run_, Ref::slot(slot_)) + " of " + text_of(run_, pattern_);
  }

 protected:
  Flow work(Batch& batch) override {
    keep_.clear();
    ids_.clear();
    for (std::size_t row = 0; row < batch.rows; ++row) {
      const auto id = snapshot_.find_proposition({EntityId{cell(pattern_.subject, batch, row)},
                                                  Predicate{cell(pattern_.predicate, batch, row)},
                                                  Term{cell(pattern_.object, batch, row)}});
      if (!id) continue;
      const auto code = static_cast<std::uint32_t>(*id);
      const std::uint32_t bound = batch.at(slot_, row);
      if (bound != 0 && bound != code) continue;
      keep_.push_back(static_cast<std::uint32_t>(row));
      ids_.push_back(code);
    }
    keep_rows(batch, keep_);
    batch.columns[slot_] = ids_;
    return pass(batch);
  }

 private:
  const StatementPattern& pattern_;
  Slot slot_;
  const Snapshot& snapshot_;
  std::vector<std::uint32_t> keep_, ids_;
};

class OpenProposition final : public StepOperator {
 public:
  OpenProposition(const Step& step, StepContext context, std::vector<Slot> made)
      : StepOperator(context),
        pattern_(*step.patterns[0]),
        made_(made),
        snapshot_(run_.scope(pattern_.scope)),
        expansion_(run_.slot_count, std::move(context.carried), std::move(made)) {}

  std::string describe() const override {
    return "open link " + name_of(run_, Ref::slot(*pattern_.proposition)) + " as " +
           text_of(run_, pattern_);
  }

 protected:
  Flow work(Batch& batch) override {
    for (std::size_t row = 0; row < batch.rows; ++row) {
      const std::uint32_t link = batch.at(*pattern_.proposition, row);
      if (!is_entity(link) || snapshot_.kind(EntityId{link}) != store::EntityKind::kProposition)
        continue;
      if (!snapshot_.exists(EntityId{link})) continue;
      add(batch, row, snapshot_.triple_of(EntityId{link}));
    }
    return expansion_.empty() ? Flow::kMore : pass(expansion_.flush(batch));
  }

 private:
  void add(const Batch& batch, std::size_t row, const Triple& triple) {
    const std::uint32_t codes[] = {static_cast<std::uint32_t>(triple.subject),
                                   triple.predicate.code, triple.object.code};
    const Ref* refs[] = {&pattern_.subject, &pattern_.predicate, &pattern_.object};
    for (std::size_t a = 0; a < 3; ++a) {
      const std::uint32_t want = cell(*refs[a], batch, row);
      if (want != 0 && want != codes[a]) return;
      for (std::size_t b = a + 1; b < 3; ++b) {
        if (refs[a]->is_slot && refs[b]->is_slot && refs[a]->value == refs[b]->value &&
            codes[a] != codes[b])
          return;
      }
    }
    expansion_.add(row);
    for (std::size_t k = 0; k < made_.size(); ++k) {
      for (std::size_t a = 0; a < 3; ++a) {
        if (refs[a]->is_slot && refs[a]->value == made_[k]) {
          expansion_.cells(k).push_back(codes[a]);
          break;
        }
      }
    }
  }

  const StatementPattern& pattern_;
  std::vector<Slot> made_;
  const Snapshot& snapshot_;
  Expansion expansion_;
};

std::vector<Slot> unbound_slots(const StatementPattern& pattern, const SlotSet& bound) {
  std::vector<Slot> slots;
  for (const Ref& ref : {pattern.subject, pattern.predicate, pattern.object}) {
    if (ref.is_slot && !bound.test(ref.value) &&
        std::find(slots.begin(), slots.end(), ref.value) == slots.end())
      slots.push_back(ref.value);
  }
  return slots;
}

}  // namespace

std::unique_ptr<Operator> make_step(const Step& step, StepContext context, Need need,
                                    const SlotSet& bound_before) {
  const auto without = [&context](const std::vector<Slot>& made) {
    std::erase_if(context.carried, [&made](Slot slot) {
      return std::find(made.begin(), made.end(), slot) != made.end();
    });
  };
  switch (step.kind) {
    case Step::Kind::kScan: {
      std::vector<Slot> made = unbound_slots(*step.patterns[0], bound_before);
      without(made);
      return std::make_unique<Scan>(*step.patterns[0], std::move(context), std::move(made));
    }
    case Step::Kind::kExtend:
      without({step.slot});
      return std::make_unique<Extend>(step, std::move(context), need);
    case Step::Kind::kCheck:
      return std::make_unique<Check>(step, context);
    case Step::Kind::kProposition:
      return std::make_unique<FindProposition>(step, context);
    case Step::Kind::kOpen: {
      std::vector<Slot> made = unbound_slots(*step.patterns[0], bound_before);
      without(made);
      return std::make_unique<OpenProposition>(step, std::move(context), std::move(made));
    }
  }
  return nullptr;
}

}  // namespace anima::query::detail
