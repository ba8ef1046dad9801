#include "memory/ingest/mentions.h"

#include <algorithm>

#include "base/civil_days.h"
#include "base/text/text.h"
#include "language/times/times.h"
#include "memory/recall/detail/dates.h"
#include "memory/recall/detail/languages.h"

namespace anima::memory::detail {
namespace {

constexpr std::size_t kMostDays = 4;
constexpr std::size_t kLongestMention = 200;  // bytes
constexpr std::size_t kFenceWordDigits = 12;

void add_once(std::vector<std::string>& list, std::string_view text) {
  if (list.size() >= kMostMentions || text.size() > kLongestMention) return;
  if (std::ranges::find(list, text) == list.end()) list.emplace_back(text);
}

bool is_address(std::string_view word) {
  const std::size_t at = word.find('@');
  return at != word.npos && at > 0 && word.find('.', at) != word.npos &&
         word.find('@', at + 1) == word.npos;
}

bool is_link(std::string_view word) {
  return word.starts_with("https://") || word.starts_with("http://") || word.starts_with("www.");
}

void add_addresses(std::string_view text, std::vector<std::string>& list) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n<>()[]{}\"'", at);
    if (begin == text.npos) return;
    at = std::min(text.find_first_of(" \t\r\n<>()[]{}\"'", begin), text.size());
    std::string_view word = text.substr(begin, at - begin);
    while (!word.empty() && std::string_view(".,;:!?").find(word.back()) != std::string_view::npos)
      word.remove_suffix(1);
    if (word.starts_with("mailto:")) word.remove_prefix(7);
    if (is_link(word) || is_address(word)) add_once(list, word);
  }
}

// "[[0123456789ab trust=.." and "[[0123456789ab end]]": the word of the fence, or empty.
std::string_view fence_of(std::string_view line) {
  if (!line.starts_with("[[")) return {};
  line.remove_prefix(2);
  const std::size_t size = std::min(line.find_first_not_of("0123456789abcdef"), line.size());
  const bool opens = line.substr(size).starts_with(" trust=");
  const bool ends = line.substr(size).starts_with(" end]]");
  const bool all = line.substr(size).starts_with(" all trust=");
  return size == kFenceWordDigits && (opens || ends || all) ? line.substr(0, size)
                                                            : std::string_view();
}

}  // namespace

std::vector<std::string> mentions_in(std::string_view text, const std::vector<TermWord>& words,
                                     Language language) {
  std::vector<std::string> list;
  add_addresses(text, list);
  const std::size_t least = language == Language::kGerman ? 2 : 1;
  for (std::size_t i = 0; i < words.size();) {
    const auto names = [&](std::size_t at) {
      const TermWord& word = words[at];
      return word.capital && word.text.size() > 1 && !is_stop_word(language, word.text) &&
             !use_of(language, word.text).month;
    };
    if (!names(i)) {
      ++i;
      continue;
    }
    // Words in a row, one blank between two.
    std::size_t last = i;
    while (last + 1 < words.size() && names(last + 1) && !words[last + 1].starts_sentence &&
           words[last].end + 1 == words[last + 1].offset)
      ++last;
    const std::size_t count = last - i + 1;
    const bool begins_sentence = words[i].starts_sentence && count == 1;
    if (count >= least && !begins_sentence)
      add_once(list, text.substr(words[i].offset, words[last].end - words[i].offset));
    i = last + 1;
  }
  return list;
}

std::vector<std::string> days_in(std::string_view text, std::optional<Language> language,
                                 std::optional<Timestamp> said, std::int64_t offset_seconds) {
  std::vector<std::string> list;
  language::TimeContext context;
  context.now = said;
  context.offset_seconds = offset_seconds;
  const std::vector<language::TimeReading> times =
      language ? language::read_times_guessed(text, code_of(*language), context)
               : language::read_times_unsure(text, code_of(Language::kEnglish), context);
  for (const language::TimeReading& time : times) {
    const language::TimeInterval* sure = time.sure();
    if (sure == nullptr || list.size() >= kMostDays) continue;
    const DayRange days = sure->days();
    std::string named = sure->open_from ? "../" + format_day(days.from - 1) : format_day(days.from);
    if (sure->open_until) named += "/..";
    if (!sure->open_from && !sure->open_until && days.to != days.from)
      named += '/' + format_day(days.to);
    if (std::ranges::find(list, named) == list.end()) list.push_back(std::move(named));
  }
  return list;
}

std::string without_recalled(std::string_view text) {
  if (text.find("[[") == text.npos) return std::string(text);
  std::string kept;
  std::string_view open;  // the fence that is open
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view fence = fence_of(line);
    if (!open.empty()) {
      if (fence == open && line.find(" end]]") != line.npos) open = {};
      continue;
    }
    if (!fence.empty()) {
      const bool opens = line.substr(2 + fence.size()).starts_with(" trust=");
      if (opens && text.find("[[" + std::string(fence) + " end]]") != text.npos) open = fence;
      continue;
    }
    if (line.starts_with("What follows was recalled.")) continue;
    if (!kept.empty()) kept += '\n';
    kept += line;
  }
  return kept;
}

}  // namespace anima::memory::detail
