#include "forge/need.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/text_array.h"
#include "base/text/text.h"

namespace anima::forge {
namespace {

constexpr std::string_view kMembers[] = {"name",         "purpose",  "input_type", "output_type",
                                         "capabilities", "triggers", "priority",   "confidence",
                                         "reasoning",    "examples"};
constexpr std::size_t kMostText = 4096;

Status check_name(const std::string& name) {
  const auto part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  const bool good = name.size() >= 3 && name.size() <= 48 && name[0] >= 'a' && name[0] <= 'z' &&
                    std::ranges::all_of(name, part);
  if (good) return {};
  return fail(ErrorCode::kInvalidArgument, "'" + name + "' is no name for a tool", "name",
              "3 to 48 lower-case letters, digits and _, a letter first, for example csv_sum");
}

Result<std::string> text_of(const Json& json, std::string_view name) {
  const Json* member = json.find(name);
  if (member == nullptr) return std::string();
  if (!member->is_string() || member->as_string().size() > kMostText)
    return fail(ErrorCode::kInvalidArgument, "it must be a text of up to 4096 bytes",
                std::string(name));
  return member->as_string();
}

Result<std::vector<std::string>> texts_of(const Json& json, std::string_view name) {
  std::vector<std::string> texts;
  const Json* member = json.find(name);
  if (member == nullptr) return texts;
  if (!member->is_array())
    return fail(ErrorCode::kInvalidArgument, "it must be a list of texts", std::string(name));
  for (const Json& each : member->as_array()) {
    if (!each.is_string())
      return fail(ErrorCode::kInvalidArgument, "it must be a list of texts", std::string(name));
    texts.push_back(each.as_string());
  }
  return texts;
}

Result<double> fraction_of(const Json& json, std::string_view name, double usual) {
  const Json* member = json.find(name);
  if (member == nullptr) return usual;
  const double value = member->as_number();
  if (!member->is_number() || !(value >= 0 && value <= 1))
    return fail(ErrorCode::kInvalidArgument, "it must be a number from 0 to 1", std::string(name));
  return value;
}

}  // namespace

Result<Need> Need::from_json(const Json& json) {
  if (!json.is_object()) {
    return fail(
        ErrorCode::kInvalidArgument, "a need is one JSON object", {},
        R"(for example {"name": "csv_sum", "purpose": "the sum of a column of a CSV table"})");
  }
  for (const auto& [name, value] : json.as_object()) {
    if (std::ranges::find(kMembers, name) != std::end(kMembers)) continue;
    return fail(ErrorCode::kInvalidArgument, "a need has no such member", name,
                "there are: name, purpose, input_type, output_type, capabilities, triggers, "
                "priority, confidence, reasoning, examples");
  }
  Need need;
  ANIMA_ASSIGN(need.name, text_of(json, "name"));
  ANIMA_TRY(check_name(need.name));
  ANIMA_ASSIGN(need.purpose, text_of(json, "purpose"));
  if (trim(need.purpose).empty())
    need.purpose = "A tool for " + replace_all(need.name, "_", " ") + ".";
  ANIMA_ASSIGN(need.input_type, text_of(json, "input_type"));
  ANIMA_ASSIGN(need.output_type, text_of(json, "output_type"));
  ANIMA_ASSIGN(need.capabilities, texts_of(json, "capabilities"));
  ANIMA_ASSIGN(need.triggers, texts_of(json, "triggers"));
  ANIMA_ASSIGN(need.priority, fraction_of(json, "priority", need.priority));
  ANIMA_ASSIGN(need.confidence, fraction_of(json, "confidence", need.confidence));
  ANIMA_ASSIGN(need.reasoning, text_of(json, "reasoning"));
  if (const Json* examples = json.find("examples")) {
    ANIMA_ASSIGN(need.examples, examples_from_json(*examples));
  }
  return need;
}

Json Need::to_json() const {
  return Json::object({{"name", name},
                       {"purpose", purpose},
                       {"input_type", input_type},
                       {"output_type", output_type},
                       {"capabilities", text_array(capabilities)},
                       {"triggers", text_array(triggers)},
                       {"priority", priority},
                       {"confidence", confidence},
                       {"reasoning", reasoning},
                       {"examples", forge::to_json(examples)}});
}

bool Need::strong_evidence() const {
  return triggers.size() >= 2 || std::ranges::any_of(triggers, [](const std::string& each) {
           const std::string text = to_lower(each);
           return text.find("failed") != std::string::npos ||
                  text.find("missing_capability") != std::string::npos;
         });
}

Status pass_gate(const Need& need, const GateState& state, const GateLimits& limits) {
  ANIMA_TRY(check_name(need.name));
  const std::string purpose = to_lower(need.purpose + " " + replace_all(need.name, "_", " "));
  for (const std::string& veto : state.vetoes) {
    if (!veto.empty() && purpose.find(to_lower(veto)) != std::string::npos)
      return fail(ErrorCode::kDenied, "its purpose is vetoed: '" + veto + "'", need.name);
  }
  const double least = need.strong_evidence() ? limits.least_confidence : limits.confident_enough;
  if (need.confidence < limits.least_confidence || need.confidence < least) {
    return fail(
        ErrorCode::kDenied,
        fmt::format("its confidence is {:.2f}, and {:.2f} is needed", need.confidence, least),
        need.name, "two triggers, or a failed attempt among them, lower that to 0.60");
  }
  if (limits.most_tools_a_session > 0 && state.made_in_session >= limits.most_tools_a_session) {
    return fail(ErrorCode::kDenied,
                fmt::format("this session has made {} tools", state.made_in_session), need.name);
  }
  const bool soon = limits.cooldown_seconds > 0 && state.seconds_since_last >= 0 &&
                    state.seconds_since_last < limits.cooldown_seconds;
  if (soon && !need.strong_evidence())
    return fail(ErrorCode::kDenied, "the last tool was made only just now", need.name);
  return {};
}

}  // namespace anima::forge
