// ICU's word breaks, for scripts that need its dictionaries.
#include <unicode/ubrk.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <memory>

#include "base/text/text.h"
#include "language/text/words.h"

namespace anima::language {
namespace {

struct CloseBreaks {
  void operator()(UBreakIterator* breaks) const { ubrk_close(breaks); }
};
// An iterator is made once a thread: that reads the rules, which takes longer than a sentence.
UBreakIterator* word_breaks() {
  thread_local const std::unique_ptr<UBreakIterator, CloseBreaks> kBreaks = [] {
    UErrorCode error = U_ZERO_ERROR;
    UBreakIterator* breaks = ubrk_open(UBRK_WORD, "", nullptr, 0, &error);
    return std::unique_ptr<UBreakIterator, CloseBreaks>(U_FAILURE(error) ? nullptr : breaks);
  }();
  return kBreaks.get();
}

// The run as UTF-16: ICU looks letters up in it in half the time that its view of UTF-8 takes.
bool to_utf16(std::string_view run, std::vector<UChar>& wide) {
  wide.resize(run.size());
  std::int32_t size = 0;
  UErrorCode error = U_ZERO_ERROR;
  u_strFromUTF8WithSub(wide.data(), static_cast<std::int32_t>(wide.size()), &size, run.data(),
                       static_cast<std::int32_t>(run.size()), 0xfffd, nullptr, &error);
  wide.resize(static_cast<std::size_t>(std::max(size, 0)));
  return U_SUCCESS(error);
}

// Goes through a text in UTF-8 by places of UTF-16.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {}

  // The byte at which the unit of UTF-16 stands; asked for in rising order.
  std::size_t byte_at(std::int32_t unit) {
    while (unit_ < unit && byte_ < text_.size()) {
      const CodePoint point = decode_utf8(text_, byte_);
      unit_ += point.value > 0xffff ? 2 : 1;
      byte_ += point.size;
    }
    return byte_;
  }

 private:
  std::string_view text_;
  std::int32_t unit_ = 0;
  std::size_t byte_ = 0;
};

}  // namespace

std::vector<TextSpan> unbroken_words(std::string_view run) {
  thread_local std::vector<UChar> wide;
  UErrorCode error = U_ZERO_ERROR;
  UBreakIterator* breaks = word_breaks();
  const bool read = breaks != nullptr && is_valid_utf8(run) && to_utf16(run, wide);
  if (read) ubrk_setText(breaks, wide.data(), static_cast<std::int32_t>(wide.size()), &error);
  // Without ICU's data the run is one word.
  if (!read || U_FAILURE(error)) return {{0, run.size()}};
  std::vector<TextSpan> words;
  Places places(run);
  std::size_t from = places.byte_at(ubrk_first(breaks));
  for (std::int32_t to = ubrk_next(breaks); to != UBRK_DONE; to = ubrk_next(breaks)) {
    const std::size_t end = places.byte_at(to);
    if (ubrk_getRuleStatus(breaks) >= UBRK_WORD_NONE_LIMIT) words.push_back({from, end});
    from = end;
  }
  return words;
}

}  // namespace anima::language
