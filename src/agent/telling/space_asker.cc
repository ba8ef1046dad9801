#include "agent/telling/space_asker.h"

#include <algorithm>
#include <set>
#include <utility>

#include "language/frames/telling.h"
#include "language/statements/statement_words.h"
#include "language/text/guess.h"
#include "memory/remembered.h"
#include "memory/told_texts.h"
#include "store/present.h"

namespace anima::agent {
namespace {

constexpr std::size_t kMostTold = 3;
constexpr std::size_t kMostBefore = 2;  // "das ist falsch"
// As whom the memory is read: what every agent may see.
constexpr std::string_view kReader = "executor";

bool begins_a_correction(std::string_view sentence, const std::string& language) {
  const auto* words = language::StatementWords::of(language);
  if (words == nullptr) return false;
  const language::Lexemes lexemes = language::cut_lexemes(sentence);
  const auto marks = words->marks(lexemes, 0, lexemes.size());
  return std::any_of(marks.begin(), marks.end(), [](const language::MarkAt& one) {
    return (one.mark == language::Mark::kCorrecting && one.begin == 0) ||
           (one.mark == language::Mark::kRetraction && one.begin <= kMostBefore);
  });
}

// Those that a sentence may be in where it need not be in this one. A lexicon is built for each
// language, so only for those.
std::vector<std::string> other_languages(std::string_view sentence, const std::string& language) {
  std::vector<std::string> likely, others;
  for (const language::Language each : language::likely_languages(sentence))
    likely.emplace_back(language::code_of(each));
  const bool as_likely = std::find(likely.begin(), likely.end(), language) != likely.end();
  for (std::size_t i = 0; i < language::kLanguages; ++i) {
    const std::string other(language::code_of(static_cast<language::Language>(i)));
    const bool may_be =
        !as_likely && std::find(likely.begin(), likely.end(), other) != likely.end();
    if (other != language && (may_be || begins_a_correction(sentence, other)))
      others.push_back(other);
  }
  return others;
}

}  // namespace

Result<std::unique_ptr<SpaceAsker>> SpaceAsker::open(std::shared_ptr<store::Space> space,
                                                     FileSystem& files,
                                                     std::shared_ptr<Clock> clock) {
  if (clock == nullptr) clock = std::make_shared<SystemClock>();
  ANIMA_ASSIGN(auto asker, ask::Asker::open(space, clock));
  return std::unique_ptr<SpaceAsker>(
      new SpaceAsker(std::move(space), files, std::move(clock), std::move(asker)));
}

ask::Answer SpaceAsker::ask(std::string_view question, const ask::AskOptions& options,
                            ask::Conversation* talk) {
  take_up();
  ask::Answer answer = asker_->ask(question, options, talk);
  add_told(question, options, answer);
  return answer;
}

void SpaceAsker::add_told(std::string_view question, const ask::AskOptions& options,
                          ask::Answer& answer) {
  const bool understood =
      answer.status == ask::AnswerStatus::kAnswered || answer.status == ask::AnswerStatus::kEmpty;
  const bool unanswered = answer.status == ask::AnswerStatus::kNotUnderstood;
  if ((!understood && !unanswered) || answer.reason == "not_a_question" || options.as_of) return;
  const auto snapshot = space_->snapshot();
  if (!snapshot) return;
  std::vector<memory::MemoryItem> items = memory::remembered_texts(*snapshot, kReader);
  std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) {
    return std::pair(b.trust, b.created_at.microseconds) <
           std::pair(a.trust, a.created_at.microseconds);
  });
  const memory::SpeakerNames who(*snapshot, options.speaker);
  memory::ToldTexts told(*space_, *snapshot,
                         options.now.value_or(store::present(*snapshot, *clock_)));
  std::set<std::string> own;        // memories that who asks told
  std::vector<ask::ToldText> over;  // what holds no longer comes last
  for (const memory::MemoryItem& item : items) {
    if (answer.told.size() >= kMostTold) break;
    const bool of_other = !item.speaker.empty() && !who.contains(item.speaker, item.speaker_entry);
    if (options.own_texts && of_other) continue;
    // A sentence that became a fact has its say in the answer; one that did not may deny it.
    if (understood && answer.trust && item.trust < *answer.trust) break;
    const auto speaks = asker_->speaks_of(item.content, question, options);
    if (!speaks || !*speaks) continue;
    if (understood && became_a_fact(item, options)) continue;
    const auto state = told.state_of(item.id);
    if (!state) continue;
    ask::ToldText text{item.content, item.id, item.trust, item.speaker, {}, state->over};
    if (who.contains(item.speaker, item.speaker_entry)) own.insert(item.id);
    for (const memory::FactNoLonger& one : state->no_longer) text.no_longer.push_back(one.fact);
    (text.over ? over : answer.told).push_back(std::move(text));
  }
  for (std::size_t at = 0; at < over.size() && answer.told.size() < kMostTold; ++at)
    answer.told.push_back(std::move(over[at]));
  // Words that no fact has are no lack where somebody said it.
  if (unanswered && !answer.told.empty()) answer.text.clear();
  for (ask::ToldText one : answer.told) {
    if (own.contains(one.memory)) one.speaker = options.speaker;
    answer.text += (answer.text.empty() ? "" : " ") + asker_->told_sentence(one, options);
  }
}

