#include "govern/detail/text_features.h"

#include <algorithm>
#include <limits>

#include "govern/detail/word_runs.h"

namespace anima::govern::detail {
namespace {

constexpr std::size_t kWindowWords = 48;
constexpr std::size_t kStep = 24;
constexpr std::size_t kLongestWord = 96;  // bytes; a longer run counts as several words
constexpr std::size_t kShortestRun = 3;
constexpr std::size_t kLongestRun = 5;
constexpr std::size_t kLongestShortText = 8192;  // bytes of a text of one window
constexpr std::uint64_t kWord = 0x9ae16a3b2f90404full;
constexpr std::uint64_t kPair = 0xc949d7c7509e6557ull;
constexpr std::uint64_t kRun = 0xcbf29ce484222325ull;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::uint64_t step(std::uint64_t hash, char c) {
  return (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
}
std::uint64_t hash_of(std::uint64_t start, std::string_view text) {
  for (const char c : text) start = step(start, c);
  return start;
}

// The words of text, where one that is too long counts as several.
void words_of(std::string_view text, std::vector<TextWindow>& words) {
  words.clear();
  for_each_word(text, [&](std::size_t begin, std::size_t end) {
    while (end - begin > kLongestWord) {
      std::size_t cut = begin + kLongestWord;
      while (cut < end && !begins_character(text[cut])) ++cut;
      words.push_back({begin, cut - begin});
      begin = cut;
    }
    if (begin < end) words.push_back({begin, end - begin});
  });
}

std::uint16_t bucket_of(std::uint64_t hash) {
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93ull;
  return static_cast<std::uint16_t>((hash >> 40) & (kFeatureBuckets - 1));
}

FeatureSum unpacked(std::int64_t packed) {
  const auto features = static_cast<std::uint32_t>(packed);
  return {(packed - features) >> 32, features};
}

// visit(hash, end) for the runs of characters that begin at `start` and end at `limit` or before.
template <typename Visit>
void visit_runs(std::string_view text, std::size_t start, std::size_t limit, const Visit& visit) {
  if (!begins_character(text[start])) return;
  std::uint64_t hash = kRun;
  const bool ascii = static_cast<unsigned char>(text[start]) < 0x80;
  std::size_t at = start;
  for (std::size_t size = 1; size <= kLongestRun && at < limit; ++size) {
    do {
      hash = step(hash, text[at]);
      ++at;
    } while (at < limit && !begins_character(text[at]));
    if (size >= kShortestRun || !ascii) visit(hash, at);
  }
}

// The same for every start in [begin, limit).
template <typename Visit>
void visit_all_runs(std::string_view text, std::size_t begin, std::size_t limit,
                    const Visit& visit) {
  std::size_t start = begin;
  // Five characters of ASCII and what follows them in one look.
  for (; start + 8 <= limit; ++start) {
    if ((load_eight(text.data() + start) & kHighBits) != 0) {
      visit_runs(text, start, limit, visit);
      continue;
    }
    const char* c = text.data() + start;
    const std::uint64_t three = step(step(step(kRun, c[0]), c[1]), c[2]);
    const std::uint64_t four = step(three, c[3]);
    visit(three, start + 3);
    visit(four, start + 4);
    visit(step(four, c[4]), start + 5);
  }
  for (; start < limit; ++start) visit_runs(text, start, limit, visit);
}

}  // namespace

std::vector<TextWindow> text_windows(std::string_view text) {
  std::vector<TextWindow> words;
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
  const std::uint16_t bucket = bucket_of(hash);
  if (seen_[bucket] != 0) return;
  seen_[bucket] = 1;
  buckets_.push_back(bucket);
}

const std::vector<std::uint16_t>& FeatureSet::of(std::string_view window) {
  for (const std::uint16_t bucket : buckets_) seen_[bucket] = 0;
  buckets_.clear();
  words_of(window, words_);
  std::uint64_t before = 0;
  for (const TextWindow& word : words_) {
    const std::uint64_t hash = hash_of(kWord, window.substr(word.offset, word.length));
    add(hash);
    if (before != 0) add((before * kPair) ^ hash);
    before = hash;
  }
  visit_all_runs(window, 0, window.size(), [&](std::uint64_t run, std::size_t) { add(run); });
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
    const std::uint16_t bucket = bucket_of(hash);
    const std::uint32_t seen = marks[bucket];
    const std::int64_t each = std::int64_t{weights[bucket]} * (std::int64_t{1} << 32) + 1;
    marks[bucket] = mark;
    all += seen != mark ? each : 0;
    shared += seen + 1 == mark ? each : 0;
  };
  std::uint64_t before = 0;
  for (std::size_t i = first; i < last; ++i) {
    const std::uint64_t hash = hash_of(kWord, text_.substr(words_[i].offset, words_[i].length));
    if (i == first) block.first_word = hash;
    add(hash);
    if (before != 0) add((before * kPair) ^ hash);
    before = hash;
  }
  block.last_word = before;
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
    const std::uint16_t bucket = bucket_of(hash);
    const std::uint32_t seen = block_marks_[bucket];
    if (seen == mark || seen + 1 == mark || joint_marks_[bucket] == mark) return;
    joint_marks_[bucket] = mark;
    ++sum.features;
    sum.weight += weights_[bucket];
  };
  if (left.last_word != 0) add((left.last_word * kPair) ^ right.first_word);
  std::size_t start = left.end;
  for (std::size_t characters = 1; characters < kLongestRun && start > left.begin;) {
    --start;
    if (begins_character(text_[start])) ++characters;
  }
  const auto crossing = [&](std::uint64_t run, std::size_t end) {
    if (end > left.end) add(run);
  };
  for (; start < right.begin; ++start) visit_runs(text_, start, right.end, crossing);
  return sum;
}

}  // namespace anima::govern::detail
