// The sides of a frame in a sentence: names, common nouns, values. Each function gives the place
// behind what it read, or nothing. Thread-safety: pure. Complexity: O(what is read).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "language/frames/frame_words.h"
#include "language/numbers/lexemes.h"
#include "language/times/times.h"

namespace anima::language::detail {

struct ReadSide {
  std::size_t end = 0;  // lexemes
  std::string text = {};
  std::size_t begin = 0;
  bool quoted = false;
};

class FrameSides {
 public:
  // All outlive it; the times are those of the sentence.
  FrameSides(std::string_view sentence, const Lexemes& lexemes, const FrameWords& words,
             std::span<const TimeReading> times)
      : sentence_(sentence), lexemes_(lexemes), words_(words), times_(times) {}

  std::optional<ReadSide> person(std::size_t at) const;
  // `type` of the relation's object.
  std::optional<ReadSide> name(std::size_t at, std::string_view type) const;
  std::optional<ReadSide> topic(std::size_t at) const;
  // A noun of the list, perhaps with others before it.
  std::optional<ReadSide> listed(std::size_t at, const FrameWords::Words& nouns) const;
  std::optional<ReadSide> profession(std::size_t at) const {
    return listed(at, words_.professions);
  }
  std::optional<ReadSide> value(std::size_t at, ValueKind kind) const;

  // The length of the longest phrase that stands there; 0: none does.
  std::size_t phrase(std::size_t at, const FrameWords::Phrases& phrases) const;
  // The same of articles: white space parts one from what it stands before ("a@posteo.de").
  std::size_t article(std::size_t at, const FrameWords::Phrases& articles) const;
  // The time that begins at the lexeme, and the lexeme behind it.
  const TimeReading* time_at(std::size_t at, std::size_t& end) const;
  std::string_view written(std::size_t from, std::size_t to) const;
  // Nothing but a full stop or an exclamation mark is left.
  bool is_end(std::size_t at) const;
  bool is_sign(std::size_t at, std::string_view sign) const;

 private:
  // Whether one of the words says that what is named is not so now: "former".
  bool has_unreal(std::size_t at, std::size_t end) const;
  bool is_word(std::size_t at) const;
  bool is_own(std::size_t at) const;
  bool begins_name(std::size_t at) const;
  bool is_none(const std::string& folded) const;
  bool is_common(const std::string& folded) const;
  std::size_t name_end(std::size_t at, bool wide) const;
  std::size_t extended(std::size_t at, bool wide) const;
  std::optional<ReadSide> quoted(std::size_t at) const;
  std::optional<ReadSide> date(std::size_t at) const;
  std::optional<ReadSide> number(std::size_t at) const;
  std::optional<ReadSide> phone(std::size_t at) const;
  std::optional<ReadSide> email(std::size_t at) const;
  std::optional<ReadSide> address(std::size_t at) const;
  bool inside_time(std::size_t at) const;

  std::string_view sentence_;
  const Lexemes& lexemes_;
  const FrameWords& words_;
  std::span<const TimeReading> times_;
};

}  // namespace anima::language::detail
