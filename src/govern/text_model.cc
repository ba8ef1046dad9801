#include "govern/text_model.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/bytes.h"
#include "base/crypto.h"
#include "base/packs.h"
#include "base/random.h"
#include "govern/detail/text_features.h"
#include "govern/pattern_set.h"

namespace anima::govern {
namespace {

using detail::FeatureSet;
using detail::kFeatureBuckets;
using detail::TextWindow;

constexpr std::string_view kMagic = "ANIMATM2";
constexpr std::string_view kShipped = "packs/guardian/model.bin";
constexpr double kRate = 0.3;
constexpr double kDilution = -0.4;         // power of the number of features that each is worth
constexpr double kPull = 1e-4;             // towards zero, at each step
constexpr double kFade = 0.3;              // towards zero, after each epoch
constexpr double kAllowedFlags = 0.03;     // of unseen ordinary texts, at the first limit
constexpr double kAllowedBlocks = 0.005;   // at the second
constexpr double kSecondLimitAbove = 0.3;  // log-odds
constexpr double kLengthPrice = 0.25;      // log-odds, for e times as many windows
constexpr std::size_t kFewest = 20;
constexpr std::size_t kUnseen = 5;  // each fifth text finds the limits

// Weights while they are learnt.
struct Learner {
  std::vector<double> weights = std::vector<double>(kFeatureBuckets, 0.0);
  std::vector<double> squares = std::vector<double>(kFeatureBuckets, 1e-8);
  double bias = 0, bias_square = 1e-8;

  static double value(std::size_t buckets) {
    return buckets == 0 ? 0 : std::pow(static_cast<double>(buckets), kDilution);
  }
  double score(const std::vector<std::uint32_t>& buckets) const {
    double sum = 0;
    for (const std::uint32_t bucket : buckets) sum += weights[bucket];
    return bias + sum * value(buckets.size());
  }
  void learn(const std::vector<std::uint32_t>& buckets, bool attack, double importance) {
    const double probability = 1 / (1 + std::exp(-score(buckets)));
    const double gradient = importance * (probability - (attack ? 1 : 0));
    const double step = gradient * value(buckets.size());
    for (const std::uint32_t bucket : buckets) {
      squares[bucket] += step * step;
      weights[bucket] -= kRate * step / std::sqrt(squares[bucket]) + kPull * weights[bucket];
    }
    bias_square += gradient * gradient;
    bias -= kRate * 0.1 * gradient / std::sqrt(bias_square);
  }
  void fade() {
    for (double& weight : weights) weight *= 1 - kFade;
  }
};

// Among more windows the worst of an ordinary text is worse; the price keeps its alarms level.
double score_of(double worst_window, std::size_t windows) {
  return worst_window - kLengthPrice * std::log(static_cast<double>(windows));
}

struct Prepared {
  std::string text;
  std::vector<TextWindow> windows;
  bool attack = false;
};

std::vector<Prepared> prepare(const std::vector<TrainingText>& texts, bool held) {
  std::vector<Prepared> prepared;
  for (const TrainingText& text : texts) {
    if (text.held != held) continue;
    Prepared one{normal_text(text.text), {}, text.attack};
    one.windows = detail::text_windows(one.text);
    prepared.push_back(std::move(one));
  }
  return prepared;
}

void shuffle(std::vector<Prepared>& texts, std::uint64_t seed) {
  SeededRandom random(seed);
  for (std::size_t i = texts.size(); i > 1; --i) std::swap(texts[i - 1], texts[random.below(i)]);
}

std::pair<double, std::size_t> worst(const Learner& learner, FeatureSet& features,
                                     const Prepared& text) {
  std::pair<double, std::size_t> result{-1e300, 0};
  for (std::size_t i = 0; i < text.windows.size(); ++i) {
    const double score = learner.score(features.of(text.text, text.windows[i]));
    if (score > result.first) result = {score, i};
  }
  return result;
}

// Of an attack only the worst window is taught, for the others may be harmless; of an ordinary text
// all are.
Learner learn(const std::vector<Prepared>& texts, int epochs) {
  Learner learner;
  FeatureSet features;
  const auto attacks = static_cast<std::size_t>(std::ranges::count(texts, true, &Prepared::attack));
  const double weight = static_cast<double>(texts.size() - attacks) / static_cast<double>(attacks);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (const Prepared& text : texts) {
      if (text.attack) {
        const std::size_t window = worst(learner, features, text).second;
        learner.learn(features.of(text.text, text.windows[window]), true, weight);
      } else {
        for (const TextWindow& window : text.windows)
          learner.learn(features.of(text.text, window), false, 1);
      }
    }
    learner.fade();
  }
  return learner;
}

// The scores of texts that training did not see, rising.
struct Unseen {
  std::vector<double> ordinary, attacks;
};
Unseen unseen_scores(const Learner& learner, const std::vector<Prepared>& texts) {
  FeatureSet features;
  Unseen scores;
  for (const Prepared& text : texts)
    (text.attack ? scores.attacks : scores.ordinary)
        .push_back(score_of(worst(learner, features, text).first, text.windows.size()));
  std::ranges::sort(scores.ordinary);
  std::ranges::sort(scores.attacks);
  return scores;
}

// Where none are held back, each fifth is kept from a learner that is made only for this.
Unseen unseen_scores(const std::vector<Prepared>& texts, int epochs) {
  std::vector<Prepared> taught, kept;
  for (std::size_t i = 0; i < texts.size(); ++i)
    (i % kUnseen == 0 ? kept : taught).push_back(texts[i]);
  return unseen_scores(learn(taught, epochs), kept);
}

// What only this share of the scores reaches.
double reached_by(const std::vector<double>& rising, double share) {
  const auto allowed = static_cast<std::size_t>(share * static_cast<double>(rising.size()));
  return rising[rising.size() - 1 - allowed] + 1e-6;
}

// Where attacks and ordinary texts lie far apart the first limit is half way between, for texts of
// other kinds score higher than those that were taught.
std::pair<double, double> limits(const Unseen& unseen) {
  if (unseen.ordinary.empty() || unseen.attacks.empty()) return {0, kSecondLimitAbove};
  const double usual = unseen.attacks[unseen.attacks.size() / 2];
  const double quiet = reached_by(unseen.ordinary, kAllowedFlags);
  const double first = std::max(quiet, (quiet + usual) / 2);
  return {first, std::max({usual, first + kSecondLimitAbove,
                           reached_by(unseen.ordinary, kAllowedBlocks)})};
}

}  // namespace

