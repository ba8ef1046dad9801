#include "language/names/detail/inflection.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "language/text/fold.h"

namespace anima::language::detail {
namespace {

// What stands before an ending: of a changed stem at least two letters of the name are left.
bool fits(std::string_view word, std::string_view from) {
  return word.ends_with(from) && word.size() >= from.size() + 2;
}

bool is_base_with_ending(std::string_view form, std::string_view base, const NameEndings& endings) {
  return form.size() > base.size() && form.size() <= base.size() + endings.longest_ending &&
         form.starts_with(base) && endings.endings.contains(form.substr(base.size()));
}

std::string changed(std::string_view word, const std::pair<std::string, std::string>& change) {
  return std::string(word.substr(0, word.size() - change.first.size())) + change.second;
}

bool is_form_without_prefix(std::string_view form, std::string_view word,
                            const NameEndings& endings) {
  if (is_base_with_ending(form, word, endings)) return true;
  for (const auto& change : endings.stems)
    if (fits(word, change.first) && is_base_with_ending(form, changed(word, change), endings))
      return true;
  return std::ranges::any_of(endings.swaps, [&](const auto& change) {
    return fits(word, change.first) && form == changed(word, change);
  });
}

}  // namespace

bool is_form_of(std::string_view form, std::string_view word, const NameEndings& endings) {
  if (count_code_points(word) < kFewestLetters) return false;
  if (is_form_without_prefix(form, word, endings)) return true;
  return std::ranges::any_of(endings.prefixes, [&](const std::string& prefix) {
    if (!form.starts_with(prefix)) return false;
    const std::string_view rest = form.substr(prefix.size());
    return rest == word || is_form_without_prefix(rest, word, endings);
  });
}

std::vector<std::string> related_words(std::string_view word, const NameEndings& endings) {
  std::vector<std::string> words;
  for (const std::string& ending : endings.endings) {
    words.push_back(std::string(word).append(ending));
    if (fits(word, ending)) words.push_back(changed(word, {ending, ""}));
  }
  for (const auto& [from, to] : endings.swaps) {
    if (fits(word, from)) words.push_back(changed(word, {from, to}));
    if (fits(word, to)) words.push_back(changed(word, {to, from}));
  }
  return words;
}

bool is_open_form_of(std::string_view form, std::string_view word, const NameEndings& endings) {
  return form.starts_with(word) && endings.open_endings.contains(form.substr(word.size()));
}

}  // namespace anima::language::detail
