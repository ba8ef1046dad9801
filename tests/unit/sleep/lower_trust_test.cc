// Who is trusted less does not say that two things of the operator's are one, nor that they are
// not.
#include <gtest/gtest.h>

#include "support/sleep_world.h"

namespace anima::sleep::lower_trust_test {
namespace {

using store::Trust;
using test_support::SleepWorld;

std::string with(const std::string& name, const std::string& attributes,
                 const std::string& type = "Company") {
  return "CONCEPT { {type: \"" + type + "\", name: \"" + name + "\"} SET ATTRIBUTES {" +
         attributes + "} } ";
}

// The names of the companies after a cycle.
std::string companies(const std::vector<std::pair<Trust, std::string>>& said) {
  SleepWorld world;
  world.tell("UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Company\"} } }", Json::object(),
             Trust::kOperator);
  for (const auto& [trust, blocks] : said)
    world.tell("UPSERT { " + blocks + "}", Json::object(), trust);
  EXPECT_TRUE(world.sleeper->run({}));
  return world.ask("FIND(?c.name) WHERE { ?c {type: \"Company\"} } ORDER BY ?c.name");
}

constexpr const char* kUuid = "uuid: \"3f2504e0-4f89-11d3-9a0c-0305e82c3301\"";

TEST(LowerTrust, SaysNotWhatIsOne) {
  const std::string two = R"(["Globex","Initech"])";
  const std::string ours = with("Initech", "city: \"Oslo\"") + with("Globex", "staff: 7");
  for (const Trust less : {Trust::kHostile, Trust::kUntrusted, Trust::kStandard}) {
    for (const std::string& identity : {std::string(kUuid), std::string("id: \"acme-77-banking\""),
                                        std::string("email: \"info@initech.com\"")}) {
      const std::string theirs = with("Initech", identity) + with("Globex", identity);
      EXPECT_EQ(companies({{Trust::kOperator, ours}, {less, theirs}}), two) << identity;
      // One of the two is the operator's.
      EXPECT_EQ(companies({{Trust::kOperator, ours + with("Initech", identity)},
                           {less, with("Globex", identity)}}),
                two)
          << identity;
    }
    const std::string key = "instance_schema: {branch: {type: \"string\", is_key: true}}";
    const std::string branch = "branch: \"banking77\"";
    EXPECT_EQ(companies({{Trust::kOperator, with("Initech", branch) + with("Globex", branch)},
                         {less, with("Company", key, "$ConceptType")}}),
              two);
  }
  EXPECT_NE(companies({{Trust::kOperator, with("Initech", kUuid) + with("Globex", kUuid)}}), two);
}

TEST(LowerTrust, KeepsNothingApart) {
  const std::string ours = with("Initech", kUuid) + with("Initech Inc", kUuid);
  const std::string one = companies({{Trust::kOperator, ours}});
  const std::string theirs =
      with("Initech", "id: \"one-4711\"") + with("Initech Inc", "id: \"other-4712\"");
  EXPECT_EQ(companies({{Trust::kOperator, ours}, {Trust::kUntrusted, theirs}}), one);
}

}  // namespace
}  // namespace anima::sleep::lower_trust_test
