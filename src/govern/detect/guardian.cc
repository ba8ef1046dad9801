#include "govern/detect/guardian.h"

#include <algorithm>

#include "base/json/text_array.h"
#include "govern/detect/detail/deep_analysis.h"

namespace anima::govern {
namespace {

constexpr int kCleanBase = 100;
constexpr int kWeakBase = 400;
constexpr int kEvasionSurcharge = 100;
constexpr int kFurtherPattern = 100;
constexpr int kBehaviourBase = 500;
constexpr int kFull = 1000;
constexpr int kModelFlags = 400;
constexpr std::string_view kModel = "MODEL";
constexpr std::size_t kEvidenceBytes = 80;

std::string evidence(std::string_view text, const PatternMatch& match) {
  std::size_t size = std::min(match.length, kEvidenceBytes);
  while (size > 0 && size < match.length &&
         (static_cast<unsigned char>(text[match.offset + size]) & 0xC0) == 0x80) {
    --size;
  }
  return std::string(text.substr(match.offset, size));
}

// Adds what matches `text` and `findings` does not hold yet; gives the matches.
std::vector<PatternMatch> add_findings(std::vector<Finding>& findings, const PatternSet& patterns,
                                       std::string_view text, bool deep) {
  std::vector<PatternMatch> added;
  for (const std::size_t place : patterns.matching(text)) {
    const Pattern& pattern = patterns.patterns()[place];
    const bool known =
        std::ranges::any_of(findings, [&](const Finding& f) { return f.id == pattern.id; });
    if (known) continue;
    added.push_back(patterns.locate(place, text));
    const int surcharge = deep && !pattern.weak ? kEvasionSurcharge : 0;
    findings.push_back({pattern.id, pattern.family,
                        std::min(kFull, pattern.risk_thousandths + surcharge), deep,
                        evidence(text, added.back())});
  }
  return added;
}

int combined_base(const std::vector<Finding>& findings) {
  int highest = 0;
  for (const Finding& finding : findings) highest = std::max(highest, finding.risk_thousandths);
  const int further = static_cast<int>(findings.size()) - 1;
  return std::min(kFull, highest + kFurtherPattern * further);
}

void sort_in_catalogue_order(std::vector<Finding>& findings, const PatternSet& patterns) {
  const auto place = [&](const Finding& finding) {
    const auto& all = patterns.patterns();
    return std::ranges::find(all, finding.id, &Pattern::id) - all.begin();
  };
  std::ranges::stable_sort(findings, {}, place);
}

Json decimal(int value, int scale) { return Json(static_cast<double>(value) / scale); }

}  // namespace

std::string_view action_name(Action action) {
  switch (action) {
    case Action::kAllow:
      return "allow";
    case Action::kFlag:
      return "flag";
    case Action::kBlock:
      return "block";
  }
  return "block";
}

Action action_for(int risk_thousandths) {
  if (risk_thousandths >= 800) return Action::kBlock;
  return risk_thousandths >= 500 ? Action::kFlag : Action::kAllow;
}

Guardian::Guardian(PatternSet patterns, std::shared_ptr<const TextModel> model)
    : patterns_(std::move(patterns)), model_(std::move(model)) {}

// Keeps the worst of the readings.
void Guardian::ask_model(std::string_view text, Assessment& result) const {
  if (model_ == nullptr) return;
  const ModelJudgement judged = model_->judge(text);
  if (result.model_thousandths.value_or(0) >= judged.risk_thousandths) return;
  result.model_thousandths = judged.risk_thousandths;
  if (judged.risk_thousandths < kModelFlags) return;
  std::erase_if(result.findings, [](const Finding& finding) { return finding.id == kModel; });
  result.findings.push_back({std::string(kModel), "model", judged.risk_thousandths, false,
                             evidence(text, {0, judged.offset, judged.length})});
}

std::vector<std::string> Guardian::readings(std::string_view text) const {
  const std::string normal = normal_text(text);
  const auto matching = patterns_.matching(normal);
  std::vector<std::string> readings;
  const bool strong = std::ranges::any_of(
      matching, [&](std::size_t place) { return !patterns_.patterns()[place].weak; });
  if (strong) return readings;
  const detail::DeepAnalysis deep(text, normal, patterns_);
  if (matching.empty() && deep.indicators().empty()) return readings;
  for (detail::Reading& reading : deep.readings()) readings.push_back(std::move(reading.text));
  return readings;
}

Assessment Guardian::assess(std::string_view text, Trust trust,
                            const BehaviourSigns& behaviour) const {
  Assessment result;
  Assessment modelled;
  const std::string normal = normal_text(text);
  ask_model(normal, modelled);
  const auto matches = add_findings(result.findings, patterns_, normal, false);
  const bool strong = std::ranges::any_of(matches, [&](const PatternMatch& match) {
    return !patterns_.patterns()[match.pattern].weak;
  });
  bool still_weak = false;
  if (!strong) {
    const detail::DeepAnalysis deep(text, normal, patterns_);
    result.indicators = deep.indicators();
    const bool weak_pattern = !result.findings.empty();
    if (weak_pattern) result.indicators.emplace_back("weak_pattern");
    if (!result.indicators.empty()) {
      result.deep_analysis = true;
      bool explained = true;
      for (const detail::Reading& reading : deep.readings()) {
        explained &= reading.explained;
        ask_model(reading.text, modelled);
        add_findings(result.findings, patterns_, reading.text, true);
      }
      // A weak pattern that only discussed text holds, and data that decodes to plain text, explain
      // themselves.
      if (weak_pattern && detail::only_quoted(normal, matches)) result.findings.clear();
      still_weak = !explained;
    }
    std::ranges::sort(result.indicators);
  }
  sort_in_catalogue_order(result.findings, patterns_);
  if (behaviour.rate_exceeded)
    result.findings.push_back({"RATE", "rate_limit_exceeded", kBehaviourBase, false, {}});
  if (behaviour.anomalous)
    result.findings.push_back({"ANOM", "anomalous_behavior", kBehaviourBase, false, {}});

  result.base_thousandths = result.findings.empty() ? kCleanBase : combined_base(result.findings);
  if (still_weak) result.base_thousandths = std::max(result.base_thousandths, kWeakBase);
  if (modelled.model_thousandths) {
    result.model_thousandths = modelled.model_thousandths;
    result.base_thousandths = std::max(result.base_thousandths, *modelled.model_thousandths);
    for (Finding& finding : modelled.findings) result.findings.push_back(std::move(finding));
  }
  result.multiplier_hundredths = risk_multiplier_hundredths(trust);
  result.risk_thousandths =
      std::min(kFull, result.base_thousandths * result.multiplier_hundredths / 100);
  result.action = action_for(result.risk_thousandths);
  return result;
}

Json Assessment::to_json() const {
  Json patterns = Json::array();
  for (const Finding& finding : findings) {
    patterns.push_back(Json::object({{"id", finding.id},
                                     {"family", finding.family},
                                     {"risk", decimal(finding.risk_thousandths, 1000)},
                                     {"deep", finding.deep},
                                     {"text", finding.text}}));
  }
  Json json = Json::object({{"risk", decimal(risk_thousandths, 1000)},
                            {"base", decimal(base_thousandths, 1000)},
                            {"multiplier", decimal(multiplier_hundredths, 100)},
                            {"action", std::string(action_name(action))},
                            {"patterns", std::move(patterns)},
                            {"deep", deep_analysis},
                            {"indicators", text_array(indicators)}});
  if (model_thousandths) json.set("model", decimal(*model_thousandths, 1000));
  return json;
}

}  // namespace anima::govern
