#include "sleep/detail/actions.h"

#include <map>

namespace anima::sleep::detail {
namespace {

constexpr std::string_view kPutInto =
    "UPSERT { PROPOSITION { ({id: :item}, \"belongs_to_domain\", {id: :domain}) } WITH METADATA "
    "{source: :source, author: \"$system\", confidence: :confidence} }";
constexpr std::string_view kTakeOut =
    "DELETE PROPOSITIONS ?l WHERE { ?l ({id: :item}, \"belongs_to_domain\", {id: :domain}) }";
constexpr std::string_view kMarkArchived =
    "UPDATE ?it SET ATTRIBUTES {status: \"archived\", archived_at: :now, archived_by: "
    "\"$system\"} WHERE { ?it {id: :item} }";

}  // namespace

Statement put_into(const Reading& reading, EntityId item, EntityId domain, std::string_view source,
                   double confidence) {
  return {kPutInto, Json::object({{"item", reading.id(item)},
                                  {"domain", reading.id(domain)},
                                  {"source", source},
                                  {"confidence", confidence}})};
}

Statement take_out_of(const Reading& reading, EntityId item, EntityId domain) {
  return {kTakeOut, Json::object({{"item", reading.id(item)}, {"domain", reading.id(domain)}})};
}

std::vector<Statement> archive(const Cycle& cycle, const Reading& reading, EntityId item) {
  std::vector<Statement> statements;
  statements.push_back(
      {kMarkArchived, Json::object({{"item", reading.id(item)}, {"now", cycle.time_text()}})});
  statements.push_back(put_into(reading, item, reading.archived(), "SleepArchive", 1.0));
  for (const EntityId domain : reading.domains_of(item)) {
    if (domain != reading.archived()) statements.push_back(take_out_of(reading, item, domain));
  }
  return statements;
}

Statement set_attributes(const Reading& reading, EntityId item, Json attributes) {
  // One text a set of keys, so that the engine parses each once.
  static thread_local std::map<std::string, std::string> texts;
  std::string keys;
  for (const JsonMember& member : attributes.as_object()) keys += member.first + ' ';
  auto known = texts.find(keys);
  if (known == texts.end()) {
    std::string text = "UPDATE ?it SET ATTRIBUTES {";
    for (const JsonMember& member : attributes.as_object())
      text += (text.back() == '{' ? "" : ", ") + quote_json(member.first) + ": :v_" +
              std::to_string(&member - attributes.as_object().data());
    known = texts.emplace(keys, text + "} WHERE { ?it {id: :item} }").first;
  }
  Json parameters = Json::object({{"item", reading.id(item)}});
  for (std::size_t i = 0; i < attributes.as_object().size(); ++i)
    parameters.set("v_" + std::to_string(i), attributes.as_object()[i].second);
  return {known->second, std::move(parameters)};
}

}  // namespace anima::sleep::detail
