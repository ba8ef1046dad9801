// SnapshotState: what a Snapshot points to, and the reading of it by codes.
//
// Layers from the bottom: the base, the shared delta up to a sequence, and the private deltas of
// branches. Numbers (rows, terms, entities, contexts) continue from layer to layer, so a number
// names its layer. A row is visible when its own layer says so, no layer above killed it, and a
// graph of the scope asserts it. Thread-safety: immutable; the deltas under it grow, beyond its
// bounds. The state that a writer reads through is its own and changes with its writes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/base.h"
#include "store/snapshot.h"
#include "store/state/delta.h"

namespace anima::store::detail {

class TextIndex;

struct LayerView {
  std::shared_ptr<const Delta> delta;
  std::uint64_t sequence = 0;
  std::uint32_t rows = 0, contexts = 0, sets = 0;  // where a layer on top starts counting

  static LayerView of(std::shared_ptr<const Delta> delta, std::uint64_t sequence);
};

// A version of a statement. layer 0 is the base, k the k-th delta.
struct RowRef {
  std::uint32_t layer = 0;
  std::uint32_t row = kNoRow;
  explicit operator bool() const { return row != kNoRow; }
};

// A pattern in codes; 0 = unbound. The predicate lies in [p_first, p_last].
struct CodePattern {
  SubjectCode s;
  PredicateCode p;
  ObjectCode o;
  std::uint32_t p_first = 0, p_last = 0;

  static CodePattern of(const Pattern& pattern);
  bool matches(std::uint32_t row_s, std::uint32_t row_p, std::uint32_t row_o) const {
    return (s == 0 || s == row_s) && (o == 0 || o == row_o) && row_p >= p_first && row_p <= p_last;
  }
};

// Whose statements are read: those of the graphs that are named, or of every graph but those, and
// of them what somebody states who is trusted at least so far.
struct GraphScope {
  std::vector<std::uint32_t> graphs;  // sorted
  bool all_but = false;
  Trust floor = Trust::kHostile;
  bool judges() const { return floor != Trust::kHostile; }  // not every word counts
  bool holds(std::uint32_t graph) const {
    return std::binary_search(graphs.begin(), graphs.end(), graph) != all_but;
  }
};

// Up to where the log was compacted.
struct Horizon {
  std::uint64_t oldest = 0;  // the oldest entry whose state can be read
  std::string said, hint;    // why not an older one, and what to do
};

struct SnapshotState : std::enable_shared_from_this<SnapshotState> {
  std::shared_ptr<const Base> base;
  std::vector<LayerView> layers;
  std::uint64_t sequence = 0;
  Timestamp time;
  std::uint32_t entity_bound = 1, term_bound = 1, graph_bound = 1;
  std::uint32_t shared_term_bound = 1;  // below it the dictionary is the space's, published
  std::uint32_t shared_layers = 0;      // layers that are the space's; the others are a branch's
  bool plain = true;                    // neither rows nor kills nor a scope: the base says it all
  // One layer that lists the edges of what it changed, and all of them are read. A scope that
  // leaves out the books alone allows it while the layer has no row of theirs.
  bool listed = false;
  std::shared_ptr<const GraphScope> scope;  // null: every graph
  std::shared_ptr<TextIndex> text;
  const void* owner = nullptr;             // the Views that it came from
  std::shared_ptr<const Horizon> horizon;  // null: nothing was compacted

  void refresh_plain();  // after a change of the base, the layers or the scope
  void narrow(std::shared_ptr<const GraphScope> to);
  LayerFirsts next_firsts() const;  // of a layer on top of this state

