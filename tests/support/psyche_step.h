// What one cycle may do to a psyche, by the formulas of the psyche's specification, for the tests
// of long runs. Thread-safety: functions without state.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "agent/mind/psyche.h"

namespace anima::test {

// `reflected`: the cycle ended with a reflection; without one nothing moves.
inline void expect_psyche_moved(const agent::Psyche& before, const agent::Psyche& after,
                                bool reflected) {
  if (!reflected) {
    ASSERT_EQ(after.archetypes, before.archetypes);
    return;
  }
  const double growth = 0.01 * static_cast<double>(std::min<std::uint64_t>(
                                   after.self_integration.shadow_encounters, 5));
  ASSERT_NEAR(after.self_integration.individuation_level,
              std::min(1.0, before.self_integration.individuation_level + growth), 1e-12);
  for (const agent::Archetype archetype : agent::kArchetypes) {
    const double weight = after.archetypes.of(archetype);
    const double step = weight - before.archetypes.of(archetype);
    ASSERT_TRUE(std::abs(step) < 1e-12 || std::abs(std::abs(step) - 0.02) < 1e-9 ||
                weight == 0.95 || weight == 0.1)
        << step;
  }
}

}  // namespace anima::test
