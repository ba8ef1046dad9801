#include "govern/evaluation.h"

#include <algorithm>
#include <array>

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

std::vector<RocPoint> roc_points(const std::vector<Scored>& by_falling_risk, std::size_t attacks,
                                 std::size_t ordinary) {
  std::vector<RocPoint> points{{1001, 0, 0}};
  std::size_t hits = 0;
  std::size_t alarms = 0;
  for (std::size_t i = 0; i < by_falling_risk.size(); ++i) {
    ++(by_falling_risk[i].text->attack ? hits : alarms);
    const bool last_of_risk =
        i + 1 == by_falling_risk.size() || by_falling_risk[i + 1].risk != by_falling_risk[i].risk;
    if (last_of_risk)
      points.push_back({by_falling_risk[i].risk, share(hits, attacks), share(alarms, ordinary)});
  }
  return points;
}

double area(const std::vector<RocPoint>& points) {
  double sum = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    sum += (points[i].false_positive_rate - points[i - 1].false_positive_rate) *
           (points[i].true_positive_rate + points[i - 1].true_positive_rate) / 2;
  }
  return sum;
}

double recall_within(const std::vector<RocPoint>& points, double rate) {
  double recall = 0;
  for (const RocPoint& point : points) {
    if (point.false_positive_rate <= rate) recall = std::max(recall, point.true_positive_rate);
  }
  return recall;
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
  result.roc = roc_points(scored, result.attacks, result.ordinary);
  result.area_under_curve = area(result.roc);
  for (const double rate : kAllowedRates)
    result.recall_at.emplace_back(rate, recall_within(result.roc, rate));
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
