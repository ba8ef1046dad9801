#include "agent/mind/word_vectors.h"

#include <algorithm>
#include <bit>

#include "base/crypto.h"
#include "base/random.h"
#include "base/text/text.h"
#include "language/text/words.h"

namespace anima::agent {
namespace {

constexpr std::uint64_t kLastWordMask = (std::uint64_t{1} << (kVectorBits % 64)) - 1;

void fill(WordVector& vector, std::uint64_t seed) {
  SeededRandom random(seed);
  for (std::uint64_t& word : vector.bits) word = random.next();
  vector.bits.back() &= kLastWordMask;
}

// Per-bit counters stored as planes: plane p holds bit p of all 10,000 counters, so adding a
// vector is a ripple of ANDs and XORs over machine words.
class BitCounters {
 public:
  void add(const WordVector& vector) {
    for (std::size_t w = 0; w < kVectorWords; ++w) {
      std::uint64_t carry = vector.bits[w];
      for (std::size_t p = 0; carry != 0; ++p) {
        if (p == planes_.size()) planes_.emplace_back();
        const std::uint64_t sum = planes_[p].bits[w] ^ carry;
        carry &= planes_[p].bits[w];
        planes_[p].bits[w] = sum;
      }
    }
  }

  // Bits whose counter is above `threshold`, and those that equal it.
  void compare(std::size_t threshold, WordVector& above, WordVector& equal) const {
    const std::size_t depth =
        std::max(planes_.size(), static_cast<std::size_t>(std::bit_width(threshold)));
    for (std::size_t w = 0; w < kVectorWords; ++w) {
      std::uint64_t greater = 0, same = ~std::uint64_t{0};
      for (std::size_t p = depth; p-- > 0;) {
        const std::uint64_t bits = p < planes_.size() ? planes_[p].bits[w] : 0;
        const std::uint64_t wanted = ((threshold >> p) & 1) != 0 ? ~std::uint64_t{0} : 0;
        greater |= same & bits & ~wanted;
        same &= ~(bits ^ wanted);
      }
      above.bits[w] = greater;
      equal.bits[w] = same;
    }
  }

 private:
  std::vector<WordVector> planes_;
};

}  // namespace

std::vector<std::string> bag_of_words(std::string_view text) {
  std::vector<std::string> words;
  for (language::PlainWord& word : language::plain_words(text, language::FoldStrength::kCase)) {
    if (word.unbroken || count_code_points(word.folded) > 2)
      words.push_back(std::move(word.folded));
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

WordVector bundle(std::span<const std::string> words) {
  BitCounters counters;
  std::uint64_t seed = 0x9e3779b97f4a7c15;
  for (const std::string& word : words) {
    const std::uint64_t hash = checksum64(word);
    WordVector vector;
    fill(vector, hash);
    counters.add(vector);
    seed = std::rotl(seed, 7) ^ hash;
  }
  WordVector above, equal;
  counters.compare(words.size() / 2, above, equal);
  if (words.size() % 2 == 0) {
    WordVector tie;
    fill(tie, seed);
    for (std::size_t w = 0; w < kVectorWords; ++w) above.bits[w] |= equal.bits[w] & tie.bits[w];
  }
  above.bits.back() &= kLastWordMask;
  return above;
}

double similarity(const WordVector& a, const WordVector& b) {
  std::size_t distance = 0;
  for (std::size_t w = 0; w < kVectorWords; ++w) {
    distance += static_cast<std::size_t>(std::popcount(a.bits[w] ^ b.bits[w]));
  }
  return 1.0 - static_cast<double>(distance) / static_cast<double>(kVectorBits);
}

double similarity(std::span<const std::string> a, std::span<const std::string> b) {
  if (a.empty() || b.empty()) return 0.5;
  return similarity(bundle(a), bundle(b));
}

}  // namespace anima::agent
