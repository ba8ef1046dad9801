#include "govern/detect/evaluation.h"

#include <algorithm>
#include <array>

#include "govern/detect/roc_curve.h"

namespace anima::govern {
namespace {

constexpr std::array kAllowedRates = {0.001, 0.01, 0.05, 0.1};
constexpr std::size_t kMostExamples = 20;
constexpr std::size_t kExampleBytes = 160;

struct Scored {
  const LabelledText* text;
  int risk;
};

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

constexpr int kAboveAll = 1001;

std::vector<RocPoint> roc_points(const std::vector<CurvePoint>& curve) {
  std::vector<RocPoint> points{{kAboveAll, 0, 0}};
  for (std::size_t i = 1; i < curve.size(); ++i) {
    points.push_back({static_cast<int>(curve[i].threshold), curve[i].true_positive_rate,
                      curve[i].false_positive_rate});
  }
  return points;
}

Shares shares_with(const std::vector<Scored>& scored, const Evaluation& counts, Action least) {
  std::size_t attacks = 0, ordinary = 0;
  for (const Scored& item : scored) {
    if (action_for(item.risk) >= least) ++(item.text->attack ? attacks : ordinary);
  }
  return {share(attacks, counts.attacks), share(ordinary, counts.ordinary)};
}

Json shares_json(const Shares& shares) {
  return Json::object({{"attacks", shares.attacks}, {"ordinary", shares.ordinary}});
}

// At most `size` bytes, whole characters.
std::string beginning(std::string_view text, std::size_t size) {
  size = std::min(size, text.size());
  while (size > 0 && size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80)
    --size;
  return std::string(text.substr(0, size));
}

void keep_example(std::vector<Evaluation::Miss>& list, const Scored& scored) {
  if (list.size() == kMostExamples) return;
  list.push_back({scored.text->id, scored.risk, beginning(scored.text->text, kExampleBytes)});
}

Json examples_json(const std::vector<Evaluation::Miss>& list) {
  Json items = Json::array();
  for (const auto& miss : list) {
    items.push_back(Json::object({{"id", miss.id},
                                  {"risk", static_cast<double>(miss.risk_thousandths) / 1000},
                                  {"text", miss.text}}));
  }
  return items;
}

}  // namespace

Evaluation evaluate(const Guardian& guardian, const std::vector<LabelledText>& texts) {
  Evaluation result;
  std::vector<Scored> scored;
  scored.reserve(texts.size());
  for (const LabelledText& text : texts) {
    ++(text.attack ? result.attacks : result.ordinary);
    scored.push_back({&text, guardian.assess(text.text, text.trust).risk_thousandths});
  }
  std::ranges::stable_sort(scored, std::ranges::greater{}, &Scored::risk);
  result.held_up = shares_with(scored, result, Action::kFlag);
  result.blocked = shares_with(scored, result, Action::kBlock);
  std::vector<ScoredText> ranked;
  for (const Scored& item : scored)
    ranked.push_back({static_cast<double>(item.risk), item.text->attack});
  const auto curve = roc_curve(std::move(ranked));
  result.roc = roc_points(curve);
  result.area_under_curve = area_under(curve);
  for (const double rate : kAllowedRates)
    result.recall_at.emplace_back(rate, recall_within(curve, rate));
  for (const Scored& item : scored) {
    if (!item.text->attack && action_for(item.risk) != Action::kAllow)
      keep_example(result.worst_alarms, item);
  }
  for (auto item = scored.rbegin(); item != scored.rend(); ++item) {
    if (item->text->attack && action_for(item->risk) == Action::kAllow)
      keep_example(result.worst_misses, *item);
  }
  return result;
}

Json Evaluation::to_json() const {
  Json points = Json::array();
  for (const RocPoint& point : roc) {
    points.push_back(
        Json::object({{"threshold", static_cast<double>(point.threshold_thousandths) / 1000},
                      {"tpr", point.true_positive_rate},
                      {"fpr", point.false_positive_rate}}));
  }
  Json recall = Json::array();
  for (const auto& [rate, value] : recall_at)
    recall.push_back(Json::object({{"fpr", rate}, {"recall", value}}));
  return Json::object({{"attacks", static_cast<std::int64_t>(attacks)},
                       {"ordinary", static_cast<std::int64_t>(ordinary)},
                       {"held_up", shares_json(held_up)},
                       {"blocked", shares_json(blocked)},
                       {"auc", area_under_curve},
                       {"recall_at", std::move(recall)},
                       {"roc", std::move(points)},
                       {"misses", examples_json(worst_misses)},
                       {"alarms", examples_json(worst_alarms)}});
}

}  // namespace anima::govern
