#include "language/text/forms.h"

#include <algorithm>

#include "base/text/text.h"
#include "language/text/script.h"

namespace anima::language {
namespace {

constexpr std::size_t kFewestLetters = 3;
// What endings add or take at most, in bytes.
constexpr std::size_t kLongestEnding = 12;

// The script that a language with stems is written in.
Script script_of_stems(Language language) {
  switch (language) {
    case Language::kArabic:
      return Script::kArabic;
    case Language::kArmenian:
      return Script::kArmenian;
    case Language::kGreek:
      return Script::kGreek;
    case Language::kHindi:
    case Language::kNepali:
      return Script::kDevanagari;
    case Language::kRussian:
      return Script::kCyrillic;
    case Language::kTamil:
      return Script::kTamil;
    case Language::kYiddish:
      return Script::kHebrew;
    default:
      return Script::kLatin;
  }
}

// The letters that every form of a stem shares: endings change its last one ("city", "citi").
std::string start_of(std::string_view word, std::string_view stem) {
  const auto same = std::ranges::mismatch(word, stem).in1 - word.begin();
  std::size_t letters = count_code_points(beginning_of(word, static_cast<std::size_t>(same)));
  if (letters == count_code_points(stem) && letters > 0) --letters;
  return std::string(substring_by_code_points(word, 0, std::max(letters, kFewestLetters)));
}

}  // namespace

WordForms::WordForms(std::string_view word) : word_(word) {
  const bool letters = std::ranges::none_of(word, [](char c) { return c >= '0' && c <= '9'; });
  if (!letters || count_code_points(word) < kFewestLetters) return;
  const Script script = script_of(word);
  for (const Language language : stemmed_languages()) {
    if (script_of_stems(language) != script) continue;
    Stemmer stemmer(language);
    std::string stem(stemmer.stem(word));
    if (count_code_points(stem) < kFewestLetters) continue;
    starts_.push_back(start_of(word, stem));
    // Some languages take away what stands before a word: "membaca" is "baca".
    if (!word.starts_with(starts_.back()) || !stem.starts_with(starts_.back()))
      starts_.push_back(start_of(stem, stem));
    languages_.push_back({std::move(stemmer), std::move(stem)});
  }
  std::ranges::sort(starts_);
  // The shorter one stands before those that begin with it.
  std::vector<std::string> starts;
  for (std::string& start : starts_)
    if (starts.empty() || !start.starts_with(starts.back())) starts.push_back(std::move(start));
  starts_ = std::move(starts);
}

bool WordForms::has(std::string_view candidate) {
  if (candidate == word_) return true;
  const auto begins = [&](const std::string& start) { return candidate.starts_with(start); };
  if (candidate.size() > word_.size() + kLongestEnding || std::ranges::none_of(starts_, begins))
    return false;
  return std::ranges::any_of(languages_,
                             [&](OfLanguage& of) { return of.stemmer.stem(candidate) == of.stem; });
}

}  // namespace anima::language
