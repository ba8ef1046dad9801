// Plans: a rule's body as a list of operators over batches of bindings.
//
// A plan starts from a source (rows of one literal's relation or delta, given head values, or one
// empty binding) and binds variables operator by operator. Slot v holds the rule's variable v;
// three more slots carry a binding's height, the number of the candidate that it came from and that
// candidate's height.
//
// Atoms are ordered by exact cardinalities and estimated fan-out; what computes or tests stands as
// early as its inputs are bound, except that a literal that can fail stays behind everything that
// stood to its left. In a cyclic body, atoms that lack the same single variable are met: the
// shortest posting run is walked, the others are tested (spec 2.9). Plain data; thread-safety:
// immutable after planning.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "datalog/engine/network.h"

namespace anima::datalog {

using Slot = std::uint32_t;

// How an atom is looked up at its place in the plan.
struct Access {
  std::uint32_t literal = kNone;  // place in the body
  RelationId relation = kNone;
  bool recursive = false;  // written by the component that the rule belongs to
  std::uint32_t columns = 0;
  std::vector<std::uint32_t> key_columns;                 // ascending: bound before
  std::vector<Argument> key;                              // slots or codes, as key_columns
  std::vector<std::pair<std::uint32_t, Argument>> tests;  // bound columns beyond the index's width
  std::vector<std::pair<std::uint32_t, Slot>> binds;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> same;  // two columns with one new variable

  bool full() const { return key_columns.size() == columns; }
};

enum class OpKind : std::uint8_t {
  kProbe,    // rows of an atom by its bound columns (none bound: every row)
  kMeet,     // one variable from several atoms
  kExists,   // some row
  kMissing,  // no row
  kAssign,
  kCompare,
  kBuiltin,
  kAsk,  // a virtual predicate is asked for the inputs; a probe of its memo follows
};

struct Op {
  OpKind kind = OpKind::kProbe;
  std::uint32_t literal = kNone;
  std::vector<Access> access;  // one; kMeet: two or more
  std::vector<Slot> carry;     // bound before and still wanted behind
  bool known = false;          // kAssign: the variable is bound already, so it is a test
  std::vector<bool> bound;     // kBuiltin: outputs that are bound already
};

enum class SourceKind : std::uint8_t {
  kUnit,  // one binding without variables
  kRows,  // rows of `access` (a delta)
  kHead,  // values of the head (or of the group's keys)
};

enum class PlanGoal : std::uint8_t {
  kFull,   // every solution
  kDelta,  // solutions that use a row of the delta at `delta_literal`
  kCheck,  // solutions for given head values
  kGroup,  // solutions for given keys of the do-transform
};

struct Plan {
  const NetworkRule* rule = nullptr;
  PlanGoal goal = PlanGoal::kFull;
  std::uint32_t delta_literal = kNone;
  bool track = false;  // the height slot is kept
  bool guard = false;  // recursive atoms only match rows below the guard slot's height
  SourceKind source = SourceKind::kUnit;
  Access access;               // kRows
  std::vector<Argument> head;  // kHead: what each given value is matched with
  std::vector<Op> ops;
  std::vector<Slot> wanted;  // bound slots that the sink reads
  std::uint32_t slots = 0;
  // Estimated rows that the plan goes through: independent of the delta, and for each of its rows.
  double fixed_cost = 0;
  double cost_per_delta = 0;
  std::vector<std::pair<RelationId, std::uint64_t>> sizes;  // when it was planned

  std::size_t bytes() const;  // about
  Slot height_slot() const { return slots - 3; }
  Slot origin_slot() const { return slots - 2; }
  Slot guard_slot() const { return slots - 1; }
};

// What the planner asks about relations.
class Statistics {
 public:
  virtual ~Statistics() = default;
  virtual std::uint64_t rows(RelationId relation) const = 0;
  // Estimated rows for one key over these columns.
  virtual double fan_out(RelationId relation, std::span<const std::uint32_t> columns) const = 0;
  // Estimated rows with the key of some row, itself included: more than fan_out() where some keys
  // have many.
  virtual double companions(RelationId relation, std::span<const std::uint32_t> columns) const = 0;
  // Estimated rows with these values in these columns.
  virtual double matches(RelationId relation, std::span<const std::uint32_t> columns,
                         std::span<const Code> key) const = 0;
};

struct PlanRequest {
  PlanGoal goal = PlanGoal::kFull;
  std::uint32_t delta_literal = kNone;
  bool track = false;
  bool guard = false;
  bool keep_all = false;  // every variable of the body is kept (for explanations)
  // kDelta: the delta is looked up where it fits best instead of coming first. Good for large
  // deltas.
  bool late = false;
  std::uint64_t delta_rows = 0;  // for costs
};

Plan make_plan(const Network& network, std::uint32_t rule, const PlanRequest& request,
               const Statistics& statistics);

// Whether the relations have grown so much that another order may be better.
bool is_stale(const Plan& plan, const Statistics& statistics);

}  // namespace anima::datalog
