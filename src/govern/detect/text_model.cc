#include "govern/detect/text_model.h"

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/crypto.h"
#include "base/packs.h"
#include "govern/detect/text_features.h"
#include "govern/detect/text_score.h"

namespace anima::govern {
namespace {

constexpr std::string_view kMagic = "ANIMATM3";
constexpr std::string_view kShipped = "packs/guardian/model.bin";

}  // namespace

std::string TextModel::save() const {
  ByteWriter out;
  out.raw(kMagic);
  out.f64(numbers_.scale);
  out.f64(numbers_.bias);
  out.f64(numbers_.flag);
  out.f64(numbers_.block);
  out.raw({reinterpret_cast<const char*>(numbers_.weights.data()), numbers_.weights.size()});
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
  ModelNumbers model;
  for (double* value : {&model.scale, &model.bias, &model.flag, &model.block}) {
    ANIMA_ASSIGN(*value, reader.f64());
    if (!std::isfinite(*value)) return broken("the model holds a number that is none");
  }
  ANIMA_ASSIGN(const std::string_view weights, reader.raw(kFeatureBuckets));
  ANIMA_ASSIGN(const std::uint64_t sum, reader.u64());
  if (sum != checksum64(bytes.substr(0, bytes.size() - 8))) return broken("the model is damaged");
  if (model.block <= model.flag) return broken("the limits of the model are not in order");
  for (const char weight : weights) model.weights.push_back(static_cast<std::int8_t>(weight));
  return TextModel(std::move(model));
}

Result<TextModel> TextModel::shipped() {
  const auto bytes = pack_file(kShipped);
  if (!bytes) return fail(ErrorCode::kNotFound, "no model is built in", std::string(kShipped));
  return load(*bytes, kShipped);
}

// 0.1 far below the first limit, 0.3 just below it, 0.4 at it, 0.6 at the second, 0.7 beyond.
int TextModel::risk_of(double score) const {
  constexpr double kReach = 3;
  if (score < numbers_.flag)
    return 100 + static_cast<int>(200 * std::clamp(1 - (numbers_.flag - score) / kReach, 0.0, 1.0));
  if (score < numbers_.block)
    return 400 + static_cast<int>(199 * (score - numbers_.flag) / (numbers_.block - numbers_.flag));
  return 600 + static_cast<int>(100 * std::clamp((score - numbers_.block) / kReach, 0.0, 1.0));
}

ModelJudgement TextModel::judge(std::string_view text) const {
  ModelJudgement result;
  TextScore score;
  thread_local WindowSums sums;
  sums.use(numbers_.weights.data());
  for (sums.start(text); sums.next();) {
    const FeatureSum sum = sums.sum();
    const bool worst = score.add(numbers_.bias + numbers_.scale * static_cast<double>(sum.weight) *
                                                     feature_value(sum.features));
    if (!worst) continue;
    result.offset = sums.window().offset;
    result.length = sums.window().length;
  }
  result.score = score.value();
  result.risk_thousandths = risk_of(result.score);
  return result;
}

}  // namespace anima::govern
