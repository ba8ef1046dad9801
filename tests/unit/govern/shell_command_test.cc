#include "govern/shell_command.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace anima::govern {
namespace {

// "program arg arg > file" for each command, "?" for what is not known before it runs.
std::vector<std::string> commands(std::string_view text) {
  const auto parsed = parse_shell(text);
  if (!parsed) return {"error: " + parsed.error().describe()};
  std::vector<std::string> list;
  for (const SimpleCommand& command : parsed->commands) {
    std::string line = command.program;
    for (const std::string& argument : command.arguments) line += " " + argument;
    for (const std::string& file : command.writes) line += " >" + file;
    for (const std::string& file : command.reads) line += " <" + file;
    if (command.unknown) line += " ?";
    list.push_back(line);
  }
  return list;
}
using List = std::vector<std::string>;

TEST(ShellCommand, ListsAndPipelines) {
  EXPECT_EQ(commands("ls -l; rm x & cat y | grep z && true || false\necho end"),
            (List{"ls -l", "rm x", "cat y", "grep z", "true", "false", "echo end"}));
}

TEST(ShellCommand, QuotesAreRemoved) {
  EXPECT_EQ(commands(R"(r'm' "-r"f "a b" \;x)"), (List{"rm -rf a b ;x"}));
  EXPECT_EQ(commands("echo 'a; rm b' \"c && rm d\""), (List{"echo a; rm b c && rm d"}));
  EXPECT_EQ(commands("ls # ; rm x"), (List{"ls"}));
}

TEST(ShellCommand, SubstitutionsRun) {
  EXPECT_EQ(commands("echo $(rm a)"), (List{"echo $(rm a)", "rm a"}));
  EXPECT_EQ(commands("echo \"x `rm a` y\""), (List{"echo x `rm a` y", "rm a"}));
  EXPECT_EQ(commands("diff <(rm a) <(rm b)"), (List{"diff  ", "rm a", "rm b"}));
  EXPECT_EQ(commands("echo ${X:-$(rm a)} $((1 + $(rm b)))").size(), 3u);
  EXPECT_EQ(commands("x=$(rm a)"), (List{"", "rm a"}));
  EXPECT_EQ(commands("echo $(echo `rm a`)").size(), 3u);
}

TEST(ShellCommand, RedirectionsNameTheirFiles) {
  EXPECT_EQ(commands("sort <in >out 2>>log &>all 2>&1 >&-"), (List{"sort >out >log >all <in"}));
  EXPECT_EQ(commands("> /etc/passwd"), (List{" >/etc/passwd"}));
}

TEST(ShellCommand, HereDocuments) {
  EXPECT_EQ(commands("cat <<E\nrm x\nE\nls"), (List{"cat", "ls"}));
  EXPECT_EQ(commands("cat <<E\n$(rm x)\nE\nls"), (List{"cat", "rm x", "ls"}));
  EXPECT_EQ(commands("cat <<'E'\n$(rm x)\nE\nls"), (List{"cat", "ls"}));
}

TEST(ShellCommand, ControlWordsAndGroups) {
  EXPECT_EQ(commands("if test -f a; then rm a; else (cd b && rm c); fi"),
            (List{"test -f a", "rm a", "cd b", "rm c"}));
  EXPECT_EQ(commands("for f in $(ls) b; do rm $f; done"), (List{"ls", "rm $f"}));
  EXPECT_EQ(commands("{ rm a; }; ! rm b; f() { rm c; }; f"),
            (List{"rm a", "rm b", "f", "rm c", "f"}));
  EXPECT_EQ(commands("case $x in a|b) rm a;; *) rm b;; esac; ls"),
            (List{"a", "b", "rm a", " ?", "rm b", "ls"}));
}

TEST(ShellCommand, WrappersShowWhatTheyRun) {
  EXPECT_EQ(commands("sudo -u bob rm x"), (List{"rm x", "sudo -u bob rm x"}));
  EXPECT_EQ(commands("env A=1 nice -n 5 timeout 3 rm x").front(), "rm x");
  EXPECT_EQ(commands("bash -c 'ls; rm x'"), (List{"ls", "bash -c ls; rm x", "rm x"}));
  EXPECT_EQ(commands("find . -name y -exec rm {} ;").size(), 2u);
  EXPECT_EQ(commands("find . -exec rm {} \\;").front(), "rm {}");
  EXPECT_EQ(commands("ls | xargs -n 1 rm -f"), (List{"ls", "rm -f", "xargs -n 1 rm -f"}));
  EXPECT_EQ(commands("eval 'rm x'").front(), "rm x");
}

TEST(ShellCommand, WhatIsNotKnownIsSaid) {
  for (const char* text :
       {"$x y", "sh -c \"$x\"", "eval $x", "curl u | sh", "python3 -c 'x'", ". ./x", "/bin/*m x"}) {
    const auto parsed = parse_shell(text);
    ASSERT_TRUE(parsed) << text;
    const bool unknown = std::ranges::any_of(parsed->commands, &SimpleCommand::unknown);
    EXPECT_TRUE(unknown || std::string_view(text).find('*') != std::string_view::npos) << text;
  }
}

TEST(ShellCommand, ErrorsNameTheOffset) {
  for (const char* text : {"echo 'a", "echo \"a", "echo $(ls", "echo `ls", "ls )", "cat <",
                           "echo ${x", "cat <<E\nx"}) {
    const auto parsed = parse_shell(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kSyntax);
    EXPECT_NE(parsed.error().where.find("offset"), std::string::npos);
  }
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += "echo $(";
  EXPECT_EQ(parse_shell(deep).error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(parse_shell(std::string(70'000, 'a')).error().code, ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace anima::govern
