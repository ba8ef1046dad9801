// One sentence that somebody tells, read against what is known: what it means to do (saying.h).
//
// A SayingReader is of one sentence. Thread-safety: one thread. Errors: none; what is not read is a
// text, or nothing. Complexity: that of reading it as a statement, a few times.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ask/parse/statements/held_facts.h"
#include "ask/parse/statements/saying.h"
#include "ask/parse/statements/sentence_lead.h"
#include "ask/parse/statements/statement_reader.h"

namespace anima::ask {

class SayingReader {
 public:
  SayingReader(const Lexicon& lexicon, std::string_view sentence, AskTime now,
               const SayingContext& context);
  Said run();

 private:
  using Mark = language::Mark;
  using EntityId = store::EntityId;
  using Triple = store::Triple;
  static constexpr std::size_t kMostMeant = 5;  // things of which is asked which one is meant

  StatementReader reader_of(std::vector<Piece> pieces) const;

  // --- what a sentence may have around and in what it says
  void blank_sign(std::size_t from, std::size_t to, std::string_view signs);
  void take_out(std::size_t from, std::size_t count);
  void blank_unless_kept(const std::vector<Piece>& out, const std::vector<Piece>& kept);
  static std::string blanked(std::string body, const std::vector<Piece>& out,
                             const std::vector<Piece>& kept);
  void drop_what_changes_nothing();
  void drop_end();
  bool is_named_so(std::size_t at) const;
  void name_speaker();
  void drop_relative();
  std::size_t begins(Mark mark, std::size_t at) const;
  bool pronoun_at(std::size_t at) const;

  // --- the kinds
  Said read();
  bool states_behind_a_label() const;
  Said text(std::string left_over) const;
  Said unclear(std::string asks) const;
  Said unclear(std::vector<Said> choices) const;
  std::vector<Said> closing_each(Saying saying, const std::vector<Triple>& ends) const;
  Said closing(Saying saying, const Triple& ends) const;
  bool begins_otherwise() const;
  std::optional<Said> changed() const;

  // --- what holds no longer
  bool denies(const Piece& piece) const;

  // What ends a fact is "no longer", or a denial with "any more" at the end; nothing else may deny.
  struct Ending {
    std::size_t at = 0, count = 0;      // "no longer", "any more"
    std::optional<std::size_t> denial;  // of the second
  };
  std::optional<Ending> ending() const;
  bool is_place_of_denial(std::size_t at) const;
  bool is_only_denial(const Ending& ending) const;
  std::optional<Said> ended();
  std::string word_at(std::size_t at) const;
  std::vector<Piece> with_last_subject(std::vector<Piece> pieces) const;
  Said end_of(std::vector<Piece> rest) const;
  bool names_object(const Triple& fact, const std::vector<Piece>& pieces, std::size_t from,
                    std::size_t to) const;
  std::optional<Said> left_something(const StatementReader& reader) const;

  // --- corrections
  std::optional<Said> corrected();
  bool is_meant(const StatementReader& reader, const Statement& fact, std::size_t from) const;
  std::optional<Said> contrasted(std::size_t from);
  std::optional<std::string> odd_in_contrast(std::size_t denied, std::size_t instead) const;
  Said contrasted_of(std::size_t denied, std::size_t instead, std::size_t value) const;
  std::string text_of(std::size_t from, std::size_t to) const;
  Said replaced(std::size_t from, std::size_t to,
                const std::optional<std::pair<std::size_t, std::size_t>>& old) const;
  Said asking(Statement fact, const std::optional<Triple>& ends) const;
  std::optional<Statement> value_in_place(const StatementReader& reader, const Triple& fact,
                                          std::size_t from) const;
  int predicate_of(const Triple& fact) const;
  std::string key_of(const Triple& fact) const;
  Said withdrawing(const Triple& fact) const;
  Said withdraw() const;
  std::string first_sign() const;
  std::string which(const std::vector<Triple>& meant) const;
  std::string ask_kind(const Statement& fact) const;
  store::Predicate predicate_named(const Statement& fact) const;

  // --- facts
  Said of_fact(Statement fact) const;
  std::optional<Triple> said_of_another(const Statement& fact) const;
  std::optional<Statement> speakers_name(const StatementReader& reader) const;
  static bool is_in_longer_name(const StatementReader& reader, const Sense& part);
  std::optional<Said> several_things(const StatementReader& reader) const;
  bool is_past(const Statement& fact) const;
  bool has_verb(const StatementReader& reader, std::size_t from) const;
  bool tells_something(const StatementReader& reader) const;

  const Lexicon& lexicon_;
  const Pack& pack_;
  const store::Snapshot& snapshot_;
  std::string_view sentence_;
  std::string body_;  // the sentence, with blanks for what was taken out of it
  AskTime now_;
  const SayingContext& context_;
  SentenceMarks marks_;
  SentenceLead lead_of_;
  HeldFacts facts_;
  std::vector<Triple> last_, asked_;  // those of the context that hold by now
  std::vector<Triple> ended_;         // and that do not
  std::vector<Piece> pieces_;
  SentenceLead::Taken lead_;
  bool of_speaker_ = false;
};

}  // namespace anima::ask
