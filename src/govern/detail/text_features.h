// Windows of a text and the hashed features of a window. Part of the model's format: weights belong
// to exactly these features. Pure functions, linear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace anima::govern::detail {

inline constexpr std::size_t kFeatureBuckets = std::size_t{1} << 15;

struct TextWindow {
  std::size_t offset = 0, length = 0;
};
// At least one, also of an empty text.
std::vector<TextWindow> text_windows(std::string_view text);

// Collects the buckets of a window, each once; reused from window to window.
class FeatureSet {
 public:
  FeatureSet() : seen_(kFeatureBuckets, 0) {}
  const std::vector<std::uint16_t>& of(std::string_view window);

 private:
  void add(std::uint64_t hash);
  void add_words(std::string_view window);
  void add_characters(std::string_view window);
  std::vector<std::uint8_t> seen_;
  std::vector<std::uint16_t> buckets_;
};

}  // namespace anima::govern::detail
