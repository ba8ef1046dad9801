// Guardian: judges a text before it reaches the agent.
//
// risk = min(1, base x trust multiplier), in exact integer arithmetic; 0.8 blocks, 0.5 flags. The
// base is the largest of the matched patterns plus 0.1 for each further distinct one, 0.1 without
// any. A text with only weak signs (a weak pattern, encoded runs, hidden characters, near misses)
// goes through deep analysis: it is normalised, decoded (three levels, 64 KiB) and scanned again; a
// pattern found that way adds 0.1 for the evasion. With a model (text_model.h) a second stage
// judges the text and each of its other readings; it may raise the base, never lower it.
// Thread-safety: assess() is a pure function of its arguments, from any thread. Linear in the text.
// Source: source document 004 (risk model); governance specification 1.2, table rows 1-27.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "govern/detect/pattern_set.h"
#include "govern/detect/text_model.h"
#include "govern/trust.h"

namespace anima::govern {

enum class Action : std::uint8_t { kAllow, kFlag, kBlock };
std::string_view action_name(Action action);  // "allow", "flag", "block"

struct Finding {
  std::string id;  // "OV1", or "RATE" / "ANOM" for behaviour, "MODEL" for the model
  std::string family;
  int risk_thousandths = 0;
  bool deep = false;  // seen only after normalising or decoding
  std::string text;   // what matched, at most 80 bytes
};

struct Assessment {
  int base_thousandths = 100;
  int multiplier_hundredths = 100;
  int risk_thousandths = 100;
  Action action = Action::kAllow;
  bool deep_analysis = false;
  std::optional<int> model_thousandths;  // the base that the model gives, when there is one
  std::vector<Finding> findings;         // in catalogue order, behaviour last, then the model
  std::vector<std::string> indicators;   // what made deep analysis run, sorted

  // {"risk":0.9,"base":0.6,"multiplier":1.5,"action":"block","patterns":[...],"deep":false,"indicators":[...]}
  // and "model":0.62 when there is one.
  Json to_json() const;
};

// Which pseudo-patterns a source's behaviour adds (behaviour.h).
struct BehaviourSigns {
  bool rate_exceeded = false;
  bool anomalous = false;
};

class Guardian {
 public:
  // `model` null: the first stage alone.
  explicit Guardian(PatternSet patterns, std::shared_ptr<const TextModel> model = nullptr);

  Assessment assess(std::string_view text, Trust trust, const BehaviourSigns& behaviour = {}) const;
  // What else a model is shown of a text than its normal text: as deep analysis reads it.
  std::vector<std::string> readings(std::string_view text) const;
  const PatternSet& patterns() const { return patterns_; }

 private:
  void ask_model(std::string_view text, Assessment& result) const;
  PatternSet patterns_;
  std::shared_ptr<const TextModel> model_;
};

// The bands of the source: >= 800 block, >= 500 flag.
Action action_for(int risk_thousandths);

}  // namespace anima::govern
