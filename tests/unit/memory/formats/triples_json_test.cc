// triples.json: what is accepted, and that the first wrong element is named by its index.
#include "memory/formats/triples_json.h"

#include <gtest/gtest.h>

#include <vector>

namespace anima::memory {
namespace {

struct Read {
  std::vector<std::string> rows;
  std::string error;
  ErrorCode code{};
};

Read read(std::string_view text, const std::string& name = "") {
  Read read;
  const auto count = read_triples_json(text, name, [&](const TripleElement& element) -> Status {
    EXPECT_EQ(element.index, read.rows.size());
    read.rows.push_back(std::string(element.subject) + "|" + std::string(element.predicate) + "|" +
                        std::string(element.object) + "|" + std::to_string(element.confidence));
    return {};
  });
  if (!count) {
    read.error = count.error().where + ": " + count.error().message;
    read.code = count.error().code;
  } else {
    EXPECT_EQ(*count, read.rows.size());
  }
  return read;
}

using Rows = std::vector<std::string>;

TEST(TriplesJson, ReadsElements) {
  EXPECT_EQ(read("[]").rows, Rows{});
  EXPECT_EQ(read(" [ ] \n").error, "");
  const Read two = read(R"([{"subject":"a","predicate":"is-a","object":"b"},
      {"object":" B\u00e9\ud83d\ude00\n ","confidence":0.25,"subject":"\"x\"","predicate":"p","note":{"k":[1,null,true,"]"]}}])");
  EXPECT_EQ(two.error, "");
  EXPECT_EQ(two.rows, (Rows{"a|is-a|b|1.000000", "\"x\"|p|Bé😀|0.250000"}));
  for (const char* confidence :
       {"0", "1", "0.0", "1e0", "10E-1", "-0", "5e-999", "0.001e-99999999999999"}) {
    EXPECT_EQ(read(R"([{"subject":"a","predicate":"p","object":"b","confidence":)" +
                   std::string(confidence) + "}]")
                  .error,
              "")
        << confidence;
  }
}

TEST(TriplesJson, NamesTheWrongElement) {
  const std::string good = R"({"subject":"a","predicate":"p","object":"b"})";
  const std::pair<const char*, const char*> cases[] = {
      {"7", "the element is no object"},
      {"null", "the element is no object"},
      {"[]", "the element is no object"},
      {"\"x\"", "the element is no object"},
      {"{}", "\"subject\" is missing"},
      {R"({"subject":"a","object":"b"})", "\"predicate\" is missing"},
      {R"({"subject":"a","predicate":"p"})", "\"object\" is missing"},
      {R"({"subject":1,"predicate":"p","object":"b"})", "\"subject\" is no string"},
      {R"({"subject":"a","predicate":null,"object":"b"})", "\"predicate\" is no string"},
      {R"({"subject":"a","predicate":"p","object":["b"]})", "\"object\" is no string"},
      {R"({"subject":"","predicate":"p","object":"b"})", "\"subject\" is blank"},
      {R"({"subject":"a","predicate":" \t\n","object":"b"})", "\"predicate\" is blank"},
      {R"({"subject":"a","predicate":"p","object":"b","confidence":1.01})",
       "\"confidence\" is not between 0 and 1"},
      {R"({"subject":"a","predicate":"p","object":"b","confidence":-0.1})",
       "\"confidence\" is not between 0 and 1"},
      {R"({"subject":"a","predicate":"p","object":"b","confidence":1e999})",
       "\"confidence\" is not between 0 and 1"},
      {R"({"subject":"a","predicate":"p","object":"b","confidence":"1"})",
       "\"confidence\" is no number"},
      {R"({"subject":"a","predicate":"p","object":"b","confidence":null})",
       "\"confidence\" is no number"},
      {R"({"subject":"a","predicate":"p","object":"b","subject":"c"})",
       "the key \"subject\" stands twice"},
      {R"({"x":1,"subject":"a","predicate":"p","object":"b","x":2})", "the key \"x\" stands twice"},
  };
  for (const auto& [element, message] : cases) {
    const Read result = read("[" + good + ",\n " + element + "]", "t.json");
    EXPECT_EQ(result.error, "t.json: element 1 (2:2): " + std::string(message)) << element;
    EXPECT_EQ(result.code, ErrorCode::kInvalidArgument) << element;
    EXPECT_EQ(result.rows.size(), 1u);
  }
  const std::string longest(kMaxLabelBytes, 'x');
  EXPECT_EQ(read(R"([{"subject":" )" + longest + R"( ","predicate":"p","object":"b"}])").error, "");
  EXPECT_EQ(read(R"([{"subject":"x)" + longest + R"(","predicate":"p","object":"b"}])").error,
            "element 0 (1:2): \"subject\" is longer than 1024 bytes");
}

TEST(TriplesJson, RefusesWhatIsNoJson) {
  const char* cases[] = {"",
                         "{}",
                         "[",
                         "[,]",

                         "[{]",

                         "[] x",
                         "nul",
                         "[\"a]",
                         "[{\"a\"}]",
                         "[{\"a\":}]",
                         "[{\"a\":1,}]",
                         "[{\"a\":01}]",
                         "[{\"a\":1.}]",
                         "[{\"a\":+1}]",
                         "[{\"a\":\"\\x\"}]",
                         "[{\"a\":\"\\ud800\"}]",
                         "[{\"a\":\"\\udc00\\ud800\"}]",
                         "[{\"a\":\"\n\"}]",
                         "[{\"a\":tru}]",
                         "[{\"a\":[1}]",
                         "[{'a':1}]",
                         "[/**/]"};
  for (const char* text : cases) {
    const Read result = read(text);
    EXPECT_EQ(result.code, ErrorCode::kSyntax) << text << " " << result.error;
  }
  const std::string good = R"({"subject":"a","predicate":"p","object":"b"})";
  EXPECT_EQ(read("[" + good + ",]").error, "element 1 (1:47): expected a value");
  EXPECT_EQ(read("[" + good + " " + good + "]").error,
            "element 0 (1:47): expected \",\" or \"]\" after the element");
  EXPECT_EQ(read("[" + good + "]]").error, "1:47: something follows the array");
  EXPECT_EQ(read("[\n{\"subject\":\"\xff\"}]", "f").error, "f:2:13: the bytes are no UTF-8");
  EXPECT_EQ(read("[{\"a\":" + std::string(1000000, '[') + "1").code, ErrorCode::kSyntax);
}

TEST(TriplesJson, EveryTruncationIsAnError) {
  const std::string whole =
      R"([{"subject":"a\u00e9","predicate":"p","object":"b","confidence":0.5,"k":[{}]}])";
  EXPECT_EQ(read(whole).error, "");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(read(std::string_view(whole).substr(0, size)).error, "") << size;
  }
}

TEST(TriplesJson, AnErrorOfTheVisitorEndsTheReading) {
  int calls = 0;
  const auto result = read_triples_json(R"([{"subject":"a","predicate":"p","object":"b"},7])", "",
                                        [&](const TripleElement&) -> Status {
                                          ++calls;
                                          return fail(ErrorCode::kLimitExceeded, "enough");
                                        });
  EXPECT_EQ(result.error().message, "enough");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace anima::memory
