// What the nodes of a plan bind, and which of them may see what their left side bound.
//
// SPARQL evaluates from the inside out, the algebra of query/plan.h from the left to the right: a
// side that is seeded with the rows of the other one must give the same rows as if it stood alone.
// Pure functions. Source: SPARQL 1.1 Query Language, section 18.
#pragma once

#include "query/plan.h"

namespace anima::sparql::plan {

struct Bindings {
  query::SlotSet certain;   // bound in every row
  query::SlotSet possible;  // bound in some
};

// Of a node that stands alone.
Bindings bindings_of(const query::Node& node);
query::SlotSet slots_of(const query::Expr& expression);
// Whether the node, seeded with rows that bind (some of) `outer`, gives the rows that it would give
// alone, restricted to those that agree with the seed.
bool is_seed_safe(const query::Node& node, const query::SlotSet& outer);

// left joined with right, which is seeded with left's rows when it may, else hashed.
query::NodePtr join_sides(query::NodePtr left, query::NodePtr right);
query::NodePtr left_join_sides(query::NodePtr left, query::NodePtr right,
                               std::vector<query::Expr> conditions);

}  // namespace anima::sparql::plan
