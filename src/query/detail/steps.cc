#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "query/detail/describe.h"
#include "query/detail/step_operator.h"

namespace anima::query::detail {

using store::EntityId;
using store::Pattern;
using store::Predicate;
using store::PredicateClass;
using store::Snapshot;
using store::Term;
using store::Triple;

namespace {

// Where the codes of a statement go: the slots of its pattern.
class PatternSlots {
 public:
  using Codes = std::array<std::uint32_t, 3>;  // subject, predicate, object

  PatternSlots(const StatementPattern& pattern, std::vector<Slot> made)
      : refs_{&pattern.subject, &pattern.predicate, &pattern.object}, made_(std::move(made)) {}

  static Codes codes_of(const Triple& triple) {
    return {static_cast<std::uint32_t>(triple.subject), triple.predicate.code, triple.object.code};
  }
  const Ref& ref(std::size_t place) const { return *refs_[place]; }

  // False when a slot that stands twice in the pattern would get two values.
  bool agree(const Codes& codes) const {
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = a + 1; b < 3; ++b) {
        if (refs_[a]->is_slot && refs_[b]->is_slot && refs_[a]->value == refs_[b]->value &&
            codes[a] != codes[b])
          return false;
      }
    }
    return true;
  }

  // One row more, with the cells of the slots that the step makes.
  void add(const Codes& codes, std::size_t row, Expansion& expansion) const {
    expansion.add(row);
    for (std::size_t k = 0; k < made_.size(); ++k) {
      for (std::size_t a = 0; a < 3; ++a) {
        if (refs_[a]->is_slot && refs_[a]->value == made_[k]) {
          expansion.cells(k).push_back(codes[a]);
          break;
        }
      }
    }
  }

 private:
  const Ref* refs_[3];
  std::vector<Slot> made_;
};

// --- scan

class Scan final : public StepOperator {
 public:
  Scan(const StatementPattern& pattern, StepContext context, std::vector<Slot> made, Need need)
      : StepOperator(context),
        pattern_(pattern),
        made_(made),
        slots_(pattern_, made),
        snapshot_(run_.scope(pattern.scope)),
        nodes_(pattern.predicate.is_slot ? run_.plan.predicate_nodes.get() : nullptr),
        counts_(need == Need::kCount && nodes_ != nullptr && !repeats(pattern)),
        expansion_(run_.slot_count, std::move(context.carried), std::move(made)),
        triples_(1024) {}

