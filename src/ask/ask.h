// Questions in plain words over any space, answered without a model.
//
//   ANIMA_ASSIGN(auto asker, Asker::open(space));
//   asker->set_rules(manager.rules(), manager.synonyms());
//   Conversation talk;
//   const Answer answer = asker->ask("Which services run on borea?", {}, &talk);
//
// A question is understood wholly or not at all: the space's own types, attributes, predicates,
// names, values and rules, and the words of a language pack, explain every word of it, or the
// answer names those that nothing explains. What it means is compiled to a KIP query, or to Datalog
// where rules take part; that query is part of the answer and can be run by hand. Nothing is ever
// written. Exact behaviour: docs/ask.md.
//
// Thread-safety: an Asker from any thread, one question at a time; a Conversation belongs to one.
// Ownership: the space is shared. Errors: open() those of packs and of the engine; ask() never
// fails, what goes wrong is in the answer. Complexity: the first question builds the
// lexicon, O(statements), and one after a change of the space follows that in O(changed keys), or
// O(statements) where a type, a key or a predicate is new or gone; others O(words of the question)
// and their queries.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ask/parse/statements/saying.h"
#include "base/clock.h"
#include "base/json/json.h"
#include "base/result.h"
#include "memory/compartments/compartments.h"
#include "store/space.h"

namespace anima::ask {

enum class AnswerStatus : std::uint8_t { kAnswered, kAmbiguous, kNotUnderstood, kEmpty };

// One way to read a question, with what it answers.
struct ReadingShown {
  std::string reading;
  std::string query;
  std::vector<JsonArray> rows;
};

// A text that somebody told.
struct ToldText {
  std::string text, memory;  // its id
  store::Trust trust = store::Trust::kUntrusted;
  std::string speaker = {};                 // whose words they are; empty: nobody in particular
  std::vector<std::string> no_longer = {};  // what it told and holds no longer: "Ada phone 333"
  bool over = false;                        // that is all that it told
};

// What the answer would be, or what more there would be in it, with sources that are not trusted.
struct UntrustedShare {
  // Of a list the further rows; else the rows that all sources together would give.
  std::vector<JsonArray> rows;
  std::vector<std::string> sources;  // as the log names them
};

struct Answer {
  AnswerStatus status = AnswerStatus::kNotUnderstood;
  std::string query;     // complete; can be run by hand
  std::string language;  // of the query: "kip" or "datalog"
  std::vector<std::string> columns;
  std::vector<JsonArray> rows;
  std::string text;     // one sentence
  std::string reading;  // what was understood
  // kNotUnderstood: the words that nothing explains, in order, and names near them.
  std::vector<std::string> unknown;
  std::vector<std::pair<std::string, std::vector<std::string>>> near;
  std::vector<ReadingShown> readings;  // kAmbiguous: at most 10
  // kNotUnderstood: unknown_word, no_fit, presupposition, no_parse, not_a_question.
  std::string reason;
  Json proof = Json::array();
  std::vector<std::string> next;  // questions that work
  // Of what the rows rest on the lowest trust and confidence, and what contradicts it; the text
  // says so where the trust is below standard, the confidence below 0.5, or something contradicts.
  std::optional<store::Trust> trust;
  std::optional<double> confidence;
  std::vector<std::string> contradictions;
  std::optional<UntrustedShare> untrusted;  // left out of `rows`; none: it changes nothing
  std::vector<SaidFact> facts;              // the first of those statements
  // kNotUnderstood: what was remembered with all the words of the question; no facts.
  std::vector<ToldText> told;

  // The object of the contract; `id` first when it is not empty.
  Json to_json(std::string_view id = {}) const;
};
std::string_view to_string(AnswerStatus status);

// That questions of this language can be read. Errors: kNotFound.
Status check_language(const std::string& language);

struct AskOptions {
  std::optional<Timestamp> now;  // default: the clock's
  // Of the asker's clock from UTC, for what day it is; default: the machine's.
  std::optional<std::int64_t> offset_seconds = {};
  std::string language = "en";
  std::string speaker = {};  // the name of who asks, for "I" and "my"; empty: nobody in particular
  // Of who tells a sentence: what is trusted less is asked about only where he means it.
  store::Trust teller = store::Trust::kStandard;
  // Of what was remembered only his words, and those of nobody in particular, are looked at.
  bool own_texts = false;
  bool all = false;  // more than kMaxRows rows
  // The state that is asked: a sequence number or a time; else the newest.
  std::optional<Json> as_of;
  std::stop_token stop = {};  // ends the queries; what is answered then is of no use
};
inline constexpr std::size_t kMaxRows = 200;
inline constexpr std::size_t kMaxQuestionBytes = 4096;
inline constexpr std::size_t kMaxQuestionWords = 64;

// What was asked and answered before, kept in memory for some turns.
class Conversation {
 public:
  Conversation();
  ~Conversation();
  Conversation(Conversation&&) noexcept;
  Conversation& operator=(Conversation&&) noexcept;

  struct State;  // of this room

 private:
  friend class Asker;
  std::unique_ptr<State> state_;
};

class Asker {
 public:
  static Result<std::unique_ptr<Asker>> open(std::shared_ptr<store::Space> space,
                                             std::shared_ptr<Clock> clock = {});
  ~Asker();
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;

  // The rules and words of the loaded compartments, to be said again when they change.
  void set_rules(std::vector<memory::RuleSource> rules, std::vector<memory::SynonymSource> words);

  Answer ask(std::string_view question, const AskOptions& options = {},
             Conversation* talk = nullptr);
  // What somebody who tells a sentence means to do with what is known (parse/statements/saying.h);
  // `last`: what was told or answered last.
  Said saying(std::string_view sentence, const AskOptions& options = {}, const LastSaid& last = {});
  // The fact that it states; nothing when it is none.
  std::optional<Statement> statement(std::string_view sentence, const AskOptions& options = {});
  // Does the text hold every word of content of the question? O(words).
  Result<bool> speaks_of(std::string_view text, std::string_view question,
                         const AskOptions& options = {});
  std::string told_sentence(const ToldText& told, const AskOptions& options = {});
  // What a word means here, or all words of the schema, a line each.
  Result<std::vector<std::string>> lexicon(const std::string& word, const AskOptions& options = {});

  struct State;  // of this room

 private:
  explicit Asker(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace anima::ask
