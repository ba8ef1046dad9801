// From a query's tree to a plan of the algebra.
//
// Chapter 18 of the recommendation, step by step: groups from the inside out, filters over their
// group, then grouping, HAVING, VALUES, SELECT's expressions, ORDER BY, projection, DISTINCT and
// the slice. Plans are made for one dataset: constants are codes already, and predicates that
// nothing is said with are gone. A variable of a sub-select that it does not project has a slot of
// its own. Thread-safety: belongs to one query. Complexity: of the text, and of the dataset's
// graphs where a GRAPH with a variable cannot be matched at once. Source: SPARQL 1.1 Query
// Language, section 18.2.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "query/derived.h"
#include "query/plan.h"
#include "query/values.h"
#include "sparql/plan/dataset.h"
#include "sparql/plan/hidden_triples.h"
#include "sparql/plan/vocabulary.h"
#include "sparql/syntax/ast.h"
#include "sparql/value/functions.h"

namespace anima::sparql::plan {

// What a translation stands on; all of it outlives the plan's run.
struct Ground {
  Dataset& dataset;
  Vocabulary& vocabulary;
  query::Values& values;
  const ExpressionContext& expressions;
  std::function<const HiddenTriples&()> hidden;
  // What rules derive under a name from the default graph, null where none does; empty: nobody
  // knows.
  std::function<Result<std::shared_ptr<const query::DerivedRelation>>(std::string_view)> derived =
      {};
  std::function<std::vector<std::string>()> derived_names = {};  // that it knows; set with it
};

class Translator {
 public:
  explicit Translator(const Ground& ground) : ground_(ground) {}
  // Whether the plan holds rows that rules derived: it is true of this state alone.
  bool uses_derived() const { return uses_derived_; }

  // The plan's results are the wanted variables, in order.
  Result<query::Plan> query(const ast::Query& query, const std::vector<std::string>& wanted);
  Result<query::Plan> pattern(const ast::GroupPattern& group,
                              const std::vector<std::string>& wanted);
  // What is said of one thing: its predicates and objects, two results.
  Result<query::Plan> description(std::uint32_t node);

 private:
  using Slot = query::Slot;
  using NodePtr = query::NodePtr;
  using Names = std::unordered_map<std::string, Slot>;

  // Where patterns are matched: in a scope, and with `graph` in each of its graphs by itself.
  struct Target {
    std::uint16_t scope = Dataset::kDefault;
    std::optional<Slot> graph;
  };
  struct Group {
    NodePtr node;
    std::vector<query::Expr> filters;
  };
  // A basic graph pattern while its triples are collected.
  struct Basic {
    std::vector<query::StatementPattern> patterns;
    std::vector<query::Candidates> candidates;
    std::vector<query::Expr> conditions;
    struct Part {
      NodePtr node;
      double rows = 0;  // a guess
    };
    std::vector<Part> parts;  // what is no plain pattern
    bool impossible = false;
  };

  // --- slots (translate_query.cc)
  // Past the most that a plan may have, all are the last one, and finish() refuses the plan.
  Slot fresh();
  Slot blind();  // of tables whose cells nobody reads
  Slot slot_of(const std::string& name);
  Result<query::Plan> finish(NodePtr root, const std::vector<std::string>& wanted);

  // --- queries (translate_query.cc)
  Result<NodePtr> select(const ast::Query& query, const Target& target);
  Result<NodePtr> grouping(const ast::Query& query, NodePtr node);
  Result<NodePtr> group_keys(const ast::Query& query, NodePtr node, std::vector<Slot>* keys);
  // `result`: the slot of the outermost one's results; none: a fresh one.
  Status collect_aggregates(const ast::Expression& expression, std::optional<Slot> result,
                            NodePtr* input);
  Status sample_others(const ast::Expression& expression, const std::vector<Slot>& keys,
                       const ast::Query& query);
  Result<query::Aggregate> aggregate(const ast::Expression& expression, std::optional<Slot> result,
                                     NodePtr* input);
  Result<NodePtr> computed(const ast::Query& query, NodePtr node);
  Result<NodePtr> ordered(const ast::Query& query, NodePtr node);
  NodePtr sliced(const ast::Query& query, NodePtr node);
  Result<NodePtr> sub_select(const ast::Query& query, const Target& target);

  // --- groups (translate_group.cc)
  Result<NodePtr> filtered(const ast::GroupPattern& group, const Target& target);
  Result<Group> group(const ast::GroupPattern& group, const Target& target);
  Result<NodePtr> element(const ast::Element& element, NodePtr node, const Target& target);
  Result<NodePtr> optional(const ast::Element& element, NodePtr node, const Target& target);
  Result<NodePtr> minus(const ast::Element& element, NodePtr node, const Target& target);
  Result<NodePtr> unite(const ast::Element& element, const Target& target);
  Result<NodePtr> bind(const ast::Element& element, NodePtr node, const Target& target);
  Result<NodePtr> in_graph(const ast::Element& element);
  Result<NodePtr> in_each_graph(const ast::Element& element);
  Result<NodePtr> in_any_graph(const ast::Element& element);
  NodePtr graph_table(Slot slot);
  NodePtr with_graph(NodePtr node, const Target& target);
  std::uint32_t graph_code(store::GraphId graph);
  Result<NodePtr> values(const ast::InlineData& data);
  NodePtr nothing();