  std::string describe() const override {
    return (counts_ ? "count " : "scan ") + text_of(run_, pattern_);
  }

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
    node_ = 0;
    if (const std::uint32_t code = cell(pattern_.predicate, batch, row)) {
      if (nodes_ != nullptr) {
        node_ = code;
        return scan_predicates(pattern, nodes_->predicates_of(code), batch, row);
      }
      pattern.predicate = Predicate{code};
      if (scan_pattern(pattern, batch, row) == Flow::kEnough) return Flow::kEnough;
      return scan_predicates(pattern, pattern_.also, batch, row);
    }
    if (nodes_ != nullptr && !pattern.subject && !pattern.object) return scan_all(batch, row);
    for (unsigned i = 0; i < 4; ++i) {
      if ((pattern_.classes & (1u << i)) == 0) continue;
      pattern.predicate_class = static_cast<PredicateClass>(i);
      if (scan_pattern(pattern, batch, row) == Flow::kEnough) return Flow::kEnough;
    }
    return Flow::kMore;
  }

  static bool repeats(const StatementPattern& it) {
    const auto same = [](const Ref& a, const Ref& b) {
      return a.is_slot && b.is_slot && a.value == b.value;
    };
    return same(it.subject, it.predicate) || same(it.subject, it.object) ||
           same(it.predicate, it.object);
  }

  // Predicate by predicate: each has one node as a rule.
  Flow scan_all(const Batch& batch, std::size_t row) {
    Pattern pattern;
    for (const PredicateNodes::Seen& seen : nodes_->seen()) {
      if ((pattern_.classes & (1u << static_cast<unsigned>(seen.predicate.predicate_class()))) == 0)
        continue;
      pattern.predicate = seen.predicate;
      const bool counted = counts_ && seen.node != 0;
      only_node_ = counted || seen.unseen.empty() ? seen.node : 0;
      const Flow flow = counted ? count_pattern(pattern, seen.unseen, batch, row)
                                : scan_pattern(pattern, batch, row);
      only_node_ = 0;
      if (flow == Flow::kEnough) return flow;
    }
    return Flow::kMore;
  }

  Flow count_pattern(Pattern pattern, std::span<const EntityId> unseen, const Batch& batch,
                     std::size_t row) {
    std::uint64_t count = snapshot_.count(pattern);
    for (const EntityId object : unseen) {
      pattern.object = Term::entity(object);
      count -= snapshot_.count(pattern);
    }
    if (count == 0) return Flow::kMore;
    expansion_.add_weighted(row, count);
    for (std::size_t k = 0; k < made_.size(); ++k)
      expansion_.cells(k).push_back(made_[k] == pattern_.predicate.value ? only_node_ : 0);
    return expansion_.full() ? pass(expansion_.flush(batch)) : Flow::kMore;
  }

  Flow scan_predicates(Pattern pattern, std::span<const std::uint32_t> predicates,
                       const Batch& batch, std::size_t row) {
    for (const std::uint32_t predicate : predicates) {
      pattern.predicate = Predicate{predicate};
      if (scan_pattern(pattern, batch, row) == Flow::kEnough) return Flow::kEnough;
    }
    return Flow::kMore;
  }

  Flow scan_pattern(const Pattern& pattern, const Batch& batch, std::size_t row) {
    store::Cursor cursor = snapshot_.scan(pattern);
    while (const std::size_t count = cursor.next(triples_)) {
      if (run_.look() == Flow::kEnough) return Flow::kEnough;
      for (std::size_t i = 0; i < count; ++i) {
        if (!add(triples_[i], row)) continue;
        if (!expansion_.full()) continue;
        if (pass(expansion_.flush(batch)) == Flow::kEnough) return Flow::kEnough;
        if (settled(batch, row)) return Flow::kMore;
      }
    }
    return Flow::kMore;
  }

  bool add(const Triple& triple, std::size_t row) {
    PatternSlots::Codes codes = PatternSlots::codes_of(triple);
    if (only_node_ != 0) {
      codes[1] = only_node_;
    } else if (nodes_ != nullptr) {
      codes[1] = nodes_->node_of(triple);
      if (codes[1] == 0 || (node_ != 0 && codes[1] != node_)) return false;
    }
    if (!slots_.agree(codes)) return false;
    slots_.add(codes, row, expansion_);
    if (counts_) expansion_.weigh_last(1);
    return true;
  }

  const StatementPattern& pattern_;
  std::vector<Slot> made_;
  const PatternSlots slots_;
  const Snapshot& snapshot_;
  const PredicateNodes* nodes_;  // null: a predicate slot holds predicates
  bool counts_;                  // rows have weights: nobody reads the ends
  std::uint32_t node_ = 0;       // of the row's predicate, where it is bound
  std::uint32_t only_node_ = 0;  // of the predicate that is scanned, where it has one
  Expansion expansion_;
  std::vector<Triple> triples_;
};

// --- check

// The members of one end of a pattern whose other two parts are constant, for many tests: short
// lists are searched, long ones become a bitmap once the tests are worth it.
class Members {
 public:
  Members(const StatementPattern& pattern, const Snapshot& snapshot) : snapshot_(snapshot) {
    const bool subject_open = pattern.subject.is_slot && !pattern.object.is_slot;
    usable_ = !pattern.predicate.is_slot && pattern.also.empty() &&
              pattern.subject.is_slot != pattern.object.is_slot;
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
      if (!stated(*it, batch, row)) return false;
    }
    return true;
  }

  bool stated(const StatementPattern& it, const Batch& batch, std::size_t row) const {
    const std::uint32_t subject = cell(it.subject, batch, row),
                        predicate = cell(it.predicate, batch, row);
    const std::uint32_t object = cell(it.object, batch, row);
    if (!is_entity(subject) || predicate == 0 || object == 0) return false;
    const Snapshot& snapshot = run_.scope(it.scope);
    Triple triple{EntityId{subject}, Predicate{predicate}, Term{object}};
    if (snapshot.contains(triple)) return true;
    for (const std::uint32_t other : it.also) {
      triple.predicate = Predicate{other};
      if (snapshot.contains(triple)) return true;
    }
    return false;
  }

  std::vector<const StatementPattern*> patterns_;
  std::vector<const Candidates*> lists_;
  std::vector<std::unique_ptr<Members>> members_;
  std::vector<std::uint32_t> keep_;
};

// --- links as entities

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
      const auto id = find(batch, row);
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
  std::optional<EntityId> find(const Batch& batch, std::size_t row) const {
    Triple link{EntityId{cell(pattern_.subject, batch, row)},
                Predicate{cell(pattern_.predicate, batch, row)},
                Term{cell(pattern_.object, batch, row)}};
    auto id = snapshot_.find_proposition(link);
    for (std::size_t i = 0; !id && i < pattern_.also.size(); ++i) {
      link.predicate = Predicate{pattern_.also[i]};
      id = snapshot_.find_proposition(link);
    }
    return id;
  }

  const StatementPattern& pattern_;
  Slot slot_;
  const Snapshot& snapshot_;
  std::vector<std::uint32_t> keep_, ids_;
};

