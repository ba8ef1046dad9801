#include "govern/detail/text_features.h"

#include <algorithm>

namespace anima::govern::detail {
namespace {

constexpr std::size_t kWindowWords = 48;
constexpr std::size_t kStep = 24;
constexpr std::size_t kLongestWord = 96;  // bytes; a longer run counts as several words
constexpr std::size_t kLongestRun = 5;
constexpr std::uint64_t kWord = 0x9ae16a3b2f90404full;
constexpr std::uint64_t kPair = 0xc949d7c7509e6557ull;
constexpr std::uint64_t kRun = 0xcbf29ce484222325ull;

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::uint64_t step(std::uint64_t hash, char c) {
  return (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
}
std::uint64_t hash_of(std::uint64_t start, std::string_view text) {
  for (const char c : text) start = step(start, c);
  return start;
}

std::vector<TextWindow> words_of(std::string_view text) {
  std::vector<TextWindow> words;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word_byte(text[at])) {
      ++at;
      continue;
    }
    const std::size_t start = at;
    while (at < text.size() && is_word_byte(text[at]) &&
           (at - start < kLongestWord || !begins_character(text[at])))
      ++at;
    words.push_back({start, at - start});
  }
  return words;
}

}  // namespace

std::vector<TextWindow> text_windows(std::string_view text) {
  const std::vector<TextWindow> words = words_of(text);
  if (words.size() <= kWindowWords) return {{0, std::min<std::size_t>(text.size(), 8192)}};
  std::vector<TextWindow> windows;
  for (std::size_t first = 0;; first += kStep) {
    const std::size_t last = std::min(first + kWindowWords, words.size()) - 1;
    const std::size_t begin = words[first].offset;
    windows.push_back({begin, words[last].offset + words[last].length - begin});
    if (last + 1 == words.size()) return windows;
  }
}

void FeatureSet::add(std::uint64_t hash) {
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93ull;
  const auto bucket = static_cast<std::uint16_t>((hash >> 40) & (kFeatureBuckets - 1));
  if (seen_[bucket] != 0) return;
  seen_[bucket] = 1;
  buckets_.push_back(bucket);
}

void FeatureSet::add_words(std::string_view window) {
  std::uint64_t before = 0;
  for (const TextWindow& word : words_of(window)) {
    const std::uint64_t hash = hash_of(kWord, window.substr(word.offset, word.length));
    add(hash);
    if (before != 0) add((before * kPair) ^ hash);
    before = hash;
  }
}

void FeatureSet::add_characters(std::string_view window) {
  for (std::size_t start = 0; start < window.size(); ++start) {
    if (!begins_character(window[start])) continue;
    std::uint64_t hash = kRun;
    const bool ascii = static_cast<unsigned char>(window[start]) < 0x80;
    std::size_t at = start;
    for (std::size_t size = 1; size <= kLongestRun && at < window.size(); ++size) {
      do {
        hash = step(hash, window[at]);
        ++at;
      } while (at < window.size() && !begins_character(window[at]));
      if (size >= 3 || !ascii) add(hash);
    }
  }
}

const std::vector<std::uint16_t>& FeatureSet::of(std::string_view window) {
  for (const std::uint16_t bucket : buckets_) seen_[bucket] = 0;
  buckets_.clear();
  add_words(window);
  add_characters(window);
  return buckets_;
}

}  // namespace anima::govern::detail
