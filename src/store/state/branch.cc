#include "store/state/branch.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "store/base/value_code.h"
#include "store/holds.h"

namespace anima::store::detail {
namespace {

struct BranchWord {
  std::uint32_t object;
  double confidence;
  std::uint64_t provenance;
  std::uint64_t born;
  auto tie() const { return std::tie(object, confidence, provenance, born); }
};

// What a graph says about a key: one statement, or all values of an attribute.
std::vector<BranchWord> branch_words(const SnapshotState& state, const Triple& triple,
                                     std::uint32_t graph, bool whole_key) {
  std::vector<BranchWord> words;
  auto narrow = std::make_shared<SnapshotState>(state);
  narrow->narrow(std::make_shared<GraphScope>(GraphScope{{graph}}));
  CodePattern pattern;
  pattern.s = triple.subject;
  pattern.p = triple.predicate;
  pattern.p_first = pattern.p_last = triple.predicate.code;
  if (!whole_key) pattern.o = triple.object;
  CursorState cursor(narrow, pattern, Order::kSubjectPredicateObject);
  for (Triple batch[32];;) {
    const std::size_t got = cursor.next(batch);
    if (got == 0) break;
    for (std::size_t i = 0; i < got; ++i) {
      const RowRef row = narrow->find(pattern.s, pattern.p, batch[i].object);
      if (!row) continue;
      narrow->each_context(narrow->set_of(row), [&](std::uint32_t, const Context& context) {
        if (context.graph != graph) return;
        words.push_back(
            {batch[i].object.code, context.confidence, context.provenance, context.born});
      });
    }
  }
  return words;
}

bool same_branch_words(const std::vector<BranchWord>& a, const std::vector<BranchWord>& b,
                       bool and_born) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [&](const BranchWord& x, const BranchWord& y) {
           return and_born ? x.tie() == y.tie()
                           : std::tie(x.object, x.confidence, x.provenance) ==
                                 std::tie(y.object, y.confidence, y.provenance);
         });
}

class Merge {
 public:
  Merge(const Branch& branch, Writer& target)
      : branch_(branch),
        from_(branch.from()),
        after_(branch.writer().state()),
        target_(target),
        before_(target.state()) {
    --before_.sequence;  // without what this entry wrote so far
    before_.layers.back().sequence = before_.sequence;
  }

  Status run() {
    ANIMA_TRY(visit_encoded_records(
        branch_.writer().pending_attached(),
        [&](RecordKind kind, std::string_view payload) { return target_.attach(kind, payload); }));
    return read_operations(branch_.writer().pending_operations(),
                           [&](const Operation& operation) { return step(operation); });
  }

 private:
  std::uint32_t entity(std::uint32_t id) const {
    const auto found = entities_.find(id);
    return found == entities_.end() ? id : found->second;
  }
  Term term(Term old) const {
    if (old.tag() == Tag::kEntity) return {entity(old.code)};
    if (old.tag() != Tag::kLiteral) return old;
    const auto found = terms_.find(old.place());
    return found == terms_.end() ? old : found->second;
  }
  Triple triple(const Triple& old) const {
    Triple now;
    now.subject = static_cast<EntityId>(entity(static_cast<std::uint32_t>(old.subject)));
    now.object = term(old.object);
    switch (old.predicate.predicate_class()) {
      case PredicateClass::kLink:
        now.predicate = {entity(old.predicate.code)};
        break;
      case PredicateClass::kStructural:
        now.predicate = old.predicate;
        break;
      case PredicateClass::kAttribute:
        now.predicate = Predicate::attribute(term(old.predicate.key()));
        break;
      case PredicateClass::kMetadata:
        now.predicate = Predicate::metadata(term(old.predicate.key()));
        break;
    }
    return now;
  }
  std::uint32_t graph(std::uint32_t old) const {
    const auto found = graphs_.find(old);
    return found == graphs_.end() ? old : found->second;
  }

  // The key must be now what it was when the branch began, or what the branch made of it. A name
  // from the branch's own numbers meant nothing then.
  Status check(const Operation& operation, const Triple& now, std::uint32_t now_graph) const {
    const bool whole = operation.triple.predicate.predicate_class() >= PredicateClass::kAttribute;
    const bool known = static_cast<std::uint32_t>(operation.triple.subject) < from_.entity_bound &&
                       operation.graph < from_.graph_bound;
    const auto then_words = known ? branch_words(from_, operation.triple, operation.graph, whole)
                                  : std::vector<BranchWord>{};
    const auto now_words = branch_words(before_, now, now_graph, whole);
    if (same_branch_words(then_words, now_words, true)) return {};
    auto wanted = branch_words(after_, operation.triple, operation.graph, whole);
    for (BranchWord& word : wanted) word.object = term({word.object}).code;
    if (same_branch_words(wanted, now_words, false)) return {};
    const Snapshot names(std::make_shared<const SnapshotState>(before_));
    return fail(ErrorCode::kConflict,
                "C:" + std::to_string(static_cast<std::uint32_t>(now.subject)) + " (" +
                    std::string(names.name(now.subject)) + ") was changed since the branch began",
                {}, "start a new branch from the newest state");
  }

  // The word of an entry from before the branch began; what the branch itself says is the entry's.
  bool said_before(const Operation& operation) const {
    return operation.said != 0 && operation.said <= from_.sequence;
  }

