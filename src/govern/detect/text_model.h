// The guardian's second stage: a linear model over hashed character and word n-grams.
//
// A text is read through windows of 32 words, 16 apart, so that an attack is not diluted by what
// stands around it; its score is ln(sum of e^2s over the windows' scores s) / 2, nearly that of the
// worst, less 0.7 x ln(windows), for among many one is high by chance. Features: words and their
// first six characters, pairs of either within a sentence, pairs of words with one between them,
// what begins a sentence, runs of 3 characters (of 1 and 2 too where they are not ASCII), each
// present or not, hashed into 524,288 buckets; weights are whole numbers of 8 bits. Two limits on
// the score make it a risk: at the first the base is 0.4; at the second it is 0.6; at most 0.7,
// below the first at most 0.3. Training is logistic regression, brought to convergence: the same
// texts and seed give the same bytes.
// Thread-safety: a model never changes; any thread.
// Complexity: linear in the text. Source: docs/SECURITY.md; docs/formats.md has the file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace anima::govern {

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

struct ModelJudgement {
  double score = 0;                    // log-odds
  int risk_thousandths = 0;            // the base that it stands for
  std::size_t offset = 0, length = 0;  // of that window
};

class TextModel {
 public:
  // Errors: kCorrupt (no model, or damaged).
  static Result<TextModel> load(std::string_view bytes, std::string_view where);
  // packs/guardian/model.bin.
  static Result<TextModel> shipped();
  // The limits are where 2 % and 0.3 % of the unseen ordinary texts are: of those that are held,
  // and of each author scored by a model that was taught the others. Texts without an author are
  // always taught. With neither held texts nor two authors each fifth part is left out in turn.
  // Errors: kInvalidArgument when a model would have fewer than 20 texts of either kind.
  // Complexity: that of detail/text_learner.h for each author.
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
