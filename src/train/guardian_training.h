// The training of the guardian's model (govern/detect/text_model.h): logistic regression, brought
// to convergence. No part of what runs: only `anima guard train` uses it. Thread-safety: pure
// functions; the same texts and seed give the same bytes. Source: docs/SECURITY.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "govern/detect/text_model.h"

namespace anima::train {

struct TrainingText {
  std::string text;
  bool attack = false;
  bool held = false;                       // not taught: finds the limits
  std::string author = {};                 // may be empty
  std::vector<std::string> readings = {};  // further ones of the text (Guardian::readings)
};

// How models did on texts that they were not taught, at limits found on all of these together: what
// to expect of texts by somebody else.
struct TrainingEstimate {
  // Who was left out; else empty: texts that were held back, or were left out by chance.
  std::string author;
  std::size_t attacks = 0, ordinary = 0;
  double flagged = 0, false_alarms = 0;  // shares of these at the first limit or above
  static constexpr std::array<double, 3> kRates = {0.01, 0.05, 0.1};
  std::array<double, 3> recall = {};  // where at most this share of the ordinary ones is flagged
  double area_under_curve = 0;
};

struct TrainingOptions {
  std::uint64_t seed = 1;                                              // of the order of the texts
  std::function<void(std::size_t done, std::size_t models)> progress;  // may be empty
  std::vector<TrainingEstimate>* estimates = nullptr;                  // receives them, by author
};

// The limits are where 2 % and 0.3 % of the unseen ordinary texts are: of those that are held,
// and of each author scored by a model that was taught the others. Texts without an author are
// always taught. With neither held texts nor two authors each fifth part is left out in turn.
// Errors: kInvalidArgument when a model would have fewer than 20 texts of either kind.
// Complexity: that of detail/text_learner.h for each author.
Result<govern::TextModel> train_guardian(const std::vector<TrainingText>& texts,
                                         const TrainingOptions& options = {});

}  // namespace anima::train
