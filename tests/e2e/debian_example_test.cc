// The Debian example against an independent closure over dpkg-query: ten packages, five wordings
// each. Runs wherever there is a dpkg database and python3; elsewhere it says so and is skipped.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "support/command.h"
#include "support/needs.h"

namespace anima::debian_example_test {
namespace {

const std::string kRoot = ANIMA_SOURCE_DIR;

// Words of the command are given ready for the shell.
test::Ran shell(const std::string& command) { return test::run_command(command + " 2>/dev/null"); }

class DebianExample : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    usable = file_exists(system_files(), "/var/lib/dpkg/status") &&
             shell("command -v python3 && command -v dpkg-query").code == 0;
    if (!usable) return;
    folder = new TemporaryDirectory("anima-debian");
    ASSERT_EQ(shell("python3 " + kRoot + "/examples/debian/import.py " + folder->file("pack")).code,
              0);
    test::init_space(*folder);
    ASSERT_EQ(anima("compartment load " + folder->file("pack") + " --activate").code, 0);
  }
  static void TearDownTestSuite() { delete folder; }
  void SetUp() override { ANIMA_NEEDS(test::kDpkg, usable); }

  static test::Ran anima(const std::string& arguments) {
    return test::run_anima(*folder, arguments, "2>/dev/null");
  }
  static Json ask(const std::string& question) {
    const test::Ran ran = anima("run --fresh --output-format json '" + question + "'");
    const auto json = parse_json(ran.out);
    EXPECT_TRUE(json.has_value()) << question << "\n" << ran.out;
    return json ? *json : Json::object();
  }
  static std::vector<std::string> rows(const Json& json) {
    std::vector<std::string> list;
    const Json* answers = json.find("answers");
    if (answers == nullptr || answers->as_array().size() != 1) return {"no answer"};
    for (const Json& row : answers->as_array()[0].find("rows")->as_array()) {
      list.push_back(row.as_string());
    }
    return list;
  }
  // Names worth asking about on any machine, and what this one offers of the special kinds.
  static std::vector<std::string> names() {
    std::vector<std::string> list = {"libc6",   "libssl3",   "zlib1g", "perl-base",
                                     "python3", "libgcc-s1", "debconf"};
    // A purely virtual package, one with a version, and one that only an alternative names.
    for (const char* script :
         {"dpkg-query -W -f '${Provides}\\n' | tr ',' '\\n' | sed 's/ *(.*//; s/^ *//' | grep -E "
          "'^(awk|mail-transport-agent|debconf-2.0|c-compiler)$' | sort -u | head -2",
          "dpkg-query -W -f '${Depends}\\n' | tr ',' '\\n' | grep '|' | head -1 | cut -d'|' -f1 | "
          "sed 's/ *(.*//; s/^ *//; s/:.*//; s/ *$//'"}) {
      const test::Ran ran = shell(script);
      for (const std::string_view line : split(ran.out, '\n')) {
        if (!trim(line).empty()) list.emplace_back(trim(line));
      }
    }
    list.resize(std::min<std::size_t>(list.size(), 10));
    return list;
  }

  static inline bool usable = false;
  static inline TemporaryDirectory* folder = nullptr;
};

constexpr const char* kWordings[] = {
    "Which installed packages stop working when {} is removed?",
    "what breaks if I remove {}",
    "Which packages would stop working without {}?",
    "What happens when {} is uninstalled?",
    "which other packages cannot work without the package \"{}\"",
};

// More ways to say it; asked about one package.
constexpr const char* kMoreWordings[] = {
    "If {} is removed, which packages stop working?",
    "list all installed packages that break when I uninstall {}",
    "How many packages would stop working if {} were removed?",
    "What would be affected if I removed {} from this machine?",
    "which packages depend on {} directly or indirectly?",
    "removing {} breaks what?",
    "show me everything that fails once {} is gone",
    "What are the consequences of removing {}?",
    "when I purge {}, what breaks?",
};

TEST_F(DebianExample, AnswersEqualTheIndependentClosure) {
  const std::vector<std::string> asked = names();
  ASSERT_GE(asked.size(), 8U);
  const test::Ran ran = shell(kRoot + "/tests/e2e/debian_closure.py " + join(asked, " "));
  const auto expected = parse_json(ran.out);
  ASSERT_TRUE(expected.has_value()) << ran.out;
  for (const std::string& name : asked) {
    const Json* closure = expected->find(name);
    ASSERT_NE(closure, nullptr) << name;
    for (const char* wording : kWordings) {
      const Json answer = ask(replace_all(wording, "{}", name));
      if (closure->is_null()) {
        EXPECT_FALSE(answer.find("answers")->as_array()[0].find("known")->as_bool()) << name;
        continue;
      }
      std::vector<std::string> wanted;
      for (const Json& row : closure->as_array()) wanted.push_back(row.as_string());
      EXPECT_EQ(rows(answer), wanted) << name << ": " << wording;
    }
  }
}

TEST_F(DebianExample, ManyWordingsAskTheSame) {
  const std::vector<std::string> wanted =
      rows(ask("Which installed packages stop working when perl-base is removed?"));
  ASSERT_NE(wanted, std::vector<std::string>{"no answer"});
  for (const char* wording : kMoreWordings) {
    EXPECT_EQ(rows(ask(replace_all(wording, "{}", "perl-base"))), wanted) << wording;
  }
}

TEST_F(DebianExample, AnswersCarryTheirProof) {
  const Json answer = ask("Which installed packages stop working when libc6 is removed?");
  const Json& found = answer.find("answers")->as_array()[0];
  ASSERT_FALSE(found.find("proof")->as_array().empty());
  bool given = false;
  for (const Json& line : found.find("proof")->as_array()) {
    given = given || line.find("given")->as_bool();
  }
  EXPECT_TRUE(given);
  EXPECT_EQ(answer.find("end")->as_string(), "done");
}

TEST_F(DebianExample, AnUnknownPackageIsSaidToBeUnknown) {
  const Json answer = ask("What breaks if I remove no-such-package-at-all?");
  const Json& found = answer.find("answers")->as_array()[0];
  EXPECT_FALSE(found.find("known")->as_bool());
  EXPECT_NE(found.find("text")->as_string().find("not installed"), std::string::npos);
}

TEST_F(DebianExample, AnUnknownQuestionSaysWhatCanBeAsked) {
  const test::Ran ran = anima("run --fresh 'Which packages taste of strawberries?'");
  EXPECT_EQ(ran.code, 6);
  EXPECT_NE(ran.out.find("What can be asked"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("stop working"), std::string::npos) << ran.out;
}

TEST_F(DebianExample, EachCycleShowsTheScoreOfEachCandidate) {
  const test::Ran ran =
      anima("run -v --fresh 'Which installed packages stop working when libc6 is removed?'");
  EXPECT_EQ(ran.code, 0);
  for (const char* part :
       {"Cycle 1", "Cycle 2", "kg_query", "infer_rules", "[score=0.98: base=0.80 recency=-0.00",
        "The facts that prove", "You can ask next:", "  anima run"}) {
    EXPECT_NE(ran.out.find(part), std::string::npos) << part << "\n" << ran.out;
  }
}

}  // namespace
}  // namespace anima::debian_example_test
