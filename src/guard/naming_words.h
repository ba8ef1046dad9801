// The words of a text by which a thing is named: "Pay Klara's bills" has "pay", "klara" and "bill".
// Folded, without genitive and plural, three letters at least, no words that everything has.
// Thread-safety: pure functions. Complexity: linear.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace anima::guard {

std::vector<std::string> naming_words(std::string_view text);
// One form for a word and for what is made of it: "schedules", "scheduled", "scheduling".
std::string word_stem(std::string_view word);

}  // namespace anima::guard
