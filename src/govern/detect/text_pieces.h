// The pieces of a text by which one knows it again in another: addresses and phrases.
//
// A word alone says nothing of where it came from; an address, a path, a number with a name around
// it or a run of words does. An address is a chunk between white space, quotes, brackets, commas
// and the like that holds a digit or a mark inside, of six bytes or more ("eve@example.org",
// "/etc/passwd", "v2.1-rc"); a phrase is a run of words with what stands between them. Pure
// functions; linear in the text for a fixed length of phrase. Source: docs/governance.md, "Trust".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace anima::govern {

inline constexpr std::size_t kShortestAddress = 6;  // bytes

// As they stand in the text, in order; one with marks around it ("**eve@example.org**"), or behind
// a colon ("mailto:eve@example.org"), also without.
std::vector<std::string_view> addresses_in(std::string_view text);
// The numbers of telephones and the like, however they are grouped ("+1 (555) 010-9999"): runs of
// six digits or more with blanks, brackets and the marks . - / between, as digits alone, the last
// kDigitsOfANumber of them, so that a prefix makes no difference.
inline constexpr std::size_t kDigitsOfANumber = 7;
std::vector<std::string> numbers_in(std::string_view text);
// The recipients that a text names, one a line or between commas and semicolons, without the sign
// of a list before them ("- ada"); none is empty.
std::vector<std::string_view> recipients_in(std::string_view text);
// Runs of `words` words, each once; beginning and ending with a word.
std::vector<std::string_view> phrases_in(std::string_view text, std::size_t words);

}  // namespace anima::govern
