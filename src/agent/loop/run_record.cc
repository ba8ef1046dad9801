#include "agent/loop/detail/run_record.h"

#include <algorithm>

#include "agent/findings/doc_tool.h"
#include "agent/json_fields.h"
#include "agent/mind/working_memory.h"
#include "base/json/text_array.h"

namespace anima::agent::detail {
namespace {

Json ids_to_json(const std::vector<store::EntityId>& ids) {
  Json list = Json::array();
  for (const store::EntityId id : ids) list.push_back(static_cast<std::uint32_t>(id));
  return list;
}

std::vector<store::EntityId> ids_from_json(const Json& json, std::string_view key) {
  std::vector<store::EntityId> ids;
  for (const Json& item : items_of(json, key)) {
    if (item.is_integer()) ids.push_back(static_cast<store::EntityId>(item.as_integer()));
  }
  return ids;
}

std::vector<std::string> texts_of(const Json& json, std::string_view key) {
  std::vector<std::string> texts;
  for (const Json& item : items_of(json, key)) {
    if (item.is_string()) texts.push_back(item.as_string());
  }
  return texts;
}

bool is_built_in(const std::string& name) {
  static const tools::ToolTable& table = *[] {
    auto* made = new tools::ToolTable;
    add_inside_tools(*made);
    return made;
  }();
  return table.find(name) != nullptr;
}

}  // namespace

Json to_json(const RunRecord& record) {
  Json json = Json::object({{"run", record.run},
                            {"step", record.step},
                            {"call", record.call},
                            {"arguments", record.arguments},
                            {"from", record.from},
                            {"now", record.now.microseconds}});
  if (!record.setup.is_null()) json.set("setup", record.setup);
  return json;
}

Result<RunRecord> run_record_from_json(const Json& json) {
  RunRecord record;
  record.run = count_of(json, "run");
  record.step = count_of(json, "step");
  record.call = text_of(json, "call");
  record.from = count_of(json, "from");
  const Json* now = json.find("now");
  if (record.step == 0 || record.call.empty() || now == nullptr || !now->is_integer()) {
    return fail(ErrorCode::kCorrupt, "a record of a run lacks its step, call or time");
  }
  record.now.microseconds = now->as_integer();
  if (const Json* arguments = json.find("arguments")) record.arguments = *arguments;
  if (const Json* setup = json.find("setup")) record.setup = *setup;
  return record;
}

Json input_json(const tools::ToolInput& input) {
  Json json = Json::object();
  for (const auto& [key, value] : input) json.set(key, value);
  return json;
}

tools::ToolInput input_from_json(const Json* json) {
  tools::ToolInput input;
  if (json == nullptr || !json->is_object()) return input;
  for (const auto& [key, value] : json->as_object()) {
    if (value.is_string()) input[key] = value.as_string();
  }
  return input;
}

bool is_outside(const tools::ToolInfo& info) {
  static constexpr std::string_view kInside[] = {"ReadGraph", "WriteGraph", "ReadMemory", "Reason"};
  const auto inside = [](const std::string& capability) {
    return std::find(std::begin(kInside), std::end(kInside), capability) != std::end(kInside);
  };
  return !is_built_in(info.name) ||
         !std::all_of(info.capabilities.begin(), info.capabilities.end(), inside);
}

Json to_json(const tools::ToolInfo& info) {
  Json parameters = Json::array();
  for (const tools::ToolParameter& parameter : info.parameters) {
    parameters.push_back(Json::object({{"name", parameter.name},
                                       {"required", parameter.required},
                                       {"description", parameter.description}}));
  }
  return Json::object({{"name", info.name},
                       {"description", info.description},
                       {"danger", static_cast<int>(info.danger)},
                       {"parameters", std::move(parameters)},
                       {"capabilities", text_array(info.capabilities)},
                       {"concepts", text_array(info.concepts)}});
}

tools::ToolInfo tool_info_from_json(const Json& json) {
  tools::ToolInfo info;
  info.name = text_of(json, "name");
  info.description = text_of(json, "description");
  info.danger = static_cast<tools::Danger>(std::min<std::uint64_t>(count_of(json, "danger"), 3));
  for (const Json& item : items_of(json, "parameters")) {
    info.parameters.push_back(
        {text_of(item, "name"), flag_of(item, "required"), text_of(item, "description")});
  }
  info.capabilities = texts_of(json, "capabilities");
  info.concepts = texts_of(json, "concepts");
  return info;
}

std::string_view to_string(Answerer answerer) {
  switch (answerer) {
    case Answerer::kTool:
      return "tool";
    case Answerer::kPerson:
      return "person";
    case Answerer::kModel:
      return "model";
  }
  return "tool";
}

Answerer answerer_of(const tools::ToolInfo& info) {
  const auto has = [&](std::string_view capability) {
    return std::find(info.capabilities.begin(), info.capabilities.end(), capability) !=
           info.capabilities.end();
  };
  if (has("User")) return Answerer::kPerson;
  return has("Model") ? Answerer::kModel : Answerer::kTool;
}

store::RecordKind record_kind(Answerer answerer) {
  return answerer == Answerer::kModel ? store::RecordKind::kModelAnswer
                                      : store::RecordKind::kToolOutput;
}

Json to_json(const OutsideAnswer& answer) {
  Json findings = Json::array(), proposals = Json::array();
  for (const tools::Finding& finding : answer.output.findings) {
    findings.push_back(agent::to_json(finding));
  }
  for (const tools::Proposal& proposal : answer.proposals) {
    Json premises = Json::array();
    for (const tools::Labels& each : proposal.derived_from)
      premises.push_back(Json::array({each.subject, each.predicate, each.object}));
    proposals.push_back(Json::object({{"subject", proposal.subject},
                                      {"predicate", proposal.predicate},
                                      {"object", proposal.object},
                                      {"confidence", proposal.confidence},
                                      {"rule", proposal.rule},
                                      {"antecedents", ids_to_json(proposal.antecedents)},
                                      {"derived_from", std::move(premises)},
                                      {"trust", static_cast<int>(proposal.trust)}}));
  }
  return Json::object({{"answerer", to_string(answer.answerer)},
                       {"tool", answer.tool},
                       {"success", answer.output.success},
                       {"result", answer.output.result},
                       {"symbols", ids_to_json(answer.output.symbols_involved)},
                       {"findings", std::move(findings)},
                       {"proposals", std::move(proposals)}});
}

Result<OutsideAnswer> outside_answer_from_json(const Json& json) {
  OutsideAnswer answer;
  const std::string who = text_of(json, "answerer");
  bool known = false;
  for (const Answerer each : {Answerer::kTool, Answerer::kPerson, Answerer::kModel}) {
    if (who != to_string(each)) continue;
    answer.answerer = each;
    known = true;
  }
  if (!known) {
    return fail(ErrorCode::kUnsupported,
                "an answer was recorded of somebody that this program does not know: " + who);
  }
  answer.tool = text_of(json, "tool");
  if (answer.tool.empty()) return fail(ErrorCode::kCorrupt, "a recorded answer names no tool");
  answer.output.success = flag_of(json, "success");
  answer.output.result = text_of(json, "result");
  answer.output.symbols_involved = ids_from_json(json, "symbols");
  for (const Json& item : items_of(json, "findings")) {
    ANIMA_ASSIGN(tools::Finding finding, finding_from_json(item));
    answer.output.findings.push_back(std::move(finding));
  }
  for (const Json& item : items_of(json, "proposals")) {
    const std::uint64_t trust =
        count_of(item, "trust", static_cast<std::uint64_t>(store::Trust::kUntrusted));
    if (trust > static_cast<std::uint64_t>(store::Trust::kSystem))
      return fail(ErrorCode::kCorrupt, "a recorded proposal is trusted to no level");
    tools::Proposal proposal(static_cast<store::Trust>(trust));
    proposal.subject = text_of(item, "subject");
    proposal.predicate = text_of(item, "predicate");
    proposal.object = text_of(item, "object");
    proposal.confidence = number_of(item, "confidence", 1.0);
    proposal.rule = text_of(item, "rule");
    proposal.antecedents = ids_from_json(item, "antecedents");
    for (const Json& each : items_of(item, "derived_from")) {
      const JsonArray* labels = each.is_array() ? &each.as_array() : nullptr;
      if (labels == nullptr || labels->size() != 3 ||
          !std::all_of(labels->begin(), labels->end(),
                       [](const Json& label) { return label.is_string(); }))
        return fail(ErrorCode::kCorrupt, "a recorded premise is no statement");
      proposal.derived_from.push_back(
          {(*labels)[0].as_string(), (*labels)[1].as_string(), (*labels)[2].as_string()});
    }
    answer.proposals.push_back(std::move(proposal));
  }
  return answer;
}

}  // namespace anima::agent::detail
