#include "guard/naming_words.h"

#include <algorithm>

#include "base/text/text.h"
#include "language/text/word_uses.h"
#include "language/text/words.h"

namespace anima::guard {
namespace {

constexpr std::size_t kShortestName = 3;  // code points

std::string base_form(std::string word) {
  for (const std::string_view ending : {"'s", "'"}) {
    if (word.size() > ending.size() && word.ends_with(ending))
      word.resize(word.size() - ending.size());
  }
  if (word.size() > kShortestName && word.ends_with('s') && !word.ends_with("ss")) word.pop_back();
  return word;
}

}  // namespace

std::string word_stem(std::string_view word) {
  std::string text = language::fold_for_finding(word);
  const auto cut = [&](std::string_view ending, std::size_t least) {
    if (text.size() < ending.size() + least || !text.ends_with(ending)) return false;
    text.resize(text.size() - ending.size());
    return true;
  };
  if (cut("ies", 2)) return text + "y";
  if (cut("ing", 3) || cut("ed", 3)) {
    const std::size_t n = text.size();
    if (n > 2 && text[n - 1] == text[n - 2] && text[n - 1] != 'l' && text[n - 1] != 's')
      text.pop_back();
  } else if (text.ends_with("ches") || text.ends_with("shes") || text.ends_with("sses") ||
             text.ends_with("xes")) {
    text.resize(text.size() - 2);
  } else if (!text.ends_with("ss")) {
    cut("s", 2);
  }
  cut("e", 2);
  return text;
}

std::vector<std::string> naming_words(std::string_view text) {
  std::vector<std::string> names;
  for (const auto& [written, begin, folded, unbroken] : language::plain_words(text)) {
    const bool letters = std::ranges::any_of(folded, [](char c) {
      return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) > 127;
    });
    if (!letters || language::words_used_as("no_names").contains(folded)) continue;
    std::string name = base_form(folded);
    if (count_code_points(name) >= kShortestName || unbroken) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace anima::guard
