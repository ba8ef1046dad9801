// Delta: what was written since the layer below it: terms, entities, graphs, entries and versions
// of statements.
//
// A row is one version of one statement: the triple, its proposition, the set of assertions that it
// then had, and [born, died) in sequence numbers. Changing a statement kills its row and adds a new
// one, so at any sequence at most one row of a triple is visible, and publishing is handing out a
// higher sequence. Rows of lower layers are killed by records in this layer. Rows hang in six
// chains, newest first, each found by a hash index. One writer; any number of lock-free readers
// that hold a sequence (and bounds) published after the rows were written. Rolling back unlinks
// rows and leaves them as holes (born = kNever): a slot a reader may stand on is not reused.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/large_memory.h"
#include "store/base/positions.h"
#include "store/base/records.h"
#include "store/ids.h"
#include "store/state/adjacency.h"
#include "store/state/chunked.h"
#include "store/state/row_index.h"

namespace anima::store::detail {

class Base;

struct alignas(64) DeltaRow {
  SubjectCode s;
  PredicateCode p;
  ObjectCode o;
  std::uint32_t proposition = 0;
  std::uint32_t set = 0;
  std::uint32_t next[6] = {};
  std::atomic<std::uint64_t> born{0};
  std::atomic<std::uint64_t> died{0};
};
static_assert(sizeof(DeltaRow) == 64);

enum class Chain : std::uint8_t { kS = 0, kP = 1, kO = 2, kSP = 3, kPO = 4, kSPO = 5 };

// A row of a lower layer that died here: its place in each order (rows of deltas use the first
// only).
struct Kill {
  std::uint32_t place[3] = {kNoRow, kNoRow, kNoRow};
  std::atomic<std::uint64_t> died{0};
};

// Append-only bytes that never move.
class Arena {
 public:
  const char* keep(std::string_view bytes);
  std::size_t heap_bytes() const { return bytes_; }
  std::size_t kept_bytes() const { return kept_; }

 private:
  std::size_t kept_ = 0;
  std::vector<LargeMemory> blocks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t bytes_ = 0;
};

class Delta {
 public:
  // With the base that it lies on, it also keeps lists of the changed nodes' edges (Adjacency).
  explicit Delta(const LayerFirsts& firsts, std::shared_ptr<const Base> below = nullptr);
  Delta(const Delta&) = delete;
  Delta& operator=(const Delta&) = delete;

  const LayerFirsts& firsts() const { return firsts_; }

  // --- writing (one thread)
  // -------------------------------------------------------------------------------------
  std::uint32_t add_row(const Triple& triple, std::uint32_t proposition, std::uint32_t set,
                        std::uint64_t born);
  // Adds a context to the set of a row that was born at `sequence`, so that no published state has
  // it. False, and nothing has changed, when the row is older. Amortised O(1).
  bool extend_row(std::uint32_t row, std::uint32_t context, std::uint64_t sequence);
  // Requires that the row's set names the graph; once for each such graph.
  void list_in_graph(std::uint32_t row, std::uint32_t graph);
  void kill_row(std::uint32_t row, std::uint64_t sequence);
  void kill_below(const std::uint32_t (&place)[3], std::uint64_t sequence);
  // Fills holes with erased (null) terms; requires place >= the next one.
  void add_term_at(std::uint32_t place, std::string_view stored);
  void pad_terms(std::uint32_t bound);                            // erased terms up to it
  void add_entity(std::uint32_t id, const EntityRecord& record);  // fills holes with kNone
  void add_label(std::string_view folded, std::uint32_t entity);
  std::uint32_t add_graph(std::string_view name);
  std::uint32_t add_context(const Context& context);  // deduplicated within the layer
  std::uint32_t add_set(
      std::span<const std::uint32_t> contexts);  // a set code; one context is its own set
  void add_entry(const EntryRecord& entry);
  // Bytes of authors and sources kept here, of entries that were rolled back too.
  std::uint64_t name_bytes() const { return name_bytes_; }
  void mark_undo();  // the newest entry holds a record kUndo; requires add_entry()
  void mark_act(std::uint32_t first);  // the newest entry belongs to the act of that one, or 0
  // Of the newest entry; false when it is not here.
  bool lower_trust(std::uint64_t sequence, Trust most);
  // Changes a running total that add_count() began at `sequence`; false when it did not.
  bool change_count(std::uint64_t key, std::int64_t change, std::uint64_t sequence);
  // Adds to a running total that readers of `sequence` and later see.
  void add_count(std::uint64_t key, std::int64_t change, std::int64_t below,
                 std::uint64_t sequence);

