// Reads what the pieces of a sentence state (statement.h), whatever kind of sentence it is: whoever
// calls has seen that it is no question and denies nothing (saying.h). Thread-safety: one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ask/lexicon/lexicon.h"
#include "ask/parse/reading.h"
#include "ask/parse/statements/left_over.h"
#include "ask/parse/statements/statement.h"

namespace anima::ask {

class StatementReader {
 public:
  // The pieces are of the sentence, and so are the marks; all outlive it. What a value ends with is
  // what the sentence ends with.
  StatementReader(const Lexicon& lexicon, const SentenceMarks& marks, std::string_view sentence,
                  std::vector<Piece> pieces, AskTime now);
  StatementReader(const StatementReader&) = delete;
  StatementReader& operator=(const StatementReader&) = delete;

  std::optional<Statement> stated() const;
  // The pieces from .. on as the value that a thing gets under an attribute's or a predicate's
  // name; nothing where they cannot be one.
  std::optional<Statement> value_of(store::EntityId thing, int attribute, std::size_t from) const;
  std::optional<Statement> object_of(store::EntityId thing, int predicate, std::size_t from) const;
  // "the ATTRIBUTE of THING", "THING's ATTRIBUTE": the pieces before `to`, with the value that
  // stands from `from` on.
  std::optional<Statement> value_stated(std::size_t to, std::size_t from) const;

  bool is(std::size_t at, WordClass word_class) const;
  bool inside_a_name(std::size_t at) const;
  bool is_copula(std::size_t at) const;  // of the present
  // Words that each begin with a capital letter and mean nothing else, or a quotation.
  bool is_name(std::size_t from) const;
  bool names_a_thing() const;
  std::size_t after_articles(std::size_t at) const;
  // The things that the pieces from .. to name exactly.
  std::vector<store::EntityId> things(std::size_t from, std::size_t to) const;
  std::string as_said(std::size_t from, std::size_t to) const;
  const std::vector<Piece>& pieces() const { return pieces_; }
  const std::vector<Sense>& senses() const { return senses_; }
  const LeftOver& left_over() const { return left_over_; }

 private:
  std::optional<Statement> value_stated() const;
  std::vector<store::EntityId> whose(const Sense& attribute, std::size_t to) const;
  bool to_named_value(const Piece& value, Statement& stated) const;
  std::optional<Statement> link_stated() const;
  std::vector<std::vector<Piece>> questions() const;
  std::optional<Statement> link_of(const Reading& reading) const;
  std::optional<Statement> said_to_be() const;
  std::optional<std::string> day_said(std::size_t from) const;
  std::string value_text(std::size_t from) const;
  bool is_written_so(std::size_t from, std::string_view between) const;
  static bool keeps_its_digits(const Piece& number);
  bool is_sure(store::EntityId thing, int attribute, std::size_t from,
               const std::string& text) const;
  bool is_known_value(int attribute, std::size_t from, const std::string& text) const;
  std::string negation_in(std::size_t from) const;
  bool is_clause(std::size_t from) const;
  bool speaks_of_others(std::size_t from) const;
  bool has_unknown_word(std::size_t from) const;
  bool names_schema(std::size_t from) const;
  bool moves(std::size_t from) const;

  const Lexicon& lexicon_;
  const Pack& pack_;
  const SentenceMarks& marks_;
  std::string_view sentence_;
  AskTime now_;
  std::vector<Piece> pieces_;
  std::vector<Sense> senses_;
  LeftOver left_over_;
};

}  // namespace anima::ask
