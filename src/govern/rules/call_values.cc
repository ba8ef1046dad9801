#include "govern/rules/call_values.h"

#include <utility>

#include "base/json/json_member.h"
#include "base/json/text_array.h"

namespace anima::govern {
namespace {

std::vector<std::string> texts_of(const Json& json, std::string_view name) {
  std::vector<std::string> texts;
  if (const Json* list = json.find(name)) {
    for (const Json& each : list->as_array()) texts.push_back(each.as_string());
  }
  return texts;
}

std::int64_t whole_number(const Json& json, std::string_view name) {
  const Json* found = json.find(name);
  return found == nullptr ? 0 : found->as_integer();
}

bool truth(const Json& json, std::string_view name) {
  const Json* found = json.find(name);
  return found != nullptr && found->as_bool();
}

Json json_of(const ArgumentValue& value) {
  Json json = Json::object({{"argument", value.argument},
                            {"item", value.item},
                            {"role", value.role},
                            {"source", value.source},
                            {"field", value.field},
                            {"trust", trust_name(value.trust)}});
  if (value.contact) json.set("contact", true);
  if (value.within) json.set("within", true);
  if (value.off_plan) json.set("off_plan", true);
  if (value.meant != Meant::kNo) json.set("meant", to_string(value.meant));
  if (!value.said.empty()) json.set("said", value.said);
  if (!value.value.empty()) json.set("value", value.value);
  if (!value.leaves_to.empty()) json.set("leaves_to", text_array(value.leaves_to));
  return json;
}

Result<Trust> stored_trust(const Json& json, std::string_view name) {
  const auto trust = parse_trust(text_member(json, name));
  if (trust) return *trust;
  return fail(ErrorCode::kCorrupt, "a kept value has no level of trust");
}

Result<ArgumentValue> argument_from(const Json& json) {
  ArgumentValue value;
  value.argument = text_member(json, "argument");
  value.item = whole_number(json, "item");
  value.role = text_member(json, "role");
  value.source = text_member(json, "source");
  value.field = text_member(json, "field");
  ANIMA_ASSIGN(value.trust, stored_trust(json, "trust"));
  value.contact = truth(json, "contact");
  value.within = truth(json, "within");
  value.off_plan = truth(json, "off_plan");
  for (const Meant meant : {Meant::kLikely, Meant::kSurely}) {
    if (text_member(json, "meant") == to_string(meant)) value.meant = meant;
  }
  value.said = text_member(json, "said");
  value.value = text_member(json, "value");
  value.leaves_to = texts_of(json, "leaves_to");
  return value;
}

}  // namespace

std::string_view to_string(Meant meant) {
  switch (meant) {
    case Meant::kNo:
      return "no";
    case Meant::kLikely:
      return "likely";
    case Meant::kSurely:
      return "surely";
  }
  return {};
}

std::vector<std::string> CallValues::explain() const {
  std::vector<std::string> lines;
  for (const ArgumentValue& each : arguments) {
    const bool doubtful = each.role != "carried" && each.source != "message" && !each.within &&
                          !at_least(each.trust, Trust::kVerified);
    if (!doubtful && each.leaves_to.empty() && !each.off_plan) continue;
    std::string line = each.argument + ": " + quote_json(each.value) + " comes from " +
                       (each.source == "model" ? "the model's own words" : each.source);
    if (!each.field.empty()) line += ", " + each.field;
    line += " (" + std::string(trust_name(each.trust)) + ")";
    for (const std::string& recipient : each.leaves_to)
      line += "; " + quote_json(recipient) + " may not read it";
    if (each.off_plan) line += "; the plan has other words";
    lines.push_back(std::move(line));
  }
  return lines;
}

Json CallValues::to_json() const {
  Json tools = Json::array(), values = Json::array();
  for (const PlannedTool& each : planned)
    tools.push_back(Json::object({{"tool", each.tool}, {"most", each.most}}));
  for (const ArgumentValue& value : arguments) values.push_back(json_of(value));
  return Json::object({{"message", message},
                       {"floor", trust_name(floor)},
                       {"has_plan", has_plan},
                       {"planned", std::move(tools)},
                       {"ran", ran},
                       {"effects", text_array(effects)},
                       {"arguments", std::move(values)}});
}

Result<CallValues> CallValues::from_json(const Json& json) {
  CallValues values;
  values.message = text_member(json, "message");
  ANIMA_ASSIGN(values.floor, stored_trust(json, "floor"));
  values.has_plan = truth(json, "has_plan");
  if (const Json* planned = json.find("planned")) {
    for (const Json& each : planned->as_array())
      values.planned.push_back({text_member(each, "tool"), whole_number(each, "most")});
  }
  values.ran = whole_number(json, "ran");
  values.effects = texts_of(json, "effects");
  if (const Json* arguments = json.find("arguments")) {
    for (const Json& each : arguments->as_array()) {
      ANIMA_ASSIGN(ArgumentValue value, argument_from(each));
      values.arguments.push_back(std::move(value));
    }
  }
  return values;
}

}  // namespace anima::govern
