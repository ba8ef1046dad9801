#include "memory/recall/detail/question.h"

#include <algorithm>

#include "base/text/text.h"
#include "memory/recall/detail/languages.h"

namespace anima::memory::detail {
namespace {

bool is_year_number(std::string_view word) {
  return word.size() == 4 && (word.starts_with("19") || word.starts_with("20")) &&
         word.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

QuestionTraits read_question(std::string_view text, const std::vector<TermWord>& words,
                             Language language, std::optional<Timestamp> now,
                             std::int64_t offset_seconds) {
  QuestionTraits traits;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const WordUse use = use_of(language, words[i].text);
    const std::string_view next =
        i + 1 < words.size() ? std::string_view(words[i + 1].text) : std::string_view();
    traits.first_person = traits.first_person || use.first_person;
    if (use.asks_when || asks_when(language, words[i].text, next)) {
      traits.asks_when = true;
    } else if (use.asks_name) {
      traits.asks_name = true;
    } else if (use.asks_thing && !next.empty()) {
      const bool noun = !use_of(language, next).verb_of_question && !is_stop_word(language, next);
      traits.asks_name = traits.asks_name || noun;
    }
  }
  traits.dates = asked_dates(text, language, now, offset_seconds);
  return traits;
}

std::uint8_t item_traits(std::string_view text, const std::vector<TermWord>& words,
                         Language language) {
  std::uint8_t traits = 0;
  const std::size_t last = text.find_last_not_of(" \t\n\r\"')*");
  const bool asks = last != text.npos &&
                    (text[last] == '?' || text.substr(0, last + 1).ends_with("\xef\xbc\x9f"));
  if (asks) traits |= kIsQuestion;
  for (const TermWord& word : words) {
    const WordUse use = use_of(language, word.text);
    if (word.capital && !word.starts_sentence && !use.first_person) traits |= kHasName;
    if (use.time || (use.dated && (word.capital || !use.unsure)) ||
        is_year_number(language::word_of_term(word.text)))
      traits |= kHasTime;
  }
  return traits;
}

}  // namespace anima::memory::detail
