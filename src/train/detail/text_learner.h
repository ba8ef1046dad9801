// Fits the weights of the guardian's model to labelled texts.
//
// A text is scored as a model judges it; what is lowered is the mean logistic loss of the scores,
// where attacks and ordinary texts weigh the same in all, plus a pull of each weight towards zero.
// The pull is weaker on features that few texts hold: a rare word may say much, a common run of
// letters may not.
// Thread-safety: pure functions; the same texts in the same order give the same weights.
// Complexity: some 60 to 100 passes over the features of all windows, which stay in memory: 4 bytes
// each, some 40 times the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace anima::train::detail {

// The buckets of a window, each once (govern/detect/text_features.h).
using WindowFeatures = std::vector<std::uint32_t>;
// One reading of a text: its windows, at least one.
using ReadingFeatures = std::vector<WindowFeatures>;

struct LabelledFeatures {
  std::vector<ReadingFeatures> readings;  // at least one; the worst counts
  bool attack = false;
};

struct LearntWeights {
  std::vector<double> weights;  // kFeatureBuckets of them
  double bias = 0;
};

// Of normal text (govern/detect/pattern_set.h).
ReadingFeatures reading_features(std::string_view text);

// `texts` hold both kinds.
LearntWeights learn_weights(const std::vector<const LabelledFeatures*>& texts);
double score_of(const LearntWeights& learnt, const LabelledFeatures& text);

}  // namespace anima::train::detail
