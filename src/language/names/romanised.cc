#include "language/names/romanised.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "language/names/detail/inflection.h"
#include "language/names/detail/romanisation.h"
#include "language/text/fold.h"
#include "language/text/script.h"

namespace anima::language {
namespace {

using detail::Romanisation;
using detail::Ways;

// a to z alone; empty for a word of anything else.
std::string plain_latin(std::string_view word) {
  std::string plain = fold_for_finding(word);
  const bool letters = std::ranges::all_of(plain, [](char c) { return c >= 'a' && c <= 'z'; });
  return letters ? plain : std::string();
}

bool is_other(std::string_view word) {
  const Script script = script_of(word);
  return script != Script::kLatin && script != Script::kOther;
}

bool doubles(std::string_view way, std::string_view rest) {
  return !way.empty() && rest.size() > way.size() && rest[way.size()] == way.back() &&
         std::string_view("aeiou").find(way.back()) == std::string_view::npos;
}

// Whether the word is written by one way of each letter in turn.
bool is_written(std::string_view word, const std::vector<Ways>& letters) {
  std::vector<bool> reached(word.size() + 1, false);  // ends of what is written so far
  reached[0] = true;
  for (const Ways& ways : letters) {
    std::vector<bool> next(word.size() + 1, false);
    for (std::size_t at = 0; at <= word.size(); ++at) {
      if (!reached[at]) continue;
      const std::string_view rest = word.substr(at);
      for (const std::string& way : ways) {
        if (!rest.starts_with(way)) continue;
        next[at + way.size()] = true;
        if (doubles(way, rest)) next[at + way.size() + 1] = true;
      }
    }
    reached = std::move(next);
  }
  return reached[word.size()];
}

bool begins(std::string_view a, std::string_view b) {
  return !a.empty() && !b.empty() && (a.starts_with(b) || b.starts_with(a));
}

}  // namespace

bool is_romanised(std::string_view latin, std::string_view other) {
  const std::string word = plain_latin(latin);
  if (word.empty() || !is_other(other)) return false;
  const Romanisation& table = Romanisation::of(script_of(other));
  if (const Ways* listed = table.word(other);
      listed != nullptr && std::ranges::find(*listed, word) != listed->end())
    return true;
  const auto letters = table.letters_of(other);
  return letters && is_written(word, *letters);
}

bool begins_romanised(std::string_view latin, std::string_view other) {
  const std::string word = plain_latin(latin);
  if (word.empty() || !is_other(other)) return false;
  const Romanisation& table = Romanisation::of(script_of(other));
  if (const Ways* listed = table.word(other);
      listed != nullptr &&
      std::ranges::any_of(*listed, [&](const std::string& way) { return begins(word, way); }))
    return true;
  const auto letters = table.letters_of(other);
  return letters && !letters->empty() &&
         std::ranges::any_of(letters->front(),
                             [&](const std::string& way) { return begins(word, way); });
}

bool same_in_ascii(std::string_view a, std::string_view b) {
  const auto is_latin = [](std::string_view word) { return script_of(word) == Script::kLatin; };
  if (!is_latin(a) || !is_latin(b)) return false;
  return fold_for_finding(a) == fold_for_finding(b) || transcribed(a) == transcribed(b);
}

}  // namespace anima::language
