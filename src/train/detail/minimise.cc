#include "train/detail/minimise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <numeric>

namespace anima::train::detail {
namespace {

using Vector = std::vector<double>;

constexpr std::size_t kRemembered = 8;     // steps that the curvature is learnt from
constexpr int kHalvings = 20;              // of a step before the search gives up
constexpr double kEnoughDescent = 1e-4;    // of what the slope promises
constexpr double kLeastCurvature = 1e-12;  // of a step that is remembered

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// to += factor x by
void add(Vector& to, double factor, const Vector& by) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * by[i];
}

struct Step {
  Vector point, gradient;  // what changed
  double curvature = 0;
};

// The gradient as the steps before bend it.
Vector bent(Vector direction, const std::deque<Step>& steps) {
  Vector shares(steps.size());
  for (std::size_t i = steps.size(); i-- > 0;) {
    shares[i] = dot(steps[i].point, direction) / steps[i].curvature;
    add(direction, -shares[i], steps[i].gradient);
  }
  if (!steps.empty()) {
    const Step& last = steps.back();
    const double scale = last.curvature / dot(last.gradient, last.gradient);
    for (double& value : direction) value *= scale;
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double share = dot(steps[i].gradient, direction) / steps[i].curvature;
    add(direction, shares[i] - share, steps[i].point);
  }
  return direction;
}

void remember(std::deque<Step>& steps, Step step) {
  step.curvature = dot(step.point, step.gradient);
  if (step.curvature <= kLeastCurvature) return;
  steps.push_back(std::move(step));
  if (steps.size() > kRemembered) steps.pop_front();
}

}  // namespace

std::vector<double> minimise(const Objective& objective, std::vector<double> start,
                             const MinimiseOptions& options) {
  Vector point = std::move(start);
  Vector gradient(point.size());
  double value = objective(point, gradient);
  std::deque<Step> steps;
  for (int step = 0; step < options.steps; ++step) {
    Vector direction = bent(gradient, steps);
    double slope = dot(gradient, direction);
    if (slope <= 0) {
      steps.clear();
      direction = gradient;
      slope = dot(gradient, gradient);
    }
    if (slope == 0) break;
    double length = steps.empty() ? std::min(1.0, 1 / std::sqrt(slope)) : 1;
    Vector next = point, next_gradient(point.size());
    double next_value = value;
    int halvings = 0;
    for (; halvings < kHalvings; ++halvings, length /= 2) {
      next = point;
      add(next, -length, direction);
      next_value = objective(next, next_gradient);
      if (next_value <= value - kEnoughDescent * length * slope) break;
    }
    if (halvings == kHalvings) break;
    add(point, -1, next);
    add(gradient, -1, next_gradient);
    for (double& change : point) change = -change;
    for (double& change : gradient) change = -change;
    remember(steps, {std::move(point), std::move(gradient)});
    point = std::move(next);
    gradient = std::move(next_gradient);
    const bool still = std::abs(value - next_value) < options.tolerance * std::abs(next_value);
    value = next_value;
    if (still) break;
  }
  return point;
}

}  // namespace anima::train::detail
