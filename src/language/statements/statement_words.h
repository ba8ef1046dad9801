// The marks by which a sentence shows what kind of statement it is, as a language has them:
// packs/language/statements/LANG.toml.
//
//   language   its code
//   neutral    phrases that hold a mark and mean none ("会议" holds "会")
//   tense      future, present, past = words or phrases; covers = how many words behind a mark of
//              the future or the present belong to it, so that "will be opened" is not past
//   endings    future, past = endings of words; shortest = letters such a word has at least;
//              except = words that have one by chance
//   perfect    helpers, prefixes, endings, except: a helper and a participle behind it are past
//   negation, hearsay, wish, condition, question    words or phrases
//   retraction   phrases of a sentence that takes back what was said before it ("a lie"); of one
//                that is a negation, too, the whole clause (statements/retraction.h)
//   correcting    what begins a correction ("sorry", "I meant"), changing an order to correct
//                 ("change"), changing_to what stands before the new value there, instead what
//                 stands before it behind a negation ("not 1 but")
//   ended         with a negation: it holds no more; leaving: verbs that end what joined two things
//   opening, closing   what a statement may begin and end with and that changes nothing of what it
//                 says; passing: the same anywhere in it
//   article       words before a noun that choose nothing ("the", not "some")
//   agreeing, refusing   a whole answer that says yes, or no
// Thread-safety: constant once loaded.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/json/toml.h"
#include "base/result.h"
#include "language/numbers/lexemes.h"

namespace anima::language {

enum class Mark : std::uint8_t {
  kNeutral,
  kFuture,
  kPresent,
  kPast,
  kNegation,
  kHearsay,
  kWish,
  kCondition,
  kQuestion,
  kRetraction,
  kCorrecting,
  kChanging,
  kChangingTo,
  kInstead,
  kEnded,
  kLeaving,
  kOpening,
  kClosing,
  kPassing,
  kArticle,
  kAgreeing,
  kRefusing,
  kEnd
};

struct MarkAt {
  Mark mark = Mark::kNeutral;
  std::size_t begin = 0, end = 0;  // lexemes
};

class StatementWords {
 public:
  static Result<StatementWords> from_toml(std::string_view text, std::string source);
  // Of packs/language/statements; null for a language that is none of them.
  static const StatementWords* of(std::string_view language);
  // Of every language that has some, in the order of their codes.
  static const std::vector<const StatementWords*>& all();

  const std::string& language() const { return language_; }

  // In the order of the text; of phrases that begin at one place the longest, and each other mark
  // that is as long. O(lexemes).
  std::vector<MarkAt> marks(const Lexemes& lexemes, std::size_t from, std::size_t to) const;

 private:
  friend class StatementWordsReader;
  struct Phrase {
    std::vector<std::string> words;
    Mark mark = Mark::kNeutral;
  };
  struct Perfect {
    std::unordered_set<std::string> helpers, except;
    std::vector<std::string> prefixes, endings;
  };

  void add_phrases(const Lexemes& lexemes, std::size_t from, std::size_t to,
                   std::vector<MarkAt>& out) const;
  Mark by_ending(const Lexeme& word) const;
  bool is_participle(const Lexeme& word) const;

  std::string language_;
  std::unordered_map<std::string, std::vector<Phrase>> phrases_;  // by first word, longest first
  std::vector<std::string> future_endings_, past_endings_;
  std::unordered_set<std::string> no_endings_;
  std::size_t shortest_ = 4;
  std::size_t covers_ = 0;
  Perfect perfect_;
};

// Whether the whole sentence says yes, or no, in any language that has such answers. O(sentence x
// languages).
bool is_agreement(std::string_view sentence);
bool is_refusal(std::string_view sentence);

}  // namespace anima::language
