// SharedWords: the words of a session that somebody may read anyway: those of the message, those of
// trusted values that he may read, and common words of any letter. A text that has no others tells
// him nothing of what is private, whoever wrote it. So the model's own text is not asked about only
// because something private was shown before.
//
// What a paraphrase, a translation or an encoding tells needs words of its own, and is not covered.
// Which of the known words stand in the text, and in what order, is not looked at: of yes or no
// that is enough to tell. Thread-safety: one thread at a time. Complexity: of add() and of
// have_all(), linear in the text. Source: issue "any model", 3; docs/governance_values.md.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace anima::guard {

class SharedWords {
 public:
  using Words = std::set<std::string, std::less<>>;

  // Of a value that these may read, by their normal forms; null: anyone. At most 200,000 words are
  // kept.
  void add(std::string_view text, const std::set<std::string>* readers);
  // Whether each word of the text is common, or of `more`, or such that all of these people may
  // read it. A text without words has none that they may not.
  bool have_all(std::string_view text, std::span<const std::string> people,
                const Words& more) const;
  // The words of a text in the form in which they are compared, numbers without leading zeros.
  static void split(std::string_view text, Words& words);

 private:
  bool may_read(const std::string& word, std::span<const std::string> people) const;

  Words of_anyone_;
  std::map<std::string, Words, std::less<>> of_;  // by who may read them
  std::size_t size_ = 0;
};

}  // namespace anima::guard
