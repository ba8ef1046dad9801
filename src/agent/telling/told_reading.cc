// How ToldFacts reads: sentences in the words of the space, texts, and answers to what was asked.
#include <algorithm>
#include <functional>

#include "agent/telling/detail/told_writer.h"
#include "agent/telling/told_facts.h"
#include "base/text/text.h"
#include "language/frames/frame_words.h"
#include "language/numbers/lexemes.h"
#include "language/numbers/number_words.h"
#include "language/statements/statement_words.h"
#include "language/text/word_uses.h"
#include "store/act.h"
#include "store/holds.h"

namespace anima::agent {
namespace {

using ask::Said;
using ask::Saying;
using language::SentenceAct;

constexpr std::size_t kMostLookedAt = 16, kMostLookedBack = 64, kLongestAnswer = 80;

}  // namespace

Result<Said> ToldFacts::read_as(const memory::NewMemory& item, const std::string& speaker) {
  if (asker_ == nullptr) {
    ANIMA_ASSIGN(asker_, SpaceAsker::open(space_, files_));
  }
  ask::AskOptions options;
  options.now = clock_.now();
  options.speaker = speaker;
  const LastFacts::Last* last = last_.find(item.created_by, item.source);
  return asker_->saying(item.content, options,
                        last == nullptr ? ask::LastSaid()
                                        : ask::LastSaid{last->facts, last->ended, last->told,
                                                        last->is_of_last_line()});
}

Result<Said> ToldFacts::read(const memory::NewMemory& item, const std::string& speaker) {
  ANIMA_ASSIGN(Said said, read_as(item, speaker));
  if (said.saying == Saying::kAgrees) return Said{};  // answer_in() takes what it answers
  // Who corrects something may have been told of it by another process.
  const bool corrects = said.corrects || said.saying == Saying::kUnclear;
  if (corrects && last_.find(item.created_by, item.source) == nullptr) {
    ANIMA_TRY(find_last(item));
    if (last_.find(item.created_by, item.source) != nullptr) return read_as(item, speaker);
  }
  return said;
}

// The newest of what the same person said in the same conversation that still stands.
Status ToldFacts::find_last(const memory::NewMemory& item) {
  if (provenance_ == nullptr) provenance_ = std::make_unique<memory::ProvenanceLedger>(*space_);
  ANIMA_TRY(provenance_->refresh());
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  auto records = provenance_->by_kind(memory::ProvenanceKind::kTold);
  std::ranges::sort(records, std::ranges::greater(), &memory::ProvenanceRecord::id);
  std::size_t looked_at = 0;
  for (const memory::ProvenanceRecord* one : records) {
    const store::EntryInfo entry = now.entry(one->entry);
    const bool same = entry.author == item.created_by &&
                      conversation_of(entry.source) == conversation_of(item.source);
    if (!same) continue;
    if (++looked_at > kMostLookedAt) break;
    const auto fact = detail::told_with(now, one->derived, one->id);
    const Timestamp time = clock_.now();
    if (!fact || !store::is_valid(store::standing_of(now, *fact), time, time)) continue;
    // What was said since, nobody knows here.
    last_.set(item.created_by, item.source,
              {.facts = {{*fact, true}}, .told = true, .memory = one->text2, .lines = 2});
    break;
  }
  return {};
}

Result<language::Telling> ToldFacts::read_text(const memory::NewMemory& item,
                                               const std::string& speaker) {
  Status status;
  const auto in_words_of_space = [&](std::string_view sentence) {
    language::OtherRead other;
    memory::NewMemory alone = item;
    alone.content = std::string(sentence);
    const auto said = read(alone, speaker);
    if (!said) {
      status = fail(said.error());
      return other;
    }
    other.left = said->left_over;
    other.leads = said->saying == Saying::kNothing && said->corrects;
    switch (said->saying) {
      case Saying::kNothing:
        other.act = SentenceAct::kNothing;
        break;
      // What is asked back is not read yet, and may be about what stands beside it ("I am lying.").
      case Saying::kText:
      case Saying::kUnclear:
      case Saying::kOtherKind:
        other.act = SentenceAct::kNotRead;
        break;
      case Saying::kFact:
        other.act = SentenceAct::kStates;
        break;
      case Saying::kCorrects:
        other.act = SentenceAct::kCorrects;
        break;
      case Saying::kEnds:
        other.act = SentenceAct::kEnds;
        break;
      case Saying::kWithdraws:
      case Saying::kAgrees:
        other.act = SentenceAct::kTakesBack;
        break;
    }
    return other;
  };
  language::Telling telling =
      language::read_telling(item.content, {time_of(item)}, in_words_of_space);
  if (!status) return fail(status.error());
  return telling;
}

namespace {

// "2", "two", "the second".
std::optional<std::int64_t> number_alone(std::string_view text) {
  const language::Lexemes lexemes = language::cut_lexemes(text);
  const bool article =
      lexemes.size() > 1 && language::words_used_as("articles").contains(lexemes.front().text);
  const std::size_t from = article ? 1 : 0;
  if (lexemes.size() == from + 1 && lexemes.back().kind == language::Lexeme::Kind::kDigits)
    return lexemes.back().number;
  for (const std::string& language : language::FrameWords::languages()) {
    const auto* words = language::NumberWords::of(language);
    const auto number = words == nullptr ? std::nullopt : words->read(lexemes, from);
    if (number && number->end == lexemes.size()) return number->value;
  }
  return std::nullopt;
}

// Yes, no, or of the choices one by its name or its number: "Oslo", "2", "the second".
std::optional<std::string> answer_of(std::string_view words, const ToldQuestion* question) {
  if (language::is_agreement(words)) return std::string(kYesAnswer);
  if (language::is_refusal(words)) return std::string(kNoAnswer);
  if (question == nullptr) return std::nullopt;
  const std::string_view bare = words.substr(0, words.find_last_not_of(".!") + 1);
  for (const ToldQuestion::Choice& one : question->choices)
    if (equals_ignoring_ascii_case(one.label, bare)) return one.label;
  const auto number = number_alone(bare);
  if (number && *number >= 1 && *number <= static_cast<std::int64_t>(question->choices.size()))
    return question->choices[static_cast<std::size_t>(*number - 1)].label;
  return std::nullopt;
}

}  // namespace

Result<std::optional<std::string>> ToldFacts::answer_in(const memory::NewMemory& item) {
  const std::string_view words = trim(item.content);
  if (words.empty() || words.size() > kLongestAnswer) return std::optional<std::string>();
  const Proposal* const asked = last_.proposal(item.created_by, item.source);
  std::optional<OpenQuestion> open;
  if (asked == nullptr) {
    ANIMA_ASSIGN(open, find_asked(item));
    if (!open) return std::optional<std::string>();
  } else if (!asked->question.empty()) {
    auto found = question(asked->question);
    // Who is trusted less answers nothing for who told it.
    if (!found || item.trust < found->trust) return std::optional<std::string>();
    open = *std::move(found);
  }
  const std::optional<std::string> answer = answer_of(words, open ? &open->question : nullptr);
  if (answer && asked == nullptr)
    last_.propose(item.created_by, item.source, {.question = open->id});
  return answer;
}

// What another process asked back in this conversation, where nothing was done in the space since.
Result<std::optional<OpenQuestion>> ToldFacts::find_asked(const memory::NewMemory& item) {
  using Found = std::optional<OpenQuestion>;
  ANIMA_ASSIGN(const std::vector<OpenQuestion> open, questions());
  const auto asked = std::ranges::find_if(open, [&](const OpenQuestion& one) {
    return one.author == item.created_by && !one.before && one.trust <= item.trust &&
           conversation_of(one.source) == conversation_of(item.source);
  });
  if (asked == open.end()) return Found();
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  const store::Sequence act = store::act_of(now, asked->entry);
  const store::Sequence own = store::ActScope::current(*space_).first;
  std::size_t looked_at = 0;
  for (auto at = static_cast<std::uint64_t>(now.sequence());
       at > static_cast<std::uint64_t>(asked->entry); --at) {
    const store::Sequence of = store::act_of(now, store::Sequence{at});
    if (of != act && of != own) return Found();
    if (++looked_at > kMostLookedBack) return Found();
  }
  return Found(*asked);
}

Result<bool> ToldFacts::is_kept_as_text(const memory::NewMemory& item, const std::string& speaker) {
  ANIMA_ASSIGN(const auto answer, answer_in(item));
  if (answer) return false;
  ANIMA_ASSIGN(const Said said, read(item, speaker));
  return said.saying != Saying::kWithdraws && said.saying != Saying::kAgrees;
}

}  // namespace anima::agent
