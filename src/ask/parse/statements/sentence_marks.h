// What shows the kind of a sentence (language/statements/statement_words.h), at the pieces of the
// room `ask`. Thread-safety: constant once made. Complexity: O(sentence) to make, O(marks) to ask.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ask/lexicon/words.h"
#include "language/statements/statement_words.h"

namespace anima::ask {

// The marks of a sentence by the bytes that they stand at.
class SentenceMarks {
 public:
  SentenceMarks(std::string_view sentence, const std::string& language)
      : lexemes_(language::cut_lexemes(sentence)) {
    if (const auto* words = language::StatementWords::of(language))
      marks_ = words->marks(lexemes_, 0, lexemes_.size());
  }

  // The end of the mark that begins with the piece; 0 when none does.
  std::size_t end_of(language::Mark mark, const Piece& piece) const {
    std::size_t end = 0;
    if (piece.is_part()) return end;
    for (const language::MarkAt& one : marks_) {
      if (one.mark == mark && begin(one) == piece.begin) end = std::max(end, this->end(one));
    }
    return end;
  }
  // The number of pieces that the mark takes which begins at the piece; 0: none does.
  std::size_t count_of(language::Mark mark, const std::vector<Piece>& pieces,
                       std::size_t at) const {
    const std::size_t end = at < pieces.size() ? end_of(mark, pieces[at]) : 0;
    std::size_t count = 0;
    while (at + count < pieces.size() && pieces[at + count].begin < end) ++count;
    return count;
  }
  bool covers(language::Mark mark, const Piece& piece) const {
    return !piece.is_part() &&
           std::any_of(marks_.begin(), marks_.end(), [&](const language::MarkAt& one) {
             return one.mark == mark && begin(one) <= piece.begin && piece.begin < end(one);
           });
  }

 private:
  std::size_t begin(const language::MarkAt& one) const { return lexemes_[one.begin].begin; }
  std::size_t end(const language::MarkAt& one) const { return lexemes_[one.end - 1].end; }

  language::Lexemes lexemes_;
  std::vector<language::MarkAt> marks_;
};

}  // namespace anima::ask
