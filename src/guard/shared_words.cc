#include "guard/shared_words.h"

#include <algorithm>

#include "base/text/text.h"
#include "guard/naming_words.h"
#include "language/text/word_uses.h"
#include "language/text/words.h"

namespace anima::guard {
namespace {

constexpr std::size_t kMostWords = 200'000;
constexpr std::size_t kMostSplitBytes = std::size_t{64} << 10;

const SharedWords::Words& common_words() {
  static const SharedWords::Words words = [] {
    SharedWords::Words made;
    for (const std::string& word : language::texts_used_as("say_nothing_in_messages"))
      made.insert(word_stem(word));
    return made;
  }();
  return words;
}

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

// "25T09" has three: what is no digit, and what is.
void add_parts(std::string_view word, SharedWords::Words& words) {
  std::size_t begin = 0;
  for (std::size_t at = 1; at <= word.size(); ++at) {
    if (at < word.size() && is_decimal(word[at]) == is_decimal(word[begin])) continue;
    std::string_view part = word.substr(begin, at - begin);
    if (is_decimal(part[0])) {
      while (part.size() > 1 && part[0] == '0') part.remove_prefix(1);
      words.emplace(part);
    } else {
      words.insert(word_stem(part));
    }
    begin = at;
  }
}

// Whether what stands between the words says nothing: usual marks, and few of them.
bool is_plain(std::string_view text) {
  constexpr std::string_view kMarks = " \t\n\r.,;:!?'\"()-/&%#@+*_$";
  constexpr std::size_t kFewMarks = 8;
  std::size_t letters = 0, marks = 0;
  for (const language::PlainWord& word : language::plain_words(text))
    letters += word.written.size();
  for (const char c : text) {
    if (kMarks.find(c) != std::string_view::npos) ++marks;
  }
  return letters + marks == text.size() && marks <= letters + kFewMarks;
}

}  // namespace

void SharedWords::split(std::string_view text, Words& words) {
  for (const language::PlainWord& word :
       language::plain_words(beginning_of(text, kMostSplitBytes))) {
    std::string_view name = word.written;
    for (const std::string_view ending : {"'s", "\u2019s"}) {
      if (name.size() > ending.size() && name.ends_with(ending)) name.remove_suffix(ending.size());
    }
    add_parts(name, words);
  }
}

void SharedWords::add(std::string_view text, const std::set<std::string>* readers) {
  Words words;
  split(text, words);
  const auto put = [&](Words& into) {
    for (const std::string& word : words) {
      if (size_ < kMostWords && into.insert(word).second) ++size_;
    }
  };
  if (readers == nullptr) {
    put(of_anyone_);
    return;
  }
  for (const std::string& reader : *readers) put(of_[reader]);
}

bool SharedWords::may_read(const std::string& word, std::span<const std::string> people) const {
  if (of_anyone_.contains(word)) return true;
  return !people.empty() && std::ranges::all_of(people, [&](const std::string& each) {
    const auto found = of_.find(each);
    return found != of_.end() && found->second.contains(word);
  });
}

bool SharedWords::have_all(std::string_view text, std::span<const std::string> people,
                           const Words& more) const {
  if (text.size() > kMostSplitBytes || !is_plain(text)) return false;
  Words words;
  split(text, words);
  return std::ranges::all_of(words, [&](const std::string& word) {
    return common_words().contains(word) || more.contains(word) || may_read(word, people);
  });
}

}  // namespace anima::guard
