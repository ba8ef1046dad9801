// The algebra under KIP and SPARQL: what is asked of a snapshot, as a tree of nodes over numbered
// variables (slots).
//
// A node turns a stream of rows into a stream of rows; a leaf extends the rows that reach it, so
// Join(a, b) feeds the rows of a into b, and the right side of a LeftJoin or AntiJoin
// sees what its left side bound. A side that must not see it (a SPARQL sub-select, a KIP UNION
// branch) is marked `isolated`: it is evaluated alone and joined by hash. Rows are multisets;
// Distinct makes sets. A cell is a store term code; 0 is unbound. Values are compared by identity
// in patterns, and by whatever Function and Condition the language brings in expressions.
//
// Ownership: a Plan owns its nodes; Functions are shared and immutable. Thread-safety: a finished
// Plan may be run from any number of threads.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "query/derived_edges.h"
#include "store/ids.h"
#include "store/snapshot.h"

namespace anima::query {

using Slot = std::uint32_t;
inline constexpr std::size_t kMaxSlots = 256;
using SlotSet = std::bitset<kMaxSlots>;

// Column of one expression or slot over the rows of a batch.
struct ColumnView {
  const std::uint32_t* data = nullptr;  // null: unbound in every row
  bool constant = false;                // one cell stands for all rows
  std::uint32_t operator[](std::size_t row) const {
    return data == nullptr ? 0 : data[constant ? 0 : row];
  }
};

class Values;

// A vectorised scalar function. Called once a batch; must fill out[0 .. rows). Immutable.
class Function {
 public:
  virtual ~Function() = default;
  virtual std::string name() const = 0;
  // Whether it says something new each time it is asked (a random number, a fresh node): then it is
  // asked once for each of the rows that stand for many.
  virtual bool varies() const { return false; }
  virtual void apply(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
                     std::uint32_t* out) const = 0;
};

enum class Truth : std::uint8_t { kFalse = 0, kTrue = 1, kError = 2 };

// A vectorised test. Called once a batch with the rows that earlier conjuncts left.
class Condition {
 public:
  virtual ~Condition() = default;
  virtual std::string name() const = 0;
  virtual void test(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
                    Truth* out) const = 0;
};

struct Node;
using NodePtr = std::unique_ptr<Node>;

struct Expr {
  enum class Kind : std::uint8_t {
    kConstant,
    kSlot,
    kFunction,
    kCondition,
    kAnd,
    kOr,
    kNot,
    kExists,
  };
  Kind kind = Kind::kConstant;
  store::Term constant;
  Slot slot = 0;
  std::vector<Expr> parts;  // arguments
  std::shared_ptr<const Function> function;
  std::shared_ptr<const Condition> condition;
  std::shared_ptr<const Node> pattern;  // of kExists

