// How well the guardian tells attacks from ordinary text, measured on labelled texts: what it flags
// and blocks as it is, recall at fixed false-positive rates, the points of the ROC curve, the
// attacks that scored lowest and the ordinary texts that scored highest. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "base/json/json.h"
#include "govern/detect/guardian.h"

namespace anima::govern {

struct LabelledText {
  std::string id;
  std::string text;
  Trust trust = Trust::kUntrusted;
  bool attack = false;
};

struct RocPoint {
  int threshold_thousandths = 0;  // judged an attack at this risk or above
  double true_positive_rate = 0;
  double false_positive_rate = 0;
};

// Of the attacks and of the ordinary texts; 0 of none.
struct Shares {
  double attacks = 0, ordinary = 0;
};

struct Evaluation {
  std::size_t attacks = 0, ordinary = 0;
  Shares held_up;  // flagged or blocked
  Shares blocked;
  std::vector<RocPoint> roc;  // by falling threshold; from (0,0) to (1,1)
  double area_under_curve = 0;
  std::vector<std::pair<double, double>> recall_at;  // (false-positive rate allowed, recall)
  struct Miss {
    std::string id;
    int risk_thousandths;
    std::string text;
  };
  std::vector<Miss> worst_misses;  // attacks below "flag", lowest risk first, at most 20
  std::vector<Miss> worst_alarms;  // ordinary texts at "flag" or above, highest first, at most 20
  Json to_json() const;
};

// O(n log n).
Evaluation evaluate(const Guardian& guardian, const std::vector<LabelledText>& texts);

}  // namespace anima::govern
