// Recursive descent over the lexer's tokens, one token ahead. Every function leaves the position
// behind what it read.
#pragma once

#include <string>
#include <string_view>

#include "kip/detail/lexer.h"
#include "kip/parser.h"

namespace anima::kip::detail {

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) { token_ = lexer_.next(); }

  Outcome<std::vector<Statement>> script();

 private:
  // --- tokens (parser.cc)
  void advance();
  bool at_word(std::string_view word) const;
  bool at_punctuation(std::string_view mark) const;
  bool take_word(std::string_view word);
  bool take_punctuation(std::string_view mark);
  Check expect_word(std::string_view word, const char* hint = "");
  Check expect_punctuation(std::string_view mark, const char* hint = "");
  Check expect_colon();
  tl::unexpected<Fault> unexpected(const std::string& wanted, const std::string& hint = {}) const;
  tl::unexpected<Fault> syntax(std::uint32_t offset, std::string message,
                               std::string hint = {}) const;
  std::string describe_token() const;
  Place place() const { return {token_.offset}; }
  Check deeper();
  void shallower() { --depth_; }

  // --- values (parser.cc)
  Outcome<std::string> string_text();
  Outcome<std::string> variable(const char* what);
  Outcome<Atom> string_atom(const char* what);
  Outcome<Atom> count_atom(const char* what, std::int64_t minimum);
  Outcome<Value> value(bool update);
  Outcome<Value> array(bool update);
  Outcome<Value> object(bool update);
  Outcome<Value> call();
  Outcome<Value> number_value();
  Outcome<DotPath> dot_path();

  // --- patterns and KQL (parse_query.cc)
  Outcome<Find> find();
  Outcome<FindItem> find_item();
  Outcome<OrderKey> order_key();
  Outcome<std::vector<Clause>> where();
  Outcome<std::vector<Clause>> block(bool may_be_empty);
  Outcome<Clause> clause();
  Outcome<ConceptMatch> concept_match(bool may_be_empty);
  Outcome<LinkMatch> link_match();
  Outcome<Endpoint> endpoint();
  Outcome<PredicateMatch> predicate();
  Outcome<Hops> hops();
  Outcome<Condition> condition();
  Outcome<Condition> conjunction();
  Outcome<Condition> unary();
  Outcome<Condition> comparison();
  Outcome<Condition> function(Condition::Kind kind);
  Outcome<Condition> operand();

  // --- KML and META (parse_change.cc)
  Outcome<Statement> statement();
  Outcome<Upsert> upsert();
  Outcome<UpsertBlock> upsert_block();
  Check upsert_item(UpsertItem* item);
  Outcome<PropositionEntry> proposition_entry();
  Check item_parts(UpsertItem* item);
  Outcome<Delete> remove();
  Outcome<Update> update();
  Outcome<Merge> merge();
  Outcome<Describe> describe();
  Outcome<Search> search();
  Outcome<Export> export_statement();
  Check metadata(std::optional<Value>* into);

  Lexer lexer_;
  Token token_;
  std::uint32_t last_end_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace anima::kip::detail
