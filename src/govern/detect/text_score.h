// The score of a text from the features of its windows, as a model judges it and as it is learnt.
// Thread-safety: plain values, pure functions. Source: docs/SECURITY.md.
#pragma once

#include <cstddef>

namespace anima::govern {

// What each of so many features of a window counts, 0 for none.
double feature_value(std::size_t features);

// The score of a text of which windows are added one by one: nearly that of the worst, a little
// more where others are bad too, less a price for their number: among more of them the worst of an
// ordinary text is worse. Log-odds.
class TextScore {
 public:
  // Whether it is the worst so far.
  bool add(double window);
  double value() const;  // at least one was added

  static constexpr double kSharpness = 2;  // how little the windows beside the worst count

 private:
  double worst_ = 0, sum_ = 0;
  std::size_t windows_ = 0;
};

}  // namespace anima::govern