  // --- numbers to things
  // ----------------------------------------------------------------------------------------
  std::string_view stored_term(std::uint32_t place) const;
  EntityRecord entity(std::uint32_t id) const;
  const Context& context(std::uint32_t id) const;
  std::string_view graph_name(std::uint32_t graph) const;
  EntryRecord entry(std::uint64_t at) const;                 // requires 1 <= at <= sequence
  std::uint32_t find_stored(std::string_view stored) const;  // a place below term_bound, or 0
  std::uint32_t find_stored(std::string_view stored, std::uint32_t hash) const;
  std::optional<Term> find_value(const ValueView& value) const;
  ValueView value(Term term) const;
  std::uint32_t set_size(std::uint32_t set) const {  // in contexts
    return (set & kManySets) == 0 ? 1 : set_list(set & ~kManySets)[0];
  }
  template <typename Visit>
  void each_context(std::uint32_t set, const Visit& visit) const {
    if ((set & kManySets) == 0) return visit(set, context(set));
    const std::uint32_t* list = set_list(set & ~kManySets);
    for (std::uint32_t i = 1; i <= list[0]; ++i) visit(list[i], context(list[i]));
  }

  // --- what will be looked at soon
  // ----------------------------------------------------------------------------------
  // Each starts fetching what the one before it has made known: of a term the slots of its hash,
  // the term, its bytes; of an object where its list lies, then the list.
  void prefetch_term_place(std::uint32_t hash) const;
  void prefetch_term(std::uint32_t hash) const;
  void prefetch_term_bytes(std::uint32_t hash) const;
  void prefetch_entity(std::uint32_t id) const;
  void prefetch_object_place(ObjectCode object) const;
  void prefetch_object_list(ObjectCode object) const;
  void prefetch_statement(SubjectCode s, PredicateCode p, ObjectCode o) const;

  // --- statements
  // -----------------------------------------------------------------------------------------------
  RowRef find(SubjectCode s, PredicateCode p, ObjectCode o) const;  // the visible version
  // The proposition of a link, also of one that nobody asserts; 0 = none.
  std::uint32_t known_proposition(SubjectCode s, PredicateCode p, ObjectCode o) const;
  // The concept of this type and name, also one that nobody asserts; 0 = none.
  std::uint32_t known_concept(std::uint32_t type, std::string_view name) const;
  std::uint32_t set_of(RowRef row) const;
  std::uint32_t proposition_of(RowRef row) const;
  std::uint64_t count(const CodePattern& pattern) const;
  bool base_visible(RowOrder order, std::uint32_t place) const;
  bool base_alive(RowOrder order, std::uint32_t place) const;  // whatever the scope
  bool any_dead(RowOrder order, Range range) const {           // perhaps; false is sure
    for (const LayerView& layer : layers) {
      if (layer.delta->has_kills() && kills_touch(*layer.delta, order, range)) return true;
    }
    return false;
  }
  // Whether the scope leaves out the books, and the range of the base has some.
  bool hides(RowOrder order, Range range) const {
    return scope != nullptr && scope->all_but && base->books().touch(order, range);
  }
  bool row_alive(std::uint32_t layer, std::uint32_t row) const {
    const LayerView& own = layers[layer - 1];
    if (!Delta::visible(own.delta->row(row), own.sequence)) return false;
    return layer == layers.size() || !killed_above(layer, row);
  }
  bool in_scope(std::uint32_t set) const { return scope == nullptr || set_in_scope(set); }
  // Where not every word counts, a concept is there on the word of whoever says anything about it,
  // and the definition of a type or predicate on anybody's.
  bool row_in_scope(std::uint32_t set, SubjectCode s, PredicateCode p) const {
    return scope == nullptr || set_in_scope(set) || (scope->judges() && is_vouched_for(set, s, p));
  }
  bool graph_in_scope(std::uint32_t graph) const { return scope == nullptr || scope->holds(graph); }
  bool word_in_scope(const Context& context) const {
    return scope == nullptr || (scope->holds(context.graph) && is_heard(context));
  }
  // How much of a range of the base is visible; kSome says that each row must be asked about.
  enum class Reach : std::uint8_t { kAll, kNone, kSome };
  Reach reach(RowOrder order, Range range) const {
    return plain ? Reach::kAll : reach_of_layers(order, range);
  }
  // Calls visit(row) for every row of the base that the graph asserts there, ascending.
  template <typename Visit>
  void each_base_row_of(std::uint32_t graph, const Visit& visit) const {
    if (!base->one_graph()) {
      for (const std::uint32_t row : base->of_graph(graph)) visit(row);
      return;
    }
    if (base->rows() == 0 || !names_graph(base->spo_set[0], graph)) return;
    for (std::uint32_t row = 0; row < base->rows(); ++row) visit(row);
  }
  // Whether the graphs of the scope have so little that their own rows are read faster than
  // `others` rows of another order.
  bool few_in_scope(std::uint64_t others) const;
  // The rows of the base that match and are visible, by the graphs of the scope; ascending.
  std::vector<std::uint32_t> base_rows_in_scope(const CodePattern& pattern) const;
  // The order, range and delta rows that answer a pattern; rows still need matches() and
  // visibility.
  struct Plan {
    RowOrder order = RowOrder::kSpo;
    Range range;
    bool exact = true;  // every row of the range matches
  };
  Plan plan(const CodePattern& pattern, Order order) const;
  // Calls visit(layer, row number, row) for every visible delta row that matches.
  template <typename Visit>
  void each_delta_row(const CodePattern& pattern, const Visit& visit) const;
  std::uint64_t predicate_count(PredicateCode predicate) const;  // in every graph

