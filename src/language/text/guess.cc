#include "language/text/guess.h"

#include <algorithm>
#include <numeric>

#include "language/text/script.h"
#include "language/text/vocabulary.h"
#include "language/text/words.h"

namespace anima::language {
namespace {

constexpr std::uint32_t kLikelyShare = 2;
constexpr std::uint32_t kFewestVotes = 2;

// Scripts that one language has for itself, among those that are known.
std::optional<Language> language_of_script(Script script) {
  switch (script) {
    case Script::kThai:
      return Language::kThai;
    case Script::kLao:
      return Language::kLao;
    case Script::kKhmer:
      return Language::kKhmer;
    case Script::kHangul:
      return Language::kKorean;
    case Script::kKana:
      return Language::kJapanese;
    case Script::kGreek:
      return Language::kGreek;
    case Script::kArmenian:
      return Language::kArmenian;
    case Script::kTamil:
      return Language::kTamil;
    default:
      return std::nullopt;
  }
}

}  // namespace

void LanguageVotes::add(std::string_view word) {
  for (const Language language : languages_with_stop_word(word))
    ++votes_[static_cast<std::size_t>(language)];
}

void LanguageVotes::add_text(std::string_view text) {
  WordReader reader(FoldStrength::kCase);
  bool han = false, kana = false;
  for (const Token& token : reader.read(text)) {
    const Script script = script_of(token.folded);
    han = han || script == Script::kHan;
    kana = kana || token.folded.find("\xe3\x81") != token.folded.npos || script == Script::kKana;
    if (const auto only = language_of_script(script)) {
      ++votes_[static_cast<std::size_t>(*only)];
    } else if (!token.unbroken) {
      add(token.folded);
    }
  }
  // Japanese is written with Han letters too, but never long without kana.
  if (han && !kana) ++votes_[static_cast<std::size_t>(Language::kChinese)];
  if (han && kana) ++votes_[static_cast<std::size_t>(Language::kJapanese)];
}

void LanguageVotes::add(const LanguageVotes& more) {
  for (std::size_t i = 0; i < votes_.size(); ++i) votes_[i] += more.votes_[i];
}

std::uint64_t LanguageVotes::all() const {
  return std::accumulate(votes_.begin(), votes_.end(), std::uint64_t{0});
}

std::optional<Language> LanguageVotes::most() const {
  const auto most = std::ranges::max_element(votes_);
  if (*most == 0 || std::ranges::count(votes_, *most) != 1) return std::nullopt;
  return static_cast<Language>(most - votes_.begin());
}

std::optional<Language> LanguageVotes::sure() const {
  const auto most = std::ranges::max_element(votes_);
  const auto rivals = [&](std::uint32_t votes) { return votes * 3 > *most * 2; };
  if (*most < kFewestVotes || std::ranges::count_if(votes_, rivals) != 1) return std::nullopt;
  return static_cast<Language>(most - votes_.begin());
}

std::vector<Language> LanguageVotes::likely() const {
  const std::uint32_t most = *std::ranges::max_element(votes_);
  std::vector<Language> languages;
  for (std::size_t i = 0; i < votes_.size(); ++i)
    if (votes_[i] > 0 && votes_[i] * kLikelyShare >= most)
      languages.push_back(static_cast<Language>(i));
  return languages;
}

std::optional<Language> guess_language(std::string_view text) {
  LanguageVotes votes;
  votes.add_text(text);
  return votes.most();
}

std::vector<Language> likely_languages(std::string_view text) {
  LanguageVotes votes;
  votes.add_text(text);
  return votes.likely();
}

LanguageSet languages_of_forms(std::string_view text) {
  LanguageVotes votes;
  votes.add_text(text);
  if (const auto sure = votes.sure(); sure && votes.of(*sure) >= kClearVotes) return set_of(*sure);
  LanguageSet languages;
  for (const Language language : votes.likely())
    if (votes.of(language) >= kClearVotes) languages |= set_of(language);
  return languages;
}

}  // namespace anima::language
