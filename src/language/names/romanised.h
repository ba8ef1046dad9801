// Whether a word in Latin letters is a word of another script, written in one of the ways in which
// people write it: Юрий is Yuri, Yury, Juri and Iurii; 王小明 is Wang Xiaoming.
//
// The ways are lists, packs/language/romanised/SCRIPT.toml; nothing is measured and nothing near is
// enough. A script without a file has ICU's one way. Two names that have a way in common are not
// one for that: this is for two that share an identity already.
//   script         its name (text/script.h)
//   letters        by letter, or several together, the ways of writing it; "_" is nothing; of
//                  several that fit the longest counts. Marks that stand in no list say nothing.
//   from_icu       the letters are those of ICU's Latin
//   consonants     the same; what may stand between two of them is `between`, and behind the last,
//                  where it is joined to one before, `after_cluster`; `joins` is the sign for that
//   leading        vowels that are written before the consonant that they are read behind
//   silences       takes the letter before it away; dropped: signs that say nothing
//   words          ways of whole words
//   initial, vowels, closed_vowels, final    of Hangul, in the order of Unicode
//   family         of Hangul: the ways of a syllable that begins a word
// A consonant of Latin may stand twice for once. Thread-safety: from any thread. Complexity:
// O(letters x ways).
#pragma once

#include <string_view>

namespace anima::language {

// `other` is in a script that is not Latin: a word, or the whole name where the script has no
// blanks. Case makes no difference.
bool is_romanised(std::string_view latin, std::string_view other);
// Whether they begin alike, where one of the two is an initial: "Y" of Юрий, and Ю of "Yuri".
bool begins_romanised(std::string_view latin, std::string_view other);
// Of two words in Latin letters: equal up to case, accents, and what stands for a letter that is
// not there ("Mueller" and "Müller", "Soren" and "Søren", "Gross" and "Groß").
bool same_in_ascii(std::string_view a, std::string_view b);

}  // namespace anima::language