  struct Mark {
    std::uint32_t rows = 0, kills = 0, terms = 0, entities = 0, graphs = 0, contexts = 0, sets = 0,
                  entries = 0, counts = 0, labels = 0, graph_rows = 0;
    std::size_t deaths = 0, outgoing = 0, incoming = 0, kept = 0;
  };
  Mark mark() const;
  void rollback(const Mark& mark);
  // About what rollbacks have left behind, which no reader needs but one might stand on.
  std::size_t garbage_bytes() const { return garbage_; }
  void forget_journal();  // what came before can no longer be rolled back

  // --- reading
  // ---------------------------------------------------------------------------------------------------
  const DeltaRow& row(std::uint32_t row) const { return rows_[row]; }
  bool lists_edges() const { return below_ != nullptr; }
  const Adjacency& outgoing() const { return outgoing_; }
  const Adjacency& incoming() const { return incoming_; }
  // How many rows here ever named the graph, and the rows, newest first.
  std::uint32_t graph_rows(std::uint32_t graph) const {
    const std::uint32_t at = graph_head(graph);
    return at == kNoRow ? 0 : graph_rows_[at].count;
  }
  template <typename Visit>
  void each_of_graph(std::uint32_t graph, const Visit& visit) const {
    for (std::uint32_t at = graph_head(graph); at != kNoRow; at = graph_rows_[at].next) {
      visit(graph_rows_[at].row);
    }
  }
  std::uint32_t head(Chain chain, SubjectCode s, PredicateCode p, ObjectCode o) const {
    return chains_[static_cast<int>(chain)].find(
        chain_hash(chain, s, p, o), [&](std::uint32_t row) { return same(chain, row, s, p, o); });
  }
  // False is sure: no row here ever had this key.
  bool may_hold(Chain chain, SubjectCode s, PredicateCode p, ObjectCode o) const {
    return chains_[static_cast<int>(chain)].may_hold(chain_hash(chain, s, p, o));
  }
  void prefetch_chain(Chain chain, SubjectCode s, PredicateCode p, ObjectCode o) const {
    chains_[static_cast<int>(chain)].prefetch(chain_hash(chain, s, p, o));
  }
  void prefetch_term_place(std::uint32_t hash) const { term_index_.prefetch(hash); }
  void prefetch_term(std::uint32_t hash) const {
    const std::uint32_t place = term_index_.first(hash);
    if (place != kNoRow) __builtin_prefetch(&terms_[place - firsts_.term]);
  }
  void prefetch_entity(std::uint32_t id) const { __builtin_prefetch(&entity(id)); }
  void prefetch_term_bytes(std::uint32_t hash) const {
    const std::uint32_t place = term_index_.first(hash);
    if (place != kNoRow) __builtin_prefetch(terms_[place - firsts_.term].data);
  }
  static bool visible(const DeltaRow& row, std::uint64_t sequence) {
    return row.born.load(std::memory_order_relaxed) <= sequence &&
           row.died.load(std::memory_order_relaxed) > sequence;
  }
  // Whether anything below may be dead; a false is exact for every sequence.
  bool has_kills() const { return any_kills_.load(std::memory_order_acquire); }
  bool has_rows() const { return any_rows_.load(std::memory_order_acquire); }
  bool killed(RowOrder order, std::uint32_t place, std::uint64_t sequence) const;
  // 64 bits from place & ~63: which rows may be dead. Cheap filter for runs.
  std::uint64_t kill_word(RowOrder order, std::uint32_t place) const;
  // Calls visit(died) for the rows of the base in [range.begin, range.end) of SPO that died here.
  template <typename Places, typename Visit>
  void deaths_below(const Places& range, const Visit& visit) const {
    if (!has_kills()) return;
    for (std::uint32_t at = range.begin; at < range.end; ++at) {
      if ((kill_word(RowOrder::kSpo, at) >> (at % 64) & 1) == 0) continue;
      const std::uint32_t index = find_kill(RowOrder::kSpo, at);
      if (index != kNoRow) visit(kills_[index].died.load(std::memory_order_relaxed));
    }
  }
  std::uint32_t find_term(std::string_view stored, std::uint32_t hash,
                          std::uint32_t bound) const;  // 0 = none
  std::string_view term(std::uint32_t place) const { return terms_[place - firsts_.term].view(); }
  const EntityRecord& entity(std::uint32_t id) const { return entities_[id - firsts_.entity]; }
  const Context& context(std::uint32_t id) const { return contexts_[id - firsts_.context]; }
  const std::uint32_t* set(std::uint32_t place) const {
    return &sets_[place - firsts_.set];
  }  // count, contexts
  std::string_view graph(std::uint32_t id) const { return graphs_[id - firsts_.graph].view(); }
  const EntryRecord& entry(std::uint64_t sequence) const {
    return entries_[static_cast<std::uint32_t>(sequence - firsts_.sequence - 1)];
  }
  // The running total, or `below` when no entry up to `sequence` changed it.
  std::int64_t count(std::uint64_t key, std::uint64_t sequence, std::int64_t below) const;
  // Calls visit(entity) for the concepts whose folded name has this hash.
  template <typename Visit>
  void labels(std::uint32_t hash, const Visit& visit) const {
    std::uint32_t at =
        label_index_.find(hash, [&](std::uint32_t i) { return labels_[i].hash == hash; });
    for (; at != kNoRow; at = labels_[at].next) visit(labels_[at].entity);
  }

