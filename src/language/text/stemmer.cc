#include "language/text/stemmer.h"

#include <libstemmer.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace anima::language {
namespace {

constexpr std::size_t kLongestWord = 64;
constexpr std::size_t kRemembered = 2048;  // a power of two

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

}  // namespace

struct Stemmer::State {
  Algorithm algorithm;
  // The stem of a word stands where its hash says, until another word takes the place.
  std::vector<Remembered> remembered;
};

std::span<const Language> stemmed_languages() {
  static const std::vector<Language> kStemmed = [] {
    std::vector<Language> languages;
    for (std::size_t i = 0; i < kLanguages; ++i)
      if (open_algorithm(static_cast<Language>(i)) != nullptr)
        languages.push_back(static_cast<Language>(i));
    return languages;
  }();
  return kStemmed;
}

Stemmer::Stemmer(Language language) : state_(std::make_unique<State>()) {
  state_->algorithm = open_algorithm(language);
}

Stemmer::~Stemmer() = default;
Stemmer::Stemmer(Stemmer&&) noexcept = default;
Stemmer& Stemmer::operator=(Stemmer&&) noexcept = default;

std::string_view Stemmer::stem(std::string_view word) {
  if (state_->algorithm == nullptr || word.empty() || word.size() > kLongestWord) return word;
  if (state_->remembered.empty()) state_->remembered.resize(kRemembered);
  Remembered& place = state_->remembered[std::hash<std::string_view>()(word) & (kRemembered - 1)];
  if (place.word == word) return place.stem;
  const sb_symbol* stem =
      sb_stemmer_stem(state_->algorithm.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                      static_cast<int>(word.size()));
  if (stem == nullptr) return word;
  place.word = word;
  place.stem.assign(reinterpret_cast<const char*>(stem),
                    static_cast<std::size_t>(sb_stemmer_length(state_->algorithm.get())));
  return place.stem;
}

}  // namespace anima::language
