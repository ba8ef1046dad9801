// Expressions of SPARQL as functions and conditions of the algebra.
//
// They work on whole columns of codes: equal codes decide without a look at the terms, small
// integers are computed as they stand, and a text is read only where the answer depends on it. An
// error is code 0 where a term is wanted and Truth::kError where a truth is. Ownership: what is
// made holds the context's texts; `random` has to outlive it. Thread-safety: what is made is
// immutable and may be shared, but for calls that use `random` (RAND, UUID, STRUUID). Source:
// SPARQL 1.1 Query Language, section 17; XPath and XQuery Functions 3.1.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "query/plan.h"
#include "query/values.h"
#include "sparql/syntax/ast.h"

namespace anima::sparql {

struct ExpressionContext {
  std::string base_iri;      // of IRI() and URI()
  Timestamp now;             // of NOW()
  Random* random = nullptr;  // of RAND(), UUID() and STRUUID(); null: these are errors
  std::string bnode_scope;   // letters and digits: nodes of BNODE() are labelled with it
};

// Everything of ast::Expression but kTerm, kExists, kNotExists and kAggregate, over arguments that
// are made already. BNODE(label) may have one argument more, the number of the solution
// (row_number()): a label is one node within a solution. Without it each row has its own. Errors:
// kUnsupported, no such function.
Result<query::Expr> make_expression(const ast::Expression& expression,
                                    std::vector<query::Expr> arguments,
                                    const ExpressionContext& context);

// The effective boolean value: what FILTER, HAVING and the condition of OPTIONAL are wrapped in.
query::Expr as_condition(query::Expr expression);

// An integer that no other row of the query has.
query::Expr row_number();

// Cells of the argument are 0 where its expression is an error: SUM, AVG, MIN, MAX and GROUP_CONCAT
// are unbound then, COUNT and SAMPLE take no notice. COUNT(*) has no argument; with DISTINCT the
// caller sets Aggregate::row.
Result<query::Aggregate> make_aggregate(const ast::Expression& expression, query::Slot argument,
                                        query::Slot result, const ExpressionContext& context);

// For OrderKey::maker, with unbound_last = false.
query::SortKey sparql_sort_key(query::Values& values, std::uint32_t code);

}  // namespace anima::sparql
