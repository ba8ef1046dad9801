// The lowest point of a function of many variables, from its values and gradients: L-BFGS with a
// backtracking search along the line. Deterministic: the same function gives the same point.
// Thread-safety: pure. Complexity: O(steps x variables) beside the calls of the function.
// Source: J. Nocedal, "Updating Quasi-Newton Matrices with Limited Storage", Mathematics of
// Computation 35 (1980).
#pragma once

#include <functional>
#include <vector>

namespace anima::train::detail {

// Gives the value at `point` and writes the gradient there, as many numbers as `point` has.
using Objective =
    std::function<double(const std::vector<double>& point, std::vector<double>& gradient)>;

struct MinimiseOptions {
  int steps = 60;
  double tolerance = 1e-5;  // ends when a step lowers the value by less than this share of it
};

// From `start`. The function is bounded from below; where it has a kink the search may end there.
std::vector<double> minimise(const Objective& objective, std::vector<double> start,
                             const MinimiseOptions& options = {});

}  // namespace anima::train::detail
