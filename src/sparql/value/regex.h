// Regular expressions of XPath, matched in time linear in the text.
//
// The pattern is translated into RE2's language: classes such as \d, \w, \s, \i and \c get XML
// Schema's meaning, "." and "$" XPath's. What RE2 has not is refused: back-references, subtraction
// of classes, blocks of Unicode. A pattern of more than 4,096 bytes, or one that compiles to more
// than 1 MiB, is refused, too. Thread-safety: immutable.
// Source: XPath and XQuery Functions 3.1, 5.6; XML Schema 1.1 part 2, appendix G.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace anima::sparql::value {

class Regex {
 public:
  static constexpr std::size_t kMostBytes = 4096;       // of a pattern
  static constexpr std::size_t kMostResult = 16 << 20;  // bytes of a text with replacements

  // Flags: s (a dot matches line ends), m (^ and $ match at lines), i (no case), x (blanks in the
  // pattern say nothing), q (no character is special). Null: not accepted.
  static std::unique_ptr<Regex> compile(std::string_view pattern, std::string_view flags);
  ~Regex();

  // Anywhere in the text.
  bool matches(std::string_view text) const;
  // Every match replaced: "$1" is a group, "\$" and "\\" the characters. nullopt: the pattern
  // matches the empty text, or the replacement is no valid one, or the result is too large.
  std::optional<std::string> replace(std::string_view text, std::string_view replacement) const;

 private:
  explicit Regex(std::unique_ptr<re2::RE2> regex, bool literal);
  std::unique_ptr<re2::RE2> regex_;
  bool literal_;  // flag q: replacements have no groups either
};

}  // namespace anima::sparql::value
