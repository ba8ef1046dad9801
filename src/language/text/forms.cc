#include "language/text/forms.h"

#include <algorithm>

#include "base/text/text.h"
#include "language/text/fold.h"
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

std::string replaced_ending(std::string_view word, std::string_view from, std::string_view to) {
  return std::string(word.substr(0, word.size() - from.size())) + std::string(to);
}

}  // namespace

WordForms::WordForms(std::string_view word) : word_(word) {
  const bool letters = std::ranges::none_of(word, [](char c) { return c >= '0' && c <= '9'; });
  if (!letters || count_code_points(word) < kFewestLetters) return;
  const Script script = script_of(word);
  add_stems(script);
  for (const Language language : languages_in(script)) {
    add_plurals(vocabulary(language));
    add_prefixes(vocabulary(language));
    add_changed_stems(vocabulary(language));
  }
  for (const std::string& form : forms_) starts_.push_back(form);
  for (const auto& [stem, names] : changed_) starts_.push_back(stem);
  for (const std::string& prefix : prefixes_)
    starts_.push_back(prefix + std::string(substring_by_code_points(word_, 0, kFewestLetters)));
  std::ranges::sort(starts_);
  // The shorter one stands before those that begin with it.
  std::vector<std::string> starts;
  for (std::string& start : starts_)
    if (starts.empty() || !start.starts_with(starts.back())) starts.push_back(std::move(start));
  starts_ = std::move(starts);
}

void WordForms::add_stems(Script script) {
  for (const Language language : stemmed_languages()) {
    if (script_of_stems(language) != script) continue;
    Stemmer stemmer(language);
    std::string stem(stemmer.stem(word_));
    if (count_code_points(stem) < kFewestLetters) continue;
    starts_.push_back(start_of(word_, stem));
    // Some languages take away what stands before a word: "membaca" is "baca".
    if (!word_.starts_with(starts_.back()) || !stem.starts_with(starts_.back()))
      starts_.push_back(start_of(stem, stem));
    languages_.push_back({std::move(stemmer), std::move(stem)});
  }
}

void WordForms::add_plurals(const Vocabulary& words) {
  const auto add = [&](std::string form) {
    if (form != word_ && count_code_points(form) >= kFewestLetters) forms_.insert(std::move(form));
  };
  // Where the singular has no ending, a short one of the plural is too often a part of the word;
  // the stems know it, where there are any.
  const auto stemmed = stemmed_languages();
  const bool has_stems = std::ranges::find(stemmed, words.language) != stemmed.end();
  const auto add_changed = [&](const std::string& plural, const std::string& singular) {
    if (has_stems && singular.empty() && count_code_points(plural) < kFewestLetters) return;
    if (word_.ends_with(plural)) add(replaced_ending(word_, plural, singular));
    if (word_.ends_with(singular)) add(replaced_ending(word_, singular, plural));
  };
  for (const auto& [plural, singular] : words.plurals)
    add_changed(fold_for_finding(plural), fold_for_finding(singular));
  for (const auto& [plural, singular] : words.irregular_plurals) {
    if (fold_for_finding(plural) == word_) add(fold_for_finding(singular));
    if (fold_for_finding(singular) == word_) add(fold_for_finding(plural));
  }
}

void WordForms::add_prefixes(const Vocabulary& words) {
  for (const std::string& prefix : words.word_prefixes) {
    prefixes_.push_back(prefix);
    const std::string_view rest =
        std::string_view(word_).substr(word_.starts_with(prefix) ? prefix.size() : word_.size());
    if (count_code_points(rest) >= kFewestLetters) forms_.emplace(rest);
  }
}

// Short ones are too often by chance.
void WordForms::add_changed_stems(const Vocabulary& words) {
  for (const auto& [from, to] : words.names.stems) {
    if (from.size() < kFewestLetters || word_.size() <= from.size() || !word_.ends_with(from))
      continue;
    changed_.emplace_back(replaced_ending(word_, from, to), &words.names);
  }
}

bool WordForms::has_plain(std::string_view candidate) {
  const bool changed = std::ranges::any_of(changed_, [&](const auto& stem) {
    return candidate.starts_with(stem.first) &&
           stem.second->endings.contains(candidate.substr(stem.first.size()));
  });
  return changed || candidate == word_ || forms_.contains(candidate) ||
         std::ranges::any_of(languages_,
                             [&](OfLanguage& of) { return of.stemmer.stem(candidate) == of.stem; });
}

bool WordForms::has(std::string_view candidate) {
  if (candidate == word_) return true;
  const auto begins = [&](const std::string& start) { return candidate.starts_with(start); };
  if (candidate.size() > word_.size() + kLongestEnding || std::ranges::none_of(starts_, begins))
    return false;
  return has_plain(candidate) || std::ranges::any_of(prefixes_, [&](const std::string& prefix) {
           return candidate.starts_with(prefix) && has_plain(candidate.substr(prefix.size()));
         });
}

std::string singular_of(std::string_view word, Language language) {
  constexpr std::size_t kFewestOfPlural = 4, kFewestBefore = 2;
  const Vocabulary& words = vocabulary(language);
  const auto irregular = words.irregular_plurals.find(word);
  if (irregular != words.irregular_plurals.end()) return irregular->second;
  if (count_code_points(word) < kFewestOfPlural) return std::string(word);
  for (const auto& [plural, singular] : words.plurals)
    if (word.size() >= plural.size() + kFewestBefore && word.ends_with(plural))
      return replaced_ending(word, plural, singular);
  return std::string(word);
}

}  // namespace anima::language
