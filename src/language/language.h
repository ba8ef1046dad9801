// The languages that the room knows by name.
//
// A language is known where its code is; what is known of it (stop words, endings, stems) is data
// in packs/language, and each part of the room says which languages it has data for. The numbers
// are not written to disk: what is stored is the code. Thread-safety: pure functions. Source: ISO
// 639-1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace anima::language {

enum class Language : std::uint8_t {
  kArabic,
  kArmenian,
  kBasque,
  kBulgarian,
  kCatalan,
  kChinese,
  kCroatian,
  kCzech,
  kDanish,
  kDutch,
  kEnglish,
  kEstonian,
  kFinnish,
  kFrench,
  kGerman,
  kGreek,
  kHebrew,
  kHindi,
  kHungarian,
  kIndonesian,
  kIrish,
  kItalian,
  kJapanese,
  kKhmer,
  kKorean,
  kLao,
  kLithuanian,
  kNepali,
  kNorwegian,
  kPersian,
  kPolish,
  kPortuguese,
  kRomanian,
  kRussian,
  kSerbian,
  kSlovak,
  kSpanish,
  kSwedish,
  kTamil,
  kThai,
  kTurkish,
  kUkrainian,
  kVietnamese,
  kYiddish,
};
inline constexpr std::size_t kLanguages = static_cast<std::size_t>(Language::kYiddish) + 1;

// "en", "zh": in lower case.
std::string_view code_of(Language language);
// Of a code, whatever its case and what follows its first part ("en", "EN", "en-GB", "zh_Hans");
// nothing for one that is unknown.
std::optional<Language> language_of_code(std::string_view code);

}  // namespace anima::language
