#include "language/text/compounds.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>

#include "language/text/vocabulary.h"

namespace anima::language {
namespace {

constexpr std::size_t kShortestWord = 7;  // bytes
constexpr std::size_t kShortestPart = 2;
constexpr std::size_t kLongestPart = 20;

// By the first three bytes of a word, as a hash: the sizes that the parts of a language have which
// begin so, a bit each. A part of two bytes is under every third.
class Beginnings {
 public:
  void add(std::string_view part) {
    const std::uint32_t size = 1U << part.size();
    if (part.size() > 2) {
      sizes_[place_of(part)] |= size;
    } else {
      pairs_[pair_of(part)] = true;
    }
  }
  // Requires two bytes.
  std::uint32_t sizes(std::string_view text) const {
    const std::uint32_t pair = pairs_[pair_of(text)] ? 1U << 2 : 0U;
    return pair | (text.size() > 2 ? sizes_[place_of(text)] : 0U);
  }

 private:
  static constexpr std::size_t kPlaces = 8192;
  static std::size_t byte(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]);
  }
  static std::size_t pair_of(std::string_view text) { return byte(text, 0) * 256 + byte(text, 1); }
  static std::size_t place_of(std::string_view text) {
    return (byte(text, 0) * 1021 + byte(text, 1) * 31 + byte(text, 2) * 7) % kPlaces;
  }
  std::array<std::uint32_t, kPlaces> sizes_{};
  std::bitset<65'536> pairs_;
};

struct Compounding {
  const Vocabulary* words;
  Beginnings beginnings;
};

struct CompoundingLanguages {
  CompoundingLanguages() {
    for (const Language language : described_languages()) {
      const Vocabulary& words = vocabulary(language);
      if (words.compound_parts.empty()) continue;
      Compounding& one = each.emplace_back(Compounding{&words, {}});
      for (const std::string& part : words.compound_parts) {
        if (part.size() < kShortestPart || part.size() > kLongestPart) continue;
        one.beginnings.add(part);
        any.add(part);
      }
    }
  }
  std::vector<Compounding> each;
  Beginnings any;  // of all of them: most words begin as no part does
};

// Cuts one word by one language, the longest part first.
class CompoundCutter {
 public:
  CompoundCutter(std::string_view word, const Compounding& language)
      : word_(word), language_(language) {}

  std::vector<TextSpan> run() && {
    if (!cut(0)) return {};
    return std::move(parts_);
  }

 private:
  bool cut(std::size_t at) {
    if (word_.size() - at < kShortestPart || dead_[at]) return false;
    const std::uint32_t sizes = language_.beginnings.sizes(word_.substr(at));
    const std::size_t longest = std::min(word_.size() - at, kLongestPart);
    for (std::size_t size = longest; sizes != 0 && size >= kShortestPart; --size) {
      const std::string_view part = word_.substr(at, size);
      if ((sizes >> size & 1U) == 0 || size == word_.size() ||
          !language_.words->compound_parts.contains(part))
        continue;
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
  static const CompoundingLanguages kLanguagesThatDo;
  if (kLanguagesThatDo.any.sizes(word) == 0) return {};
  for (const Compounding& language : kLanguagesThatDo.each) {
    if (language.beginnings.sizes(word) == 0) continue;
    std::vector<TextSpan> parts = CompoundCutter(word, language).run();
    if (!parts.empty()) return parts;
  }
  return {};
}

}  // namespace anima::language
