#include "language/text/compounds.h"

#include <algorithm>
#include <array>
#include <bitset>

#include "language/text/vocabulary.h"

namespace anima::language {
namespace {

constexpr std::size_t kShortestWord = 7;  // bytes
constexpr std::size_t kShortestPart = 2;
constexpr std::size_t kLongestPart = 20;

// Which three bytes the parts begin with, by a hash.
class Beginnings {
 public:
  void add(std::string_view part) { known_[place_of(part)] = true; }
  bool may_begin(std::string_view text) const { return known_[place_of(text)]; }

 private:
  static constexpr std::size_t kPlaces = 8192;
  static std::size_t place_of(std::string_view text) {
    const auto byte = [&](std::size_t i) {
      return static_cast<std::size_t>(static_cast<unsigned char>(text[i]));
    };
    return (byte(0) * 1021 + byte(1) * 31) % kPlaces;
  }
  std::bitset<kPlaces> known_;
};

struct Compounding {
  const Vocabulary* words;
  Beginnings beginnings;
};

const std::vector<Compounding>& compounding_languages() {
  static const std::vector<Compounding> kLanguagesThatDo = [] {
    std::vector<Compounding> all;
    for (const Language language : described_languages()) {
      const Vocabulary& words = vocabulary(language);
      if (words.compound_parts.empty()) continue;
      Compounding one{&words, {}};
      for (const std::string& part : words.compound_parts)
        if (part.size() >= kShortestPart) one.beginnings.add(part);
      all.push_back(one);
    }
    return all;
  }();
  return kLanguagesThatDo;
}

// Cuts one word by one language, the longest part first.
class CompoundCutter {
 public:
  CompoundCutter(std::string_view word, const Compounding& language)
      : word_(word), language_(language) {}

  std::vector<TextSpan> run() && {
    if (!language_.beginnings.may_begin(word_) || !cut(0)) return {};
    return std::move(parts_);
  }

 private:
  bool cut(std::size_t at) {
    if (word_.size() - at < kShortestPart || dead_[at]) return false;
    const std::size_t longest = std::min(word_.size() - at, kLongestPart);
    for (std::size_t size = longest; size >= kShortestPart; --size) {
      const std::string_view part = word_.substr(at, size);
      if (size == word_.size() || !language_.words->compound_parts.contains(part)) continue;
      parts_.push_back({at, at + size});
      if (goes_on(at + size)) return true;
      parts_.pop_back();
    }
    dead_[at] = true;
    return false;
  }

  bool goes_on(std::size_t at) {
    const std::string_view rest = word_.substr(at);
    const Vocabulary& words = *language_.words;
    const auto is_rest = [&](const std::string& ending) { return ending == rest; };
    if (parts_.size() > 1 && (rest.empty() || std::ranges::any_of(words.compound_endings, is_rest)))
      return true;
    if (cut(at)) return true;
    return std::ranges::any_of(words.compound_links, [&](const std::string& link) {
      return rest.starts_with(link) && cut(at + link.size());
    });
  }

  std::string_view word_;
  const Compounding& language_;
  std::vector<TextSpan> parts_;
  std::array<bool, kLongestTerm> dead_{};  // places from which no parts go to the end
};

}  // namespace

std::vector<TextSpan> compound_parts(std::string_view word) {
  if (word.size() < kShortestWord || word.size() >= kLongestTerm) return {};
  for (const Compounding& language : compounding_languages()) {
    std::vector<TextSpan> parts = CompoundCutter(word, language).run();
    if (!parts.empty()) return parts;
  }
  return {};
}

}  // namespace anima::language
