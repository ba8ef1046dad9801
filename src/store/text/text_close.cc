// Words that are close to a word of the query: the same, those that it begins, those one typo away.
#include <algorithm>

#include "base/text/text.h"
#include "language/text/forms.h"
#include "language/text/words.h"
#include "store/text/text_search.h"
#include "store/text/text_segment.h"

namespace anima::store::detail {
namespace {

// Walks the words of all segments together, in byte order, that have a literal below the bound.
class Walk {
 public:
  Walk(const TextSegments& segments, std::uint32_t bound, std::string_view from) : bound_(bound) {
    for (const auto& segment : segments) {
      if (segment->first() >= bound) break;
      segments_.push_back(segment.get());
      cursors_.emplace_back(*segment).seek(from);
    }
  }
  bool next(std::string& word) {
    for (;;) {
      const TextSegment::Cursor* least = nullptr;
      for (const auto& cursor : cursors_) {
        if (cursor.valid() && (least == nullptr || cursor.term() < least->term())) least = &cursor;
      }
      if (least == nullptr) return false;
      word.assign(least->term());
      bool visible = false;
      for (std::size_t i = 0; i < cursors_.size(); ++i) {
        if (!cursors_[i].valid() || cursors_[i].term() != word) continue;
        visible = visible || documents_below(*segments_[i], cursors_[i].info(), bound_) > 0;
        cursors_[i].next();
      }
      if (visible) return true;
    }
  }

 private:
  std::uint32_t bound_;
  std::vector<const TextSegment*> segments_;
  std::vector<TextSegment::Cursor> cursors_;
};

void add_starting_with(const TextSegments& segments, std::uint32_t bound, const QueryWord& start,
                       std::vector<CloseWord>& out) {
  struct Found {
    std::size_t letters;
    std::string text;
  };
  std::vector<Found> found;
  Walk walk(segments, bound, start.text);
  std::string word;
  for (std::size_t seen = 0; seen < kPrefixScan && walk.next(word); ++seen) {
    if (!word.starts_with(start.text)) break;
    const std::size_t size = start.text.size();
    if (word.size() == size ||
        (language::is_ascii_digit(word[size - 1]) && language::is_ascii_digit(word[size])))
      continue;
    found.push_back({count_code_points(word), word});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.letters < b.letters; });
  if (found.size() > kPrefixWords) found.resize(kPrefixWords);
  const double most = start.number ? kInsideCloseness : kPrefixCloseness;
  for (Found& item : found) {
    const double share = static_cast<double>(start.letters) / static_cast<double>(item.letters);
    out.push_back({std::move(item.text), most * share, Match::kStart, start.number});
  }
}

// Forms of the word in the languages that are written like it, also as parts of a compound.
void add_forms(const TextSegments& segments, std::uint32_t bound, const std::string& word,
               std::vector<CloseWord>& out) {
  language::WordForms forms(word);
  const auto add_from = [&](const std::string& start, bool part) {
    Walk walk(segments, bound, start);
    std::string found;
    for (std::size_t seen = 0; seen < kPrefixScan && walk.next(found); ++seen) {
      if (!found.starts_with(start)) break;
      const language::FormSense sense = forms.sense(language::word_of_term(found));
      if (!sense.languages.any()) continue;
      const Match match = part ? Match::kPart : sense.by_rule ? Match::kForm : Match::kStem;
      out.push_back({found, kFormCloseness, match, false, sense});
    }
  };
  for (const std::string& start : forms.starts()) {
    add_from(start, false);
    add_from(language::kInside + start, true);
  }
}

// Tries every word of one segment that is one edit from `word`: at each place the letters that the
// dictionary has there are enumerated, so the work is places x letters in use, not the size of the
// dictionary.
class TypoSearch {
 public:
  TypoSearch(const TextSegment& segment, std::u32string word, std::vector<CloseWord>& out)
      : cursor_(segment), word_(std::move(word)), out_(out) {}

  void run() {
    for (std::size_t at = 0; at <= word_.size(); ++at) {
      const std::string start = to_utf8(std::u32string_view(word_).substr(0, at));
      cursor_.seek(start);
      if (!cursor_.valid() || !cursor_.term().starts_with(start)) return;
      if (at < word_.size()) try_word(start, at + 1);  // a letter too few
      try_letters(start, at, 0, kLatinEnd);
      if (const char32_t script = script_at(at); script >= kLatinEnd) {
        try_letters(start, at, script, script + kScriptSpan);
      }
    }
  }