ask::Said SpaceAsker::saying(std::string_view sentence, const ask::AskOptions& options,
                             const ask::LastSaid& last) {
  take_up();
  ask::Said said = asker_->saying(sentence, options, last);
  const auto says_little = [](const ask::Said& one) {
    return one.saying == ask::Saying::kNothing || one.saying == ask::Saying::kText;
  };
  if (!says_little(said)) return said;
  for (std::string& language : other_languages(sentence, options.language)) {
    ask::AskOptions other = options;
    other.language = std::move(language);
    ask::Said read = asker_->saying(sentence, other, last);
    const bool corrects = said.corrects;
    if (!says_little(read) || said.saying == ask::Saying::kNothing) said = std::move(read);
    if (!says_little(said)) break;
    said.corrects = said.corrects || corrects;  // "no, 333": of what, another process knows
  }
  return said;
}

namespace {

bool is_doubtful(const language::ToldSentence& sentence) {
  return std::ranges::any_of(sentence.frames, [](const language::Frame& one) {
    return one.subject.doubt != language::NameDoubt::kNone ||
           one.object.doubt != language::NameDoubt::kNone;
  });
}

}  // namespace

bool SpaceAsker::became_a_fact(const memory::MemoryItem& item, const ask::AskOptions& options) {
  const std::string& text = item.content;
  ask::AskOptions as_told = options;
  if (!item.speaker.empty()) as_told.speaker = item.speaker;
  if (statement(text, as_told)) return true;
  const language::Telling read =
      language::read_telling(text, {options.now.value_or(store::present(*space_, *clock_))});
  // What was read with a doubt was asked back.
  return read.teaches_openly() && std::ranges::none_of(read.sentences, is_doubtful);
}

std::optional<ask::Statement> SpaceAsker::statement(std::string_view sentence,
                                                    const ask::AskOptions& options) {
  ask::Said said = saying(sentence, options);
  return said.saying == ask::Saying::kFact ? std::move(said.fact) : std::nullopt;
}

Result<std::vector<std::string>> SpaceAsker::lexicon(const std::string& word,
                                                     const ask::AskOptions& options) {
  take_up();
  return asker_->lexicon(word, options);
}

void SpaceAsker::take_up() {
  const auto snapshot = space_->snapshot();
  if (!snapshot || taken_up_ == snapshot->sequence()) return;
  if (!compartments_.refresh()) return;
  asker_->set_rules(compartments_.rules(), compartments_.synonyms());
  taken_up_ = snapshot->sequence();
}

}  // namespace anima::agent
