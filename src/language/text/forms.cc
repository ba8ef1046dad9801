#include "language/text/forms.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/packs.h"
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

// How many bytes of a word are the letters that every form of a stem shares: endings change its
// last one ("city", "citi").
std::size_t size_of_start(std::string_view word, std::string_view stem) {
  const auto same = std::ranges::mismatch(word, stem).in1 - word.begin();
  std::size_t letters = count_code_points(beginning_of(word, static_cast<std::size_t>(same)));
  if (letters == count_code_points(stem) && letters > 0) --letters;
  return substring_by_code_points(word, 0, std::max(letters, kFewestLetters)).size();
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

// What the languages of a script say of words, folded for finding, in the order of the languages.
struct WordForms::Rules {
  struct Plural {
    std::string plural, singular;
    LanguageSet language;
    // Where the singular has no ending, a short one of the plural is too often a part of the word;
    // the stems know it, where there are any.
    bool stems_say = false;
  };
  struct Irregular {
    std::string other;
    LanguageSet language;
  };
  struct Change {
    std::string from, to;
    const Vocabulary* words;
  };
  explicit Rules(Script script) {
    for (const Language language : stemmed_languages())
      if (script_of_stems(language) == script) stemmed.push_back(language);
    for (const Language language : languages_in(script)) add(vocabulary(language));
  }
  void add(const Vocabulary& words) {
    const LanguageSet language = set_of(words.language);
    const bool has_stems =
        std::ranges::find(stemmed_languages(), words.language) != stemmed_languages().end();
    for (const auto& [plural, singular] : words.plurals) {
      Plural rule{fold_for_finding(plural), fold_for_finding(singular), language};
      rule.stems_say =
          has_stems && rule.singular.empty() && count_code_points(rule.plural) < kFewestLetters;
      plurals.push_back(std::move(rule));
    }
    for (const auto& [plural, singular] : words.irregular_plurals) {
      const std::string many = fold_for_finding(plural), one = fold_for_finding(singular);
      irregular.emplace(many, Irregular{one, language});
      irregular.emplace(one, Irregular{many, language});
    }
    add_irregular_verbs(words.language);
    for (const std::string& prefix : words.word_prefixes) {
      const auto known = std::ranges::find(prefixes, prefix, &Prefix::first);
      if (known == prefixes.end()) {
        prefixes.emplace_back(prefix, language);
      } else {
        known->second |= language;
      }
    }
    // Short ones are too often by chance.
    for (const auto& [from, to] : words.names.stems)
      if (from.size() >= kFewestLetters) changes.push_back({from, to, &words});
  }

  // Each form of a verb is one of each other.
  void add_irregular_verbs(Language language) {
    const auto file =
        pack_file("packs/language/irregular/" + std::string(code_of(language)) + ".txt");
    for (const std::string_view line : split(file.value_or(""), '\n')) {
      if (line.starts_with('#')) continue;
      std::vector<std::string> verb;
      for (const std::string_view form : split(line, ' ')) verb.push_back(fold_for_finding(form));
      for (const std::string& one : verb) {
        for (const std::string& other : verb)
          if (one != other) irregular.emplace(one, Irregular{other, set_of(language)});
      }
    }
  }

  using Prefix = std::pair<std::string, LanguageSet>;
  std::vector<Language> stemmed;
  std::vector<Plural> plurals;
  std::unordered_multimap<std::string, Irregular> irregular;  // by either of the two
  std::vector<Prefix> prefixes;                               // of words, each once
  std::vector<Change> changes;                                // of names before endings
};

auto WordForms::rules_of(Script script) -> const Rules& {
  struct Once {
    std::once_flag made;
    std::optional<Rules> rules;
  };
  static std::array<Once, kScripts> all;
  Once& one = all[static_cast<std::size_t>(script)];
  std::call_once(one.made, [&] { one.rules.emplace(script); });
  return *one.rules;
}

WordForms::WordForms(std::string_view word) : word_(word) {
  const bool letters = std::ranges::none_of(word, [](char c) { return c >= '0' && c <= '9'; });
  if (!letters || word.empty()) return;
  const Rules& rules = rules_of(script_of(word));
  add_irregular(rules);
  const bool is_short = count_code_points(word) < kFewestLetters;
  if (is_short && forms_.empty()) return;
  rules_ = &rules;
  if (!is_short) {
    add_stems(rules);
    add_plurals(rules);
    add_prefixes(rules);
    add_changed_stems(rules);
  }
  order_forms();
  make_starts();
}

void WordForms::make_starts() {
  // Most are of the word: the shortest begins the others.
  std::size_t shortest = word_.size() + 1;
  for (const OfLanguage& of : languages_) {
    shortest = std::min(shortest, of.start);
    if (!of.other_start.empty()) starts_.push_back(of.other_start);
  }
  if (shortest <= word_.size()) starts_.push_back(word_.substr(0, shortest));
  for (const Form& form : forms_)
    if (form.languages.any()) starts_.push_back(form.text);
  for (const Changed& changed : changed_) starts_.push_back(changed.stem);
  for (const auto& [prefix, languages] : rules_->prefixes)
    starts_.push_back(prefix + std::string(substring_by_code_points(word_, 0, kFewestLetters)));
  std::ranges::sort(starts_);
  // The shorter one stands before those that begin with it.
  std::vector<std::string> starts;
  for (std::string& start : starts_)
    if (starts.empty() || !start.starts_with(starts.back())) starts.push_back(std::move(start));
  starts_ = std::move(starts);
}

void WordForms::add_stems(const Rules& rules) {
  languages_.reserve(rules.stemmed.size());
  for (const Language language : rules.stemmed) {
    const std::string_view stem = stemmer_of_thread(language).stem(word_);
    if (count_code_points(stem) < kFewestLetters) continue;
    OfLanguage& of = languages_.emplace_back(OfLanguage{language, std::string(stem)});
    of.start = size_of_start(word_, of.stem);
    // Some languages take away what stands before a word: "membaca" is "baca".
    if (!of.stem.starts_with(std::string_view(word_).substr(0, of.start)))
      of.other_start = of.stem.substr(0, size_of_start(of.stem, of.stem));
  }
}

void WordForms::add_form(std::string form, const LanguageSet& languages, bool by_rule) {
  const bool stands = form != word_ && count_code_points(form) >= kFewestLetters;
  forms_.push_back({std::move(form), stands ? languages : LanguageSet(), by_rule});
}

// One of each.
void WordForms::order_forms() {
  std::ranges::sort(forms_, {}, &Form::text);
  std::size_t kept = 0;
  for (Form& form : forms_) {
    if (kept > 0 && forms_[kept - 1].text == form.text) {
      forms_[kept - 1].languages |= form.languages;
      forms_[kept - 1].by_rule = forms_[kept - 1].by_rule || form.by_rule;
    } else if (Form& place = forms_[kept++]; &place != &form) {
      place = std::move(form);
    }
  }
  forms_.resize(kept);
}

void WordForms::add_plurals(const Rules& rules) {
  for (const Rules::Plural& rule : rules.plurals) {
    const LanguageSet languages = rule.stems_say ? LanguageSet() : rule.language;
    const auto add_changed = [&](const std::string& from, const std::string& to) {
      if (word_.ends_with(from)) add_form(replaced_ending(word_, from, to), languages, true);
    };
    add_changed(rule.plural, rule.singular);
    add_changed(rule.singular, rule.plural);
  }
}

// Also those of few letters: "went" of "go".
void WordForms::add_irregular(const Rules& rules) {
  const auto [first, last] = rules.irregular.equal_range(word_);
  for (auto one = first; one != last; ++one)
    forms_.push_back({one->second.other, one->second.language, true});
}

void WordForms::add_prefixes(const Rules& rules) {
  for (const auto& [prefix, languages] : rules.prefixes) {
    if (!word_.starts_with(prefix)) continue;
    std::string rest = word_.substr(prefix.size());
    if (count_code_points(rest) >= kFewestLetters)
      forms_.push_back({std::move(rest), languages, false});
  }
}

void WordForms::add_changed_stems(const Rules& rules) {
  for (const auto& [from, to, words] : rules.changes) {
    if (word_.size() <= from.size() || !word_.ends_with(from)) continue;
    changed_.push_back({replaced_ending(word_, from, to), words});
  }
}

bool WordForms::begins_as_in(const OfLanguage& of, std::string_view candidate) const {
  return candidate.starts_with(std::string_view(word_).substr(0, of.start)) ||
         (!of.other_start.empty() && candidate.starts_with(of.other_start));
}

FormSense WordForms::without_prefix(std::string_view candidate, const LanguageSet& among) {
  FormSense sense;
  for (const Changed& changed : changed_) {
    const bool is_form =
        candidate.starts_with(changed.stem) &&
        changed.words->names.endings.contains(candidate.substr(changed.stem.size()));
    if (is_form) sense.languages |= set_of(changed.words->language);
  }
  const auto exactly = std::ranges::lower_bound(forms_, candidate, {}, &Form::text);
  const bool is_listed = exactly != forms_.end() && exactly->text == candidate;
  if (is_listed) sense.languages |= exactly->languages;
  sense.by_rule = sense.languages.any() || (is_listed && exactly->by_rule);
  const bool near = differ_at_an_end(word_, candidate);
  sense.plain = sense.languages.any() || near;
  const bool one_is_enough = among.none();
  if (one_is_enough && (!sense.plain || sense.languages.any())) return sense;
  for (const OfLanguage& of : languages_) {
    if (!one_is_enough && !among.test(static_cast<std::size_t>(of.language))) continue;
    if (!begins_as_in(of, candidate)) continue;
    Stemmer& stemmer = stemmer_of_thread(of.language);
    std::string_view stem = stemmer.stem(candidate);
    // Without its accents an ending may be known in part alone: "arrivees", "arrive", "arriv".
    if (near && stem != of.stem && stem != candidate) stem = stemmer.stem(std::string(stem));
    if (stem == of.stem) sense.languages |= set_of(of.language);
    if (one_is_enough && sense.languages.any()) break;
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
  for (const auto& [prefix, languages] : rules_->prefixes) {
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
