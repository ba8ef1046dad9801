#include "language/names/known_words.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/packs.h"
#include "base/text/text.h"
#include "language/language.h"
#include "language/text/fold.h"
#include "language/text/vocabulary.h"

namespace anima::language {
namespace {

constexpr std::string_view kKnownFolder = "packs/language/known/", kListEnd = ".txt";
constexpr std::string_view kEndingsLine = "# endings: ", kCommentMark = "#";
constexpr int kMostWordEndings = 3;         // of one word
constexpr std::size_t kShortestListed = 3;  // bytes

std::string_view known_list(std::string_view name) {
  std::string path(kKnownFolder);
  path.append(name).append(kListEnd);
  return pack_file(path).value_or("");
}

// The lines are sorted by their bytes; a comment begins with what no word begins with, and is
// sorted before all of them.
bool has_word_line(std::string_view lines, std::string_view word) {
  if (word.empty() || word.starts_with(kCommentMark)) return false;
  std::size_t first = 0, last = lines.size();  // where a line that may be it begins
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    const std::size_t before = middle == 0 ? lines.npos : lines.rfind('\n', middle - 1);
    const std::size_t begin = before == lines.npos ? 0 : before + 1;
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    const std::string_view line = lines.substr(begin, end - begin);
    if (line == word) return true;
    const bool behind = line.starts_with(kCommentMark) || line < word;
    if (behind) {
      first = end + 1;
    } else {
      last = begin;
    }
  }
  return false;
}

struct CommonWords {
  std::string_view lines;
  std::vector<std::pair<std::string, std::string>> endings;  // "ies" of a word in "y"
};

CommonWords common_words_of(std::string_view language) {
  CommonWords words{known_list("common_" + std::string(language)), {}};
  for (const std::string_view line : split(words.lines.substr(0, 4096), '\n')) {
    if (!line.starts_with(kCommentMark)) break;
    if (!line.starts_with(kEndingsLine)) continue;
    for (const std::string_view each : split(line.substr(kEndingsLine.size()), ' ')) {
      const std::size_t sign = each.find('>');
      if (sign != each.npos)
        words.endings.emplace_back(each.substr(0, sign), each.substr(sign + 1));
    }
  }
  return words;
}

// Of the languages that have a list, read once.
const CommonWords* common_words(std::string_view language) {
  static const auto kAll = [] {
    std::map<std::string, CommonWords, std::less<>> all;
    for (const Language one : described_languages()) {
      CommonWords words = common_words_of(code_of(one));
      if (!words.lines.empty()) all.emplace(code_of(one), std::move(words));
    }
    return all;
  }();
  const auto found = kAll.find(language);
  return found == kAll.end() ? nullptr : &found->second;
}

bool is_listed_word(const CommonWords& words, std::string_view word, int endings) {
  if (has_word_line(words.lines, word)) return true;
  if (endings == kMostWordEndings) return false;
  for (const auto& [ending, otherwise] : words.endings) {
    if (!word.ends_with(ending)) continue;
    const std::string stem = std::string(word.substr(0, word.size() - ending.size())) + otherwise;
    if (stem.size() >= kShortestListed && is_listed_word(words, stem, endings + 1)) return true;
  }
  return false;
}

}  // namespace

bool is_given_name(std::string_view folded) {
  return has_word_line(known_list("given_names"), folded);
}

bool is_given_name_without_marks(std::string_view folded) {
  static const WordSet kNames = [] {
    WordSet names;
    for (const std::string_view line : split(known_list("given_names"), '\n'))
      if (!line.empty() && !line.starts_with(kCommentMark)) names.insert(fold_for_finding(line));
    return names;
  }();
  return kNames.contains(folded);
}

bool is_known_place(std::string_view folded) { return has_word_line(known_list("places"), folded); }

bool is_known_region(std::string_view folded) {
  return has_word_line(known_list("regions"), folded);
}

bool is_known_organisation(std::string_view folded) {
  return has_word_line(known_list("organisations"), folded);
}

bool is_name_and_word(std::string_view folded, std::string_view code) {
  std::string line(code);
  line.append(" ").append(folded);
  return has_word_line(known_list("names_that_are_words"), line);
}

bool is_common_word(std::string_view folded, std::string_view language) {
  const CommonWords* words = common_words(language);
  return words != nullptr && is_listed_word(*words, folded, 0);
}

}  // namespace anima::language
