// Recursive descent over the lexer's tokens, one token ahead. Every function leaves the position
// behind what it read. What an UPSERT of thousands of items is made of is parsed in place, into a
// part of the tree that was just made.
#pragma once

#include <string>
#include <string_view>

#include "kip/detail/lexer.h"
#include "kip/filter_functions.h"
#include "kip/parser.h"

namespace anima::kip::detail {

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) { token_ = lexer_.next(); }

  Outcome<std::vector<Statement>> script();

 private:
  // --- tokens (parser.cc)
  void advance();
  bool at_word(std::string_view word) const {
    return token_.kind == TokenKind::kWord && token_.text == word;
  }
  bool at_punctuation(std::string_view mark) const {
    return token_.kind == TokenKind::kPunctuation && token_.text[0] == mark[0] &&
           token_.text == mark;
  }
  bool take_word(std::string_view word) {
    if (!at_word(word)) return false;
    advance();
    return true;
  }
  bool take_punctuation(std::string_view mark) {
    if (!at_punctuation(mark)) return false;
    advance();
    return true;
  }
  Check expect_word(std::string_view word, const char* hint = "");
  Check expect_punctuation(std::string_view mark, const char* hint = "") {
    if (take_punctuation(mark)) return {};
    return unexpected_mark(mark, hint);
  }
  Check expect_colon();
  Unexpected<Fault> unexpected_mark(std::string_view mark, const char* hint) const;
  Unexpected<Fault> unexpected(const std::string& wanted, const std::string& hint = {}) const;
  Unexpected<Fault> syntax(std::uint32_t offset, std::string message, std::string hint = {}) const;
  std::string describe_token() const;
  Place place() const { return {token_.offset}; }
  Check deeper();
  void shallower() { --depth_; }

  // --- values (parser.cc)
  Check string_text(std::string* into);
  Outcome<std::string> variable(const char* what);
  Check string_atom(const char* what, Atom* into);
  Outcome<Atom> count_atom(const char* what, std::int64_t minimum);
  Check value(bool update, Value* into);
  Check array(bool update, Value* into);
  Check object(bool update, Value* into);
  Check object_key(Value* object);
  Check call(Value* into);
  Check number_value(Value* into);
  Outcome<DotPath> dot_path();

  // --- patterns and KQL (parse_query.cc)
  Outcome<Find> find();
  Outcome<FindItem> find_item();
  Outcome<OrderKey> order_key();
  Outcome<std::vector<Clause>> where();
  Outcome<std::vector<Clause>> block(bool may_be_empty);
  Outcome<Clause> clause();
  Check concept_match(bool may_be_empty, ConceptMatch* into);
  Check link_match(LinkMatch* into);
  Check endpoint(Endpoint* into);
  Check predicate(PredicateMatch* into);
  Outcome<Hops> hops();
  Outcome<Condition> condition();
  Outcome<Condition> conjunction();
  Outcome<Condition> unary();
  Outcome<Condition> comparison();
  Outcome<Condition> function(const FilterFunction& known);
  Outcome<Condition> operand();

  // --- KML and META (parse_change.cc)
  Outcome<Statement> statement();
  Outcome<Upsert> upsert();
  Check upsert_block(UpsertBlock* into);
  Check upsert_item(UpsertItem* item);
  Check proposition_entry(PropositionEntry* into);
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
