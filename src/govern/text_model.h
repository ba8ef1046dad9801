// The guardian's second stage: a linear model over hashed character and word n-grams.
//
// A text is read through windows of 20 words, 10 apart; its score is that of the worst window, so
// that an attack is not diluted by what stands around it, less 0.25 x ln(windows), for among many
// one is high by chance. Features: words and their first six
// characters, pairs of either within a sentence, what begins a sentence, runs of 3 characters (of 1
// and 2 too where they are not ASCII), each present or not, hashed into 131,072 buckets; weights
// are whole numbers of 8 bits. Two limits on the score, found on texts that training did not see,
// make it a risk: at the first, which 3 % of the ordinary ones may reach, the base is 0.4; at the
// second, 0.5 %, it is 0.6; at most 0.7, below the first at most 0.3. Training is logistic
// regression by AdaGrad in a fixed order: the same texts and seed give the same bytes.
// Thread-safety: a model never changes; any thread.
// Complexity: linear in the text. Source: issue "Guardian"; docs/formats.md has the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace anima::govern {

struct TrainingText {
  std::string text;
  bool attack = false;
  bool held = false;  // not taught; such texts find the limits, else each fifth does
};

struct TrainingOptions {
  std::uint64_t seed = 1;
  int epochs = 12;
};

struct ModelJudgement {
  double score = 0;                    // log-odds of the worst window, less the price of length
  int risk_thousandths = 0;            // the base that it stands for
  std::size_t offset = 0, length = 0;  // of that window
};

class TextModel {
 public:
  // Errors: kCorrupt (no model, or damaged).
  static Result<TextModel> load(std::string_view bytes, std::string_view where);
  // packs/guardian/model.bin.
  static Result<TextModel> shipped();
  // Errors: kInvalidArgument when there are not at least 20 taught texts of each kind.
  static Result<TextModel> train(const std::vector<TrainingText>& texts,
                                 const TrainingOptions& options = {});
  std::string save() const;

  // `text` is normal text (pattern_set.h).
  ModelJudgement judge(std::string_view text) const;

 private:
  TextModel() = default;
  int risk_of(double score) const;
  std::vector<std::int8_t> weights_;
  double scale_ = 0, bias_ = 0;
  double flag_ = 0, block_ = 0;  // scores
};

}  // namespace anima::govern
