#include "base/random.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/result.h"

namespace anima {

void Random::fill(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const std::uint64_t word = next();
    const std::size_t size = std::min(bytes.size(), sizeof word);
    std::memcpy(bytes.data(), &word, size);
    bytes = bytes.subspan(size);
  }
}

// Lemire's multiply-and-reject: no division on the common path, no bias.
std::uint64_t Random::below(std::uint64_t bound) {
  ANIMA_CHECK(bound > 0);
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(next()) * bound;
  auto low = static_cast<std::uint64_t>(product);
  if (low < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (low < threshold) {
      product = static_cast<Wide>(next()) * bound;
      low = static_cast<std::uint64_t>(product);
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

std::uint64_t SystemRandom::next() {
  std::uint64_t word = 0;
  fill({reinterpret_cast<std::uint8_t*>(&word), sizeof word});
  return word;
}

void SystemRandom::fill(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0) {
      ANIMA_CHECK(errno == EINTR);
      continue;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

std::uint64_t SeededRandom::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace anima
