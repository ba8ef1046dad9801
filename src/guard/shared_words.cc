#include "guard/shared_words.h"

#include <algorithm>

#include "base/text/text.h"
#include "guard/naming_words.h"
#include "language/text/words.h"

namespace anima::guard {
namespace {

constexpr std::size_t kMostWords = 200'000;
constexpr std::size_t kMostSplitBytes = std::size_t{64} << 10;

// Words of any letter, English and German, as word_stem() gives them: such as say nothing by
// themselves, no days, no yes and no.
constexpr std::string_view kCommonWords =
    "a aber about after al all also am an anbei and any ar as ask at attach au auch auf away "
    "back be becaus been befor bei beim bi bin bitt but by can clock com could da dank dann "
    "dass de dear dein dem den denn der di did dies dieser do don down dr du each ein einem "
    "einen einer er es euch euer every famili fin for found frau freundlich freundlichen from "
    "fur fw ganz geehrt geehrten geehrter gern get giv go good got grusen gruss gut guten ha "
    "hab haben had hallo hat hav he hello her herr herrn herzlich herzlichen hi hier him how "
    "however i ich if ihm ihn ihnen ihr ihrem ihren ihrer im in into is ist it just kann kind "
    "kindly know konnen later let lieb lieber lik look machen madam mak many may me mein min "
    "mit mor morgen mr ms must my nach nd new nicht noch non not nur ob oder of off ohn on "
    "onc only or other our out over own per pleas put rd re regard said sam say schon se sehr "
    "sein seit send sent sh shall should si sinc sincerely sind sir so soll som soon st still "
    "such tak tell th than thank that their them then ther thes they thi thos till to too "
    "uber uhr um un und under unser until up us very viel vielen vom von vor wa wann want war "
    "we weil well wenn wer werden what when wher whether which whil who whom why wi wieder "
    "will wir wird wish with without wo would writ ye you your zu zum zur";

const SharedWords::Words& common_words() {
  static const SharedWords::Words words = [] {
    SharedWords::Words made;
    for (const std::string_view word : split(kCommonWords, ' ')) made.emplace(word);
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