  // --- what filters say of values (translate_ranges.cc)
  struct Range {
    std::optional<double> low, high;     // of a number
    std::optional<std::uint32_t> exact;  // this code and no other
  };
  std::unordered_map<Slot, Range> ranges_of(const ast::GroupPattern& group);
  void note_range(const ast::Expression& condition, std::unordered_map<Slot, Range>* ranges);
  void restrict(Basic* basic) const;
  std::optional<std::vector<std::uint32_t>> values_in(const query::StatementPattern& pattern,
                                                      const Range& range) const;

  // --- triples (translate_triples.cc)
  Result<NodePtr> basic(const std::vector<ast::TriplePattern>& triples, const Target& target);
  NodePtr arrange(Basic basic);
  query::Ref ref(const ast::Term& term);
  std::uint32_t code_of(const ast::Term& term);
  Status statement(query::Ref subject, std::string_view iri, query::Ref object,
                   const Target& target, Basic* basic);
  Result<std::shared_ptr<const query::DerivedRelation>> derived(std::string_view iri,
                                                                const Target& target);
  Result<std::vector<NodePtr>> all_derived(query::Ref subject, Slot predicate, query::Ref object,
                                           const Target& target);
  Status open_statement(query::Ref subject, Slot predicate, query::Ref object, const Target& target,
                        Basic* basic);
  void stated(query::Ref subject, Slot predicate, query::Ref object, const Target& target,
              std::vector<NodePtr> branches, Basic* basic);
  void existence(query::Ref subject, query::Ref object, const Target& target,
                 std::vector<std::uint32_t>* plain, std::vector<NodePtr>* branches);
  void references(const query::StatementPattern& pattern, std::vector<std::uint32_t> predicates,
                  std::optional<bool> literal, std::vector<NodePtr>* branches);
  query::StatementPattern pattern_of(query::Ref subject, std::vector<std::uint32_t> predicates,
                                     query::Ref object, const Target& target) const;
  void add_branches(std::vector<NodePtr> branches, const query::StatementPattern& like,
                    Basic* basic);
  double guess(const query::StatementPattern& pattern) const;

  // --- hidden triples (translate_hidden.cc)
  struct Row {
    std::uint32_t subject = 0, predicate = 0, object = 0, graph = 0;
  };
  NodePtr hidden(query::Ref subject, query::Ref predicate, query::Ref object,
                 const PredicateUse* use, const Target& target);
  void hidden_existence(const Target& target, std::vector<Row>* rows);
  void hidden_parts(const PredicateUse* use, const Target& target, std::vector<Row>* rows);
  NodePtr table_of(const std::vector<Row>& rows, const query::Ref (&refs)[3],
                   std::optional<Slot> graph);

  // --- property paths (translate_path.cc)
  Status path(query::Ref subject, const ast::Path& path, query::Ref object, const Target& target,
              Basic* basic);
  Status alternatives(query::Ref subject, const ast::Path& path, query::Ref object,
                      const Target& target, Basic* basic);
  Status negated(query::Ref subject, const ast::Path& path, query::Ref object, const Target& target,
                 Basic* basic);
  Status closure(query::Ref subject, const ast::Path& path, query::Ref object, const Target& target,
                 Basic* basic);
  Result<query::PathExpr> path_expression(const ast::Path& path, const Target& target);
  query::PathExpr negated_expression(const ast::Path& path);
  static query::PathExpr repeated_again(query::PathExpr outer);
  std::vector<std::uint32_t> predicates_of(std::string_view iri);

  // --- expressions (translate_expression.cc)
  Result<query::Expr> expression(const ast::Expression& expression, const Target& target);
  Result<query::Expr> condition(const ast::Expression& expression, const Target& target);
  Result<query::Expr> exists(const ast::Expression& expression, const Target& target);
  // Puts the number of the solution below what was translated since `row_slot_` was emptied.
  NodePtr with_row_number(NodePtr node, bool had_one);

  const Ground& ground_;
  Names names_;
  Slot next_slot_ = 0;
  std::optional<Slot> blind_slot_;
  std::vector<std::string> slot_names_;
  bool uses_nodes_ = false;
  bool uses_graphs_ = false;
  bool uses_derived_ = false;
  bool each_graph_ = false;  // the GRAPH at hand has to be matched graph by graph
  // Of the query that is being translated: its aggregates, and the slots of their results.
  std::vector<query::Aggregate> aggregates_;
  std::unordered_map<const ast::Expression*, Slot> aggregate_slots_;
  Target select_target_;  // where its expressions' patterns are matched
  std::optional<Slot> row_slot_;
  // What the filters of the group at hand leave of its variables.
  std::unordered_map<Slot, Range> ranges_;
};

}  // namespace anima::sparql::plan
