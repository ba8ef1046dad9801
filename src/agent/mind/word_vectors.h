// How near a goal is to a tool, without a model: bags of words as random bit vectors.
//
// Each word of more than two letters is a pseudo-random vector of 10,000 bits, seeded by a stable
// hash of its lower-case form; a bag is the per-bit majority of its distinct words, ties from a
// generator seeded by the same words. Similarity is 1 - Hamming distance / 10,000: 0.5 for bags
// that share nothing. Nothing is written to the graph.
// Source: learning_and_psyche 2.11 and oddity 47. Thread-safety: functions without shared state.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace anima::agent {

inline constexpr std::size_t kVectorBits = 10'000;
inline constexpr std::size_t kVectorWords = (kVectorBits + 63) / 64;

struct WordVector {
  std::array<std::uint64_t, kVectorWords> bits{};
};

// The distinct words of more than two letters, lower-case, sorted.
std::vector<std::string> bag_of_words(std::string_view text);
// O(words x bits / 64).
WordVector bundle(std::span<const std::string> words);
double similarity(const WordVector& a, const WordVector& b);
// Similarity of two bags; 0.5 when one is empty.
double similarity(std::span<const std::string> a, std::span<const std::string> b);

}  // namespace anima::agent
