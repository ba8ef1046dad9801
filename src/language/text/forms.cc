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
  const Vocabulary& words = vocabulary(language);
  if (words.script != Script::kOther) return words.script;
  switch (language) {
    case Language::kArmenian:
      return Script::kArmenian;
    case Language::kNepali:
      return Script::kDevanagari;
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

// Whether no more than an ending tells two words apart, or one is in the other.
bool differ_at_an_end(std::string_view a, std::string_view b) {
  constexpr std::size_t kShortEnding = 2;
  const std::string_view shorter = a.size() < b.size() ? a : b,
                         longer = a.size() < b.size() ? b : a;
  if (longer.find(shorter) != longer.npos) return true;
  const auto same = std::ranges::mismatch(shorter, longer).in1 - shorter.begin();
  const std::string_view shared = beginning_of(shorter, static_cast<std::size_t>(same));
  return count_code_points(shorter) <= count_code_points(shared) + kShortEnding;
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
  for (const auto& [form, languages] : forms_) starts_.push_back(form);
  for (const Changed& changed : changed_) starts_.push_back(changed.stem);
  for (const auto& [prefix, languages] : prefixes_)
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
    std::string stem(stemmer_of_thread(language).stem(word_));
    if (count_code_points(stem) < kFewestLetters) continue;
    starts_.push_back(start_of(word_, stem));
    // Some languages take away what stands before a word: "membaca" is "baca".
    if (!word_.starts_with(starts_.back()) || !stem.starts_with(starts_.back()))
      starts_.push_back(start_of(stem, stem));
    languages_.push_back({language, std::move(stem)});
  }
}

void WordForms::add_plurals(const Vocabulary& words) {
  const auto add = [&](std::string form) {
    if (form != word_ && count_code_points(form) >= kFewestLetters)
      forms_[std::move(form)] |= set_of(words.language);
  };
  // Where the singular has no ending, a short one of the plural is too often a part of the word;
  // the stems know it, where there are any.
  const auto stemmed = stemmed_languages();
  const bool has_stems = std::ranges::find(stemmed, words.language) != stemmed.end();
  const auto add_changed = [&](const std::string& plural, const std::string& singular) {
    const bool stems_say =
        has_stems && singular.empty() && count_code_points(plural) < kFewestLetters;
    const auto add_one = [&](const std::string& from, const std::string& to) {
      if (!word_.ends_with(from)) return;
      std::string form = replaced_ending(word_, from, to);
      ruled_.insert(form);
      if (!stems_say) add(std::move(form));
    };
    add_one(plural, singular);
    add_one(singular, plural);
  };
  for (const auto& [plural, singular] : words.plurals)
    add_changed(fold_for_finding(plural), fold_for_finding(singular));
  for (const auto& [plural, singular] : words.irregular_plurals) {
    const std::string many = fold_for_finding(plural), one = fold_for_finding(singular);
    if (many == word_) add(one);
    if (one == word_) add(many);
    if (many == word_ || one == word_) ruled_.insert(many == word_ ? one : many);
  }
}

void WordForms::add_prefixes(const Vocabulary& words) {
  for (const std::string& prefix : words.word_prefixes) {
    prefixes_[prefix] |= set_of(words.language);
    const std::string_view rest =
        std::string_view(word_).substr(word_.starts_with(prefix) ? prefix.size() : word_.size());
    if (count_code_points(rest) >= kFewestLetters)
      forms_[std::string(rest)] |= set_of(words.language);
  }
}

// Short ones are too often by chance.
void WordForms::add_changed_stems(const Vocabulary& words) {
  for (const auto& [from, to] : words.names.stems) {
    if (from.size() < kFewestLetters || word_.size() <= from.size() || !word_.ends_with(from))
      continue;
    changed_.push_back({replaced_ending(word_, from, to), &words});
  }
}

FormSense WordForms::without_prefix(std::string_view candidate, const LanguageSet& among) {
  FormSense sense;
  for (const Changed& changed : changed_) {
    const bool is_form =
        candidate.starts_with(changed.stem) &&
        changed.words->names.endings.contains(candidate.substr(changed.stem.size()));
    if (is_form) sense.languages |= set_of(changed.words->language);
  }
  if (const auto exactly = forms_.find(candidate); exactly != forms_.end())
    sense.languages |= exactly->second;
  sense.by_rule = sense.languages.any() || ruled_.contains(candidate);
  const bool near = differ_at_an_end(word_, candidate);
  sense.plain = sense.languages.any() || near;
  if (among.none() && !sense.plain) return sense;
  for (const OfLanguage& of : languages_) {
    if (among.any() && !among.test(static_cast<std::size_t>(of.language))) continue;
    Stemmer& stemmer = stemmer_of_thread(of.language);
    std::string stem(stemmer.stem(candidate));
    // Without its accents an ending may be known in part alone: "arrivees", "arrive", "arriv".
    if (near && stem != of.stem && stem != candidate) stem = stemmer.stem(stem);
    if (stem == of.stem) sense.languages |= set_of(of.language);
  }
  return sense;
}

FormSense WordForms::sense(std::string_view candidate) {
  return sense_among(candidate, LanguageSet().set());
}

bool WordForms::fits(std::string_view candidate, const LanguageSet& of_text) {
  return sense_among(candidate, of_text).fits(of_text);
}

FormSense WordForms::sense_among(std::string_view candidate, const LanguageSet& among) {
  const auto begins = [&](const std::string& start) { return candidate.starts_with(start); };
  if (candidate == word_ || candidate.size() > word_.size() + kLongestEnding ||
      std::ranges::none_of(starts_, begins))
    return {};
  FormSense sense = without_prefix(candidate, among);
  // A prefix makes what is behind it plain, whatever stem says that.
  const LanguageSet behind = among.none() ? LanguageSet().set() : among;
  for (const auto& [prefix, languages] : prefixes_) {
    if (!candidate.starts_with(prefix)) continue;
    const std::string_view rest = candidate.substr(prefix.size());
    const LanguageSet also =
        rest == word_ ? languages : (without_prefix(rest, behind).languages & languages);
    sense.languages |= also;
    sense.plain = sense.plain || also.any();
    sense.by_rule = sense.by_rule || (also.any() && rest == word_);
  }
  return sense;
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
