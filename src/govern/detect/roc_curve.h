// The ROC curve of scored texts, and what is read off it. Pure functions, O(n log n).
#pragma once

#include <vector>

namespace anima::govern {

struct ScoredText {
  double score = 0;
  bool attack = false;
};

struct CurvePoint {
  double threshold = 0;  // judged an attack at this score or above
  double true_positive_rate = 0;
  double false_positive_rate = 0;
};

// One point for each score, by falling threshold, behind (0,0); rates of no texts are 0.
std::vector<CurvePoint> roc_curve(std::vector<ScoredText> texts);
double area_under(const std::vector<CurvePoint>& curve);
// The best true positive rate where no more than `rate` of the ordinary texts are judged attacks.
double recall_within(const std::vector<CurvePoint>& curve, double rate);

}  // namespace anima::govern
