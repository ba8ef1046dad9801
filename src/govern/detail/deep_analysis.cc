#include "govern/detail/deep_analysis.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include "base/text.h"
#include "govern/detail/decoding.h"

namespace anima::govern::detail {
namespace {

constexpr int kMaxDepth = 3;
constexpr std::size_t kMaxReadingBytes = 64 << 10;
constexpr std::size_t kShortestMissable = 5;
constexpr std::ptrdiff_t kNearWords = 6;

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::vector<std::string_view> words_of(std::string_view normal) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < normal.size();) {
    if (!is_word_byte(normal[at])) {
      ++at;
      continue;
    }
    const std::size_t start = at;
    while (at < normal.size() && is_word_byte(normal[at])) ++at;
    words.push_back(normal.substr(start, at - start));
  }
  return words;
}

bool is_known(const PatternSet& patterns, std::string_view word) {
  for (const std::string& known : patterns.near_miss_words(word.size())) {
    if (known == word) return true;
  }
  return false;
}

// Whether one insertion, deletion, substitution or swap of neighbours turns one word into the
// other.
bool one_typo_apart(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  std::size_t same = 0;
  while (same < a.size() && a[same] == b[same]) ++same;
  std::string_view rest_a = a.substr(same);
  std::string_view rest_b = b.substr(same);
  if (rest_a.size() < rest_b.size()) return rest_a == rest_b.substr(1);
  if (rest_a.empty()) return false;
  if (rest_a.substr(1) == rest_b.substr(1)) return true;
  return rest_a.size() >= 2 && rest_a[0] == rest_b[1] && rest_a[1] == rest_b[0] &&
         rest_a.substr(2) == rest_b.substr(2);
}

// A vocabulary word one typo away, if there is one.
std::optional<std::string_view> correction(const PatternSet& patterns, std::string_view word) {
  if (word.size() < kShortestMissable) return std::nullopt;
  for (const std::size_t size : {word.size(), word.size() - 1, word.size() + 1}) {
    if (size < kShortestMissable) continue;
    for (const std::string& known : patterns.near_miss_words(size)) {
      if (one_typo_apart(word, known)) return known;
    }
  }
  return std::nullopt;
}

// Replaces misspelt trigger words that stand near a well-spelt one; empty when there is none.
std::string corrected(std::string_view normal, const PatternSet& patterns) {
  const auto words = words_of(normal);
  std::vector<bool> known(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) known[i] = is_known(patterns, words[i]);
  std::string out;
  std::size_t copied = 0;
  std::ptrdiff_t last_known = -2 * kNearWords;
  std::ptrdiff_t next_known = 0;
  const auto size = static_cast<std::ptrdiff_t>(words.size());
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    if (known[static_cast<std::size_t>(i)]) {
      last_known = i;
      continue;
    }
    next_known = std::max(next_known, i);
    while (next_known < size && !known[static_cast<std::size_t>(next_known)]) ++next_known;
    const bool near =
        i - last_known <= kNearWords || (next_known < size && next_known - i <= kNearWords);
    if (!near) continue;
    const std::string_view word = words[static_cast<std::size_t>(i)];
    if (const auto right = correction(patterns, word)) {
      const auto offset = static_cast<std::size_t>(word.data() - normal.data());
      out.append(normal.substr(copied, offset - copied)).append(*right);
      copied = offset + word.size();
    }
  }
  if (copied != 0) out.append(normal.substr(copied));
  return out;
}

// Where a run of single letters with one separator between each begins at `at`: its end, else `at`.
std::size_t spread_run_end(std::string_view normal, std::size_t at) {
  constexpr std::size_t kFewestLetters = 5;
  if (at > 0 && is_word_byte(normal[at - 1])) return at;
  std::size_t letters = 0;
  std::size_t end = at;
  for (std::size_t i = at; i < normal.size() && is_word_byte(normal[i]); i += 2) {
    ++letters;
    end = i + 1;
    if (i + 1 >= normal.size() || is_word_byte(normal[i + 1])) break;
  }
  if (end < normal.size() &&
      is_word_byte(normal[end])) {  // the last letter begins a word of its own
    --letters;
    end = end >= at + 2 ? end - 2 : at;
  }
  return letters >= kFewestLetters ? end : at;
}

