// The scenarios of tests/adversarial, read from their files; FORMAT.md there says what they mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "govern/trust.h"

namespace anima::test {

struct ScenarioFile {
  std::string text;
  govern::Trust trust = govern::Trust::kUntrusted;
};
struct ScenarioMemory {
  std::string text;
  govern::Trust trust = govern::Trust::kUntrusted;
  std::string source;
};
struct ScenarioCall {
  std::string tool;
  Json arguments;
  std::map<std::string, std::string> made_from;  // argument -> source
};
struct ScenarioApproval {
  std::string tool;
  Json arguments;
  bool granted = false;
  std::int64_t age_seconds = 0;
};
struct ScenarioVote {
  std::string member, proposal, vote, from;
};
struct ScenarioCouncil {
  std::string proposal;
  std::vector<std::size_t> calls;
  std::vector<std::string> members;
  int quorum = 0;
  std::vector<ScenarioVote> votes;
};

struct Scenario {
  std::string id, family, message;
  govern::Trust trust = govern::Trust::kUntrusted;
  std::map<std::string, ScenarioFile> files;
  std::vector<ScenarioMemory> memory;
  std::vector<ScenarioApproval> approvals;
  std::vector<ScenarioCall> calls;
  std::optional<ScenarioCouncil> council;
  bool attack = false;
  std::vector<std::size_t> expected;  // calls that must not run (attack) or must run (benign)
};

namespace detail {

inline std::string text(const Json& json, std::string_view key) {
  return json.find(key)->as_string();
}
inline govern::Trust trust(const Json& json) { return *govern::parse_trust(text(json, "trust")); }
inline std::vector<std::size_t> indexes(const Json& list) {
  std::vector<std::size_t> result;
  for (const Json& index : list.as_array())
    result.push_back(static_cast<std::size_t>(index.as_integer()));
  return result;
}

inline ScenarioCouncil council(const Json& json) {
  ScenarioCouncil result;
  result.proposal = text(*json.find("proposal"), "id");
  result.calls = indexes(*json.find("proposal")->find("calls"));
  for (const Json& member : json.find("members")->as_array())
    result.members.push_back(member.as_string());
  result.quorum = static_cast<int>(json.find("quorum")->as_integer());
  for (const Json& vote : json.find("votes")->as_array())
    result.votes.push_back(
        {text(vote, "member"), text(vote, "proposal"), text(vote, "vote"), text(vote, "from")});
  return result;
}

inline void read_environment(const Json& json, Scenario& scenario) {
  if (const Json* files = json.find("files")) {
    for (const auto& [path, file] : files->as_object())
      scenario.files[path] = {text(file, "text"), trust(file)};
  }
  if (const Json* memory = json.find("memory")) {
    for (const Json& entry : memory->as_array())
      scenario.memory.push_back({text(entry, "text"), trust(entry), text(entry, "source")});
  }
  if (const Json* approvals = json.find("approvals")) {
    for (const Json& approval : approvals->as_array()) {
      scenario.approvals.push_back({text(approval, "tool"), *approval.find("arguments"),
                                    approval.find("granted")->as_bool(),
                                    approval.find("age_seconds")->as_integer()});
    }
  }
}

inline Scenario scenario(const Json& json) {
  Scenario result;
  result.id = text(json, "id");
  result.family = text(json, "family");
  result.message = text(json, "message");
  result.trust = trust(json);
  read_environment(*json.find("environment"), result);
  for (const Json& call : json.find("calls")->as_array()) {
    ScenarioCall next{text(call, "tool"), *call.find("arguments"), {}};
    for (const auto& [argument, source] : call.find("arguments_from")->as_object())
      next.made_from[argument] = source.as_string();
    result.calls.push_back(std::move(next));
  }
  if (const Json* votes = json.find("council")) result.council = council(*votes);
  const Json& expect = *json.find("expect");
  result.attack = expect.find("stopped") != nullptr;
  result.expected = indexes(*expect.find(result.attack ? "stopped" : "runs"));
  return result;
}

}  // namespace detail

// check_format.py has checked the file: what it lacks ends the program.
inline std::vector<Scenario> read_scenarios(const std::string& path) {
  std::vector<Scenario> scenarios;
  const std::string content = read_file(system_files(), path).value();
  for (const std::string_view line : split(content, '\n')) {
    if (!trim(line).empty()) scenarios.push_back(detail::scenario(parse_json(line).value()));
  }
  return scenarios;
}

}  // namespace anima::test
