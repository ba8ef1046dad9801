#include "guard/owner_words.h"

#include <algorithm>
#include <iterator>

#include "base/text/text.h"
#include "guard/naming_words.h"
#include "guard/normal_value.h"
#include "guard/shared_words.h"
#include "language/text/word_uses.h"

namespace anima::guard {
namespace {

constexpr std::size_t kMostTextBytes = std::size_t{256} << 10;
constexpr std::size_t kWordsOfADate = 4;
constexpr std::size_t kLongestSaid = 4096;  // bytes

bool is_quote_or_stop(char c) {
  return std::string_view("\"'`()[]{}<>,.;:!?").find(c) != std::string_view::npos;
}

std::string_view without_front(std::string_view word) {
  while (!word.empty() && is_quote_or_stop(word.front())) word.remove_prefix(1);
  return word;
}
std::string_view without_back(std::string_view word) {
  while (!word.empty() && is_quote_or_stop(word.back())) word.remove_suffix(1);
  return word;
}
std::string_view bare(std::string_view word) { return without_back(without_front(word)); }

// "Ada's" names Ada, too.
std::string_view without_genitive(std::string_view word) {
  for (const std::string_view ending : {"'s", "\u2019s"}) {
    if (word.size() > ending.size() && word.ends_with(ending)) word.remove_suffix(ending.size());
  }
  return word;
}

// "#general" and "@bob" name general and bob.
std::string_view without_sigil(std::string_view word) {
  if (word.size() > 1 && (word[0] == '#' || word[0] == '@')) word.remove_prefix(1);
  return word;
}

// What stands between blanks, folded.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  const std::string folded = fold_case(is_ascii(text) ? std::string(text) : to_nfkc(text));
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= folded.size(); ++at) {
    if (at < folded.size() && static_cast<unsigned char>(folded[at]) > ' ') continue;
    if (at > begin) words.push_back(folded.substr(begin, at - begin));
    begin = at + 1;
  }
  return words;
}

// Is it that word of the message? At the ends of the value the marks of the sentence around it do
// not belong to the word; those of the value do.
bool is_word(std::string_view wanted, std::string_view word, bool first, bool last) {
  if (wanted == word) return true;
  const std::string_view front = first ? without_front(word) : word;
  const std::string_view both = last ? without_back(front) : front;
  return (first && wanted == without_sigil(both)) || wanted == front || wanted == both ||
         (last && wanted == without_back(word)) || (last && wanted == without_genitive(both));
}

bool is_address(std::string_view word) {
  const std::size_t at = word.find('@');
  return (at != std::string_view::npos && at > 0) || word.find("://") != std::string_view::npos;
}

// A whole number of these is a year, and not how much of something.
constexpr double kFirstYear = 1900, kLastYear = 2100;

std::optional<double> larger_of(std::optional<double> largest, const std::string& number) {
  const auto parsed = parse_json(number);
  if (!parsed) return largest;
  const double value = parsed->as_number();
  if (parsed->is_integer() && value >= kFirstYear && value <= kLastYear) return largest;
  return largest ? std::max(*largest, value) : value;
}

}  // namespace

void OwnerWords::add(std::string_view whole) {
  const std::string_view text = beginning_of(whole, kMostTextBytes);
  words_.emplace_back();
  for (std::string& word : words_of(text)) {
    const std::string_view name = bare(word);
    means_all_ = means_all_ || language::words_used_as("everybody").contains(name);
    places_[std::string(name)].push_back(words_.size());
    if (const auto owner = without_genitive(name); owner != name)
      places_[std::string(owner)].push_back(words_.size());
    if (const auto plain = without_sigil(name); plain != name)
      places_[std::string(plain)].push_back(words_.size());
    words_.push_back(std::move(word));
  }
  SharedWords::split(text, all_);
  const std::vector<std::string_view> raw = split(text, ' ');
  for (const std::string_view word : raw) {
    if (is_address(word)) continue;  // names one thing; its parts name others, too
    for (std::string& name : naming_words(word)) names_.insert(std::move(name));
  }
  for (std::size_t i = 0; i < raw.size(); ++i) {
    std::string joined;
    for (std::size_t n = 0; n < kWordsOfADate && i + n < raw.size(); ++n) {
      joined += (n == 0 ? "" : " ") + std::string(raw[i + n]);
      const std::string_view plain = without_sigil(bare(joined));
      for (const std::string_view form : {std::string_view(joined), bare(joined), plain}) {
        const std::string normal = normal_text(form);
        if (normal.starts_with("n:") || normal.starts_with("d:")) normal_.insert(normal);
        if (normal.starts_with("n:")) largest_ = larger_of(largest_, normal.substr(2));
      }
    }
  }
}

bool OwnerWords::has_words(std::string_view text) const {
  const std::vector<std::string> wanted = words_of(text);
  if (wanted.empty()) return false;
  const auto found = places_.find(bare(wanted[0]));
  if (found == places_.end()) return false;
  return std::ranges::any_of(found->second, [&](std::size_t at) {
    if (at + wanted.size() > words_.size()) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!is_word(wanted[i], words_[at + i], i == 0, i + 1 == wanted.size())) return false;
    }
    return true;
  });
}

bool OwnerWords::day_fits(std::string_view day) const {
  const auto first = normal_.lower_bound("d:");
  if (first == normal_.end() || !first->starts_with("d:")) return true;
  const auto last = std::prev(normal_.lower_bound("d;"));
  constexpr std::size_t kPrefix = 2, kDay = 10;
  return day >= std::string_view(*first).substr(kPrefix, kDay) &&
         day <= std::string_view(*last).substr(kPrefix, kDay);
}

std::optional<std::string> OwnerWords::said_as_word(const std::string& normal) const {
  const auto numbers = language::texts_used_as("numbers_from_zero");
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (normal == "n:" + std::to_string(i) && has_words(numbers[i])) return numbers[i];
  return std::nullopt;
}

std::optional<std::string> OwnerWords::said(const Json& scalar) const {
  if (scalar.is_bool() || scalar.is_null()) return std::nullopt;
  const std::string normal = normal_value(scalar);
  if (normal.empty()) return std::nullopt;
  if (normal.starts_with("n:") || normal.starts_with("d:")) {
    if (normal_.contains(normal)) return normal.substr(2);
    // A day of the message, at a time that it does not say, is not what it said.
    if (!scalar.is_string()) return std::nullopt;
  }
  const std::string& text = scalar.as_string();
  if (text.size() > kLongestSaid || !has_words(text)) return std::nullopt;
  return text;
}

}  // namespace anima::guard
