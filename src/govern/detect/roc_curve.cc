#include "govern/detect/roc_curve.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace anima::govern {
namespace {

double rate_of(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::vector<CurvePoint> roc_curve(std::vector<ScoredText> texts) {
  std::ranges::sort(texts, std::ranges::greater{}, &ScoredText::score);
  const auto attacks =
      static_cast<std::size_t>(std::ranges::count(texts, true, &ScoredText::attack));
  std::vector<CurvePoint> points{{std::numeric_limits<double>::infinity(), 0, 0}};
  std::size_t hits = 0, alarms = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ++(texts[i].attack ? hits : alarms);
    if (i + 1 != texts.size() && texts[i + 1].score == texts[i].score) continue;
    points.push_back(
        {texts[i].score, rate_of(hits, attacks), rate_of(alarms, texts.size() - attacks)});
  }
  return points;
}

double area_under(const std::vector<CurvePoint>& curve) {
  double sum = 0;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    sum += (curve[i].false_positive_rate - curve[i - 1].false_positive_rate) *
           (curve[i].true_positive_rate + curve[i - 1].true_positive_rate) / 2;
  }
  return sum;
}

double recall_within(const std::vector<CurvePoint>& curve, double rate) {
  double recall = 0;
  for (const CurvePoint& point : curve) {
    if (point.false_positive_rate <= rate) recall = std::max(recall, point.true_positive_rate);
  }
  return recall;
}

}  // namespace anima::govern