 private:
  static constexpr char32_t kLatinEnd = 0x250;
  static constexpr char32_t kScriptSpan = 0x100;

  char32_t script_at(std::size_t at) const {
    const char32_t letter = at < word_.size() ? word_[at] : word_.back();
    return letter & ~(kScriptSpan - 1);
  }
  std::string tail(std::size_t from) const {
    return from < word_.size() ? to_utf8(std::u32string_view(word_).substr(from)) : std::string();
  }
  // start + the word from `from` on, if the dictionary has it.
  void try_word(const std::string& start, std::size_t from) {
    const std::string candidate = start + tail(from);
    cursor_.seek(candidate);
    if (cursor_.valid() && cursor_.term() == candidate)
      out_.push_back({candidate, kTypoCloseness, Match::kTypo});
  }
  // Every letter in [low, high) that follows `start` in some word of the dictionary.
  void try_letters(const std::string& start, std::size_t at, char32_t low, char32_t high) {
    std::string from = start;
    if (low > 0) append_utf8(from, low);
    for (;;) {
      cursor_.seek(from);
      if (cursor_.valid() && cursor_.term() == start) cursor_.next();
      if (!cursor_.valid() || !cursor_.term().starts_with(start)) return;
      const CodePoint letter = decode_utf8(cursor_.term(), start.size());
      if (letter.value >= high) return;
      if (letter.value >= '0' && letter.value <= '9') {
        from = start + ':';  // behind the digits
        continue;
      }
      if (letter.value == static_cast<char32_t>(language::kInside)) {
        from = start + static_cast<char>(language::kInside + 1);
        continue;
      }
      try_letter(start + std::string(cursor_.term().substr(start.size(), letter.size)), at,
                 letter.value);
      from = start;
      append_utf8(from, letter.value + 1);
    }
  }
  void try_letter(const std::string& start, std::size_t at, char32_t letter) {
    try_word(start, at);  // a letter too many
    if (at >= word_.size() || letter == word_[at]) return;
    try_word(start, at + 1);  // another letter
    if (at + 1 < word_.size() && letter == word_[at + 1]) {
      std::string swapped = start;
      append_utf8(swapped, word_[at]);
      try_word(swapped, at + 2);
    }
  }

  TextSegment::Cursor cursor_;
  std::u32string word_;
  std::vector<CloseWord>& out_;
};

}  // namespace

std::vector<CloseWord> close_words(const TextSegments& segments, std::uint32_t bound,
                                   const QueryWord& word, bool fuzzy) {
  std::vector<CloseWord> words{{word.text, 1}};
  if (!word.spelled.empty()) words.push_back({word.spelled, kFormCloseness, Match::kForm});
  if (!word.neighbours && !word.whole && !word.number)
    words.push_back({language::kInside + word.text, kPartCloseness, Match::kPart});
  if (word.start) add_starting_with(segments, bound, word, words);
  const bool changes = fuzzy && !word.neighbours && !word.whole && !word.number;
  if (changes) add_forms(segments, bound, word.text, words);
  if (changes && !word.spelled.empty()) add_forms(segments, bound, word.spelled, words);
  if (changes && word.letters >= kMinTypoLetters) {
    for (const auto& segment : segments) {
      if (segment->first() >= bound) break;
      TypoSearch(*segment, to_utf32(word.text), words).run();
    }
  }
  // By the word, what is close in any text first, the closest first.
  std::sort(words.begin(), words.end(), [](const CloseWord& a, const CloseWord& b) {
    if (a.text != b.text) return a.text < b.text;
    if (a.sense.has_value() != b.sense.has_value()) return b.sense.has_value();
    return a.closeness > b.closeness;
  });
  std::vector<CloseWord> once;
  for (CloseWord& each : words) {
    CloseWord* last = once.empty() || once.back().text != each.text ? nullptr : &once.back();
    if (last != nullptr && each.sense && last->sense) {
      last->sense->languages |= each.sense->languages;
      last->sense->plain = last->sense->plain || each.sense->plain;
      last->match = std::min(last->match, each.match);
    } else if (last == nullptr || (each.sense && each.closeness > last->closeness)) {
      once.push_back(std::move(each));
    }
  }
  return once;
}

}  // namespace anima::store::detail
