// What a model is told about KIP: the function definitions and the reference card.
#include "base/packs.h"
#include "kip/engine.h"

namespace anima::kip {

namespace {

Json text_property(const char* description) {
  return Json::object({{"type", "string"}, {"description", description}});
}

Json parameters_schema() {
  const Json object = Json::object(
      {{"type", "object"}, {"description", "Values for the :placeholders of the text, by name."}});
  const Json item = Json::object(
      {{"anyOf",
        Json::array(
            {Json::object({{"type", "string"}}),
             Json::object({{"type", "object"},
                           {"properties",
                            Json::object({{"command", Json::object({{"type", "string"}})},
                                          {"parameters", Json::object({{"type", "object"}})}})},
                           {"required", Json::array({"command"})},
                           {"additionalProperties", false}})})}});
  return Json::object(
      {{"type", "object"},
       {"properties",
        Json::object(
            {{"command",
              text_property("One KIP command, or a script of several. Excludes `commands`.")},
             {"commands",
              Json::object(
                  {{"type", "array"},
                   {"items", item},
                   {"description",
                    "Several commands in order; stops at the first error. Excludes `command`."}})},
             {"parameters", object},
             {"dry_run", Json::object({{"type", "boolean"},
                                       {"default", false},
                                       {"description", "Check and count, write nothing."}})},
             {"atomic", Json::object({{"type", "boolean"},
                                      {"default", false},
                                      {"description", "All commands or none."}})}})},
       {"additionalProperties", false}});
}

Json definition(std::string_view form, const char* name, const char* description) {
  if (form == "anthropic") {
    return Json::object(
        {{"name", name}, {"description", description}, {"input_schema", parameters_schema()}});
  }
  return Json::object({{"type", "function"},
                       {"function", Json::object({{"name", name},
                                                  {"description", description},
                                                  {"parameters", parameters_schema()}})}});
}

}  // namespace

Json function_definitions(std::string_view form) {
  return Json::array(
      {definition(
           form, "execute_kip",
           "Reads and writes the lasting memory in KIP (FIND, UPSERT, UPDATE, DELETE, MERGE, "
           "DESCRIBE, SEARCH). "
           "Pass user input as parameters. Errors carry a code and a hint: repair and try again."),
       definition(
           form, "execute_kip_readonly",
           "Reads the lasting memory in KIP (FIND, DESCRIBE, SEARCH, EXPORT). Cannot write.")});
}

}  // namespace anima::kip
