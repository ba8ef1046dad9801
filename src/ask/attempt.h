// One attempt to understand a question with the words of one lexicon, and to run what it may mean.
//
// What is trusted goes first. An attempt with the words that are trusted is answered from what is
// trusted, and what the others would change is told beside it. One with all words comes after that,
// when it did not understand; there a reading with fewer words that nobody trusted made goes before
// one with more. An answer from what is not trusted stands only where there is no other.
// Thread-safety: one thread. Complexity: that of the questions' queries, twice where something is
// not trusted.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ask/answer/untrusted.h"
#include "ask/compile/runner.h"
#include "ask/conversation_state.h"
#include "ask/lexicon/lexicon_keeper.h"
#include "ask/parse/parser.h"

namespace anima::ask {

// Readings whose costs differ by no more mean it as much.
inline constexpr double kSameCost = 0.05;

// What is trusted enough to be the answer.
inline constexpr store::Trust kAnswers = store::Trust::kStandard;

// A lexicon and who keeps it.
struct Words {
  LexiconKeeper* keeper = nullptr;
  const Lexicon* lexicon = nullptr;
};

struct Question {
  std::string_view text;
  const AskOptions& options;
  AskTime now;
  bool other_time = false;  // than the clock's
  Conversation::State* talk = nullptr;
  kip::Engine& engine;
  store::Space& space;
  Words all;
  Words trusted;  // none: everything is
};

class Attempt {
 public:
  Attempt(const Question& question, bool trusted_only);

  Answer run();
  // After an ambiguous answer: the reading that was chosen.
  std::optional<Answer> choice(const std::vector<Reading>& choices);

 private:
  // A reading that was run; `weak`: over what is not trusted, too.
  struct Tried {
    Reading reading;
    Table table;
    bool weak = false;
  };

  Answer run_parsed();
  std::vector<Reading> read(const std::vector<Piece>& pieces, const Context& context);
  void take_speaker();
  void read_words();
  void guess_spelling(std::size_t at);
  bool written_together(std::size_t at) const;
  bool joined_by_sign(std::size_t at) const;
  std::vector<std::string> broken_names() const;
  std::vector<bool> explained(const std::vector<Sense>& senses) const;
  std::vector<std::string> unexplained() const;
  std::vector<std::string> unread() const;
  std::string pronoun() const;
  bool imperative() const;
  Context context_of_talk() const;
  std::vector<Reading> ellipsis();
  std::vector<Reading> timed();
  std::vector<Reading> timed_by(std::size_t begin, const TimeRange& time);
  bool goes_along_dated(const Reading& reading) const;
  std::optional<Reading> dated_by_value(const Reading& reading, const std::string& from,
                                        const std::string& until, TimeSaid said) const;
  bool is_part_of_name(std::size_t at) const;
  void tell_times(const Reading& reading, Answer& answer) const;
  void tell_unknown(const Tried& tried, Answer& answer);
  void tell_denial(const Tried& tried, Answer& answer) const;
  void tell_denial_of_all(const Tried& tried, Answer& answer);
  std::string which_of(const Table& table) const;
  std::string month_of_any_year() const;
  bool is_word(std::size_t at, WordClass word_class) const;
  bool is_past_verb(std::size_t at) const;
  bool about_the_past() const;
  Answer not_read(const std::vector<std::string>& unknown) const;
  Answer ask_what_was_meant(Answer refused) const;
  // Eight in attempt_offers.cc.
  std::size_t behind(std::size_t at, WordClass word_class) const;
  std::string written(std::size_t from, std::size_t to) const;
  std::string only_amount() const;
  bool is_read(const std::string& question);
  Answer offer_sum(Answer refused);
  std::string sum_asked() const;
  std::string most_asked() const;
  std::string part_of_name() const;
  // Whether a phrase from there on has such a use, and what is behind it fits.
  bool stands_before(std::size_t from, const std::function<bool(const PackUse&)>& is,
                     const std::function<bool(std::size_t)>& behind) const;
  std::string text_column() const;
  std::string leave_misfits(std::vector<Reading>& readings) const;
  std::string word_for_now() const;
  std::string leave_undated(std::vector<Reading>& readings) const;
  Answer decide(std::vector<Reading> readings);
  Answer decide_among(const std::vector<Reading>& readings);
  Result<Tried> run_reading(const Reading& reading);
  Result<Table> run_over(const Reading& reading, bool everything);
  void keep_most_trusted(std::vector<Tried>& tried) const;
  static std::vector<Tried> distinct(std::vector<Tried> tried);
  static bool holds_somewhere(const Tried& one);
  bool is_told_by_no_row(const std::vector<Tried>& tried);
  bool is_number_or_name(const std::vector<Tried>& tried) const;
  bool is_of_two_dates(const std::vector<Tried>& tried) const;
  Answer ambiguous(const std::vector<Tried>& tried);
  Answer refuse(std::string_view reason, std::string text) const;
  std::string misfit() const;
  Answer understood(Tried tried, const std::vector<Tried>& others);
  void tell_weak_words(const Tried& tried, Answer& answer) const;
  void tell_beside(const Tried& tried, Answer& answer);
  std::vector<store::EntityId> things_beside(const Tried& tried, const Table& everything);
  Answer or_untrusted(Answer answer);
  void keep(const Tried& tried) const;
  void tell_writers(const Reading& reading, Answer& answer) const;
  void tell_ground(Answer& answer) const;
  std::vector<std::string> suggestions() const;

  const Question& asked_;
  bool trusted_only_;
  const Lexicon& lexicon_;
  LexiconKeeper& keeper_;
  const AskOptions& options_;
  AskTime now_;
  Conversation::State* talk_;
  std::string question_;
  std::vector<Piece> written_;  // as they stand there
  std::vector<Piece> pieces_;   // as they were read
  std::vector<Sense> senses_;
  // What may have been meant by a word that nothing explains, and the bytes that it stands for.
  struct Guess {
    std::size_t begin = 0, end = 0;
    std::string name;
  };
  std::vector<Guess> guesses_;
  std::optional<Tried> nothing_;  // what of all that is trusted nothing answers
  bool passed_over_ = false;      // a reading with fewer words that nobody trusted made
};

Answer answer_question(const Question& question);

}  // namespace anima::ask
