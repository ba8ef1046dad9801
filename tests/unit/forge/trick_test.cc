// Tricks of public lists that show a checker another program than the compiler gets, or that hide
// what a program does: tests/forge_tricks/tricks.txt. "== NAME TYPES" begins one; the check has to
// find one of the types, which stand with commas between them. What follows is a whole source.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/text/text.h"
#include "support/forge_check.h"
#include "support/needs_sandbox.h"

namespace anima::forge::trick_test {
namespace {

struct Trick {
  std::string name;
  std::vector<std::string> types;
  std::string source;
};

std::vector<Trick> tricks() {
  const auto text =
      read_file(system_files(), std::string(ANIMA_SOURCE_DIR) + "/tests/forge_tricks/tricks.txt");
  EXPECT_TRUE(text.has_value());
  std::vector<Trick> all;
  if (!text) return all;
  for (const std::string_view line : split(*text, '\n')) {
    if (line.starts_with("== ")) {
      const auto words = split(line.substr(3), ' ');
      Trick trick;
      trick.name = std::string(words[0]);
      for (const std::string_view type : split(words[1], ',')) trick.types.emplace_back(type);
      all.push_back(std::move(trick));
    } else if (!all.empty()) {
      all.back().source.append(line).append("\n");
    }
  }
  return all;
}

TEST(Tricks, HideNothingFromTheCheck) {
  ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
  const std::vector<Trick> all = tricks();
  EXPECT_GE(all.size(), 30U);
  for (const Trick& each : all) {
    const SafetyReport report = test::checked(each.source);
    EXPECT_FALSE(report.safe) << each.name;
    EXPECT_TRUE(std::ranges::any_of(report.violations,
                                    [&](const Violation& violation) {
                                      return std::ranges::find(each.types, violation.type) !=
                                             each.types.end();
                                    }))
        << each.name << "\n"
        << report.feedback();
    EXPECT_EQ(report.feedback().find("root:"), std::string::npos) << each.name;
  }
}

// What is compiled is the text that was checked, and no directive is in it.
TEST(Tricks, WhatIsCheckedIsWhatIsCompiled) {
  ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
  const std::string source =
      "#include <vector>\n#include \"tool_api.hpp\"\n#ifdef __clang__\n#define OUT \"one\"\n#else\n"
      "#define OUT \"two\"\n#endif\nconst char* kHeading = R\"(\n# a heading\n)\";\n"
      "tool::Result run(const tool::Input&, tool::Cancel) {\n  return {OUT, {}};\n}\n";
  const CheckedSource checked =
      check_safety(source, {}, test::forge_compiler(), test::forge_parts());
  ASSERT_TRUE(checked.report.safe) << checked.report.feedback();
  EXPECT_EQ(checked.program.find("__clang__"), std::string::npos);
  EXPECT_NE(checked.program.find("\n# a heading\n"), std::string::npos);
  EXPECT_NE(checked.program.find("return {\"one\", {}}"), std::string::npos);
  EXPECT_EQ(checked.program.find("two"), std::string::npos);
  // A line is where it was.
  const auto lines = split(checked.program, '\n');
  ASSERT_GT(lines.size(), 7U);
  EXPECT_EQ(lines[7], "const char* kHeading = R\"(") << checked.program;
}

}  // namespace
}  // namespace anima::forge::trick_test
