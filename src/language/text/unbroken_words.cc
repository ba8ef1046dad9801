// ICU's word breaks, for scripts that need its dictionaries.
#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include <memory>

#include "language/text/words.h"

namespace anima::language {
namespace {

struct CloseBreaks {
  void operator()(UBreakIterator* breaks) const { ubrk_close(breaks); }
};
struct CloseText {
  void operator()(UText* text) const { utext_close(text); }
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

}  // namespace

std::vector<TextSpan> unbroken_words(std::string_view run) {
  std::vector<TextSpan> words;
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<UText, CloseText> text(
      utext_openUTF8(nullptr, run.data(), static_cast<std::int64_t>(run.size()), &error));
  UBreakIterator* breaks = word_breaks();
  if (breaks != nullptr && U_SUCCESS(error)) ubrk_setUText(breaks, text.get(), &error);
  // Without ICU's data the run is one word.
  if (breaks == nullptr || U_FAILURE(error)) return {{0, run.size()}};
  std::int32_t from = ubrk_first(breaks);
  for (std::int32_t to = ubrk_next(breaks); to != UBRK_DONE; to = ubrk_next(breaks)) {
    if (ubrk_getRuleStatus(breaks) >= UBRK_WORD_NONE_LIMIT)
      words.push_back({static_cast<std::size_t>(from), static_cast<std::size_t>(to)});
    from = to;
  }
  return words;
}

}  // namespace anima::language
