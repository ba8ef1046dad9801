#include "govern/detect/text_score.h"

#include <cmath>

namespace anima::govern {
namespace {

constexpr double kDilution = -0.4;  // power of the number of features that each is worth
constexpr double kLengthPrice = 0.7;

}  // namespace

double feature_value(std::size_t features) {
  return features == 0 ? 0 : std::pow(static_cast<double>(features), kDilution);
}

bool TextScore::add(double window) {
  const bool worst = windows_ == 0 || window > worst_;
  if (worst) {
    sum_ = sum_ * std::exp(kSharpness * (worst_ - window)) + 1;
    worst_ = window;
  } else {
    sum_ += std::exp(kSharpness * (window - worst_));
  }
  ++windows_;
  return worst;
}

double TextScore::value() const {
  return worst_ + std::log(sum_) / kSharpness -
         kLengthPrice * std::log(static_cast<double>(windows_));
}

}  // namespace anima::govern
