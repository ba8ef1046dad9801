#include "llm/json_schema.h"

#include <gtest/gtest.h>

#include <string>

namespace anima::llm::json_schema_test {
namespace {

Json read(std::string_view text) {
  auto json = parse_json(text);
  EXPECT_TRUE(json) << text << ": " << json.error().describe();
  return json ? *json : Json();
}

std::string faults(std::string_view schema, std::string_view value) {
  const Json json = read(schema);
  const Status good = check_schema(json);
  EXPECT_TRUE(good) << schema << ": " << good.error().describe();
  return describe(validate(json, read(value)));
}

struct Case {
  std::string_view schema;
  std::string_view value;
  std::string_view fault;  // empty: it fits
};

TEST(JsonSchema, JudgesValues) {
  const Case cases[] = {
      {R"({"type":"integer"})", "3", ""},
      {R"({"type":"integer"})", "3.0", ""},
      {R"({"type":"integer"})", "3.5", "$: must be an integer, not a number"},
      {R"({"type":["string","null"]})", "null", ""},
      {R"({"type":["string","null"]})", "1", "$: must be a string or null, not an integer"},
      {R"({"required":["a"],"properties":{"a":{"type":"string"}}})", R"({"a":1})",
       "$.a: must be a string, not an integer"},
      {R"({"required":["a","b"]})", R"({"a":1})", "$.b: is missing"},
      {R"({"properties":{"a":true},"additionalProperties":false})", R"({"a":1,"c":2})",
       "$.c: is not allowed"},
      {R"({"additionalProperties":{"type":"integer"}})", R"({"a":1,"c":"x"})",
       "$.c: must be an integer, not a string"},
      {R"({"items":{"minimum":2}})", "[3,1]", "$[1]: must be at least 2"},
      {R"({"prefixItems":[{"type":"string"}],"items":{"type":"integer"}})", R"(["a",1,"b"])",
       "$[2]: must be an integer, not a string"},
      {R"({"minItems":2})", "[1]", "$: must have at least 2 items, not 1"},
      {R"({"maxItems":0})", "[1]", "$: must have at most 0 items, not 1"},
      {R"({"uniqueItems":true})", "[1,2,1.0]", "$[2]: is there twice"},
      {R"({"enum":["a","b"]})", R"("c")", R"($: must be one of ["a","b"])"},
      {R"({"const":{"a":1}})", R"({"a":1.0})", ""},
      {R"({"maxLength":2})", "\"\u00e9\u00e9\"", ""},
      {R"({"maxLength":1})", "\"\u00e9\u00e9\"", "$: must have at most 1 characters, not 2"},
      {R"({"pattern":"^a+$"})", R"("ab")", "$: must match the pattern ^a+$"},
      {R"({"exclusiveMaximum":5})", "5", "$: must be below 5"},
      {R"({"multipleOf":0.1})", "0.3", ""},
      {R"({"multipleOf":2})", "3", "$: must be a multiple of 2"},
      {R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "1",
       "$: fits none of the 2 forms of anyOf"},
      {R"({"oneOf":[{"minimum":0},{"minimum":5}]})", "7",
       "$: fits 2 forms of oneOf instead of one"},
      {R"({"allOf":[{"minimum":0},{"maximum":5}]})", "7", "$: must be at most 5"},
      {R"({"not":{"type":"null"}})", "null", "$: has the form that is excluded"},
      {R"({"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"null"}}})", "1",
       "$: must be null, not an integer"},
      {"false", "1", "$: is not allowed"},
      {R"({"description":"x","title":"y","format":"date"})", "1", ""},
  };
  for (const Case& each : cases)
    EXPECT_EQ(faults(each.schema, each.value), each.fault) << each.schema << " " << each.value;
}

TEST(JsonSchema, FollowsItselfAsDeepAsTheValueGoes) {
  const std::string tree =
      R"({"type":"object","properties":{"next":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},)"
      R"("required":["next"],"additionalProperties":false})";
  EXPECT_EQ(faults(tree, R"({"next":{"next":null}})"), "");
  EXPECT_NE(faults(tree, R"({"next":{"nxt":null}})"), "");
}

TEST(JsonSchema, EndsOnSchemasThatGoInCircles) {
  EXPECT_NE(faults(R"({"$ref":"#"})", "1"), "");
  EXPECT_NE(faults(R"({"anyOf":[{"$ref":"#"},{"$ref":"#"}]})", "1"), "");
}

TEST(JsonSchema, RefusesWhatItDoesNotKnow) {
  const auto fault = [](std::string_view text) {
    const Status status = check_schema(read(text));
    return status ? std::string() : status.error().describe();
  };
  EXPECT_NE(fault(R"({"properties":{"a":{"minimun":1}}})").find("#/properties/a/minimun"),
            std::string::npos);
  EXPECT_NE(fault(R"({"minimun":1})").find("did you mean \"minimum\"?"), std::string::npos);
  for (const std::string_view bad :
       {"1", R"({"type":"text"})", R"({"items":3})", R"({"anyOf":[]})", R"({"minItems":-1})",
        R"({"pattern":"("})", R"({"$ref":"#/nowhere"})", R"({"$ref":"http://e.org"})",
        R"({"required":[1]})", R"({"multipleOf":0})", R"({"if":{}})"})
    EXPECT_NE(fault(bad), "") << bad;
}

TEST(JsonSchema, KnowsWhatStrictModeTakes) {
  EXPECT_TRUE(is_strict(read(R"({"type":"object","properties":{"a":{"type":"integer"}},)"
                             R"("required":["a"],"additionalProperties":false})")));
  EXPECT_FALSE(is_strict(read(R"({"type":"object","properties":{"a":{"type":"integer"}},)"
                              R"("required":[],"additionalProperties":false})")));
  EXPECT_FALSE(is_strict(read(R"({"type":"object","properties":{}})")));
  EXPECT_FALSE(is_strict(read(R"({"type":"string"})")));
}

}  // namespace
}  // namespace anima::llm::json_schema_test