  static Expr of(store::Term term);
  static Expr of_slot(Slot slot);
  static Expr call(std::shared_ptr<const Function> function, std::vector<Expr> arguments);
  static Expr test(std::shared_ptr<const Condition> condition, std::vector<Expr> arguments);
  static Expr all(std::vector<Expr> parts);
  static Expr any(std::vector<Expr> parts);
  static Expr negate(Expr part);
  // Whether the pattern has a row that agrees with the row at hand, whose cells it sees. It may
  // stand anywhere in an expression; a conjunct that is nothing else, or its negation, becomes a
  // semi or anti join.
  static Expr exists(NodePtr pattern);
  bool has_exists() const;
  bool varies() const;
  // What the expression may read; of kExists every slot of its pattern.
  void collect(SlotSet* slots) const;
};

// A constant or a slot.
struct Ref {
  bool is_slot = false;
  std::uint32_t value = 0;  // code or slot
  static Ref constant(std::uint32_t code) { return {false, code}; }
  static Ref slot(Slot slot) { return {true, slot}; }
};

inline constexpr std::uint8_t kLinks = 1, kStructure = 2, kAttributes = 4, kMetadataKeys = 8;

// (subject, predicate, object). A predicate cell holds the predicate's code: for a link the code of
// its $PropositionType concept, for an attribute the term of its key. With Plan::predicate_nodes, a
// predicate slot holds the predicate's node instead, and `proposition` needs a constant predicate.
struct StatementPattern {
  Ref subject, predicate, object;
  // Further predicates of a constant one: a statement with any of them matches.
  std::vector<std::uint32_t> also;
  std::optional<Slot> proposition;  // the link's own entity
  // The node of the graph that asserts the statement, of Plan::named_graphs: a row for each.
  std::optional<Slot> graph;
  std::uint8_t classes = kLinks;  // what an open predicate ranges over
  std::uint16_t scope = 0;        // index into Plan::scopes
};

// A slot restricted to a sorted list of codes.
struct Candidates {
  Slot slot = 0;
  std::vector<std::uint32_t> codes;
};

// Which of the stated edges of a predicate a path may go. Immutable.
class EdgeTest {
 public:
  virtual ~EdgeTest() = default;
  virtual bool holds(const store::Snapshot& snapshot, const store::Triple& edge) const = 0;
};

struct PathExpr {
  enum class Kind : std::uint8_t { kStep, kInverse, kSequence, kAlternative, kRepeat, kNegated };
  Kind kind = Kind::kStep;
  std::vector<std::uint32_t> predicates;      // of kStep (any of them); of kNegated (none of them)
  std::shared_ptr<const EdgeTest> test;       // of kStep: of what is stated; null: all of it
  std::shared_ptr<const DerivedEdges> edges;  // of kStep: further ways to go; null: none
  std::vector<PathExpr> parts;
  std::uint32_t minimum = 1;             // of kRepeat
  std::optional<std::uint32_t> maximum;  // of kRepeat; unset = any number
};

struct PathPattern {
  Ref subject, object;
  PathExpr path;
  // What a path of no steps joins with itself when both ends are open: every concept and link
  // (KIP), or every subject and object of a statement (SPARQL).
  bool links_are_nodes = false;
  std::optional<Slot> graph;  // as of a StatementPattern: the whole path lies in one graph
  std::uint16_t scope = 0;
};

enum class AggregateKind : std::uint8_t {
  kCountRows,
  kCount,       // values that are not null
  kCountBound,  // whatever is bound
  kSum,
  kAverage,
  kMinimum,
  kMaximum,
  kSample,
  kAccumulate
};

// What an aggregate of a language's own keeps of all groups while their rows go by.
class Accumulated {
 public:
  virtual ~Accumulated() = default;
  virtual void resize(std::size_t groups) = 0;
  // One value of a group, 0 where there is none, in row order; it stands there `times` times.
  virtual void add(Values& values, std::uint32_t group, std::uint32_t code,
                   std::uint64_t times) = 0;
  virtual store::Term result(Values& values, std::size_t group) const = 0;
  // What it holds, without what it took from the values.
  virtual std::uint64_t bytes() const = 0;
};

class Accumulation {
 public:
  virtual ~Accumulation() = default;
  virtual std::string name() const = 0;
  virtual std::unique_ptr<Accumulated> begin() const = 0;
};

struct Aggregate {
  AggregateKind kind = AggregateKind::kCountRows;
  bool distinct = false;  // by identity of terms
  Slot argument = 0;
  Slot result = 0;
  std::vector<Slot> row;  // of kCountRows that is distinct: what makes two rows differ
  std::shared_ptr<const Accumulation> accumulation;
};

// Where a value stands in an order: first by class, then by number, then by text.
struct SortKey {
  std::uint8_t rank = 0;
  double number = 0;
  std::string_view text;
  auto operator<=>(const SortKey&) const = default;
};
using SortKeyMaker = SortKey (*)(Values& values, std::uint32_t code);

struct OrderKey {
  Slot slot = 0;
  bool descending = false;
  bool unbound_last =
      true;  // in both directions; else unbound sorts first ascending, last descending
  SortKeyMaker maker = nullptr;  // null: by code (identity), cheapest and stable
};

struct Node {
  enum class Kind : std::uint8_t {
    kUnit,
    kTable,
    kMatch,
    kPath,
    kJoin,
    kLeftJoin,
    kAntiJoin,
    kUnion,
    kFilter,
    kExtend,
    kDistinct,
    kGroup,
    kOrder,
    kSlice,
  };
  Node() = default;
  ~Node();  // without recursion: a long query is a deep tree
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Kind kind = Kind::kUnit;
  std::vector<NodePtr> inputs;
  bool isolated = false;      // kJoin, kLeftJoin, kAntiJoin: the right side stands alone
  bool needs_shared = false;  // kAntiJoin: rows that share no bound slot stay (SPARQL MINUS)
  std::vector<StatementPattern> patterns;  // kMatch
  std::vector<Candidates> candidates;      // kMatch
  PathPattern path;                        // kPath
  std::vector<Expr> conditions;            // kFilter: conjuncts; kLeftJoin: its condition
  Expr expression;                         // kExtend
  std::vector<Slot> slots;                 // kExtend: result; kDistinct, kGroup: keys; kTable
  std::vector<std::vector<std::uint32_t>> columns;  // kTable: of its slots; 0 agrees with anything
  std::vector<Aggregate> aggregates;                // kGroup
  std::vector<OrderKey> order;                      // kOrder
  std::uint64_t offset = 0;                         // kSlice
  std::uint64_t limit = ~std::uint64_t{0};          // kSlice; kOrder: how many rows are wanted
};

NodePtr unit();
// Rows that are written down (SPARQL VALUES), repeated as often as they stand there. Requires one
// slot or more, each of them once, and columns of one length.
NodePtr table(std::vector<Slot> slots, std::vector<std::vector<std::uint32_t>> columns);
NodePtr match(std::vector<StatementPattern> patterns, std::vector<Candidates> candidates = {});
NodePtr path(PathPattern pattern);
NodePtr join(NodePtr left, NodePtr right, bool isolated = false);
NodePtr left_join(NodePtr left, NodePtr right, std::vector<Expr> condition = {},
                  bool isolated = false);
NodePtr anti_join(NodePtr left, NodePtr right, bool isolated = false);
// SPARQL's MINUS: rows that share no bound slot with a row of the right side stay.
NodePtr minus(NodePtr left, NodePtr right);
NodePtr union_of(std::vector<NodePtr> inputs);
NodePtr filter(NodePtr input, std::vector<Expr> conditions);
NodePtr extend(NodePtr input, Slot slot, Expr expression);
// The first row of each key; other columns keep that row's cells.
NodePtr distinct(NodePtr input, std::vector<Slot> keys);
NodePtr group(NodePtr input, std::vector<Slot> keys, std::vector<Aggregate> aggregates);
NodePtr order_by(NodePtr input, std::vector<OrderKey> keys,
                 std::uint64_t limit = ~std::uint64_t{0});
NodePtr slice(NodePtr input, std::uint64_t offset, std::uint64_t limit);

// What stands for predicates where they are subjects, objects or values. Immutable.
class PredicateNodes {
 public:
  virtual ~PredicateNodes() = default;
  // The node of the predicate of a statement; 0: the statement is not to be seen.
  virtual std::uint32_t node_of(const store::Triple& statement) const = 0;
  // A predicate whose statements are to be seen.
  struct Seen {
    store::Predicate predicate;
    std::uint32_t node = 0;                   // of all its statements; 0: they have different ones
    std::span<const store::EntityId> unseen;  // but those with these objects are not to be seen
  };
  // Each once. Statements with any other predicate are not to be seen.
  virtual std::span<const Seen> seen() const = 0;
  // The predicates that may have this node, each once.
  virtual std::span<const std::uint32_t> predicates_of(std::uint32_t node) const = 0;
};

struct NamedGraph {
  store::GraphId graph = store::GraphId::kDefault;
  std::uint32_t node = 0;
};

struct Plan {
  // Resolves constants that no dictionary holds; made by run() when null. A plan that has one
  // belongs to one thread.
  std::shared_ptr<Values> values;
  NodePtr root;
  Slot slot_count = 0;
  std::vector<Slot> results;            // the columns wanted
  std::vector<std::string> slot_names;  // for EXPLAIN; may be shorter than slot_count
  std::vector<store::Snapshot> scopes;  // at least one; StatementPattern::scope picks
  std::shared_ptr<const PredicateNodes> predicate_nodes;  // null: predicates stand for themselves
  std::vector<NamedGraph> named_graphs;  // each graph once: what the slots of graphs range over
  // An unbound slot matches anything in a pattern (SPARQL) or nothing (KIP).
  bool unbound_matches_all = false;
};

}  // namespace anima::query
