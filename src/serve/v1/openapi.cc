// The document of OpenAPI 3.1 that the table of routes says.
#include <string>
#include <utility>

#include "serve/v1/kept_answers.h"
#include "serve/v1/routes.h"

namespace anima::serve::v1 {
namespace {

// "list memories" is listMemories.
std::string operation_id(std::string_view door) {
  std::string id;
  bool upper = false;
  for (const char c : door) {
    if (c == ' ') {
      upper = true;
    } else {
      id += upper ? static_cast<char>(c - 'a' + 'A') : c;
      upper = false;
    }
  }
  return id;
}

Json schema_of(const Parameter& parameter) {
  Json schema = Json::object({{"type", parameter.type}});
  const bool number = parameter.type == "integer";
  if (parameter.least != 0) schema.set(number ? "minimum" : "minLength", parameter.least);
  if (parameter.most != 0) schema.set(number ? "maximum" : "maxLength", parameter.most);
  return schema;
}

Json header_of(const char* name, const char* description, std::int64_t most_length = 0) {
  const Parameter parameter{name, In::kBody, "string", description, false, 1, most_length};
  return Json::object({{"name", name},
                       {"in", "header"},
                       {"required", false},
                       {"description", description},
                       {"schema", schema_of(parameter)}});
}

Json parameters_of(const Route& route) {
  Json list = Json::array();
  for (const Parameter& each : route.parameters) {
    if (each.in == In::kBody) continue;
    list.push_back(Json::object({{"name", each.name},
                                 {"in", each.in == In::kPath ? "path" : "query"},
                                 {"required", each.required},
                                 {"description", each.description},
                                 {"schema", schema_of(each)}}));
  }
  if (route.door == "chat completions")
    list.push_back(header_of("X-Anima-Session",
                             "The name of the guarded session; else it is known by its messages"));
  if (route.act == agent::Act::kWrites && !route.openai)
    list.push_back(header_of("Idempotency-Key",
                             "Made again with this key, the request writes nothing and is answered "
                             "as before",
                             kLongestKey));
  if (route.door == "update memory" || route.door == "forget memory")
    list.push_back(header_of("If-Match", "The ETag that was seen; 412 when it is another now"));
  if (route.door == "show memory")
    list.push_back(header_of("If-None-Match", "The ETag that was seen; 304 when it still is"));
  if (route.streams)
    list.push_back(header_of("Last-Event-ID", "The id of the last event that was read"));
  return list;
}

Json body_of(const Route& route) {
  Json properties = Json(JsonObject{});
  Json required = Json::array();
  for (const Parameter& each : route.parameters) {
    if (each.in != In::kBody) continue;
    Json schema = schema_of(each);
    schema.set("description", each.description);
    properties.set(each.name, std::move(schema));
    if (each.required) required.push_back(each.name);
  }
  if (properties.as_object().empty()) return {};
  Json schema = Json::object({{"type", "object"}, {"properties", std::move(properties)}});
  const bool needed = !required.as_array().empty();
  if (needed) schema.set("required", std::move(required));
  if (!route.openai) schema.set("additionalProperties", false);
  Json content = Json::object({{"schema", std::move(schema)}});
  if (auto example = parse_json(route.example)) content.set("example", *std::move(example));
  return Json::object({{"required", needed || route.open_body},
                       {"content", Json::object({{"application/json", std::move(content)}})}});
}

// What it answers when all is well, and the problems that it answers else.
Json responses_of(const Route& route) {
  const char* const type = route.streams ? "text/event-stream" : "application/json";
  const Json schema = Json::object({{"type", route.streams ? "string" : "object"}});
  const auto answer = [&](const char* description) {
    return Json::object({{"description", description},
                         {"content", Json::object({{type, Json::object({{"schema", schema}})}})}});
  };
  Json responses = Json::object({{"200", answer("done")}});
  if (route.door == "remember") {
    responses.set("201", answer("kept"));
    responses.set("200", answer("nothing new is there: it was known, or took something back"));
  }
  if (route.door == "show memory")
    responses.set("304", Json::object({{"description", "as it was seen"}}));
  if (route.door == "chat completions") {
    responses.find("200")->find("content")->set(
        "text/event-stream", Json::object({{"schema", Json::object({{"type", "string"}})}}));
  }
  responses.set("default",
                Json::object({{"$ref", route.openai ? "#/components/responses/OpenAIError"
                                                    : "#/components/responses/Problem"}}));
  return responses;
}

Json operation_of(const Route& route) {
  Json operation = Json::object(
      {{"operationId", operation_id(route.door)},
       {"summary", route.summary},
       {"description", "The door http:" + std::string(route.door) + " of the gate; it " +
                           std::string(agent::to_string(route.act)) + "."},
       {"parameters", parameters_of(route)},
       {"responses", responses_of(route)}});
  if (Json body = body_of(route); !body.is_null()) operation.set("requestBody", std::move(body));
  return operation;
}

Json problem_schema() {
  const Json text = Json::object({{"type", "string"}});
  return Json::object({{"type", "object"},
                       {"properties", Json::object({{"type", text},
                                                    {"title", text},
                                                    {"status", Json::object({{"type", "integer"}})},
                                                    {"detail", text},
                                                    {"code", text},
                                                    {"where", text},
                                                    {"hint", text},
                                                    {"approval", text},
                                                    {"refusal", text}})},
                       {"required", Json::array({"type", "title", "status", "detail", "code"})}});
}

// {"error":{"message","type","param","code"}}.
Json openai_error_response() {
  const Json text = Json::object({{"type", "string"}});
  const Json error = Json::object(
      {{"type", "object"},
       {"properties",
        Json::object(
            {{"message", text}, {"type", text}, {"param", Json(JsonObject{})}, {"code", text}})},
       {"required", Json::array({"message", "type"})}});
  const Json schema = Json::object({{"type", "object"},
                                    {"properties", Json::object({{"error", error}})},
                                    {"required", Json::array({"error"})}});
  return Json::object(
      {{"description", "refused, or failed, as OpenAI says it"},
       {"content", Json::object({{"application/json", Json::object({{"schema", schema}})}})}});
}

std::string lower_method(std::string_view method) {
  std::string lower;
  for (const char c : method) lower += static_cast<char>(c - 'A' + 'a');
  return lower;
}

}  // namespace

Json openapi(std::string_view version) {
  Json paths = Json(JsonObject{});
  for (const Route& route : routes()) {
    if (paths.find(route.path) == nullptr) paths.set(route.path, Json(JsonObject{}));
    paths.find(route.path)->set(lower_method(route.method), operation_of(route));
  }
  return Json::object(
      {{"openapi", "3.1.0"},
       {"info", Json::object({{"title", "Anima"},
                              {"version", std::string(version)},
                              {"description", "A memory that can be asked, explained and undone."},
                              {"license", Json::object({{"name", "Apache-2.0"},
                                                        {"identifier", "Apache-2.0"}})}})},
       {"security", Json::array({Json::object({{"token", Json::array()}}), Json(JsonObject{})})},
       {"paths", std::move(paths)},
       {"components",
        Json::object(
            {{"securitySchemes",
              Json::object({{"token", Json::object({{"type", "http"}, {"scheme", "bearer"}})}})},
             {"schemas", Json::object({{"Problem", problem_schema()}})},
             {"responses",
              Json::object(
                  {{"OpenAIError", openai_error_response()},
                   {"Problem",
                    Json::object(
                        {{"description", "refused, or failed (RFC 9457)"},
                         {"content",
                          Json::object(
                              {{"application/problem+json",
                                Json::object(
                                    {{"schema", Json::object({{"$ref",
                                                               "#/components/schemas/"
                                                               "Problem"}})}})}})}})}})}})}});
}

}  // namespace anima::serve::v1
