// Windows of a text and the hashed features of a window. Part of the model's format: weights belong
// to exactly these features. Pure functions, linear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace anima::govern {

inline constexpr std::size_t kFeatureBuckets = std::size_t{1} << 19;

struct TextWindow {
  std::size_t offset = 0, length = 0;
};
struct TextWord {
  std::size_t offset = 0, length = 0;
  bool starts = false;  // the first of the text, or behind what ends a sentence or opens a value
};
// Of a word, and of its first six characters; 0 where there is no word.
struct WordHash {
  std::uint64_t whole = 0, beginning = 0;
};
// At least one, also of an empty text.
std::vector<TextWindow> text_windows(std::string_view text);

// Collects the buckets of a window, each once; reused from window to window.
class FeatureSet {
 public:
  FeatureSet() : seen_(kFeatureBuckets, 0) {}
  // Of a window of `text`; what stands before the window says whether its first word starts.
  const std::vector<std::uint32_t>& of(std::string_view text, const TextWindow& window);

 private:
  void add(std::uint64_t hash);
  std::vector<std::uint8_t> seen_;
  std::vector<std::uint32_t> buckets_;
  std::vector<TextWord> words_;
};

struct FeatureSum {
  std::int64_t weight = 0;
  std::uint32_t features = 0;  // different buckets
};

// What FeatureSet gives for each of text_windows(), as sums over given weights, in one pass:
// windows overlap by half, so the features of each half are found once, and the sum over two halves
// is that of each without what both hold, and with what lies across their joint.
//
//   for (sums.start(text); sums.next();) judge(sums.window(), sums.sum());
//
// Kept from text to text it allocates nothing. Thread-safety: one thread.
class WindowSums {
 public:
  WindowSums() : block_marks_(kFeatureBuckets, 0), joint_marks_(kFeatureBuckets, 0) {}
  // kFeatureBuckets of them; they and the text outlive the pass.
  void use(const std::int8_t* weights) { weights_ = weights; }
  void start(std::string_view text);
  bool next();
  TextWindow window() const { return window_; }
  FeatureSum sum() const { return sum_; }

 private:
  // Which block last held a bucket: blocks are numbered on from text to text.
  using Mark = std::uint16_t;
  struct Block {
    FeatureSum sum, shared;
    std::size_t begin = 0, end = 0;
    WordHash first, second;  // the second only where it goes on with the sentence of the first
    WordHash second_last, last;
    bool starts = false;  // its first word does
  };
  void new_mark();
  Block sum_of_block(std::size_t number);
  FeatureSum sum_of_joint(const Block& left, const Block& right);

  const std::int8_t* weights_ = nullptr;
  std::vector<Mark> block_marks_, joint_marks_;
  Mark mark_ = 0;
  std::string_view text_;
  std::vector<TextWord> words_;
  std::size_t blocks_ = 0;
  std::size_t next_ = 0;
  Block before_;
  TextWindow window_;
  FeatureSum sum_;
};

}  // namespace anima::govern
