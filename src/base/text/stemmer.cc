#include "base/text/stemmer.h"

#include <libstemmer.h>

#include <array>
#include <cstdlib>

namespace anima {
namespace {

constexpr std::array<const char*, kLanguages> kAlgorithms = {"english", "german", "french",
                                                             "spanish"};
constexpr std::size_t kLongestWord = 64;

struct Deleter {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};

}  // namespace

struct Stemmer::State {
  std::unique_ptr<sb_stemmer, Deleter> stemmer;
};

Stemmer::Stemmer(Language language) : state_(std::make_unique<State>()) {
  state_->stemmer.reset(sb_stemmer_new(kAlgorithms[static_cast<std::size_t>(language)], "UTF_8"));
  // The library knows these languages; there is none only where there is no memory left.
  if (!state_->stemmer) std::abort();
}

Stemmer::~Stemmer() = default;
Stemmer::Stemmer(Stemmer&&) noexcept = default;
Stemmer& Stemmer::operator=(Stemmer&&) noexcept = default;

std::string_view Stemmer::stem(std::string_view word) {
  if (word.empty() || word.size() > kLongestWord) return word;
  const sb_symbol* stem =
      sb_stemmer_stem(state_->stemmer.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                      static_cast<int>(word.size()));
  if (stem == nullptr) return word;
  return {reinterpret_cast<const char*>(stem),
          static_cast<std::size_t>(sb_stemmer_length(state_->stemmer.get()))};
}

}  // namespace anima