  Status step(const Operation& operation) {
    AssertOptions options;
    options.graph = static_cast<GraphId>(graph(operation.graph));
    options.confidence = operation.confidence;
    options.provenance = operation.provenance;
    switch (operation.kind) {
      case OperationKind::kTerm: {
        ANIMA_ASSIGN(const Term now, target_.term(decode_value(operation.text)));
        terms_[operation.id] = now;
        return {};
      }
      case OperationKind::kGraph:
        graphs_[operation.id] = static_cast<std::uint32_t>(target_.graph(operation.text));
        return {};
      case OperationKind::kConcept: {
        const Snapshot after(std::make_shared<const SnapshotState>(after_));
        const std::string name(after.value(operation.triple.object).text);
        const auto type = static_cast<EntityId>(entity(static_cast<std::uint32_t>(operation.type)));
        ANIMA_ASSIGN(const EntityId now, target_.concept_id(type, name));
        entities_[operation.id] = static_cast<std::uint32_t>(now);
        return {};
      }
      case OperationKind::kQuote: {
        ANIMA_ASSIGN(const EntityId now, target_.quote_link(triple(operation.triple)));
        entities_[operation.id] = static_cast<std::uint32_t>(now);
        return {};
      }
      case OperationKind::kAssert: {
        const Triple now = triple(operation.triple);
        ANIMA_TRY(check(operation, now, graph(operation.graph)));
        if (now.predicate.predicate_class() == PredicateClass::kLink) {
          ANIMA_ASSIGN(const EntityId id,
                       said_before(operation)
                           ? target_.restate(now, options, Sequence{operation.said})
                           : target_.assert_link(now, options));
          entities_[operation.id] = static_cast<std::uint32_t>(id);
          return {};
        }
        if (said_before(operation)) {
          ANIMA_TRY(target_.restate(now, options, Sequence{operation.said}));
          return {};
        }
        ANIMA_TRY(target_.assert_triple(now, options));
        return {};
      }
      case OperationKind::kRetract: {
        const Triple now = triple(operation.triple);
        ANIMA_TRY(check(operation, now, graph(operation.graph)));
        ANIMA_TRY(target_.retract_triple(now, options.graph));
        return {};
      }
      case OperationKind::kBulk: {
        ANIMA_ASSIGN(const std::vector<BulkRow> rows, decode_rows(operation.text));
        std::uint32_t proposition = operation.id;
        for (const BulkRow& row : rows) {
          Operation one = operation;
          one.kind = OperationKind::kAssert;
          one.triple = {row.s.typed(), row.p.typed(), row.o.typed()};
          one.id = row.is_link() ? proposition++ : 0;
          ANIMA_TRY(step(one));
        }
        return {};
      }
      case OperationKind::kDropGraph:
        return drop(operation, options.graph);
      case OperationKind::kRecord:
        return target_.record(static_cast<RecordKind>(operation.id), operation.text);
      case OperationKind::kAttachment:
      case OperationKind::kTaken:
      case OperationKind::kAct:
        return {};  // of an entry that is in a log
    }
    return {};
  }

  // Every change to the graph since the branch began is in the way.
  Status drop(const Operation& operation, GraphId now) {
    if (operation.graph < from_.graph_bound && before_.sequence > from_.sequence) {
      const Snapshot newest(std::make_shared<const SnapshotState>(before_));
      const Snapshot oldest(branch_.from().shared_from_this());
      const GraphId scope[] = {now};
      for (std::uint32_t kind = 0; kind < 4; ++kind) {
        Pattern all;
        all.predicate_class = static_cast<PredicateClass>(kind);
        Cursor a = newest.in_graphs(scope).scan(all, Order::kSubjectPredicateObject);
        Cursor b = oldest.in_graphs(scope).scan(all, Order::kSubjectPredicateObject);
        for (Triple x, y;;) {
          const std::size_t got = a.next({&x, 1});
          if (got != b.next({&y, 1}) || (got != 0 && x != y)) {
            return fail(ErrorCode::kConflict,
                        "the graph " + std::string(newest.graph_name(now)) +
                            " was changed since the branch began",
                        {}, "start a new branch from the newest state");
          }
          if (got == 0) break;
        }
      }
    }
    return target_.drop_graph(now);
  }

  const Branch& branch_;
  const SnapshotState& from_;
  const SnapshotState& after_;
  Writer& target_;
  SnapshotState before_;
  std::unordered_map<std::uint32_t, std::uint32_t> entities_, graphs_;
  std::unordered_map<std::uint32_t, Term> terms_;
};

}  // namespace

Branch::Branch(std::shared_ptr<const SnapshotState> from, const WriterLimits& limits)
    : from_(std::move(from)), writer_(limits), transaction_(writer_) {
  SnapshotState state = *from_;
  state.scope = nullptr;
  auto delta = std::make_shared<Delta>(state.next_firsts());
  EntryRecord entry;
  entry.time = from_->time;
  entry.trust = Trust::kOperator;
  entry.author = kBranchAuthor;
  delta->add_entry(entry);
  state.layers.push_back(LayerView::of(delta, state.sequence + 1));
  state.refresh_plain();
  writer_.attach(std::move(state), std::move(delta));
  writer_.start(from_->sequence + 1, true);
}

Snapshot Branch::view() const {
  auto state = std::make_shared<SnapshotState>(writer_.state());
  state->narrow(from_->scope);
  return Snapshot(std::move(state));
}

Status merge_branch(const Branch& branch, Writer& target) { return Merge(branch, target).run(); }

}  // namespace anima::store::detail
