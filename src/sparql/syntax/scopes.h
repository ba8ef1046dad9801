// Which variables are in scope where, and what may not be done with them.
//
// Thread-safety: pure functions over a tree; a VariableSet belongs to one thread.
// Source: SPARQL 1.1 Query Language, sections 18.2.1 and 19.8 (notes 12 to 14).
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "sparql/syntax/ast.h"

namespace anima::sparql::syntax {

// Names in the order in which they were first met.
class VariableSet {
 public:
  void add(const std::string& name) {
    if (known_.insert(name).second) names_.push_back(name);
  }
  bool contains(const std::string& name) const { return known_.count(name) != 0; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_set<std::string> known_;
};

// Adds what the part makes visible to its group.
void add_visible(const ast::Element& element, VariableSet& out);
void add_visible(const ast::GroupPattern& group, VariableSet& out);
// What a query's modifiers and its projection can see.
void add_visible_of_where(const ast::Query& query, VariableSet& out);

// The first variable that the expression names outside of aggregates and that `known` does not
// hold; null when there is none. Patterns of EXISTS are not looked into.
const ast::Expression* first_unknown(const ast::Expression& expression, const VariableSet& known);
bool has_aggregate(const ast::Expression& expression);

}  // namespace anima::sparql::syntax
