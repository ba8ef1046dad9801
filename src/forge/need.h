// A need: the tool that is missing, as whoever misses it says it; and the gate before a generation.
// Thread-safety: plain values, pure functions. Source: learning_and_psyche 1.9, rows O3 to O7.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"
#include "forge/example.h"

namespace anima::forge {

struct Need {
  std::string name;     // of the tool: [a-z][a-z0-9_]{2,47}
  std::string purpose;  // a sentence; empty: one that the name makes
  std::string input_type = {};
  std::string output_type = {};
  std::vector<std::string> capabilities = {};  // "/credential_access", ..
  std::vector<std::string> triggers = {};      // what made it missed
  double priority = 0.5;
  double confidence = 0.8;  // that it is really missing
  std::string reasoning = {};
  std::vector<Example> examples = {};  // that the tool has to hold, whoever makes it

  // {"name": .., "purpose": ..}, all else may be left out. Errors: kInvalidArgument, whose `where`
  // is the member.
  static Result<Need> from_json(const Json& json);
  Json to_json() const;
  // A failed attempt among the triggers, or two of them.
  bool strong_evidence() const;
};

struct GateState {
  std::uint64_t made_in_session = 0;
  std::int64_t seconds_since_last = -1;  // -1: there was none
  std::vector<std::string> vetoes = {};  // texts that no purpose may hold
};
struct GateLimits {
  double least_confidence = 0.6;
  double confident_enough = 0.75;          // without strong evidence
  std::uint64_t most_tools_a_session = 3;  // 0: any number
  std::int64_t cooldown_seconds = 0;       // but with strong evidence
};
// Errors: kInvalidArgument (no name of a tool), kDenied with what is missing.
Status pass_gate(const Need& need, const GateState& state, const GateLimits& limits = {});

}  // namespace anima::forge
