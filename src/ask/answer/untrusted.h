// What a reading and its answer owe to those who are not trusted.
//
// Thread-safety: pure functions. Complexity: O(reading); of sources O(rows x statements of each).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ask/ask.h"
#include "ask/compile/runner.h"

namespace anima::ask {

// A word of the schema that nobody trusted uses.
struct WeakWord {
  std::string word;
  store::Pattern uses;  // statements that use it
};

class WeakWords {
 public:
  // Both of one state; `trusted` null: all words are.
  WeakWords(const Lexicon& all, const Lexicon* trusted) : all_(all), trusted_(trusted) {}
  // Types, attributes and predicates of a reading of the first.
  std::vector<WeakWord> of(const Reading& reading) const;
  // The same and the things that it names.
  std::size_t count(const Reading& reading) const;
  // Who uses it first, as the log names the source.
  std::string source_of(const WeakWord& word) const;

 private:
  const Lexicon& all_;
  const Lexicon* trusted_;
};

// What the second table has beside the first: nullopt where both say the same.
std::optional<UntrustedShare> share_of_untrusted(const Reading& reading, const Table& trusted,
                                                 const Table& everything);
// In the words of the language.
std::string told_beside(const Reading& reading, const Table& trusted, const Table& everything,
                        const UntrustedShare& share, const Pack& pack);

}  // namespace anima::ask
