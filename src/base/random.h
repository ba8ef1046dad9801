// Randomness, injected. SystemRandom is for keys and ids; SeededRandom (SplitMix64) for tests,
// sampling and replays. Thread-safety: SystemRandom from any thread, SeededRandom from one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace anima {

class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;
  virtual void fill(std::span<std::uint8_t> bytes);
  // Uniform in [0, bound); bound > 0.
  std::uint64_t below(std::uint64_t bound);
  // Uniform in [0, 1).
  double uniform();
};

class SystemRandom final : public Random {
 public:
  std::uint64_t next() override;
  void fill(std::span<std::uint8_t> bytes) override;
};

class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() override;

 private:
  std::uint64_t state_;
};

}  // namespace anima
