// The document of OpenAPI 3.1 that the table of routes says.
#include <string>
#include <utility>

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
  return Json::object({{"type", parameter.type}, {"description", parameter.description}});
}

Json header_of(const char* name, const char* description) {
  return Json::object({{"name", name},
                       {"in", "header"},
                       {"required", false},
                       {"description", description},
                       {"schema", Json::object({{"type", "string"}})}});
}

Json parameters_of(const Route& route) {
  Json list = Json::array();
  for (const Parameter& each : route.parameters) {
    if (each.in == In::kBody) continue;
    list.push_back(Json::object({{"name", each.name},
                                 {"in", each.in == In::kPath ? "path" : "query"},
                                 {"required", each.required},
                                 {"description", each.description},
                                 {"schema", Json::object({{"type", each.type}})}}));
  }
  if (route.act == agent::Act::kWrites)
    list.push_back(header_of("Idempotency-Key",
                             "Made again with this key, the request writes nothing and is answered "
                             "as before"));
  if (route.door == "update memory" || route.door == "forget memory")
    list.push_back(header_of("If-Match", "The ETag that was seen; 412 when it is another now"));
  if (route.streams)
    list.push_back(header_of("Last-Event-ID", "The id of the last event that was read"));
  return list;
}

Json body_of(const Route& route) {
  Json properties = Json(JsonObject{});
  Json required = Json::array();
  for (const Parameter& each : route.parameters) {
    if (each.in != In::kBody) continue;
    properties.set(each.name, schema_of(each));
    if (each.required) required.push_back(each.name);
  }
  if (properties.as_object().empty()) return {};
  Json schema = Json::object({{"type", "object"}, {"properties", std::move(properties)}});
  const bool needed = !required.as_array().empty();
  if (needed) schema.set("required", std::move(required));
  if (!route.open_body) schema.set("additionalProperties", false);
  Json content = Json::object({{"schema", std::move(schema)}});
  if (auto example = parse_json(route.example)) content.set("example", *std::move(example));
  return Json::object({{"required", needed || route.open_body},
                       {"content", Json::object({{"application/json", std::move(content)}})}});
}

Json operation_of(const Route& route) {
  const char* const type = route.streams ? "text/event-stream" : "application/json";
  const Json schema = Json::object({{"type", route.streams ? "string" : "object"}});
  Json operation = Json::object(
      {{"operationId", operation_id(route.door)},
       {"summary", route.summary},
       {"description", "The door http:" + std::string(route.door) + " of the gate; it " +
                           std::string(agent::to_string(route.act)) + "."},
       {"parameters", parameters_of(route)},
       {"responses",
        Json::object(
            {{route.door == "remember" ? "201" : "200",
              Json::object(
                  {{"description", "done"},
                   {"content", Json::object({{type, Json::object({{"schema", schema}})}})}})},
             {"default", Json::object({{"$ref", "#/components/responses/Problem"}})}})}});
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
                                                    {"hint", text}})},
                       {"required", Json::array({"type", "title", "status", "detail", "code"})}});
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
                  {{"Problem",
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