 private:
  Reach reach_of_layers(RowOrder order, Range range) const;
  bool killed_above(std::uint32_t layer, std::uint32_t row) const;
  bool set_in_scope(std::uint32_t set) const;
  bool is_heard(const Context& context) const;  // requires a scope; whatever its graph
  bool is_vouched_for(std::uint32_t set, SubjectCode s, PredicateCode p) const;
  bool is_spoken_of(EntityId entity) const;
  bool base_row_heard(RowOrder order, std::uint32_t place) const;
  bool names_graph(std::uint32_t set, std::uint32_t graph) const;
  bool few_in_scope(const Delta& delta, std::uint32_t rows) const;
  std::uint32_t first_in_scope(std::uint32_t set) const;  // requires set_in_scope()
  static bool kills_touch(const Delta& delta, RowOrder order, Range range);
  const std::uint32_t* set_list(std::uint32_t place) const;
};

template <typename Visit>
void SnapshotState::each_delta_row(const CodePattern& pattern, const Visit& visit) const {
  for (std::uint32_t k = 1; k <= layers.size(); ++k) {
    const LayerView& layer = layers[k - 1];
    const Delta& delta = *layer.delta;
    if (!delta.has_rows()) continue;
    const auto offer = [&](std::uint32_t at) {
      const DeltaRow& row = delta.row(at);
      if (pattern.matches(row.s, row.p, row.o) && row_alive(k, at) &&
          row_in_scope(row.set, row.s, row.p)) {
        visit(k, at, row);
      }
    };
    Chain chain = Chain::kSPO;
    if (pattern.s != 0) {
      chain = pattern.p == 0 ? Chain::kS : pattern.o == 0 ? Chain::kSP : Chain::kSPO;
    } else if (pattern.o != 0) {
      chain = pattern.p == 0 ? Chain::kO : Chain::kPO;
    } else if (pattern.p != 0) {
      chain = Chain::kP;
    }
    if (pattern.s == 0 && pattern.o == 0 && few_in_scope(delta, layer.rows)) {
      for (const std::uint32_t graph : scope->graphs) {
        delta.each_of_graph(graph, [&](std::uint32_t at) {
          const bool own =
              scope->graphs.size() == 1 || (Delta::visible(delta.row(at), layer.sequence) &&
                                            first_in_scope(delta.row(at).set) == graph);
          if (own) offer(at);
        });
      }
      continue;
    }
    if (chain == Chain::kSPO && pattern.s == 0) {
      for (std::uint32_t at = 0; at < layer.rows; ++at) offer(at);
      continue;
    }
    for (std::uint32_t at = delta.head(chain, pattern.s, pattern.p, pattern.o); at != kNoRow;
         at = delta.row(at).next[static_cast<int>(chain)]) {
      offer(at);
    }
  }
}

}  // namespace anima::store::detail
