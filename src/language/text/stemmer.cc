#include "language/text/stemmer.h"

#include <libstemmer.h>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "language/text/fold.h"
#include "language/text/vocabulary.h"

namespace anima::language {
namespace {

constexpr std::size_t kLongestWord = 64;
constexpr std::size_t kRememberedByThread = 16;  // of each language: they share the cache

struct Deleter {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};
using Algorithm = std::unique_ptr<sb_stemmer, Deleter>;

Algorithm open_algorithm(Language language) {
  return Algorithm(sb_stemmer_new(std::string(code_of(language)).c_str(), "UTF_8"));
}

struct Remembered {
  std::string word, stem;
};

// The longest ending goes that leaves enough letters.
std::string without_ending(std::string_view word, const Vocabulary& words) {
  constexpr std::size_t kFewestLetters = 3;
  std::string stem = fold_for_finding(word);
  const auto ends = [&](std::string_view ending, std::size_t fewest) {
    return stem.ends_with(ending) && count_code_points(stem) >= count_code_points(ending) + fewest;
  };
  for (const std::string& ending : words.stem_endings) {
    if (!ends(ending, kFewestLetters)) continue;
    stem.resize(stem.size() - ending.size());
    break;
  }
  for (const auto& [from, to] : words.stem_changes) {
    if (!ends(from, 1)) continue;
    stem.replace(stem.size() - from.size(), from.size(), to);
    break;
  }
  return stem;
}

}  // namespace

struct Stemmer::State {
  Algorithm algorithm;
  const Vocabulary* words = nullptr;  // where there is no algorithm
  std::size_t remembers = 0;
  // The stem of a word stands where its hash says, until another word takes the place.
  std::vector<Remembered> remembered;
};

std::span<const Language> stemmed_languages() {
  static const std::vector<Language> kStemmed = [] {
    std::vector<Language> languages;
    for (std::size_t i = 0; i < kLanguages; ++i)
      if (open_algorithm(static_cast<Language>(i)) != nullptr ||
          !vocabulary(static_cast<Language>(i)).stem_endings.empty())
        languages.push_back(static_cast<Language>(i));
    return languages;
  }();
  return kStemmed;
}

Stemmer::Stemmer(Language language, std::size_t remembers) : state_(std::make_unique<State>()) {
  state_->remembers = remembers;
  state_->algorithm = open_algorithm(language);
  const Vocabulary& words = vocabulary(language);
  if (state_->algorithm == nullptr && !words.stem_endings.empty()) state_->words = &words;
}

Stemmer::~Stemmer() = default;
Stemmer::Stemmer(Stemmer&&) noexcept = default;
Stemmer& Stemmer::operator=(Stemmer&&) noexcept = default;

std::string_view Stemmer::stem(std::string_view word) {
  const bool has_rules = state_->algorithm != nullptr || state_->words != nullptr;
  if (!has_rules || word.empty() || word.size() > kLongestWord) return word;
  if (state_->remembered.empty()) state_->remembered.resize(state_->remembers);
  Remembered& place =
      state_->remembered[std::hash<std::string_view>()(word) & (state_->remembers - 1)];
  if (place.word == word) return place.stem;
  if (state_->algorithm == nullptr) {
    place.stem = without_ending(word, *state_->words);
    place.word = word;
    return place.stem;
  }
  const sb_symbol* stem =
      sb_stemmer_stem(state_->algorithm.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                      static_cast<int>(word.size()));
  if (stem == nullptr) return word;
  place.word = word;
  place.stem.assign(reinterpret_cast<const char*>(stem),
                    static_cast<std::size_t>(sb_stemmer_length(state_->algorithm.get())));
  return place.stem;
}

Stemmer& stemmer_of_thread(Language language) {
  thread_local std::array<std::optional<Stemmer>, kLanguages> all;
  std::optional<Stemmer>& one = all[static_cast<std::size_t>(language)];
  if (!one) one.emplace(language, kRememberedByThread);
  return *one;
}

}  // namespace anima::language
