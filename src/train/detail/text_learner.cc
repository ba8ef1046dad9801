#include "train/detail/text_learner.h"

#include <algorithm>
#include <cmath>

#include "govern/detect/text_features.h"
#include "govern/detect/text_score.h"
#include "train/detail/minimise.h"

namespace anima::train::detail {
namespace {

using govern::feature_value;
using govern::kFeatureBuckets;
using govern::TextScore;

constexpr double kPull = 3e-4;

// The scores of the windows of the worst reading.
struct Scored {
  double score = -1e300;
  std::size_t reading = 0;
  std::vector<double> windows;
};
void score(const LearntWeights& learnt, const LabelledFeatures& text, Scored& result) {
  result.score = -1e300;
  std::vector<double> windows;
  for (std::size_t reading = 0; reading < text.readings.size(); ++reading) {
    TextScore of_text;
    windows.clear();
    for (const WindowFeatures& window : text.readings[reading]) {
      double sum = 0;
      for (const std::uint32_t bucket : window) sum += learnt.weights[bucket];
      windows.push_back(learnt.bias + sum * feature_value(window.size()));
      of_text.add(windows.back());
    }
    if (of_text.value() <= result.score) continue;
    result.score = of_text.value();
    result.reading = reading;
    result.windows.swap(windows);
  }
}

// ln((1 + texts) / texts with the feature), 0 where there is none.
std::vector<double> rarity(const std::vector<const LabelledFeatures*>& texts) {
  std::vector<double> holders(kFeatureBuckets, 0);
  WindowFeatures all;
  for (const LabelledFeatures* text : texts) {
    all.clear();
    for (const ReadingFeatures& reading : text->readings) {
      for (const WindowFeatures& window : reading)
        all.insert(all.end(), window.begin(), window.end());
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (const std::uint32_t bucket : all) ++holders[bucket];
  }
  const auto most = static_cast<double>(texts.size() + 1);
  for (double& count : holders) count = count == 0 ? 0 : std::log(most / count);
  return holders;
}

// The loss over a point: a number for each feature that the texts hold, in multiples of its rarity,
// and the bias behind them.
class Loss {
 public:
  explicit Loss(const std::vector<const LabelledFeatures*>& texts)
      : texts_(texts), rarity_(rarity(texts)) {
    learnt_.weights.assign(kFeatureBuckets, 0);
    for (std::uint32_t bucket = 0; bucket < kFeatureBuckets; ++bucket) {
      if (rarity_[bucket] != 0) held_.push_back(bucket);
    }
    const auto attacks = static_cast<double>(
        std::ranges::count_if(texts, [](const LabelledFeatures* text) { return text->attack; }));
    attack_share_ = 0.5 / attacks;
    ordinary_share_ = 0.5 / (static_cast<double>(texts.size()) - attacks);
  }

  std::size_t variables() const { return held_.size() + 1; }

  double operator()(const std::vector<double>& point, std::vector<double>& gradient) {
    use(point);
    slopes_.assign(kFeatureBuckets, 0);
    double loss = 0, bias_slope = 0;
    for (const LabelledFeatures* text : texts_) {
      score(learnt_, *text, scored_);
      const double sign = text->attack ? 1 : -1;
      const double share = text->attack ? attack_share_ : ordinary_share_;
      const double margin = sign * scored_.score;
      // ln(1 + e^-margin) and its slope, where e^ cannot overflow.
      const double small = std::exp(-std::abs(margin));
      loss += share * (std::log1p(small) + std::max(0.0, -margin));
      const double slope = -sign * share * (margin > 0 ? small / (1 + small) : 1 / (1 + small));
      bias_slope += slope;
      spread(slope, text->readings[scored_.reading]);
    }
    for (std::size_t i = 0; i < held_.size(); ++i) {
      loss += kPull / 2 * point[i] * point[i];
      gradient[i] = kPull * point[i] + slopes_[held_[i]] * rarity_[held_[i]];
    }
    gradient.back() = bias_slope;
    return loss;
  }

  LearntWeights learnt(const std::vector<double>& point) {
    use(point);
    return learnt_;
  }

 private:
  // Over the windows by their part in the score.
  void spread(double slope, const ReadingFeatures& windows) {
    const double worst = *std::ranges::max_element(scored_.windows);
    double sum = 0;
    for (double& part : scored_.windows)
      sum += part = std::exp(TextScore::kSharpness * (part - worst));
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const double each = slope * scored_.windows[i] / sum * feature_value(windows[i].size());
      for (const std::uint32_t bucket : windows[i]) slopes_[bucket] += each;
    }
  }
  void use(const std::vector<double>& point) {
    for (std::size_t i = 0; i < held_.size(); ++i)
      learnt_.weights[held_[i]] = point[i] * rarity_[held_[i]];
    learnt_.bias = point.back();
  }

  const std::vector<const LabelledFeatures*>& texts_;
  std::vector<double> rarity_;       // by bucket
  std::vector<std::uint32_t> held_;  // buckets that any text holds
  double attack_share_ = 0, ordinary_share_ = 0;
  LearntWeights learnt_;
  std::vector<double> slopes_;  // by bucket
  Scored scored_;
};

}  // namespace

ReadingFeatures reading_features(std::string_view text) {
  thread_local govern::FeatureSet features;
  ReadingFeatures windows;
  for (const govern::TextWindow& window : govern::text_windows(text))
    windows.push_back(features.of(text, window));
  return windows;
}

LearntWeights learn_weights(const std::vector<const LabelledFeatures*>& texts) {
  Loss loss(texts);
  const Objective objective = [&loss](const std::vector<double>& point,
                                      std::vector<double>& gradient) {
    return loss(point, gradient);
  };
  return loss.learnt(minimise(objective, std::vector<double>(loss.variables(), 0)));
}

double score_of(const LearntWeights& learnt, const LabelledFeatures& text) {
  Scored scored;
  score(learnt, text, scored);
  return scored.score;
}

}  // namespace anima::train::detail
