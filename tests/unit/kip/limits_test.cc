// What is too long, too deep, too wide or meant to harm is a KIP error, soon, and leaves nothing
// behind. The limits are those of section 1.1 of the specification.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>

#include "kip/engine.h"
#include "kip/parser.h"

namespace anima::kip {
namespace {

std::string repeat(std::string_view part, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

class Limits : public testing::Test {
 protected:
  void SetUp() override {
    auto space = store::Space::in_memory();
    ASSERT_TRUE(space);
    EngineOptions options;
    options.budget.time_ms = 2000;
    options.budget.rows = 100'000;
    options.budget.memory_bytes = 64 << 20;
    auto engine = Engine::open(*space, options);
    ASSERT_TRUE(engine);
    engine_ = *engine;
  }
  Json send(std::string_view command, const Json& parameters = Json(JsonObject{})) {
    return engine_->execute(command, parameters);
  }
  // The error's code, or "ok".
  static std::string code_of(const Json& answer) {
    const Json* error = answer.find("error");
    EXPECT_NE(error == nullptr, answer.find("result") == nullptr);
    return error == nullptr ? "ok" : error->find("code")->as_string();
  }
  std::string code(std::string_view command, const Json& parameters = Json(JsonObject{})) {
    return code_of(send(command, parameters));
  }
  // A command that must fail and write nothing.
  std::string refused(std::string_view command, const Json& parameters = Json(JsonObject{})) {
    const auto before = engine_->space().snapshot().value().sequence();
    const std::string answer = code(command, parameters);
    EXPECT_EQ(engine_->space().snapshot().value().sequence(), before);
    return answer;
  }
  static bool is_exhausted(const std::string& code) {
    return code == "KIP_4001" || code == "KIP_4002";
  }
  std::shared_ptr<Engine> engine_;
};

TEST_F(Limits, TextOf256KiB) {
  const std::string command = "DESCRIBE DOMAINS ";
  const std::string fits = command + std::string(kMaxTextBytes - command.size(), ' ');
  EXPECT_EQ(code(fits), "ok");
  EXPECT_EQ(code(fits + " "), "KIP_1001");
}

TEST_F(Limits, BatchOf256Commands) {
  const auto batch = [](std::size_t count) {
    return Json::object({{"commands", Json(JsonArray(count, Json("DESCRIBE DOMAINS")))}});
  };
  EXPECT_EQ(engine_->execute(batch(256)).find("result")->as_array().size(), 256u);
  EXPECT_EQ(code_of(engine_->execute(batch(257))), "KIP_1001");
}

TEST_F(Limits, NestingOf64) {
  const auto value = [](std::size_t depth) {
    return "UPSERT { CONCEPT { {type: \"Person\", name: \"x\"} SET ATTRIBUTES {a: " +
           repeat("[", depth) + repeat("]", depth) + "} } }";
  };
  EXPECT_EQ(refused(value(64)), "KIP_1001");  // the object around it is the 65th
  EXPECT_EQ(code(value(50)), "ok");
  for (const std::size_t depth : {65u, 1000u, 50'000u}) {
    EXPECT_EQ(refused(value(depth)), "KIP_1001");
    EXPECT_EQ(code("FIND(?x) WHERE { ?x {} FILTER(" + repeat("(", depth) + "?x.name == 1" +
                   repeat(")", depth) + ") }"),
              "KIP_1001");
    EXPECT_EQ(code("FIND(?x) WHERE { ?x {} FILTER(" + repeat("!", depth) + "IS_NULL(?x.name)) }"),
              depth > 64 ? "KIP_1001" : "ok");
    EXPECT_EQ(code("FIND(?x) WHERE { ?x {} " + repeat("NOT {", depth) + " ?x {} " +
                   repeat("}", depth) + " }"),
              "KIP_1001");
    EXPECT_EQ(code("FIND(?x) WHERE { ?x {} " + repeat("(?x, \"mentions\", ", depth) + "?x" +
                   repeat(")", depth) + " }"),
              "KIP_1001");
  }
}

TEST_F(Limits, DeepParameters) {
  Json deep(1);
  for (int i = 0; i < 1000; ++i) deep = Json::array({std::move(deep)});
  EXPECT_NE(refused("UPSERT { CONCEPT { {type: \"Person\", name: \"x\"} SET ATTRIBUTES {a: :v} } }",
                    Json::object({{"v", deep}})),
            "ok");
  EXPECT_NE(
      code("FIND(?x) WHERE { ?x {} FILTER(?x.attributes.a == :v) }", Json::object({{"v", deep}})),
      "");
}

TEST_F(Limits, MegabyteStringsAreValuesUpToTheStoresLimit) {
  const std::string write =
      "UPSERT { CONCEPT { {type: \"Person\", name: \"x\"} SET ATTRIBUTES {a: :v} } }";
  const std::string megabytes = repeat("0123456789abcdef", 3 << 16);
  ASSERT_EQ(code(write, Json::object({{"v", megabytes}})), "ok");
  EXPECT_EQ(send("FIND(?x.attributes.a) WHERE { ?x {type: \"Person\", name: \"x\"} }")
                .find("result")
                ->as_array()[0]
                .as_string(),
            megabytes);
  EXPECT_EQ(send("FIND(COUNT(?x)) WHERE { ?x {} FILTER(REGEX(?x.attributes.a, \"f0+1$\")) }")
                .find("result")
                ->as_integer(),
            0);
  EXPECT_TRUE(refused(write, Json::object({{"v", std::string(std::size_t{17} << 20, 'x')}}))
                  .starts_with("KIP_"));
  EXPECT_TRUE(refused("UPSERT { CONCEPT { {type: \"Person\", name: :v} } }",
                      Json::object({{"v", std::string(std::size_t{17} << 20, 'x')}}))
                  .starts_with("KIP_"));
}

TEST_F(Limits, NumbersOutsideTheirRange) {
  const auto number = [](const char* text) {
    return std::string("UPSERT { CONCEPT { {type: \"Person\", name: \"n\"} SET ATTRIBUTES {a: ") +
           text + "} } }";
  };
  const std::string longest(Json::kLongestInteger, '9');
  const std::string beyond = longest + "0";
  for (const char* text :
       {"1e999", "+1", ".5", "1.", "0x1F", "01", "NaN", "Infinity", beyond.c_str()})
    EXPECT_TRUE(refused(number(text)).starts_with("KIP_100")) << text;
  for (const char* text : {"18446744073709551615", "18446744073709551616", "-9223372036854775809",
                           "-9223372036854775808", "1e3", "-0", longest.c_str()})
    EXPECT_EQ(code(number(text)), "ok") << text;
  EXPECT_EQ(code("FIND(?x) WHERE { ?x {} } LIMIT 99999999999999999999"), "KIP_1001");
  EXPECT_EQ(code("FIND(?x) WHERE { ?x {} } LIMIT 9223372036854775807"), "ok");
}

// Digits beyond 64 bits are kept, found and ordered, written in the command or as a parameter.
TEST_F(Limits, LongIntegersKeepTheirDigits) {
  const std::vector<std::string> numbers = {"-12345678901234567890", "9223372036854775807",
                                            "9223372036854775808", "12345678901234567892",
                                            "12345678901234567893"};
  for (const std::string& number : numbers)
    ASSERT_EQ(code("UPSERT { CONCEPT { {type: \"Person\", name: \"" + number +
                   "\"} SET ATTRIBUTES {serial: " + number + "} } }"),
              "ok");
  const std::string all =
      "FIND(?x.attributes.serial) WHERE { ?x {type: \"Person\"} "
      "FILTER(IS_NOT_NULL(?x.attributes.serial)) } "
      "ORDER BY ?x.attributes.serial ASC";
  EXPECT_EQ(send(all).find("result")->dump(),
            "[" + fmt::format("{}", fmt::join(numbers, ",")) + "]");
  for (const std::string& number : numbers) {
    const std::string named = "[\"" + number + "\"]";
    const std::string asked =
        "FIND(?x.name) WHERE { ?x {type: \"Person\"} "
        "FILTER(?x.attributes.serial == ";
    EXPECT_EQ(send(asked + number + ") }").find("result")->dump(), named);
    const Json parameters = Json::object({{"serial", Json::integer(number)}});
    EXPECT_EQ(send(asked + ":serial) }", parameters).find("result")->dump(), named);
  }
}

// RE2 works in linear time and bounds its memory; a pattern that it refuses is a syntax error.
TEST_F(Limits, RegularExpressionsThatExplode) {
  ASSERT_EQ(code("UPSERT { CONCEPT { {type: \"Person\", name: \"bomb\"} SET ATTRIBUTES {a: :v} } }",
                 Json::object({{"v", std::string(100'000, 'a') + "!"}})),
            "ok");
  const auto start = std::chrono::steady_clock::now();
  for (const char* pattern : {"(a+)+$", "(a|aa)+$", "(a*)*b", "^(([a-z])+.)+[A-Z]([a-z])+$"}) {
    EXPECT_EQ(code("FIND(?x) WHERE { ?x {} FILTER(REGEX(?x.attributes.a, :p)) }",
                   Json::object({{"p", pattern}})),
              "ok")
        << pattern;
  }
  for (const char* pattern :
       {"(", "a{1000}{1000}", "((a{100}){100}){100}", "(?=a)", "\\1", "[z-a]"})
    EXPECT_EQ(code("FIND(?x) WHERE { ?x {} FILTER(REGEX(?x.attributes.a, :p)) }",
                   Json::object({{"p", pattern}})),
              "KIP_1001")
        << pattern;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes(1));
}

TEST_F(Limits, CrossProductsEndInTheirBudget) {
  EXPECT_TRUE(
      is_exhausted(code("FIND(?a, ?b, ?c, ?d, ?e) WHERE { ?a {} ?b {} ?c {} ?d {} ?e {} }")));
  EXPECT_TRUE(
      is_exhausted(code("FIND(?a.name, ?b.name, ?c.name, ?d.name) WHERE { ?a {} ?b {} ?c {} "
                        "?d {} FILTER(?a.name != ?b.name) } ORDER BY ?d.name DESC")));
  EXPECT_TRUE(is_exhausted(refused(
      "UPSERT { PROPOSITION { (?a, \"mentions\", ?b) SET ATTRIBUTES {n: 1} } } WHERE { ?a {} "
      "?b {} ?c {} ?d {} ?e {} }")));
  EXPECT_TRUE(is_exhausted(
      refused("DELETE PROPOSITIONS ?l WHERE { ?l (?s, ?p, ?o) ?a {} ?b {} ?c {} ?d {} }")));
  EXPECT_EQ(code("DESCRIBE DOMAINS"), "ok");
}

TEST_F(Limits, PathsWithoutEndOverCycles) {
  ASSERT_EQ(
      code("UPSERT { CONCEPT ?a { {type: \"Event\", name: \"a\"} } CONCEPT ?b { {type: "
           "\"Event\", name: \"b\"} SET PROPOSITIONS { (\"mentions\", ?a) (\"mentions\", ?b) } "
           "} PROPOSITION { (?a, \"mentions\", ?b) } }"),
      "ok");
  EXPECT_EQ(send("FIND(COUNT(?x)) WHERE { {x: 1} }").find("result"), nullptr);
  EXPECT_EQ(send("FIND(?x.name) WHERE { ({type: \"Event\", name: \"a\"}, \"mentions\"{1,}, ?x) } "
                 "ORDER BY ?x.name ASC")
                .dump(),
            R"({"result":["a","b"]})");
  EXPECT_EQ(code("FIND(?x, ?y) WHERE { (?x, \"mentions\"{0,}, ?y) }"), "ok");
  EXPECT_EQ(
      code("FIND(?x) WHERE { ({type: \"Event\", name: \"a\"}, \"mentions\"{4000000000,}, ?x) }")
          .substr(0, 2)
          .empty(),
      false);
}

TEST_F(Limits, BytesThatAreNoText) {
  const char* write = "UPSERT { CONCEPT { {type: \"Person\", name: :v} } }";
  for (const char* bytes : {"\xff", "a\xc3", "\xed\xa0\x80", "\xf5\x80\x80\x80"})
    EXPECT_TRUE(refused(write, Json::object({{"v", bytes}})).starts_with("KIP_")) << bytes;
  EXPECT_EQ(refused("FIND(?x) WHERE { ?x {name: \"\xff\"} }"), "KIP_1001");
  EXPECT_EQ(refused(std::string("FIND(?x)\0 WHERE { ?x {} }", 24)), "KIP_1001");
  EXPECT_EQ(code(write, Json::object({{"v", std::string("a\0b", 3)}})), "ok");
  EXPECT_EQ(send("FIND(?x.name) WHERE { ?x {name: \"a\\u0000b\"} }").dump(),
            R"({"result":["a\u0000b"]})");
}

// What is made of the rows of a query costs as the query does.
TEST(RequestLimits, AnAnswerHasTheBudgetOfItsQuery) {
  auto space = store::Space::in_memory();
  ASSERT_TRUE(space);
  EngineOptions options;
  options.budget.memory_bytes = std::uint64_t{16} << 20;
  const auto engine = Engine::open(*space, options);
  ASSERT_TRUE(engine);
  const std::string text = repeat("0123456789abcdef", 1 << 16);  // 1 MiB
  for (int i = 0; i < 12; ++i) {
    const Json written = (*engine)->execute(
        "UPSERT { CONCEPT { {type: \"Person\", name: :n} SET ATTRIBUTES {a: :v} } }",
        Json::object({{"n", std::to_string(i)}, {"v", text + std::to_string(i)}}));
    ASSERT_NE(written.find("result"), nullptr) << written.dump().substr(0, 300);
  }
  const auto code = [&](const char* command) {
    const Json answer = (*engine)->execute(command, Json(JsonObject{}));
    const Json* error = answer.find("error");
    return error == nullptr ? "ok" : error->find("code")->as_string();
  };
  const std::string exhausted = "KIP_4002";
  EXPECT_EQ(code("FIND(?x) WHERE { ?x {type: \"Person\"} }"), exhausted);
  EXPECT_EQ(code("FIND(?x.attributes.a) WHERE { ?x {type: \"Person\"} }"), exhausted);
  EXPECT_EQ(code("FIND(?x.attributes) WHERE { ?x {type: \"Person\"} }"), exhausted);
  EXPECT_EQ(code("FIND(?x.attributes.a) WHERE { ?x {type: \"Person\"} } LIMIT 2"), "ok");
  EXPECT_EQ(code("FIND(?x.name) WHERE { ?x {type: \"Person\"} }"), "ok");
}

TEST(RequestLimits, ARequestThatWasStoppedAnswersSo) {
  auto space = store::Space::in_memory();
  ASSERT_TRUE(space);
  const auto engine = Engine::open(*space);
  ASSERT_TRUE(engine);
  std::stop_source source;
  Caller caller;
  caller.stop = source.get_token();
  source.request_stop();
  const auto before = (*space)->snapshot().value().sequence();
  for (const char* command :
       {"FIND(?x) WHERE { ?x {} }", "UPSERT { CONCEPT { {type: \"Person\", name: \"x\"} } }"}) {
    const Json answer = (*engine)->execute(command, Json(JsonObject{}), caller);
    EXPECT_NE(answer.find("error"), nullptr) << answer.dump();
  }
  EXPECT_EQ((*space)->snapshot().value().sequence(), before);
}

}  // namespace
}  // namespace anima::kip
