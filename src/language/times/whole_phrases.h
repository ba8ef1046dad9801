// Whether the words that a pattern found are a time where they stand. They are none where they are
// a part of something else: of another word in text without blanks, of a number, of a name, of a
// title, or stand alone between marks of quotation; where they are denied ("not yesterday"); and
// where they are words of several languages and the sentence is not known to be in the one that
// reads them. Thread-safety: one belongs to one thread. Complexity: O(1) a phrase; O(text) once
// where the text has letters of a script without blanks, or a word of several languages.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "language/language.h"
#include "language/text/words.h"
#include "language/times/time_words.h"

namespace anima::language {

// Lexemes of a phrase: [begin, end) with the words before it that belong to it ("on the"), and the
// one at which its pattern begins.
struct PhrasePlace {
  std::size_t begin = 0, at = 0, end = 0;
};

class WholePhrases {
 public:
  // `given`: who asks knows the language of the text, so that it takes another one's stop words to
  // doubt it. What is referred to lives longer than this.
  WholePhrases(std::string_view text, const Lexemes& lexemes, const TimeWords& words, bool given)
      : text_(text), lexemes_(lexemes), words_(words), given_(given) {}

  bool stands(PhrasePlace phrase);

 private:
  bool is_part_of_word(PhrasePlace phrase);
  std::string_view word_around(std::size_t lexeme);
  bool is_continued(std::size_t at);
  bool is_denied(std::size_t begin) const;
  bool is_name(PhrasePlace phrase) const;
  bool is_title(PhrasePlace phrase) const;
  bool is_quoted(PhrasePlace phrase) const;
  bool may_be_foreign(PhrasePlace phrase);

  enum class Standing : std::uint8_t { kOutvoted, kOpen, kOwn };
  Standing standing_at(Language language, TextSpan phrase);
  Standing standing_in(Language language, TextSpan span, TextSpan phrase) const;

  bool touches(std::size_t lexeme) const;
  bool has_entry(std::size_t lexeme, std::initializer_list<Slot> slots) const;
  bool is_titled(std::size_t lexeme) const;
  bool begins_sentence(std::size_t lexeme) const;
  bool is_stop_word(std::size_t lexeme) const;
  bool is_part_of_name(std::size_t lexeme) const;
  const std::vector<TextSpan>& unbroken();

  std::string_view text_;
  const Lexemes& lexemes_;
  const TimeWords& words_;
  const bool given_;
  std::optional<std::vector<TextSpan>> unbroken_;  // the words of the text, by ICU
  std::optional<std::vector<TextSpan>> sentences_;
  std::optional<std::pair<std::size_t, Standing>> in_sentence_;  // where it begins
  std::optional<Standing> in_text_;
};

}  // namespace anima::language