  // Predicates that ever had a row here, in the order of their first.
  std::uint32_t predicate_count() const { return predicate_count_.load(std::memory_order_acquire); }
  std::uint32_t predicate(std::uint32_t index) const { return predicates_[index]; }

  // The writer's ends; a snapshot carries those of its time.
  std::uint32_t rows() const { return rows_.size(); }
  std::uint32_t term_bound() const { return firsts_.term + terms_.size(); }
  std::uint32_t entity_bound() const { return firsts_.entity + entities_.size(); }
  std::uint32_t graph_bound() const { return firsts_.graph + graphs_.size(); }
  std::uint32_t context_bound() const { return firsts_.context + contexts_.size(); }
  std::uint32_t set_bound() const { return firsts_.set + sets_.size(); }
  std::uint64_t last_sequence() const { return firsts_.sequence + entries_.size(); }
  std::uint32_t kill_count() const { return kills_.size(); }
  const Kill& kill(std::uint32_t index) const { return kills_[index]; }
  std::size_t heap_bytes() const;

 private:
  struct Label {
    std::uint32_t hash = 0, entity = 0, next = kNoRow;
  };
  struct GraphRow {
    std::uint32_t graph = 0, row = 0, next = kNoRow;
    std::uint32_t count = 1;  // from here on
  };
  struct Count {
    std::uint64_t key = 0, sequence = 0;
    std::atomic<std::int64_t> total{0};
    std::uint32_t next = kNoRow;
  };
  struct Death {
    bool below;
    std::uint32_t index;
  };
  struct ContextHash {
    std::size_t operator()(const Context& c) const;
  };
  using Page = std::atomic<std::uint64_t>;
  static constexpr std::uint32_t kPageBits = 14;  // rows a page

