#include "language/language.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"

namespace anima::language {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, kLanguages> kCodes = {
    "ar", "hy", "eu", "bg", "ca", "zh", "hr", "cs", "da", "nl", "en", "et", "fi", "fr", "de",
    "el", "he", "hi", "hu", "id", "ga", "it", "ja", "km", "ko", "lo", "lt", "ne", "no", "fa",
    "pl", "pt", "ro", "ru", "sr", "sk", "es", "sv", "ta", "th", "tr", "uk", "vi", "yi"};

}  // namespace

std::string_view code_of(Language language) { return kCodes[static_cast<std::size_t>(language)]; }

std::optional<Language> language_of_code(std::string_view code) {
  code = code.substr(0, code.find_first_of("-_"));
  const auto found = std::ranges::find_if(
      kCodes, [&](std::string_view known) { return equals_ignoring_ascii_case(known, code); });
  if (found == kCodes.end()) return std::nullopt;
  return static_cast<Language>(found - kCodes.begin());
}

}  // namespace anima::language
