#include "language/names/detail/transliteration.h"

#include <unicode/ustring.h>
#include <unicode/utrans.h>

#include <memory>
#include <vector>

namespace anima::language::detail {
namespace {

constexpr std::u16string_view kRules = u"Any-Latin; Lower; NFD";
constexpr std::size_t kMostBytes = 4096;  // of a name
constexpr std::int32_t kGrowth = 8;       // letters of Latin for one letter of a script

struct CloseRules {
  void operator()(UTransliterator* rules) const { utrans_close(rules); }
};

UTransliterator* rules() {
  thread_local const std::unique_ptr<UTransliterator, CloseRules> kOpened = [] {
    UErrorCode error = U_ZERO_ERROR;
    UTransliterator* opened = utrans_openU(kRules.data(), static_cast<std::int32_t>(kRules.size()),
                                           UTRANS_FORWARD, nullptr, 0, nullptr, &error);
    return std::unique_ptr<UTransliterator, CloseRules>(U_FAILURE(error) ? nullptr : opened);
  }();
  return kOpened.get();
}

}  // namespace

std::string transliterated(std::string_view text) {
  if (rules() == nullptr || text.empty() || text.size() > kMostBytes) return {};
  UErrorCode error = U_ZERO_ERROR;
  const auto capacity = static_cast<std::int32_t>(text.size()) * kGrowth + 1;
  std::vector<UChar> letters(static_cast<std::size_t>(capacity));
  std::int32_t size = 0;
  u_strFromUTF8(letters.data(), capacity, &size, text.data(),
                static_cast<std::int32_t>(text.size()), &error);
  std::int32_t end = size;
  utrans_transUChars(rules(), letters.data(), &size, capacity, 0, &end, &error);
  std::string latin(static_cast<std::size_t>(size) * 3 + 1, '\0');
  std::int32_t bytes = 0;
  u_strToUTF8(latin.data(), static_cast<std::int32_t>(latin.size()), &bytes, letters.data(), size,
              &error);
  if (U_FAILURE(error)) return {};
  latin.resize(static_cast<std::size_t>(bytes));
  return latin;
}

}  // namespace anima::language::detail