  static std::uint32_t chain_hash(Chain chain, SubjectCode s, PredicateCode p, ObjectCode o) {
    switch (chain) {
      case Chain::kS:
        return mix(s);
      case Chain::kP:
        return mix(p);
      case Chain::kO:
        return mix(o);
      case Chain::kSP:
        return mix(pair_key(s, p));
      case Chain::kPO:
        return mix(pair_key(p, o));
      case Chain::kSPO:
        break;
    }
    return mix3(s, p, o);
  }
  bool same(Chain chain, std::uint32_t index, SubjectCode s, PredicateCode p, ObjectCode o) const {
    const DeltaRow& row = rows_[index];
    switch (chain) {
      case Chain::kS:
        return row.s == s;
      case Chain::kP:
        return row.p == p;
      case Chain::kO:
        return row.o == o;
      case Chain::kSP:
        return row.s == s && row.p == p;
      case Chain::kPO:
        return row.p == p && row.o == o;
      case Chain::kSPO:
        break;
    }
    return row.s == s && row.p == p && row.o == o;
  }
  std::uint32_t graph_head(std::uint32_t graph) const {
    return graph_index_.find(mix(graph),
                             [&](std::uint32_t i) { return graph_rows_[i].graph == graph; });
  }
  void list_edge(const Triple& triple, std::uint64_t sequence, bool there);
  void set_kill_bit(RowOrder order, std::uint32_t place);
  std::uint32_t find_kill(RowOrder order, std::uint32_t place) const;

  LayerFirsts firsts_;
  const std::shared_ptr<const Base> below_;
  ChunkedArray<DeltaRow> rows_;
  RowIndex chains_[6];
  Adjacency outgoing_, incoming_;
  ChunkedArray<std::uint32_t> predicates_;
  std::atomic<std::uint32_t> predicate_count_{0};
  std::atomic<bool> any_rows_{false};
  std::atomic<bool> any_kills_{false};
  ChunkedArray<Kill> kills_;
  RowIndex kill_index_[3];
  std::unique_ptr<std::atomic<Page*>[]> kill_pages_[3];
  std::uint32_t kill_page_count_ = 0;
  std::deque<std::unique_ptr<Page[]>> owned_pages_;
  ChunkedArray<StoredTerm> terms_;
  RowIndex term_index_;
  ChunkedArray<EntityRecord> entities_;
  ChunkedArray<Label> labels_;
  RowIndex label_index_;
  ChunkedArray<StoredTerm> graphs_;
  ChunkedArray<GraphRow> graph_rows_;
  RowIndex graph_index_;
  ChunkedArray<Context> contexts_;
  std::unordered_map<Context, std::uint32_t, ContextHash> context_ids_;
  ChunkedArray<std::uint32_t> sets_;
  std::unordered_map<std::uint32_t, std::uint32_t> set_rooms_;  // of sets that grow: for so many
  ChunkedArray<EntryRecord> entries_;
  ChunkedArray<Count> counts_;
  // Where the totals that an entry changes again and again lie, by a few bits of their keys.
  struct RecentCount {
    std::uint64_t key = 0, sequence = 0;
    Count* count = nullptr;
  };
  RecentCount recent_counts_[32];
  RecentCount& recent_count(std::uint64_t key) { return recent_counts_[mix(key) % 32]; }
  RowIndex count_index_;
  Arena arena_;
  std::size_t garbage_ = 0, garbage_kept_ = 0;  // all, and the place in arena_ it was counted to
  std::vector<Death> deaths_;
  std::unordered_map<std::string, std::string_view> names_;  // authors and sources, kept once
  std::uint64_t name_bytes_ = 0;                             // of names_
};

// Keys of the running totals.
constexpr std::uint64_t graph_count_key(std::uint32_t graph) {
  return (std::uint64_t{1} << 32) | graph;
}
constexpr std::uint64_t predicate_count_key(PredicateCode predicate) {
  return (std::uint64_t{2} << 32) | predicate;
}
inline constexpr std::uint64_t kLinksKey = std::uint64_t{3} << 32;
inline constexpr std::uint64_t kAssertionsKey = std::uint64_t{4} << 32;

}  // namespace anima::store::detail
