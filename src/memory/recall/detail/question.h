// What a question asks for, and what an item has that may answer it, apart from their words: the
// small things that recall adds to the score.
//
// Thread-safety: pure. Complexity: O(words). Source: recall study, section 3.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "memory/recall/detail/dates.h"
#include "memory/recall/detail/terms.h"

namespace anima::memory::detail {

struct QuestionTraits {
  bool asks_name = false;  // who, where, which, what country
  bool asks_when = false;
  bool first_person = false;  // of the asker
  std::vector<NamedDate> dates;
};
// `words`: those of the text. Without `now` nothing relative is dated.
// `offset_seconds`: of the asker's clock from UTC.
QuestionTraits read_question(std::string_view text, const std::vector<TermWord>& words,
                             Language language, std::optional<Timestamp> now,
                             std::int64_t offset_seconds = 0);

// Bits, so that the sum of their bonuses is one look-up.
enum ItemTrait : std::uint8_t {
  kIsQuestion = 1,
  kHasName = 2,  // a capitalised word inside a sentence
  kHasTime = 4,  // a word of time
};
std::uint8_t item_traits(std::string_view text, const std::vector<TermWord>& words,
                         Language language);

}  // namespace anima::memory::detail
