#include "train/guardian_training.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/random.h"
#include "govern/detect/pattern_set.h"
#include "govern/detect/roc_curve.h"
#include "train/detail/text_learner.h"

namespace anima::train {
namespace {

using detail::LabelledFeatures;
using detail::LearntWeights;
using govern::ScoredText;

constexpr double kAllowedFlags = 0.02;     // of unseen ordinary texts, at the first limit
constexpr double kAllowedBlocks = 0.003;   // at the second
constexpr double kSecondLimitAbove = 0.3;  // log-odds
constexpr std::size_t kFewest = 20;
constexpr std::size_t kParts = 5;  // that are left out in turn where nobody is

struct Prepared {
  LabelledFeatures features;
  std::string author;
  bool held = false;
};

std::vector<Prepared> prepare(const std::vector<TrainingText>& texts, std::uint64_t seed) {
  std::vector<Prepared> prepared;
  for (const TrainingText& text : texts) {
    Prepared one{{{}, text.attack}, text.author, text.held};
    auto& readings = one.features.readings;
    readings.push_back(detail::reading_features(govern::normal_text(text.text)));
    for (const std::string& reading : text.readings)
      readings.push_back(detail::reading_features(reading));
    prepared.push_back(std::move(one));
  }
  SeededRandom random(seed);
  for (std::size_t i = prepared.size(); i > 1; --i)
    std::swap(prepared[i - 1], prepared[random.below(i)]);
  return prepared;
}

// What models were not taught, and how they scored it.
struct Unseen {
  std::string author;
  std::vector<ScoredText> texts;
};

class Trainer {
 public:
  Trainer(const std::vector<Prepared>& texts, const TrainingOptions& options)
      : texts_(texts), options_(options) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i].held) {
        held_.push_back(i);
      } else if (!texts[i].author.empty()) {
        groups_[texts[i].author].push_back(i);
      }
    }
    // Whoever is the only author cannot be left out.
    if (groups_.size() < 2) groups_.clear();
    if (!groups_.empty() || !held_.empty()) return;
    for (std::size_t i = 0; i < texts.size(); ++i)
      groups_["part " + std::to_string(i % kParts + 1)].push_back(i);
    parts_ = true;
  }

  Result<LearntWeights> learn() {
    ANIMA_ASSIGN(LearntWeights learnt, learn_without({}, {}));
    if (!held_.empty()) add_unseen(learnt, held_, {});
    for (const auto& [name, group] : groups_) {
      ANIMA_ASSIGN(const LearntWeights others, learn_without(group, name));
      add_unseen(others, group, parts_ ? std::string() : name);
    }
    return learnt;
  }
  const std::vector<Unseen>& unseen() const { return unseen_; }

 private:
  using Group = std::vector<std::size_t>;  // rising places of texts

  Result<LearntWeights> learn_without(const Group& left_out, const std::string& name) {
    std::vector<const LabelledFeatures*> taught;
    std::size_t attacks = 0;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (texts_[i].held || std::ranges::binary_search(left_out, i)) continue;
      taught.push_back(&texts_[i].features);
      attacks += texts_[i].features.attack ? 1 : 0;
    }
    if (attacks < kFewest || taught.size() - attacks < kFewest) {
      return fail(ErrorCode::kInvalidArgument,
                  "there are " + std::to_string(attacks) + " attacks and " +
                      std::to_string(taught.size() - attacks) + " ordinary texts" +
                      (name.empty() ? "" : " without those of \"" + name + "\""),
                  {}, "training takes at least 20 of each that are not held back or left out");
    }
    LearntWeights learnt = detail::learn_weights(taught);
    if (options_.progress) options_.progress(++done_, 1 + groups_.size());
    return learnt;
  }

  void add_unseen(const LearntWeights& learnt, const Group& group, const std::string& author) {
    if (unseen_.empty() || unseen_.back().author != author) unseen_.push_back({author, {}});
    for (const std::size_t i : group) {
      const LabelledFeatures& text = texts_[i].features;
      unseen_.back().texts.push_back({detail::score_of(learnt, text), text.attack});
    }
  }

  const std::vector<Prepared>& texts_;
  const TrainingOptions& options_;
  Group held_;
  std::map<std::string, Group> groups_;
  bool parts_ = false;
  std::size_t done_ = 0;
  std::vector<Unseen> unseen_;
};

// What only this share of the scores reaches.
double reached_by(const std::vector<double>& rising, double share) {
  const auto allowed = static_cast<std::size_t>(share * static_cast<double>(rising.size()));
  return rising[rising.size() - 1 - allowed] + 1e-6;
}

// Where attacks and ordinary texts lie far apart the first limit is half way between, for texts of
// other kinds score higher than those that were taught.
std::pair<double, double> limits(const std::vector<Unseen>& unseen) {
  std::vector<double> attacks, ordinary;
  for (const Unseen& group : unseen) {
    for (const ScoredText& text : group.texts)
      (text.attack ? attacks : ordinary).push_back(text.score);
  }
  std::ranges::sort(attacks);
  std::ranges::sort(ordinary);
  if (ordinary.empty() || attacks.empty()) return {0, kSecondLimitAbove};
  const double usual = attacks[attacks.size() / 2];
  const double quiet = reached_by(ordinary, kAllowedFlags);
  const double first = std::max(quiet, (quiet + usual) / 2);
  return {first,
          std::max({usual, first + kSecondLimitAbove, reached_by(ordinary, kAllowedBlocks)})};
}

TrainingEstimate estimate(const Unseen& unseen, double limit) {
  TrainingEstimate result;
  result.author = unseen.author;
  std::size_t hits = 0, alarms = 0;
  for (const ScoredText& text : unseen.texts) {
    ++(text.attack ? result.attacks : result.ordinary);
    if (text.score >= limit) ++(text.attack ? hits : alarms);
  }
  if (result.attacks != 0)
    result.flagged = static_cast<double>(hits) / static_cast<double>(result.attacks);
  if (result.ordinary != 0)
    result.false_alarms = static_cast<double>(alarms) / static_cast<double>(result.ordinary);
  const auto curve = govern::roc_curve(unseen.texts);
  for (std::size_t i = 0; i < result.recall.size(); ++i)
    result.recall[i] = govern::recall_within(curve, TrainingEstimate::kRates[i]);
  result.area_under_curve = govern::area_under(curve);
  return result;
}

}  // namespace

Result<govern::TextModel> train_guardian(const std::vector<TrainingText>& texts,
                                         const TrainingOptions& options) {
  const std::vector<Prepared> prepared = prepare(texts, options.seed);
  Trainer trainer(prepared, options);
  ANIMA_ASSIGN(const LearntWeights learnt, trainer.learn());

  govern::ModelNumbers model;
  double largest = 1e-9;
  for (const double weight : learnt.weights) largest = std::max(largest, std::abs(weight));
  model.scale = largest / 127;
  model.bias = learnt.bias;
  for (const double weight : learnt.weights)
    model.weights.push_back(static_cast<std::int8_t>(std::lround(weight / model.scale)));
  std::tie(model.flag, model.block) = limits(trainer.unseen());
  if (options.estimates != nullptr) {
    options.estimates->clear();
    for (const Unseen& unseen : trainer.unseen())
      options.estimates->push_back(estimate(unseen, model.flag));
  }
  return govern::TextModel(std::move(model));
}

}  // namespace anima::train