// "ignoreallrules" -> "ignore all rules", by the longest vocabulary word at each place.
std::string segmented(std::string_view letters, const PatternSet& patterns) {
  std::string out;
  for (std::size_t at = 0; at < letters.size();) {
    std::size_t longest = 0;
    for (std::size_t size = std::min(PatternSet::kLongestNearMissWord, letters.size() - at);
         size > longest; --size) {
      if (is_known(patterns, letters.substr(at, size))) longest = size;
    }
    if (longest != 0) {
      if (!out.empty() && out.back() != ' ') out.push_back(' ');
      out.append(letters.substr(at, longest)).push_back(' ');
      at += longest;
    } else {
      out.push_back(letters[at++]);
    }
  }
  return out;
}

// Letters pulled apart by blanks or punctuation are pushed together; empty when there are none.
std::string gathered(std::string_view normal, const PatternSet& patterns) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = 0; at < normal.size(); ++at) {
    const std::size_t end = is_word_byte(normal[at]) ? spread_run_end(normal, at) : at;
    if (end == at) continue;
    std::string letters;
    for (std::size_t i = at; i < end; i += 2) letters.push_back(normal[i]);
    out.append(normal.substr(copied, at - copied)).append(segmented(letters, patterns));
    copied = end;
    at = end - 1;
  }
  if (copied == 0) return {};
  return normal_text(out.append(normal.substr(copied)));
}

bool same_reading(const std::vector<Reading>& readings, std::string_view text) {
  return std::ranges::any_of(readings,
                             [&](const Reading& reading) { return reading.text == text; });
}

class Reader {
 public:
  Reader(std::string_view normal, const PatternSet& patterns)
      : normal_(normal), patterns_(patterns) {}

  void read(std::string_view text, int depth) {
    const Folded folded = fold_look_alikes(text);
    if (folded.changed) add(folded.text, !folded.hidden_in_word);
    if (depth == kMaxDepth) return;
    const Decoded decoded = decode_once(folded.text);
    if (!decoded.changed) return;
    add(decoded.text, decoded.explained);
    read(decoded.text, depth + 1);
  }

  std::vector<Reading> take() {
    const std::size_t plain = readings_.size();
    add_variants(normal_);
    for (std::size_t i = 0; i < plain; ++i) add_variants(std::string(readings_[i].text));
    return std::move(readings_);
  }

 private:
  void add(std::string_view text, bool explained) {
    add_normal(normal_text(text.substr(0, kMaxReadingBytes)), explained);
  }
  void add_normal(std::string normal, bool explained) {
    if (normal.empty() || bytes_ + normal.size() > 4 * kMaxReadingBytes) return;
    if (explained && (normal == normal_ || same_reading(readings_, normal))) return;
    bytes_ += normal.size();
    readings_.push_back({std::move(normal), explained});
  }
  void add_variants(std::string_view normal) {
    add_normal(corrected(normal, patterns_), true);
    add_normal(gathered(normal, patterns_), true);
  }

  std::string_view normal_;
  const PatternSet& patterns_;
  std::vector<Reading> readings_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::vector<std::string> weak_indicators(std::string_view text, std::string_view normal,
                                         const PatternSet& patterns) {
  std::vector<std::string> indicators;
  if (has_encoded_run(text)) indicators.emplace_back("encoded_run");
  if (has_escapes(text)) indicators.emplace_back("escapes");
  if (!is_ascii(text)) {
    const Folded folded = fold_look_alikes(text);
    if (folded.hidden_in_word || folded.disguised) indicators.emplace_back("hidden_characters");
  }
  if (!corrected(normal, patterns).empty()) indicators.emplace_back("near_miss");
  if (!gathered(normal, patterns).empty()) indicators.emplace_back("spread_letters");
  return indicators;
}

std::vector<Reading> deep_readings(std::string_view text, std::string_view normal,
                                   const PatternSet& patterns) {
  Reader reader(normal, patterns);
  reader.read(text.substr(0, kMaxReadingBytes), 0);
  return reader.take();
}

bool only_quoted(std::string_view normal, const std::vector<PatternMatch>& matches) {
  constexpr std::string_view kQuotes = "\"'`";
  return std::ranges::all_of(matches, [&](const PatternMatch& match) {
    const std::size_t end = match.offset + match.length;
    for (const char quote : kQuotes) {
      const auto before = static_cast<std::size_t>(std::count(
          normal.begin(), normal.begin() + static_cast<std::ptrdiff_t>(match.offset), quote));
      if (before % 2 == 1 && normal.find(quote, end) != std::string_view::npos) return true;
    }
    return false;
  });
}

}  // namespace anima::govern::detail
