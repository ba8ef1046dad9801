#include "memory/recall/detail/languages.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "language/text/word_filter.h"
#include "language/times/time_words.h"

namespace anima::memory::detail {
namespace {

using UsesByWord =
    std::unordered_map<std::string, WordUse, anima::language::TextHash, std::equal_to<>>;

UsesByWord make_uses(Language language) {
  UsesByWord uses;
  const anima::language::QuestionWords& words = anima::language::vocabulary(language).questions;
  const auto add = [&](const std::vector<std::string>& list, bool WordUse::*use) {
    for (const std::string& word : list) uses[word].*use = true;
  };
  add(words.asks_name, &WordUse::asks_name);
  add(words.asks_thing, &WordUse::asks_thing);
  add(words.asks_when, &WordUse::asks_when);
  add(words.verb_of_question, &WordUse::verb_of_question);
  add(words.first_person, &WordUse::first_person);
  add(words.time, &WordUse::time);
  const auto* times = anima::language::TimeWords::of(anima::language::code_of(language));
  if (times == nullptr) return uses;
  for (const auto slot : {anima::language::Slot::kMonth, anima::language::Slot::kWeekday}) {
    for (const std::string& word : times->single_words(slot)) {
      WordUse& use = uses[word];
      use.month = use.month || slot == anima::language::Slot::kMonth;
      use.dated = true;
      use.unsure = times->unsure(word);
    }
  }
  return uses;
}

struct Uses {
  explicit Uses(Language language) : by_word(make_uses(language)) {
    for (const auto& [word, use] : by_word) filter.add(word);
  }
  UsesByWord by_word;
  anima::language::WordFilter filter;
};

const Uses& uses_of(Language language) {
  struct Once {
    std::once_flag made;
    std::unique_ptr<const Uses> uses;
  };
  static std::array<Once, anima::language::kLanguages> all;
  Once& one = all[static_cast<std::size_t>(language)];
  std::call_once(one.made, [&] { one.uses = std::make_unique<const Uses>(language); });
  return *one.uses;
}

}  // namespace

WordUse use_of(Language language, std::string_view word) {
  const Uses& uses = uses_of(language);
  if (!uses.filter.may_hold(word)) return {};
  const auto found = uses.by_word.find(word);
  return found == uses.by_word.end() ? WordUse() : found->second;
}

bool asks_when(Language language, std::string_view word, std::string_view next) {
  const auto& pairs = anima::language::vocabulary(language).questions.asks_when_pairs;
  return std::ranges::any_of(
      pairs, [&](const auto& pair) { return pair.first == word && pair.second == next; });
}

}  // namespace anima::memory::detail
