#include "memory/recall/detail/languages.h"

#include <array>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/text/text.h"

namespace anima::memory::detail {
namespace {

// English, German, French, Spanish.
constexpr std::size_t kDated = 4;
constexpr std::array<Language, kDated> kDatedLanguages = {Language::kEnglish, Language::kGerman,
                                                          Language::kFrench, Language::kSpanish};
constexpr std::array<std::string_view, kDated> kMonths = {
    "january february march april may june july august september october november december",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
};
constexpr std::array<std::string_view, kDated> kShortMonths = {
    "jan feb mar apr - jun jul aug sep oct nov dec", "jan feb - apr - jun jul aug sep okt nov dez",
    "- - - - - - - - - - - -", "- - - - - - - - - - - -"};
constexpr std::array<std::string_view, kDated> kWeekdays = {
    "monday tuesday wednesday thursday friday saturday sunday",
    "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miércoles jueves viernes sábado domingo",
};
constexpr std::array<std::string_view, kDated> kNumbers = {
    "a two three four five six seven eight nine ten",
    "einem zwei drei vier fünf sechs sieben acht neun zehn",
    "un deux trois quatre cinq six sept huit neuf dix",
    "un dos tres cuatro cinco seis siete ocho nueve diez",
};

using Uses = std::unordered_map<std::string_view, WordUse>;

void add_numbers(std::string_view words, Uses& uses, int WordUse::*use) {
  int place = 0;
  for (const std::string_view word : split(words, ' ')) {
    ++place;
    if (word != "-") uses[word].*use = place;
  }
}

Uses make_uses(Language language) {
  Uses uses;
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
  for (std::size_t i = 0; i < kDated; ++i) {
    if (kDatedLanguages[i] != language) continue;
    add_numbers(kMonths[i], uses, &WordUse::month);
    add_numbers(kShortMonths[i], uses, &WordUse::month);
    add_numbers(kWeekdays[i], uses, &WordUse::weekday);
    add_numbers(kNumbers[i], uses, &WordUse::number);
  }
  return uses;
}

const Uses& uses_of(Language language) {
  struct Once {
    std::once_flag made;
    Uses uses;
  };
  static std::array<Once, anima::language::kLanguages> all;
  Once& one = all[static_cast<std::size_t>(language)];
  std::call_once(one.made, [&] { one.uses = make_uses(language); });
  return one.uses;
}

}  // namespace

WordUse use_of(Language language, std::string_view word) {
  const Uses& uses = uses_of(language);
  const auto found = uses.find(word);
  return found == uses.end() ? WordUse() : found->second;
}

}  // namespace anima::memory::detail
