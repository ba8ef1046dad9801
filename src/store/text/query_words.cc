// What a query asks the index for: its words, and which of them are but parts of a whole.
#include <algorithm>

#include "base/text/text.h"
#include "language/text/words.h"
#include "store/text/text_search.h"
#include "store/text/text_segment.h"

namespace anima::store::detail {
namespace {

// A word of the query, and everywhere that it stands there.
struct Asked {
  QueryWord word;
  std::vector<language::TextSpan> spans;
};

Asked asked_word(const language::IndexTerm& term, const TextQuery& query) {
  const bool lone = term.kind == language::TermKind::kLone;
  const bool run = term.kind == language::TermKind::kRun;
  const bool whole = term.kind == language::TermKind::kWhole;
  QueryWord word;
  word.text = term.text;
  word.letters = count_code_points(term.text);
  word.neighbours = lone || term.kind == language::TermKind::kPair;
  word.start = lone || (whole && query.prefix);
  word.whole = whole || run;
  word.run = run;
  word.number = language::has_digit(term.text);
  const bool as_it_is = !query.parts && word.whole;  // neither apart, nor in what is longer
  if (!as_it_is) word.inside.assign(term.inside.begin(), term.inside.end());
  // The parts of a compound are another form of it.
  if (run || (!as_it_is && (whole || query.fuzzy)))
    word.parts.assign(term.parts.begin(), term.parts.end());
  word.spelled = term.spelled;
  return {std::move(word), {{term.begin, term.end}}};
}

// How many texts have the word itself. O(segments), but for those that reach over the bound.
std::uint64_t texts_with(const TextSegments& segments, std::uint32_t bound, std::string_view word) {
  std::uint64_t count = 0;
  for (const auto& segment : segments) {
    if (segment->first() >= bound) break;
    TextTerm term;
    if (segment->find(word, term)) count += documents_below(*segment, term, bound);
  }
  return count;
}

// Which wholes of the query a word is but a part of, wherever it stands there.
void add_wholes(std::vector<Asked>& words) {
  for (Asked& part : words) {
    for (const Asked& whole : words) {
      if (!whole.word.whole || &whole == &part) continue;
      const auto is_inside = [&](const language::TextSpan& span) {
        return std::ranges::any_of(whole.spans, [&](const language::TextSpan& around) {
          return around.begin <= span.begin && span.end <= around.end;
        });
      };
      // All that is of a run stands where the run does: its letters say what is a part of it.
      const bool may_be = whole.word.run
                              ? whole.word.text.find(part.word.text) != std::string::npos
                              : !part.word.whole || part.word.text.size() < whole.word.text.size();
      if (may_be && std::ranges::all_of(part.spans, is_inside))
        part.word.within.push_back(whole.word.text);
    }
  }
}

}  // namespace

std::vector<QueryWord> query_words(const TextQuery& query) {
  std::vector<Asked> asked;
  language::TermSplitter splitter(language::TermUse::kQuery);
  std::size_t last = 0;
  splitter.split(query.text, [&](const language::IndexTerm& word) {
    const auto same = [&](const Asked& other) { return other.word.text == word.text; };
    const auto found = std::find_if(asked.begin(), asked.end(), same);
    last = static_cast<std::size_t>(found - asked.begin());
    if (found != asked.end()) {
      found->spans.push_back({word.begin, word.end});
    } else if (asked.size() < kMaxQueryWords) {
      asked.push_back(asked_word(word, query));
    }
  });
  if (query.prefix && last < asked.size()) {
    QueryWord& end = asked[last].word;
    if (end.letters >= kMinPrefixLetters && !end.neighbours) end.start = true;
  }
  add_wholes(asked);
  std::vector<QueryWord> words;
  for (Asked& one : asked)
    if (query.parts || one.word.within.empty()) words.push_back(std::move(one.word));
  return words;
}

std::vector<QueryWord> rare_words(const TextSegments& segments, std::uint32_t bound,
                                  const TextQuery& query, std::size_t most_texts) {
  std::vector<QueryWord> words = query_words(query);
  if (most_texts == kAnyTexts) return words;
  std::erase_if(words, [&](const QueryWord& word) {
    return texts_with(segments, bound, word.text) > most_texts;
  });
  return words;
}

}  // namespace anima::store::detail
