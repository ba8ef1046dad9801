// PatternSet: the guardian's patterns as data, compiled to one automaton (RE2: linear time, no
// backtracking).
//
// Patterns are written over normal text: lower case, each run of white space one character (a line
// break where the run held one, else a blank), and match both kinds of white space wherever they
// write a blank. Thread-safety: immutable after load; match from any thread. Source: governance
// specification 1.2.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"

namespace anima::govern {

namespace detail {
class NearMissWords;
}

struct Pattern {
  std::string id;
  std::string family;
  int risk_thousandths = 0;
  bool weak = false;  // alone it only leads to deep analysis
  // It sees how code, a path or a page is written: dangerous in an argument, usual in a text.
  bool spelling = false;
};

struct PatternMatch {
  std::size_t pattern = 0;  // place in patterns()
  std::size_t offset = 0;   // of the first match, in the text given
  std::size_t length = 0;
};

class PatternSet {
 public:
  // TOML as in packs/guardian/patterns.toml; errors name the pattern and its key.
  static Result<PatternSet> load(std::string_view toml, std::string_view where);
  // The shipped patterns.
  static Result<PatternSet> shipped();

  PatternSet(PatternSet&&) noexcept;
  PatternSet& operator=(PatternSet&&) noexcept;
  ~PatternSet();

  const std::vector<Pattern>& patterns() const { return patterns_; }
  // The words that deep analysis knows.
  const detail::NearMissWords& near_miss_words() const { return *near_miss_words_; }
  // The places in patterns() of those that match, rising. O(text).
  std::vector<std::size_t> matching(std::string_view normal_text) const;
  // The first match of a pattern that matches. O(text).
  PatternMatch locate(std::size_t pattern, std::string_view normal_text) const;

 private:
  struct Automaton;
  PatternSet();
  Status read_near_miss(const Json& table, const std::string& where);
  std::vector<Pattern> patterns_;
  std::unique_ptr<detail::NearMissWords> near_miss_words_;
  std::unique_ptr<Automaton> automaton_;
};

// Lower case (Unicode), white space collapsed as PatternSet expects it. O(text).
std::string normal_text(std::string_view text);

}  // namespace anima::govern
