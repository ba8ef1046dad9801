// Files of questions whose answers stand in what is to be remembered, and where.
//
// "locomo" is the public LoCoMo file (Maharana et al., Evaluating Very Long-Term Conversational
// Memory of LLM Agents, ACL 2024; locomo10.json): an array of conversations, each with sessions of
// turns (dia_id "D1:3") and questions with a category and the turns that answer them. A turn
// becomes a turn (ingest.h) of its session, with its day, its speaker and the caption of its
// picture.
//
// "scenarios" is ours, an array or one object a line:
//
//   {"name":"harbour","memories":[{"id":"m1","text":"The gate opens at six","source":"web"?,
//     "trust":"untrusted"?,"session":"s1"?,"speaker":"Ada"?,"time":"2023-05-08"?,
//     "attachment":"a gate"?},{"forget":"m1"}],"questions":[{"question":"When does the gate open?",
//     "evidence":["m1"],"absent":["m2"]?,"ordered":true?,"type":"single-hop"?,"asker":"Ada"?,
//     "now":"2023-06-01"?}]}
//
// With a session it is a turn; "forget" takes an earlier memory back, which only one that is no
// turn can be. What is "absent" must not be found. "ordered" evidence has to stand in the prompt in
// that order.
//
// Errors: kSyntax, kInvalidArgument (a member that is missing or of another type; in scenarios also
// an evidence that is no memory), with the place. LoCoMo's own slips are taken: "D8:6; D9:17" is
// two turns, and a turn that is not there is left out and counted. Complexity: O(file).
// Thread-safety: plain values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "govern/trust.h"

namespace anima::memory {

struct ScenarioText {
  std::string id;
  std::string content;
  std::string source;
  govern::Trust trust = govern::Trust::kStandard;
  std::string session, speaker, attachment;  // of a turn; attachment as Turn::attachment
  std::optional<Timestamp> time;
  bool forgotten = false;  // after all are told
  bool is_turn() const { return !session.empty(); }
};

struct ScenarioQuestion {
  std::string text;
  std::string type;
  std::vector<std::string> evidence;  // ids of texts, each once; empty: nothing answers it
  std::vector<std::string> absent;    // that must not be found
  bool ordered = false;
  std::string asker;
  std::optional<Timestamp> now;
};

struct RecallScenario {
  std::string name;
  std::vector<ScenarioText> texts;
  std::vector<ScenarioQuestion> questions;
  std::size_t unknown_evidence = 0;  // that named no text
};

// `where` names the file in errors.
Result<std::vector<RecallScenario>> read_locomo(std::string_view file, std::string_view where);
Result<std::vector<RecallScenario>> read_scenarios(std::string_view file, std::string_view where);

}  // namespace anima::memory
