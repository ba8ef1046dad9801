#include "sleep/evidence/placeholder.h"

#include <set>
#include <string>

#include "base/json/toml.h"
#include "base/packs.h"
#include "base/text/text.h"
#include "language/numbers/word_files.h"

namespace anima::sleep::detail {
namespace {

constexpr std::string_view kWords = "packs/sleep/placeholders.toml";

// Its letters, words apart by a blank.
std::string letters_of(std::string_view text) {
  std::string letters;
  bool apart = false;
  const std::string folded = fold_case(to_nfkc(text));
  for (std::size_t at = 0; at < folded.size();) {
    const CodePoint point = decode_utf8(folded, at);
    const CharClass kind = classify(point.value);
    const bool letter = kind != CharClass::kOther && kind != CharClass::kDigit;
    if (letter && apart && !letters.empty()) letters += ' ';
    if (letter) letters += folded.substr(at, point.size);
    apart = !letter;
    at += point.size;
  }
  return letters;
}

std::set<std::string> read_words() {
  std::set<std::string> words;
  const auto document = parse_toml(pack_file(kWords).value_or(""), std::string(kWords));
  if (!document) language::end_for_broken_file(document.error());
  for (const JsonMember& language : document->root.as_object())
    for (const Json& word : language.second.as_array()) words.insert(letters_of(word.as_string()));
  return words;
}

}  // namespace

bool is_word_of_placeholder(std::string_view text) {
  static const std::set<std::string> words = read_words();
  return words.contains(letters_of(text));
}

}  // namespace anima::sleep::detail
