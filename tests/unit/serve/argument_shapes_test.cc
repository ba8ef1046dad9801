// Arguments as clients and small models send them.
#include "serve/mcp_tools/argument_shapes.h"

#include <gtest/gtest.h>

namespace anima::serve::argument_shapes_test {
namespace {

const Json& definition() {
  static const Json kDefinition = parse_json(R"({"name": "t", "inputSchema": {"type": "object",
      "properties": {"text": {"type": "string"}, "count": {"type": "integer"},
                     "part": {"type": "number"}, "dry": {"type": "boolean"},
                     "list": {"type": "array"}, "map": {"type": "object"}, "any": {}},
      "required": ["text"]}})")
                                      .value();
  return kDefinition;
}

struct Case {
  const char *given, *taken;
  std::size_t told = 0;
};

TEST(ArgumentShapes, TakeWhatCanMeanOneThing) {
  const Case cases[] = {
      {R"({"text":"a","count":5})", R"({"text":"a","count":5})"},
      {R"({"text":"a","count":500.0})", R"({"text":"a","count":500})"},
      {R"({"text":"a","count":"500"})", R"({"text":"a","count":500})", 1},
      {R"({"text":"a","count":" -7 "})", R"({"text":"a","count":-7})", 1},
      {R"({"text":"a","count":null,"list":null})", R"({"text":"a"})"},
      {R"({"text":"a","part":"0.5"})", R"({"text":"a","part":0.5})", 1},
      {R"({"text":"a","dry":"true"})", R"({"text":"a","dry":true})", 1},
      {R"({"text":"a","list":"[1,2]"})", R"({"text":"a","list":[1,2]})", 1},
      {R"({"text":"a","list":"one"})", R"({"text":"a","list":["one"]})", 1},
      {R"({"text":"a","list":{"k":1}})", R"({"text":"a","list":[{"k":1}]})", 1},
      {R"({"text":"a","map":"{\"n\":\"Ada\"}"})", R"({"text":"a","map":{"n":"Ada"}})", 1},
      {R"({"text":"a","map":"{}","count":"1"})", R"({"text":"a","map":{},"count":1})", 2},
  };
  for (const Case& each : cases) {
    const ShapedArguments shaped = shaped_arguments(definition(), parse_json(each.given).value());
    EXPECT_EQ(shaped.arguments.dump(), each.taken);
    EXPECT_EQ(shaped.taken.size(), each.told) << each.given;
  }
}

TEST(ArgumentShapes, LeaveWhatCouldMeanMore) {
  for (const char* given : {R"({"text":null})",
                            R"({"text":5})",
                            R"({"text":"5","count":5.5})",
                            R"({"count":"5.5"})",
                            R"({"count":"five"})",
                            R"({"count":""})",
                            R"({"count":"0x10"})",
                            R"({"count":true})",
                            R"({"count":1e300})",
                            R"({"count":"99999999999999999999"})",
                            R"({"dry":"yes"})",
                            R"({"dry":1})",
                            R"({"map":"[1]"})",
                            R"({"map":"Ada"})",
                            R"({"map":[1]})",
                            R"({"list":5})",
                            R"({"part":"much"})",
                            R"({"part":"\"5\""})",
                            R"({"any":"5"})",
                            R"({"other":null})"}) {
    const ShapedArguments shaped = shaped_arguments(definition(), parse_json(given).value());
    EXPECT_EQ(shaped.arguments.dump(), parse_json(given)->dump());
    EXPECT_TRUE(shaped.taken.empty()) << given;
  }
}

}  // namespace
}  // namespace anima::serve::argument_shapes_test
