#include "language/text/full_case.h"

#include <unicode/ucasemap.h>

#include "base/result.h"
#include "base/text/text.h"

namespace anima::language {
namespace {

// Made once and never changed; ICU reads it from any thread.
const UCaseMap* case_map() {
  static const UCaseMap* const kMap = [] {
    UErrorCode error = U_ZERO_ERROR;
    const UCaseMap* map = ucasemap_open("", 0, &error);
    ANIMA_CHECK(U_SUCCESS(error));
    return map;
  }();
  return kMap;
}

using Mapping = std::int32_t (*)(const UCaseMap*, char*, std::int32_t, const char*, std::int32_t,
                                 UErrorCode*);

constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // ICU counts in 32 bits

bool is_simple(std::string_view text) { return text.size() > kMostBytes || is_ascii(text); }

std::string mapped(std::string_view text, Mapping mapping) {
  std::string out(text.size() + text.size() / 2, '\0');
  const auto length = static_cast<std::int32_t>(text.size());
  for (;;) {
    UErrorCode error = U_ZERO_ERROR;
    const std::int32_t size = mapping(case_map(), out.data(), static_cast<std::int32_t>(out.size()),
                                      text.data(), length, &error);
    const bool fits = error != U_BUFFER_OVERFLOW_ERROR;
    ANIMA_CHECK(!fits || U_SUCCESS(error));
    out.resize(static_cast<std::size_t>(size));
    if (fits) return out;
  }
}

}  // namespace

std::string full_upper(std::string_view text) {
  return is_simple(text) ? to_upper(text) : mapped(text, ucasemap_utf8ToUpper);
}

std::string full_lower(std::string_view text) {
  return is_simple(text) ? to_lower(text) : mapped(text, ucasemap_utf8ToLower);
}

}  // namespace anima::language
