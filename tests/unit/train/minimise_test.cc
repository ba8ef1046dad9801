// The lowest points of functions where they are known.
#include "train/detail/minimise.h"

#include <gtest/gtest.h>

#include <cmath>

namespace anima::train::detail {
namespace {

using Vector = std::vector<double>;

TEST(Minimise, FindsTheLowestPointOfABowl) {
  const Objective bowl = [](const Vector& x, Vector& gradient) {
    double value = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double stretch = static_cast<double>(i + 1), away = x[i] - static_cast<double>(i);
      value += stretch * away * away;
      gradient[i] = 2 * stretch * away;
    }
    return value;
  };
  const Vector point = minimise(bowl, Vector(50, 9), {.steps = 200, .tolerance = 1e-14});
  for (std::size_t i = 0; i < point.size(); ++i)
    EXPECT_NEAR(point[i], static_cast<double>(i), 1e-4) << i;
}

// Rosenbrock's valley: narrow and curved, lowest at (1, 1).
TEST(Minimise, FollowsACurvedValley) {
  const Objective valley = [](const Vector& x, Vector& gradient) {
    const double across = x[1] - x[0] * x[0], along = 1 - x[0];
    gradient[0] = -400 * x[0] * across - 2 * along;
    gradient[1] = 200 * across;
    return 100 * across * across + along * along;
  };
  const Vector point = minimise(valley, {-1.2, 1}, {.steps = 500, .tolerance = 1e-14});
  EXPECT_NEAR(point[0], 1, 1e-3);
  EXPECT_NEAR(point[1], 1, 1e-3);
}

TEST(Minimise, StaysWhereNothingFalls) {
  const Objective flat = [](const Vector&, Vector& gradient) {
    gradient = {0, 0};
    return 3.0;
  };
  EXPECT_EQ(minimise(flat, {4, 5}), (Vector{4, 5}));
}

}  // namespace
}  // namespace anima::train::detail
