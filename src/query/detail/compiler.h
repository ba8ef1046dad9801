// Compiler: turns the nodes of a plan into operators, from the last to the first.
//
// Each node is compiled with a Request, what is asked of it from downstream, and gives a Part, what
// it asks of upstream. Three files: compile.cc has the choice by node and what looks at rows only,
// compile_match.cc patterns and paths, compile_joins.cc the joins. Thread-safety: one thread.
// Complexity: of a plan's nodes and conditions; no rows are read but what planning a match needs.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"
#include "query/detail/analyse.h"
#include "query/detail/compile.h"
#include "query/detail/match.h"
#include "query/detail/operators.h"

namespace anima::query::detail {

std::vector<Slot> list_of(const SlotSet& set);

SlotSet slots_of(const Expr& expr);

// What a compiled part looks like from upstream.
struct Part {
  Operator* entry = nullptr;
  SlotSet needs;  // slots that must reach it
};

// What is asked of a part.
struct Request {
  Operator* next = nullptr;
  SlotSet live;                         // slots that `next` reads
  Bound in;                             // what the seed rows bind
  bool duplicates = true;               // false: nobody counts equal rows
  bool alone = true;                    // the seed is the one empty row
  std::vector<const Expr*> conditions;  // to be applied as early as their slots are bound
  const Marks* marks = nullptr;
  TopRows* top = nullptr;  // behind this part, with nothing between that changes the rows' order
};

class Compiler {
 public:
  Compiler(Run& run, Statistics& statistics)
      : run_(run), statistics_(statistics), next_hidden_(run.plan.slot_count) {}

  // Errors: kInternal, a plan that no language makes.
  Result<Part> compile(const Node& node, Request request);

  Pipeline take(Operator* entry);

 private:
  template <typename T>
  T* keep(std::unique_ptr<T> op) {
    T* raw = op.get();
    pipeline_.operators.push_back(std::move(op));
    return raw;
  }
  // Shows what was kept since `from` one step further in.
  void indent(std::size_t from);

  // A filter in front of `part`; the condition given first is tested first, patterns last. `bound`
  // is what reaches the filter.
  Result<Part> filters(const std::vector<const Expr*>& conditions, Part part, const Bound& bound);
  // The same behind a node that `in` reaches.
  Result<Part> filters(const std::vector<const Expr*>& conditions, const Part& part,
                       const Node& node, const Bound& in);
  // Everything the node's parts below cannot take is applied to its output.
  Result<Request> below(const Node& node, const Request& request);
  // The patterns within the expression as joins in front of `part`, which put their truth in slots.
  Result<Part> marks(const Expr& expr, Part part, const Bound& bound);
  Result<Part> exists(const Node& pattern, SeededJoin::Kind kind, Slot result, const Part& next,
                      const Bound& bound);
  // Whether the condition on the node, which `in` reaches, reads nothing but what `middle` binds.
  static bool is_early(const Expr& condition, const Bound& middle, const Node& node,
                       const Bound& in);
  // KIP: a slot that is unbound in a row matches nothing.
  void drop_unbound(const SlotSet& slots, const Bound& in, Part* part);
  // Null where what was learnt of one snapshot says nothing of the next.
  Shelves* shelves() const;

  Result<Part> match(const Node& node, const Request& request);
  Part step(const Step& it, const SlotSet& reaching, const SlotSet& bound, const Part& next,
            const Request& request);
  Result<Part> path(const Node& node, const Request& request);
  Result<Part> table(const Node& node, const Request& request);

  Result<Part> join(const Node& node, const Request& request);
  Result<Part> seeded(const Node& node, SeededJoin::Kind kind, const Request& request);
  Result<Part> hash_join(const Node& node, HashJoin::Kind kind, const Request& request);

  Result<Part> unite(const Node& node, const Request& request);
  Result<Part> extend(const Node& node, const Request& request);
  // Nodes that look at all rows before they say anything.
  Result<Part> whole(const Node& node, const Request& request);

  Run& run_;
  Statistics& statistics_;
  std::size_t next_hidden_;
  Pipeline pipeline_;
};

}  // namespace anima::query::detail
