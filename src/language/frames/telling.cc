#include "language/frames/telling.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "language/language.h"
#include "language/numbers/lexemes.h"
#include "language/statements/retraction.h"
#include "language/statements/statement_words.h"
#include "language/text/guess.h"
#include "language/text/sentences.h"
#include "language/times/times.h"

namespace anima::language {
namespace {

// "Ich bin am 3. Mai 1990 geboren.": a full stop inside a time ends no sentence.
std::vector<TextSpan> sentences_of(std::string_view line, const FrameContext& context) {
  std::vector<TextSpan> spans = sentences(line);
  if (spans.size() < 2) return spans;
  for (const std::string& code : FrameWords::languages()) {
    for (const TimeReading& time : read_times(line, code, {context.now, context.offset_seconds})) {
      for (std::size_t i = 0; i + 1 < spans.size(); ++i) {
        if (time.begin >= spans[i].end || time.end <= spans[i + 1].begin) continue;
        spans[i].end = spans[i + 1].end;
        spans.erase(spans.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        break;
      }
    }
  }
  return spans;
}

std::vector<std::string_view> lines_and_sentences(std::string_view text,
                                                  const FrameContext& context) {
  std::vector<std::string_view> found;
  for (const std::string_view line : split(text, '\n')) {
    for (const TextSpan& span : sentences_of(line, context))
      found.push_back(line.substr(span.begin, span.end - span.begin));
  }
  return found;
}

// In the language that has frames for it. What is left is told in the one that it seems to be in.
FramesRead read_openly(std::string_view sentence, const FrameContext& context) {
  FramesRead best;
  const auto guess = guess_language(sentence);
  for (const std::string& code : FrameWords::languages()) {
    FramesRead read = read_frames(sentence, code, context);
    if (!read.frames.empty() || read.opens) return read;
    const bool likely = guess && code_of(*guess) == code;
    const bool of_group = best.of_group || read.of_group;
    if (best.left.empty() || likely) best = std::move(read);
    best.of_group = of_group;
  }
  return best;
}

// The sign of a question, of whatever script.
bool has_question_mark(std::string_view sentence) {
  for (std::size_t at = 0; at < sentence.size();) {
    const CodePoint point = decode_utf8(sentence, at);
    for (const char32_t mark : {U'?', U'\u00bf', U'\uff1f', U'\u061f', U'\u037e'})
      if (point.value == mark) return true;
    at += point.size;
  }
  return false;
}

SentenceAct act_of(const FramesRead& read) {
  const auto is = [&](FrameTime time) {
    return std::ranges::all_of(read.frames, [time](const Frame& one) { return one.time == time; });
  };
  if (is(FrameTime::kEnded)) return SentenceAct::kEnds;
  return read.corrects ? SentenceAct::kCorrects : SentenceAct::kStates;
}

// "My phone number is no longer 333": what it says without the words that end it holds no longer.
// They deny it by themselves ("no longer", not "any more"), and it tells one thing, without a time.
std::vector<Frame> read_ended(std::string_view sentence, const FrameContext& context) {
  const Lexemes lexemes = cut_lexemes(sentence);
  for (const StatementWords* words : StatementWords::all()) {
    for (const MarkAt& mark : words->marks(lexemes, 0, lexemes.size())) {
      if (mark.mark != Mark::kEnded) continue;
      const std::vector<MarkAt> first = words->marks(lexemes, mark.begin, mark.begin + 1);
      const bool denies = std::ranges::find(first, Mark::kNegation, &MarkAt::mark) != first.end();
      if (!denies) continue;
      std::string rest(sentence.substr(0, lexemes[mark.begin].begin));
      rest += sentence.substr(lexemes[mark.end - 1].end);
      FramesRead read = read_frames(rest, words->language(), context);
      const bool one = read.frames.size() == 1 && read.frames.front().time == FrameTime::kHolds &&
                       !read.frames.front().at_second;
      if (!one) return {};
      read.frames.front().time = FrameTime::kEnded;
      return std::move(read.frames);
    }
  }
  return {};
}

ToldSentence read_sentence(std::string_view sentence, const FrameContext& context,
                           const OtherReader& other, bool& leads) {
  ToldSentence told;
  told.text = sentence;
  FramesRead read = read_openly(sentence, context);
  told.corrects = read.corrects;
  told.of_speaker = read.of_speaker;
  told.of_group = read.of_group;
  if (read.opens) {
    told.act = SentenceAct::kGreets;
    return told;
  }
  if (!read.frames.empty()) {
    told.act = act_of(read);
    told.frames = std::move(read.frames);
    return told;
  }
  told.left = std::move(read.left);
  if (other) {
    OtherRead found = other(sentence);
    leads = found.leads;
    told.act = found.act;
    if (!found.left.empty()) told.left = std::move(found.left);
  }
  if (told.act != SentenceAct::kNotRead && told.act != SentenceAct::kNothing) return told;
  if (has_question_mark(sentence)) {
    told.act = SentenceAct::kAsks;
  } else if (auto ended = read_ended(sentence, context); !ended.empty()) {
    told.act = SentenceAct::kEnds;
    told.frames = std::move(ended);
  } else if (retraction_in(sentence) == Retraction::kCertain) {
    told.act = SentenceAct::kTakesBack;
  }
  return told;
}

bool teaches_something(SentenceAct act) {
  return act == SentenceAct::kStates || act == SentenceAct::kCorrects || act == SentenceAct::kEnds;
}

}  // namespace

bool Telling::teaches() const {
  return !only_greets() && std::ranges::all_of(sentences, [](const ToldSentence& one) {
    return teaches_something(one.act) || one.act == SentenceAct::kGreets;
  });
}

bool Telling::teaches_openly() const {
  return teaches() && std::ranges::all_of(sentences, [](const ToldSentence& one) {
           return one.act == SentenceAct::kGreets || !one.frames.empty();
         });
}

bool Telling::only_greets() const {
  return std::ranges::all_of(
      sentences, [](const ToldSentence& one) { return one.act == SentenceAct::kGreets; });
}

std::vector<std::string> Telling::left() const {
  std::vector<std::string> words;
  for (const ToldSentence& one : sentences) {
    if (!teaches_something(one.act) && one.act != SentenceAct::kGreets && !one.left.empty())
      words.push_back(one.left);
  }
  return words;
}

Telling read_telling(std::string_view text, const FrameContext& context, const OtherReader& other) {
  Telling telling;
  const std::vector<std::string_view> all = lines_and_sentences(text, context);
  telling.too_long = all.size() > kMostToldSentences;
  if (telling.too_long) return telling;
  std::string_view lead;
  for (const std::string_view& one : all) {
    // "Sorry! It is 333."
    const char* const begin = lead.empty() ? one.data() : lead.data();
    const auto size = static_cast<std::size_t>(one.data() + one.size() - begin);
    bool leads = false;
    ToldSentence told = read_sentence({begin, size}, context, other, leads);
    if (leads && lead.empty()) {
      told.left.clear();  // "Nope." alone is an answer
      told.act = SentenceAct::kNothing;
      if (&one != &all.back()) {
        lead = one;
        continue;
      }
    }
    lead = {};
    telling.sentences.push_back(std::move(told));
  }
  return telling;
}

}  // namespace anima::language
