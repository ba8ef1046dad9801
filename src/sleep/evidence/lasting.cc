#include "sleep/evidence/lasting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/text/text.h"
#include "language/frames/telling.h"
#include "language/numbers/lexemes.h"
#include "language/statements/retraction.h"
#include "language/statements/statement_words.h"
#include "language/text/sentences.h"

namespace anima::sleep::detail {
namespace {

using language::Frame;
using language::FrameRelation;
using language::FrameRelations;
using language::FrameSide;
using language::Mark;
using language::StatementWords;

constexpr std::array<std::string_view, 2> kLanguages = {"en", "de"};
constexpr std::string_view kSpeaker = "I";

bool has_mark(const StatementWords& words, const language::Lexemes& lexemes,
              std::initializer_list<Mark> marks) {
  return std::ranges::any_of(words.marks(lexemes, 0, lexemes.size()),
                             [&](const language::MarkAt& found) {
                               return std::ranges::find(marks, found.mark) != marks.end();
                             });
}

bool is_question(std::string_view sentence) {
  return sentence.find('?') != std::string_view::npos ||
         sentence.find("\xef\xbc\x9f") != std::string_view::npos;
}

// Without "Ben: ", who says it.
std::string_view what_is_said(std::string_view sentence) {
  const std::size_t colon = sentence.find(": ");
  return colon == std::string_view::npos ? sentence : trim(sentence.substr(colon + 1));
}

// A line break ends a sentence, too: an event may have a line for each who spoke.
std::vector<std::string_view> sentences_of(std::string_view text) {
  std::vector<std::string_view> found;
  for (const std::string_view line : split(text, '\n')) {
    for (const language::TextSpan& each : language::sentences(line))
      found.push_back(line.substr(each.begin, each.end - each.begin));
  }
  return found;
}

bool is_preference(const FrameRelation& relation) {
  static constexpr std::array<std::string_view, 3> kPreferences = {"prefers", "likes", "dislikes"};
  return std::ranges::find(kPreferences, relation.name) != kPreferences.end();
}

// "I" for the speaker; empty: it names nobody.
std::string name_of(const FrameSide& side) {
  if (side.kind == FrameSide::Kind::kSpeaker) return std::string(kSpeaker);
  const bool named = side.kind == FrameSide::Kind::kName || side.kind == FrameSide::Kind::kTopic;
  return named ? side.name : std::string();
}

// Without the full stop.
std::string sentence_text(std::string_view sentence) {
  const std::size_t last = sentence.find_last_not_of(".!");
  return std::string(last == std::string_view::npos ? sentence : sentence.substr(0, last + 1));
}

}  // namespace

std::string_view not_taken_back(std::string_view text) {
  std::size_t from = 0;
  for (const std::string_view sentence : sentences_of(text)) {
    if (language::retraction_in(what_is_said(sentence)) == language::Retraction::kCertain)
      from = static_cast<std::size_t>(sentence.data() - text.data()) + sentence.size();
  }
  return text.substr(from);
}

std::vector<LastingStatement> lasting_statements(std::string_view text) {
  std::vector<LastingStatement> found;
  const language::Telling told = language::read_telling(text, {});
  if (!told.teaches_openly()) return found;
  for (const language::ToldSentence& sentence : told.sentences) {
    // What holds no longer, nobody here could end.
    if (sentence.act == language::SentenceAct::kEnds || sentence.corrects) return {};
    for (const Frame& frame : sentence.frames) {
      const bool preference = is_preference(*frame.relation);
      if (frame.time == language::FrameTime::kEnded || frame.denied) return {};
      if (frame.relation->object.empty()) continue;
      LastingStatement one{preference,
                           name_of(frame.subject),
                           frame.relation->name,
                           name_of(frame.object),
                           sentence_text(sentence.text),
                           {}};
      one.doubtful = preference && frame.object.doubt != language::NameDoubt::kNone;
      if (!one.subject.empty() && !one.object.empty()) found.push_back(std::move(one));
    }
  }
  return found;
}

bool is_stated(std::string_view sentence) {
  if (is_question(sentence)) return false;
  const language::Lexemes lexemes = language::cut_lexemes(sentence);
  return std::ranges::none_of(kLanguages, [&](std::string_view code) {
    const StatementWords* const words = StatementWords::of(code);
    return words != nullptr &&
           has_mark(*words, lexemes,
                    {Mark::kNegation, Mark::kHearsay, Mark::kWish, Mark::kCondition});
  });
}

bool is_one_valued(std::string_view predicate) {
  const FrameRelation* relation = FrameRelations::shipped().find(predicate);
  return relation != nullptr && relation->one_valued;
}

std::string lasting_description(std::string_view predicate) {
  if (FrameRelations::shipped().find(predicate) == nullptr) return {};
  std::string words(predicate);
  std::ranges::replace(words, '_', ' ');
  return fmt::format("The subject {} the object{}.", words,
                     is_one_valued(predicate) ? "; the last one counts" : "");
}

}  // namespace anima::sleep::detail
