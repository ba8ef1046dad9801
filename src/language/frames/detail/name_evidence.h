// What speaks for a name being one, and being one of what its relation leads to: lists of known
// names and of common words (language/names/known_words.h), how it is written, and where.
//
// A capital letter says nothing where the sentence begins and, where every noun has one, nowhere;
// there only what is listed is sure. Elsewhere a word is a name by its capital unless it is a
// common one. Thread-safety: pure. Ownership: all arguments of the constructor outlive it.
// Complexity: O(words x log listed words).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "language/frames/detail/frame_sides.h"
#include "language/frames/frames.h"

namespace anima::language::detail {

class NameEvidence {
 public:
  NameEvidence(std::string_view sentence, const Lexemes& lexemes, const FrameWords& words)
      : sentence_(sentence), lexemes_(lexemes), words_(words) {}

  // Of a name that was read as an object of this type; `topic`: it may be a common noun, too.
  NameDoubt of_name(const ReadSide& name, std::string_view type, bool topic) const;
  // Of an object under a relation that lists what is meant literally.
  NameDoubt of_listed(const ReadSide& object, const FrameWords::Words& listed) const;

 private:
  struct Seen {
    std::string folded;              // without `the` of the language
    std::vector<std::size_t> words;  // lexemes, without those in small letters
    bool odd = false;                // how it is written
    bool ampersand = false, digits = false;
    std::size_t common = 0, unknown = 0;  // of the words
    bool last_is_common = false;
  };
  Seen see(const ReadSide& name) const;
  std::string_view written(std::size_t at) const;
  bool is_oddly_written(std::size_t at, bool first, const ReadSide& name) const;
  bool is_common(const std::string& folded) const;
  bool begins_with_person(const ReadSide& name) const;
  bool begins_with_organisation(const Seen& seen) const;
  bool is_possessive(const ReadSide& name) const;
  NameDoubt of_person(const ReadSide& name, const Seen& seen) const;
  NameDoubt of_place(const ReadSide& name, const Seen& seen) const;
  NameDoubt of_organisation(const ReadSide& name, const Seen& seen) const;
  NameDoubt of_language(const Seen& seen) const;
  NameDoubt of_thing(const ReadSide& name, const Seen& seen, bool topic) const;

  std::string_view sentence_;
  const Lexemes& lexemes_;
  const FrameWords& words_;
};

}  // namespace anima::language::detail
