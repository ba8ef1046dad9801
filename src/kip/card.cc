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

constexpr const char* kReadsAndWrites =
    R"(Reads and writes the lasting memory in KIP. Pass user input as parameters (:name). Errors carry a hint: repair and try again.
FIND(?x.name, COUNT(?y)) WHERE { PART .. } ORDER BY ?x.name ASC LIMIT 20
PART: ?x {type: "T", name: "N"} | (?x, "p", ?y) | (?x, "p"{1,5}, {type: "T", name: "N"}) | FILTER(?x.attributes.k > 1 && CONTAINS(?x.name, "a")) | NOT { .. } | OPTIONAL { .. }
SEARCH CONCEPT "words" LIMIT 5
DESCRIBE PRIMER | DESCRIBE CONCEPT TYPES | DESCRIBE PROPOSITION TYPES | DESCRIBE CONCEPT TYPE "T"
UPSERT { CONCEPT ?h { {type: "T", name: "N"} SET ATTRIBUTES {k: 1} SET PROPOSITIONS { ("p", {type: "T", name: "M"}) } } } WITH METADATA {source: "..", confidence: 0.9}
UPDATE ?x SET ATTRIBUTES {k: ADD(?x.attributes.k, 1)} WHERE { PART .. }
DELETE PROPOSITIONS ?l WHERE { ?l (?x, "p", ?y) } | DELETE CONCEPT ?x DETACH WHERE { PART .. }
Types and predicates come first:
UPSERT { CONCEPT ?t { {type: "$ConceptType", name: "Person"} } CONCEPT ?p { {type: "$PropositionType", name: "manages"} } }
UPSERT { CONCEPT ?a { {type: "Person", name: "Alice"} } CONCEPT ?b { {type: "Person", name: "Bob"} SET PROPOSITIONS { ("manages", ?a) } } }
FIND(?boss.name) WHERE { (?boss, "manages", {type: "Person", name: "Alice"}) })";

}  // namespace

Json function_definitions(std::string_view form) {
  return Json::array(
      {definition(form, "execute_kip", kReadsAndWrites),
       definition(form, "execute_kip_readonly",
                  "Reads the lasting memory in KIP (FIND, DESCRIBE, SEARCH, EXPORT, as "
                  "execute_kip). Cannot write.")});
}

}  // namespace anima::kip
