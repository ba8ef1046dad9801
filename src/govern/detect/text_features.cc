#include "govern/detect/text_features.h"

#include <algorithm>
#include <limits>

#include "govern/detect/detail/word_runs.h"

namespace anima::govern {
namespace {

using detail::bytes_between;
using detail::for_each_word;
using detail::is_word_byte;
using detail::kHighBits;
using detail::load_eight;

constexpr std::size_t kWindowWords = 32;
constexpr std::size_t kStep = 16;
constexpr std::size_t kLongestWord = 96;         // bytes; a longer run counts as several words
constexpr std::size_t kBeginning = 6;            // characters of a word that inflections share
constexpr std::size_t kRunLength = 3;            // characters
constexpr std::size_t kLongestShortText = 8192;  // bytes of a text of one window
constexpr std::uint64_t kWord = 0x9ae16a3b2f90404full;
constexpr std::uint64_t kBegins = 0xa24baed4963ee407ull;
constexpr std::uint64_t kPair = 0xc949d7c7509e6557ull;
constexpr std::uint64_t kSkip = 0xa949d7c7509e6551ull;
constexpr std::uint64_t kStart = 0xd1b54a32d192ed03ull;
constexpr std::uint64_t kRun = 0xcbf29ce484222325ull;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::uint64_t step(std::uint64_t hash, char c) {
  return (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
}
WordHash hash_of(std::string_view word) {
  std::uint64_t hash = kWord;
  std::size_t at = 0;
  for (std::size_t characters = 0; at < word.size(); ++at) {
    if (begins_character(word[at]) && ++characters > kBeginning) break;
    hash = step(hash, word[at]);
  }
  const std::uint64_t beginning = hash * kBegins;
  for (; at < word.size(); ++at) hash = step(hash, word[at]);
  return {hash, beginning};
}

// What stands before a word in its sentence: the last word or its start, and what is before that.
struct Before {
  WordHash last, second_last;
  void start() { *this = {{kStart, kStart}, {}}; }
  void push(const WordHash& word) { *this = {word, last}; }
};

// The features of a word with those before it.
template <typename Add>
void add_pair(const WordHash& before, const WordHash& word, const Add& add) {
  add((before.whole * kPair) ^ word.whole);
  add((before.beginning * kPair) ^ word.beginning);
}
template <typename Add>
void add_skip(const WordHash& second_last, const WordHash& word, const Add& add) {
  add((second_last.whole * kSkip) ^ word.whole);
}
// And alone.
template <typename Add>
void add_word(const Before& before, const WordHash& word, const Add& add) {
  add(word.whole);
  add(word.beginning);
  if (before.last.whole != 0) add_pair(before.last, word, add);
  if (before.second_last.whole != 0) add_skip(before.second_last, word, add);
}

bool closes_sentence(char c) {
  switch (c) {
    case '.':
    case '!':
    case '?':
    case ':':
    case ';':
    case '"':
    case '>':
    case ']':
    case '\n':
      return true;
    default:
      return false;
  }
}

// The words of text, where one that is too long counts as several.
void words_of(std::string_view text, std::vector<TextWord>& words) {
  words.clear();
  std::size_t behind = 0;  // the word before
  for_each_word(text, [&](std::size_t begin, std::size_t end) {
    const std::string_view gap = text.substr(behind, begin - behind);
    bool starts = words.empty() || std::ranges::any_of(gap, closes_sentence);
    behind = end;
    while (end - begin > kLongestWord) {
      std::size_t cut = begin + kLongestWord;
      while (cut < end && !begins_character(text[cut])) ++cut;
      words.push_back({begin, cut - begin, starts});
      starts = false;
      begin = cut;
    }
    if (begin < end) words.push_back({begin, end - begin, starts});
  });
}

// Whether the word at `begin` does, from what stands before it.
bool starts_at(std::string_view text, std::size_t begin) {
  for (; begin > 0 && !is_word_byte(text[begin - 1]); --begin) {
    if (closes_sentence(text[begin - 1])) return true;
  }
  return begin == 0;
}

std::uint32_t bucket_of(std::uint64_t hash) {
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93ull;
  return static_cast<std::uint32_t>((hash >> 40) & (kFeatureBuckets - 1));
}

FeatureSum unpacked(std::int64_t packed) {
  const auto features = static_cast<std::uint32_t>(packed);
  return {(packed - features) >> 32, features};
}

// visit(hash, end) for the runs of characters that begin at `start` and end at `limit` or before:
// three of them, beyond ASCII one and two as well.
template <typename Visit>
void visit_runs(std::string_view text, std::size_t start, std::size_t limit, const Visit& visit) {
  if (!begins_character(text[start])) return;
  std::uint64_t hash = kRun;
  const bool ascii = static_cast<unsigned char>(text[start]) < 0x80;
  std::size_t at = start;
  for (std::size_t size = 1; size <= kRunLength && at < limit; ++size) {
    do {
      hash = step(hash, text[at]);
      ++at;
    } while (at < limit && !begins_character(text[at]));
    if (size == kRunLength || !ascii) visit(hash, at);
  }
}

// The same for every start in [begin, limit).
template <typename Visit>
void visit_all_runs(std::string_view text, std::size_t begin, std::size_t limit,
                    const Visit& visit) {
  std::size_t start = begin;
  // Three characters of ASCII and what follows them in one look.
  for (; start + 8 <= limit; ++start) {
    if ((load_eight(text.data() + start) & kHighBits) != 0) {
      visit_runs(text, start, limit, visit);
      continue;
    }
    const char* c = text.data() + start;
    visit(step(step(step(kRun, c[0]), c[1]), c[2]), start + 3);
  }
  for (; start < limit; ++start) visit_runs(text, start, limit, visit);
}

}  // namespace

std::vector<TextWindow> text_windows(std::string_view text) {
  std::vector<TextWord> words;
  words_of(text, words);
  if (words.size() <= kWindowWords) return {{0, std::min(text.size(), kLongestShortText)}};
  std::vector<TextWindow> windows;
  for (std::size_t first = 0;; first += kStep) {
    const std::size_t last = std::min(first + kWindowWords, words.size()) - 1;
    const std::size_t begin = words[first].offset;
    windows.push_back({begin, words[last].offset + words[last].length - begin});
    if (last + 1 == words.size()) return windows;
  }
}

void FeatureSet::add(std::uint64_t hash) {
  const std::uint32_t bucket = bucket_of(hash);
  if (seen_[bucket] != 0) return;
  seen_[bucket] = 1;
  buckets_.push_back(bucket);
}

const std::vector<std::uint32_t>& FeatureSet::of(std::string_view text, const TextWindow& window) {
  for (const std::uint32_t bucket : buckets_) seen_[bucket] = 0;
  buckets_.clear();
  const std::string_view part = text.substr(window.offset, window.length);
  words_of(part, words_);
  if (!words_.empty()) words_[0].starts = starts_at(text, window.offset + words_[0].offset);
  Before before;
  for (const TextWord& word : words_) {
    const WordHash hash = hash_of(part.substr(word.offset, word.length));
    if (word.starts) before.start();
    add_word(before, hash, [&](std::uint64_t feature) { add(feature); });
    before.push(hash);
  }
  visit_all_runs(part, 0, part.size(), [&](std::uint64_t run, std::size_t) { add(run); });
  return buckets_;
}

void WindowSums::start(std::string_view text) {
  text_ = text;
  words_of(text, words_);
  if (words_.size() <= kWindowWords) {
    // One window, as it stands: its end may cut a word.
    text_ = text.substr(0, kLongestShortText);
    words_of(text_, words_);
    window_ = {0, text_.size()};
    blocks_ = 1;
  } else {
    blocks_ = (words_.size() + kStep - 1) / kStep;
  }
  next_ = 0;
  before_ = {};
  // No block of this text follows the last of the text before.
  new_mark();
}

// Marks stay behind, so that none has to be wiped, until their numbers are used up; then all but
// the last one is forgotten.
void WindowSums::new_mark() {
  if (mark_ == std::numeric_limits<Mark>::max()) {
    for (Mark& mark : block_marks_) mark = mark == mark_ ? 1 : 0;
    std::ranges::fill(joint_marks_, Mark{0});
    mark_ = 1;
  }
  ++mark_;
}

bool WindowSums::next() {
  if (next_ == blocks_) return false;
  if (next_ == 0) {
    const Block first = sum_of_block(0);
    if (blocks_ == 1) {
      sum_ = first.sum;
      next_ = 1;
      return true;
    }
    before_ = first;
    next_ = 1;
  }
  const Block block = sum_of_block(next_);
  const FeatureSum joint = sum_of_joint(before_, block);
  sum_.weight = before_.sum.weight + block.sum.weight - block.shared.weight + joint.weight;
  sum_.features =
      before_.sum.features + block.sum.features - block.shared.features + joint.features;
  window_ = {before_.begin, block.end - before_.begin};
  before_ = block;
  ++next_;
  return true;
}

// The features that lie in one block; `shared` are those that lie in the block before too.
WindowSums::Block WindowSums::sum_of_block(std::size_t number) {
  Block block;
  new_mark();
  const std::size_t first = number * kStep;
  const std::size_t last = blocks_ == 1 ? words_.size() : std::min(first + kStep, words_.size());
  block.begin = blocks_ == 1 ? 0 : words_[first].offset;
  block.end = blocks_ == 1 ? text_.size() : words_[last - 1].offset + words_[last - 1].length;
  // Everything that the innermost step needs, where the compiler sees that nothing else changes it.
  const Mark mark = mark_;
  Mark* const marks = block_marks_.data();
  const std::int8_t* const weights = weights_;
  // Weights in the upper half, how many in the lower.
  std::int64_t all = 0, shared = 0;
  // Without branches: whether a feature is new is as good as chance.
  const auto add = [&](std::uint64_t hash) {
    const std::uint32_t bucket = bucket_of(hash);
    const std::uint32_t seen = marks[bucket];
    const std::int64_t each = std::int64_t{weights[bucket]} * (std::int64_t{1} << 32) + 1;
    marks[bucket] = mark;
    all += seen != mark ? each : 0;
    shared += seen + 1 == mark ? each : 0;
  };
  Before before;
  for (std::size_t i = first; i < last; ++i) {
    const WordHash hash = hash_of(text_.substr(words_[i].offset, words_[i].length));
    if (words_[i].starts) before.start();
    add_word(before, hash, add);
    before.push(hash);
    if (i == first) {
      block.first = hash;
      block.starts = words_[i].starts;
    } else if (i == first + 1 && !words_[i].starts) {
      block.second = hash;
    }
  }
  block.last = before.last;
  block.second_last = before.second_last;
  visit_all_runs(text_, block.begin, block.end, [&](std::uint64_t run, std::size_t) { add(run); });
  block.sum = unpacked(all);
  block.shared = unpacked(shared);
  return block;
}

// The features that begin in one block, or behind it, and end in the next, and lie in neither.
FeatureSum WindowSums::sum_of_joint(const Block& left, const Block& right) {
  FeatureSum sum;
  const Mark mark = mark_;
  const auto add = [&](std::uint64_t hash) {
    const std::uint32_t bucket = bucket_of(hash);
    const std::uint32_t seen = block_marks_[bucket];
    if (seen == mark || seen + 1 == mark || joint_marks_[bucket] == mark) return;
    joint_marks_[bucket] = mark;
    ++sum.features;
    sum.weight += weights_[bucket];
  };
  if (left.last.whole != 0 && !right.starts) {
    add_pair(left.last, right.first, add);
    if (left.second_last.whole != 0) add_skip(left.second_last, right.first, add);
    if (right.second.whole != 0) add_skip(left.last, right.second, add);
  }
  std::size_t start = left.end;
  for (std::size_t characters = 1; characters < kRunLength && start > left.begin;) {
    --start;
    if (begins_character(text_[start])) ++characters;
  }
  const auto crossing = [&](std::uint64_t run, std::size_t end) {
    if (end > left.end) add(run);
  };
  for (; start < right.begin; ++start) visit_runs(text_, start, right.end, crossing);
  return sum;
}

}  // namespace anima::govern
