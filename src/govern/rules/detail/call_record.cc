#include "govern/rules/detail/call_record.h"

#include <array>
#include <cmath>
#include <utility>

#include "base/text/text.h"

namespace anima::govern::detail {
namespace {

constexpr std::array kTiers = {Tier::kReadOnly, Tier::kWriteSafe, Tier::kWriteDestructive,
                               Tier::kAdmin};

void keep(const Json& value, std::size_t longest, Json& list) {
  if (value.is_array()) {
    for (const Json& each : value.as_array()) keep(each, longest, list);
  } else if (value.is_string()) {
    list.push_back(std::string(beginning_of(value.as_string(), longest)));
  } else if (value.is_object()) {
    list.push_back(std::string(beginning_of(value.dump(), longest)));
  } else if (value.is_number() && !value.is_integer() && !std::isfinite(value.as_number())) {
    list.push_back("no number");
  } else if (!value.is_null()) {
    list.push_back(value);
  }
}

Result<std::string> text_of(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  if (value != nullptr && value->is_string()) return value->as_string();
  return fail(ErrorCode::kCorrupt, "a call of the trace lacks '" + std::string(key) + "'");
}

Result<Trust> trust_of(const Json& name) {
  const auto trust = name.is_string() ? parse_trust(name.as_string()) : std::nullopt;
  if (trust) return *trust;
  return fail(ErrorCode::kCorrupt, "a call of the trace names no trust");
}

Result<Tier> tier_of(std::string_view name) {
  for (const Tier tier : kTiers) {
    if (to_string(tier) == name) return tier;
  }
  return fail(ErrorCode::kCorrupt, "a call of the trace names no tier");
}

Status take_secret_part(Json& secret, RecordedCall& call) {
  Json* arguments = secret.find("arguments");
  const Json* carried = secret.find("carried");
  const Json* made_from = secret.find("made_from");
  const bool whole = arguments != nullptr && arguments->is_object() && carried != nullptr &&
                     carried->is_array() && made_from != nullptr && made_from->is_array();
  if (!whole) return fail(ErrorCode::kCorrupt, "a call of the trace lacks its arguments");
  call.request.arguments = std::move(*arguments);
  for (const Json& name : carried->as_array()) {
    if (name.is_string()) call.tool.carried.push_back(name.as_string());
  }
  for (const Json& origin : made_from->as_array()) {
    if (!origin.is_array() || origin.as_array().size() != 3)
      return fail(ErrorCode::kCorrupt, "a call of the trace names no origin");
    const JsonArray& parts = origin.as_array();
    if (!parts[0].is_string() || !parts[1].is_string())
      return fail(ErrorCode::kCorrupt, "a call of the trace names no origin");
    ANIMA_ASSIGN(const Trust trust, trust_of(parts[2]));
    call.request.origins.push_back({parts[0].as_string(), parts[1].as_string(), trust});
  }
  if (const Json* values = secret.find("values")) {
    ANIMA_ASSIGN(CallValues read, CallValues::from_json(*values));
    call.request.values = std::make_shared<const CallValues>(std::move(read));
  }
  return {};
}

}  // namespace

Json open_part(const CallRequest& request, const ToolPolicy& tool) {
  Json part = Json::object({{"tool", request.tool},
                            {"agent", request.agent},
                            {"trust", std::string(trust_name(request.trust))},
                            {"tier", std::string(to_string(tool.tier))}});
  if (!tool.door.empty()) part.set("door", tool.door);
  if (tool.governs) part.set("governs", true);
  return part;
}

Json secret_part(const CallRequest& request, const ToolPolicy& tool) {
  Json arguments = Json::object();
  Json carried = Json::array();
  if (request.arguments.is_object()) {
    for (const auto& [name, value] : request.arguments.as_object()) {
      Json kept = Json::array();
      const bool is_only_carried = is_carried(tool, name);
      keep(value, is_only_carried ? kLongestCarried : kLongestChoice, kept);
      const bool single = !value.is_array() && kept.as_array().size() == 1;
      arguments.set(name, single ? Json(kept.as_array()[0]) : std::move(kept));
      if (is_only_carried) carried.push_back(name);
    }
  }
  Json made_from = Json::array();
  for (const ArgumentOrigin& origin : request.origins) {
    Json parts = Json::array();
    parts.push_back(origin.argument);
    parts.push_back(origin.source);
    parts.push_back(std::string(trust_name(origin.trust)));
    made_from.push_back(std::move(parts));
  }
  Json part = Json::object({{"arguments", std::move(arguments)},
                            {"carried", std::move(carried)},
                            {"made_from", std::move(made_from)}});
  if (request.values != nullptr) part.set("values", request.values->to_json());
  return part;
}

Result<RecordedCall> recorded_call(const Json& open, std::optional<Json> secret) {
  RecordedCall call;
  ANIMA_ASSIGN(call.request.tool, text_of(open, "tool"));
  ANIMA_ASSIGN(call.request.agent, text_of(open, "agent"));
  ANIMA_ASSIGN(const std::string trust, text_of(open, "trust"));
  ANIMA_ASSIGN(call.request.trust, trust_of(Json(trust)));
  ANIMA_ASSIGN(const std::string tier, text_of(open, "tier"));
  ANIMA_ASSIGN(call.tool.tier, tier_of(tier));
  call.tool.tool = call.request.tool;
  if (open.find("door") != nullptr) {
    ANIMA_ASSIGN(call.tool.door, text_of(open, "door"));
  }
  call.tool.governs = open.find("governs") != nullptr;
  if (secret) ANIMA_TRY(take_secret_part(*secret, call));
  return call;
}

}  // namespace anima::govern::detail
