// The guardian's second stage: a linear model over hashed character and word n-grams.
//
// A text is read through windows of 32 words, 16 apart, so that an attack is not diluted by what
// stands around it; its score is ln(sum of e^2s over the windows' scores s) / 2, nearly that of the
// worst, less 0.7 x ln(windows), for among many one is high by chance. Features: words and their
// first six characters, pairs of either within a sentence, pairs of words with one between them,
// what begins a sentence, runs of 3 characters (of 1 and 2 too where they are not ASCII), each
// present or not, hashed into 524,288 buckets; weights are whole numbers of 8 bits. Two limits on
// the score make it a risk: at the first the base is 0.4; at the second it is 0.6; at most 0.7,
// below the first at most 0.3. How one is learnt: train/guardian_training.h.
// Thread-safety: a model never changes; any thread.
// Complexity: linear in the text. Source: docs/SECURITY.md; docs/formats.md has the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace anima::govern {

struct ModelJudgement {
  double score = 0;                    // log-odds
  int risk_thousandths = 0;            // the base that it stands for
  std::size_t offset = 0, length = 0;  // of that window
};

// What a model is: numbers that judge() takes, and save() and load() keep.
struct ModelNumbers {
  std::vector<std::int8_t> weights;  // kFeatureBuckets of them (text_features.h)
  double scale = 0, bias = 0;        // of a weight; of every window
  double flag = 0, block = 0;        // the two limits, rising scores
};

class TextModel {
 public:
  // Requires numbers as they are told above.
  explicit TextModel(ModelNumbers numbers) : numbers_(std::move(numbers)) {}
  // Errors: kCorrupt (no model, or damaged).
  static Result<TextModel> load(std::string_view bytes, std::string_view where);
  // packs/guardian/model.bin.
  static Result<TextModel> shipped();
  std::string save() const;

  // `text` is normal text (pattern_set.h).
  ModelJudgement judge(std::string_view text) const;

 private:
  int risk_of(double score) const;
  ModelNumbers numbers_;
};

}  // namespace anima::govern
