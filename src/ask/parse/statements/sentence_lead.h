// What a sentence begins with that corrects or takes back something: "Sorry, no, that's wrong:".
// Thread-safety: one thread. Complexity: O(pieces it takes).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ask/lexicon/pack.h"
#include "ask/lexicon/words.h"
#include "ask/parse/statements/sentence_marks.h"

namespace anima::ask {

bool is_class(const Pack& pack, const Piece& piece, WordClass word_class);

class SentenceLead {
 public:
  // All outlive it; `speaker`: the name that stands for "I" in the pieces.
  SentenceLead(const Pack& pack, const SentenceMarks& marks, std::string_view sentence,
               const std::string& speaker)
      : pack_(pack), marks_(marks), sentence_(sentence), speaker_(speaker) {}

  // What takes back what was said before, at the beginning: "that's wrong", "forget that".
  struct TakingBack {
    std::size_t pieces = 0;  // 0: nothing does
    bool of_it = false;      // it says of it that it is wrong
  };
  TakingBack taking_back(const std::vector<Piece>& pieces) const;

  struct Taken {
    bool corrects = false;
    bool meant = false;  // it says so in several words: "I meant"
    bool takes_back = false, of_it = false;
  };
  // Takes it from the pieces.
  Taken take(std::vector<Piece>& pieces) const;

 private:
  bool colon_before(const std::vector<Piece>& pieces, std::size_t at) const;
  bool pause_before(const std::vector<Piece>& pieces, std::size_t at) const;
  std::size_t speaker_pieces(const std::vector<Piece>& pieces) const;
  std::size_t correcting(const std::vector<Piece>& pieces) const;

  const Pack& pack_;
  const SentenceMarks& marks_;
  std::string_view sentence_;
  const std::string& speaker_;
};

}  // namespace anima::ask
