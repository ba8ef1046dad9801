// The recursive descent behind parser.h, a function for each rule or two of the grammar.
//
// After a failure every function returns at once, and the text seems to have ended; what was
// returned is then not used. Thread-safety: belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "sparql/iri.h"
#include "sparql/syntax/ast.h"
#include "sparql/syntax/lexer.h"
#include "sparql/syntax/parser.h"
#include "sparql/syntax/scopes.h"

namespace anima::sparql::syntax {

class Grammar {
 public:
  Grammar(std::string_view text, std::string_view base);

  ast::Query query();
  ast::Update update();
  bool failed() const { return lexer_.failed() || limit_.has_value(); }
  Error error() const { return limit_ ? *limit_ : lexer_.error(); }

 private:
  using Kind = Token::Kind;
  using ExprKind = ast::Expression::Kind;
  // What a blank node label may be used for (19.6).
  enum class BlankRule : std::uint8_t { kPattern, kTemplate, kData, kForbidden };

  // One level deeper while it lives; fails where that is too deep.
  class Deeper {
   public:
    explicit Deeper(Grammar& grammar);
    ~Deeper() { --grammar_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Grammar& grammar_;
  };

  // --- tokens (grammar.cc)
  void advance();
  bool is_mark(std::string_view mark) const;
  bool is_word(std::string_view word) const;  // `word` in upper case
  bool take_mark(std::string_view mark);
  bool take_word(std::string_view word);
  void expect_mark(std::string_view mark);
  void expect_word(std::string_view word);
  void expected(std::string_view what, std::string hint = {});
  void fail_at(const ast::Place& place, std::string message, std::string hint = {});
  void exceed(std::string message);
  bool at_end() const { return token_.kind == Kind::kEnd; }

  // --- prologue and names (grammar.cc)
  void prologue();
  std::string resolve(const std::string& reference, const ast::Place& place);
  bool at_iri() const { return token_.kind == Kind::kIri || token_.kind == Kind::kName; }
  std::string iri();
  std::string variable();
  ast::Term variable_or_iri();

  // --- queries (grammar.cc)
  void select(ast::Query& query);
  void select_clause(ast::Query& query);
  void projection(ast::Query& query);
  void construct(ast::Query& query);
  void describe(ast::Query& query);
  void ask(ast::Query& query);
  void dataset(ast::Dataset& dataset, std::string_view word);
  void where(ast::Query& query);
  void modifiers(ast::Query& query);
  void group_by(ast::Query& query);
  void order_by(ast::Query& query);
  void limits(ast::Query& query);
  std::uint64_t whole_number(std::string_view what);
  void check_select(ast::Query& query);
  void check_grouping(const ast::Query& query);

  // --- patterns (grammar_pattern.cc)
  ast::GroupPattern group();
  void group_part(ast::GroupPattern& group, VariableSet& visible);
  void bind(ast::Element& element, const VariableSet& visible);
  void union_of(ast::Element& element);
  ast::InlineData inline_data();
  std::vector<std::optional<ast::Term>> data_row(std::size_t width);
  std::optional<ast::Term> data_value();
  void add_element(ast::GroupPattern& group, ast::Element element);

  // --- triples (grammar_triples.cc)
  using Triples = std::vector<ast::TriplePattern>;
  bool at_node() const;
  void triples(Triples& out, bool paths);
  void same_subject(Triples& out, bool paths);
  void property_list(const ast::Term& subject, Triples& out, bool paths);
  bool at_verb(bool paths) const;
  std::variant<ast::Term, ast::Path> verb(bool paths);
  ast::Term node(Triples& out, bool paths, bool* stands_alone);
  ast::Term collection(Triples& out, bool paths);
  ast::Term blank_property_list(Triples& out, bool paths);
  std::optional<ast::Term> plain_term();  // variable, IRI, literal or blank node label
  std::optional<ast::Term> literal();
  std::optional<ast::Term> number();
  ast::Term string_literal();
  ast::Term blank(const std::string& label, const ast::Place& place);
  ast::Term fresh_blank();
  ast::Path path();
  ast::Path path_sequence();
  ast::Path path_element(bool inverse_allowed);
  ast::Path path_primary();
  void path_negated(ast::Path& path);
  void path_negated_one(ast::Path& path);

  // --- expressions (grammar_expression.cc)
  ast::Expression expression();
  ast::Expression conjunction();
  ast::Expression relation();
  ast::Expression sum();
  ast::Expression product();
  ast::Expression unary();
  ast::Expression primary();
  ast::Expression bracketed();
  ast::Expression constraint();
  bool at_constraint() const;
  ast::Expression call_or_iri();
  ast::Expression word_call();
  ast::Expression exists(bool negated);
  ast::Expression aggregate(const std::string& name);
  void separator(ast::Expression& call);
  void arguments(ast::Expression& call);
  void argument_list(ast::Expression& call);
  ast::Expression made(ExprKind kind) const;
  bool within_chain(std::size_t length);

  // --- updates (grammar_update.cc)
  void operation(ast::Update& update);
  void data(ast::Operation& operation, bool insert);
  void modify(ast::Operation& operation);
  void modify_behind(ast::Operation& operation, bool insert);
  void insert_or_delete(ast::Operation& operation);
  void delete_where(ast::Operation& operation);
  void load(ast::Operation& operation);
  void clear_or_drop(ast::Operation& operation);
  void create(ast::Operation& operation);
  void transfer(ast::Operation& operation, ast::Operation::Kind kind);
  ast::GraphTarget graph_or_default();
  ast::GraphTarget graph_reference(bool all);
  std::vector<ast::Quad> quads(BlankRule rule);
  void quad_triples(std::vector<ast::Quad>& out, const std::optional<ast::Term>& graph);

  Lexer lexer_;
  Token token_;
  IriBase base_;
  std::unordered_map<std::string, std::string> prefixes_;
  std::optional<Error> limit_;
  int depth_ = 0;

  BlankRule blank_rule_ = BlankRule::kPattern;
  std::uint32_t pattern_number_ = 0;  // of the basic graph pattern
  std::uint32_t last_pattern_ = 0;
  std::uint32_t operation_number_ = 0;
  std::unordered_map<std::string, std::uint32_t> pattern_of_label_, operation_of_label_;
  std::uint64_t fresh_ = 0;

  bool variables_allowed_ = true;  // not in data
  bool aggregates_allowed_ = false;
  bool aggregate_seen_ = false;
};

}  // namespace anima::sparql::syntax
