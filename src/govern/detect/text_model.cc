#include "govern/detect/text_model.h"

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/crypto.h"
#include "base/packs.h"
#include "govern/detect/detail/text_features.h"
#include "govern/detect/detail/text_learner.h"

namespace anima::govern {
namespace {

using detail::kFeatureBuckets;

constexpr std::string_view kMagic = "ANIMATM3";
constexpr std::string_view kShipped = "packs/guardian/model.bin";

}  // namespace

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
  detail::TextScore score;
  thread_local detail::WindowSums sums;
  sums.use(weights_.data());
  for (sums.start(text); sums.next();) {
    const detail::FeatureSum sum = sums.sum();
    const bool worst = score.add(bias_ + scale_ * static_cast<double>(sum.weight) *
                                             detail::feature_value(sum.features));
    if (!worst) continue;
    result.offset = sums.window().offset;
    result.length = sums.window().length;
  }
  result.score = score.value();
  result.risk_thousandths = risk_of(result.score);
  return result;
}

}  // namespace anima::govern