// --- graphs

class GraphOf final : public StepOperator {
 public:
  GraphOf(const Step& step, StepContext context)
      : StepOperator(context),
        pattern_(*step.patterns[0]),
        slot_(step.slot),
        snapshot_(run_.scope(pattern_.scope)),
        nodes_(pattern_.predicate.is_slot ? run_.plan.predicate_nodes.get() : nullptr),
        expansion_(run_.slot_count, std::move(context.carried), {step.slot}) {
    for (const NamedGraph& it : run_.plan.named_graphs) node_of_.emplace_back(it.graph, it.node);
    std::sort(node_of_.begin(), node_of_.end());
  }

  std::string describe() const override {
    return "graphs " + name_of(run_, Ref::slot(slot_)) + " of " + text_of(run_, pattern_);
  }

 protected:
  Flow work(Batch& batch) override {
    for (std::size_t row = 0; row < batch.rows; ++row) {
      if (settled(batch, row)) continue;
      find_nodes(batch, row);
      const std::uint32_t bound = batch.at(slot_, row);
      for (const std::uint32_t node : found_) {
        if (bound != 0 && bound != node) continue;
        expansion_.add(row, node);
        if (expansion_.full() && pass(expansion_.flush(batch)) == Flow::kEnough)
          return Flow::kEnough;
      }
    }
    return expansion_.empty() ? Flow::kMore : pass(expansion_.flush(batch));
  }

 private:
  void find_nodes(const Batch& batch, std::size_t row) {
    found_.clear();
    const std::uint32_t subject = cell(pattern_.subject, batch, row),
                        object = cell(pattern_.object, batch, row);
    const std::uint32_t predicate = cell(pattern_.predicate, batch, row);
    if (!is_entity(subject) || predicate == 0 || object == 0) return;
    Triple triple{EntityId{subject}, Predicate{predicate}, Term{object}};
    if (nodes_ != nullptr) {
      for (const std::uint32_t other : nodes_->predicates_of(predicate)) {
        triple.predicate = Predicate{other};
        if (nodes_->node_of(triple) == predicate) add_nodes(triple);
      }
    } else {
      add_nodes(triple);
      for (const std::uint32_t other : pattern_.also) {
        triple.predicate = Predicate{other};
        add_nodes(triple);
      }
    }
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  }

  void add_nodes(const Triple& triple) {
    for (const store::Assertion& assertion : snapshot_.assertions(triple)) {
      const auto at = std::lower_bound(node_of_.begin(), node_of_.end(),
                                       std::pair{assertion.graph, std::uint32_t{0}});
      if (at != node_of_.end() && at->first == assertion.graph) found_.push_back(at->second);
    }
  }

  const StatementPattern& pattern_;
  Slot slot_;
  const Snapshot& snapshot_;
  const PredicateNodes* nodes_;
  Expansion expansion_;
  std::vector<std::pair<store::GraphId, std::uint32_t>> node_of_;
  std::vector<std::uint32_t> found_;
};

class OpenProposition final : public StepOperator {
 public:
  OpenProposition(const Step& step, StepContext context, std::vector<Slot> made)
      : StepOperator(context),
        pattern_(*step.patterns[0]),
        slots_(pattern_, made),
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
    const PatternSlots::Codes codes = PatternSlots::codes_of(triple);
    for (std::size_t a = 0; a < 3; ++a) {
      const std::uint32_t want = cell(slots_.ref(a), batch, row);
      if (want != 0 && want != codes[a]) return;
    }
    if (slots_.agree(codes)) slots_.add(codes, row, expansion_);
  }

  const StatementPattern& pattern_;
  const PatternSlots slots_;
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
      return std::make_unique<Scan>(*step.patterns[0], std::move(context), std::move(made), need);
    }
    case Step::Kind::kExtend:
      without({step.slot});
      return make_extend_step(step, std::move(context), need);
    case Step::Kind::kCheck:
      return std::make_unique<Check>(step, context);
    case Step::Kind::kProposition:
      return std::make_unique<FindProposition>(step, context);
    case Step::Kind::kGraph:
      without({step.slot});
      return std::make_unique<GraphOf>(step, std::move(context));
    case Step::Kind::kOpen: {
      std::vector<Slot> made = unbound_slots(*step.patterns[0], bound_before);
      without(made);
      return std::make_unique<OpenProposition>(step, std::move(context), std::move(made));
    }
  }
  return nullptr;
}

}  // namespace anima::query::detail