Result<TextModel> TextModel::train(const std::vector<TrainingText>& texts,
                                   const TrainingOptions& options) {
  std::vector<Prepared> taught = prepare(texts, false);
  const auto attacks =
      static_cast<std::size_t>(std::ranges::count(taught, true, &Prepared::attack));
  if (attacks < kFewest || taught.size() - attacks < kFewest) {
    return fail(ErrorCode::kInvalidArgument,
                "there are " + std::to_string(attacks) + " attacks and " +
                    std::to_string(taught.size() - attacks) + " ordinary texts",
                {}, "training takes at least 20 of each that are not held back");
  }
  shuffle(taught, options.seed);
  const Learner learner = learn(taught, options.epochs);
  const std::vector<Prepared> held = prepare(texts, true);
  const Unseen unseen =
      held.empty() ? unseen_scores(taught, options.epochs) : unseen_scores(learner, held);

  TextModel model;
  double largest = 1e-9;
  for (const double weight : learner.weights) largest = std::max(largest, std::abs(weight));
  model.scale_ = largest / 127;
  model.bias_ = learner.bias;
  for (const double weight : learner.weights)
    model.weights_.push_back(static_cast<std::int8_t>(std::lround(weight / model.scale_)));
  std::tie(model.flag_, model.block_) = limits(unseen);
  return model;
}

std::string TextModel::save() const {
  ByteWriter out;
  out.raw(kMagic);
  out.f64(scale_);
  out.f64(bias_);
  out.f64(flag_);
  out.f64(block_);
  out.raw({reinterpret_cast<const char*>(weights_.data()), weights_.size()});
  const std::uint64_t sum = checksum64(out.bytes());
  out.u64(sum);
  return out.take();
}

Result<TextModel> TextModel::load(std::string_view bytes, std::string_view where) {
  const auto broken = [&](const char* what) {
    return fail(ErrorCode::kCorrupt, what, std::string(where), "make it with `anima guard train`");
  };
  constexpr std::size_t kHeader = 8 + 4 * 8;
  if (!bytes.starts_with(kMagic)) return broken("this is no model of the guardian");
  if (bytes.size() != kHeader + kFeatureBuckets + 8) return broken("the model is cut short");
  ByteReader reader(bytes.substr(kMagic.size()));
  TextModel model;
  for (double* value : {&model.scale_, &model.bias_, &model.flag_, &model.block_}) {
    ANIMA_ASSIGN(*value, reader.f64());
    if (!std::isfinite(*value)) return broken("the model holds a number that is none");
  }
  ANIMA_ASSIGN(const std::string_view weights, reader.raw(kFeatureBuckets));
  ANIMA_ASSIGN(const std::uint64_t sum, reader.u64());
  if (sum != checksum64(bytes.substr(0, bytes.size() - 8))) return broken("the model is damaged");
  if (model.block_ <= model.flag_) return broken("the limits of the model are not in order");
  for (const char weight : weights) model.weights_.push_back(static_cast<std::int8_t>(weight));
  return model;
}

Result<TextModel> TextModel::shipped() {
  const auto bytes = pack_file(kShipped);
  if (!bytes) return fail(ErrorCode::kNotFound, "no model is built in", std::string(kShipped));
  return load(*bytes, kShipped);
}

// 0.1 far below the first limit, 0.3 just below it, 0.4 at it, 0.6 at the second, 0.7 beyond.
int TextModel::risk_of(double score) const {
  constexpr double kReach = 3;
  if (score < flag_)
    return 100 + static_cast<int>(200 * std::clamp(1 - (flag_ - score) / kReach, 0.0, 1.0));
  if (score < block_) return 400 + static_cast<int>(199 * (score - flag_) / (block_ - flag_));
  return 600 + static_cast<int>(100 * std::clamp((score - block_) / kReach, 0.0, 1.0));
}

ModelJudgement TextModel::judge(std::string_view text) const {
  ModelJudgement result;
  result.score = -1e300;
  thread_local detail::WindowSums sums;
  sums.use(weights_.data());
  std::size_t windows = 0;
  for (sums.start(text); sums.next(); ++windows) {
    const detail::FeatureSum sum = sums.sum();
    const double score =
        bias_ + scale_ * static_cast<double>(sum.weight) * Learner::value(sum.features);
    if (score <= result.score) continue;
    result.score = score;
    result.offset = sums.window().offset;
    result.length = sums.window().length;
  }
  result.score = score_of(result.score, windows);
  result.risk_thousandths = risk_of(result.score);
  return result;
}

}  // namespace anima::govern
