#include "load/map/words.h"

#include <vector>

#include "base/text/text.h"
#include "language/text/forms.h"

namespace anima::load {
namespace {

bool ends(std::string_view word, std::string_view ending) {
  return word.size() > ending.size() && word.ends_with(ending);
}

std::string english_singular(std::string_view word) {
  return language::singular_of(word, language::Language::kEnglish);
}

std::string upper_first(std::string_view word) {
  if (word.empty()) return {};
  const std::size_t size = decode_utf8(word, 0).size;
  return to_upper(word.substr(0, size)) + std::string(word.substr(size));
}

std::string_view without(std::string_view text, std::string_view ending) {
  return ends(text, ending) ? text.substr(0, text.size() - ending.size()) : text;
}

}  // namespace

std::string snake_case(std::string_view title) {
  std::string out;
  bool lower_before = false;
  for (std::size_t at = 0; at < title.size();) {
    const CodePoint point = decode_utf8(title, at);
    const std::string_view bytes = title.substr(at, point.size);
    at += point.size;
    const CharClass kind = classify(point.value);
    if (point.value == '\'' || point.value == 0x2019) continue;  // "owner's"
    if (kind == CharClass::kOther) {
      if (!out.empty() && out.back() != '_') out.push_back('_');
      lower_before = false;
      continue;
    }
    const std::string lower = to_lower(bytes);
    const bool is_upper = lower != bytes;
    if (is_upper && lower_before) out.push_back('_');  // "personId"
    out += lower;
    lower_before = !is_upper && kind == CharClass::kLetter;
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out.empty() ? "value" : out;
}

std::string type_name(std::string_view table) {
  const std::string snake = snake_case(table);
  std::vector<std::string> words;
  for (const std::string_view word : split(snake, '_')) {
    // "hosts_2025": a year or a number says nothing of what they are.
    const std::size_t last = word.find_last_not_of("0123456789");
    if (last == std::string_view::npos) continue;
    words.emplace_back(last >= 3 ? word.substr(0, last + 1) : word);  // "cities15000", but "b2b"
  }
  if (words.empty()) return std::string(kNoTypeName);
  words.back() = english_singular(words.back());
  std::string name;
  for (const std::string& word : words) name += upper_first(word);
  const char first = name[0];
  return first >= '0' && first <= '9' ? "T" + name : name;
}

std::string named_thing(std::string_view column) {
  std::string snake = snake_case(column);
  std::string_view name = snake;
  for (const std::string_view ending : {"_id", "_ids", "_key", "_name", "_code", "_ref", "_no"})
    name = without(name, ending);
  const std::size_t last = name.rfind('_');
  const std::string word =
      english_singular(last == std::string_view::npos ? name : name.substr(last + 1));
  return (last == std::string_view::npos ? std::string() : std::string(name.substr(0, last + 1))) +
         word;
}

std::string link_name(std::string_view column) {
  const std::string snake = snake_case(column);
  std::string_view name = snake;
  for (const std::string_view ending : {"_id", "_ids", "_key", "_ref", "_fk"})
    name = without(name, ending);
  return std::string(name);
}

}  // namespace anima::load
