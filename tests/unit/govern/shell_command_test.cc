#include "govern/shell_command.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace anima::govern::shell_command_test {
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
  EXPECT_EQ(commands("sort <in >out 2>>log 2>&1 >&- &>all"), (List{"sort >out >log >all <in"}));
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
            (List{"rm a", "rm b", "f ?", "rm c", "f"}));
  EXPECT_EQ(commands("case $x in a|b) rm a;; *) rm b;; esac; ls"), (List{"rm a", "rm b", "ls"}));
}

TEST(ShellCommand, WrappersShowWhatTheyRun) {
  EXPECT_EQ(commands("sudo -u bob rm x"), (List{"rm x", "sudo -u bob rm x"}));
  EXPECT_EQ(commands("env A=1 nice -n 5 timeout 3 rm x").front(), "rm x");
  EXPECT_EQ(commands("bash -c 'ls; rm x'"), (List{"ls", "bash -c ls; rm x", "rm x"}));
  EXPECT_EQ(commands("find . -name y -exec rm {} ;").size(), 2u);
  EXPECT_EQ(commands("find . -exec rm {} \\;").front(), "rm {}");
  EXPECT_EQ(commands("ls | xargs -n 1 rm -f"), (List{"ls", "rm -f ..", "xargs -n 1 rm -f"}));
  EXPECT_EQ(commands("eval 'rm x'").front(), "rm x");
}

TEST(ShellCommand, WhatIsNotKnownIsSaid) {
  for (const char* text :
       {"$x y", "sh -c \"$x\"", "eval $x", "curl u | sh", ". ./x", "/bin/*m x"}) {
    const auto parsed = parse_shell(text);
    ASSERT_TRUE(parsed) << text;
    const bool unknown = std::ranges::any_of(parsed->commands, &SimpleCommand::unknown);
    EXPECT_TRUE(unknown || std::string_view(text).find('*') != std::string_view::npos) << text;
  }
}

TEST(ShellCommand, WhatTheShellsReadDifferentlyIsOneUnknownCommand) {
  for (const char* text : {"(( x = 1 # )); rm a; (( ))",
                           "(\\\n( x=1 #)); rm a; ((\nx=1 ))",
                           "ls &>f rm a",
                           "echo $'a\\'; rm a; #'",
                           "echo ${!x}",
                           "echo ${x@P}",
                           "echo $[x]",
                           "echo \"${x:-'}\"; rm a; echo \"'}\"",
                           "echo $((rm a) ) # ))",
                           "function f { rm a; }",
                           "coproc ls { rm a; }",
                           "a=(1 2)",
                           "{PATH}>f ls",
                           "cat <<E$x\nE$x",
                           "echo $(cat <<E\nE)\nrm a\nE\n)",
                           "cat <<E\na\\\nE\nrm a\nE\n",
                           "cat <<E $(\nE\n)",
                           "x=a PATH=b; echo $((PATH = 1))",
                           "for PATH in .; do ls; done",
                           "echo $\"a\"",
                           "echo \"$\\\n(rm a)\""}) {
    const auto parsed = parse_shell(text);
    EXPECT_TRUE(parsed && std::ranges::any_of(parsed->commands, &SimpleCommand::unknown)) << text;
  }
}

TEST(ShellCommand, ArithmeticOverATextIsUnknown) {
  const auto unknown = [](std::string_view text) {
    const auto parsed = parse_shell(text);
    return parsed && std::ranges::any_of(parsed->commands, &SimpleCommand::unknown);
  };
  for (const char* text :
       {"x='a[$(rm a)]'; echo $((x))", "read x <f; echo $((x + 1))",
        "for x in $(cat f); do echo $(($x)); done", "echo $(($(cat f)))", "f() { echo $(($1)); }",
        ": ${x:=y}; echo $((x))", "x=$(cat f); [ $x -lt 5 ]"})
    EXPECT_TRUE(unknown(text)) << text;
  for (const char* text :
       {"x=5; echo $((x * 2))", "for i in 1 2; do echo $((i + 1)); done",
        "for i in $(seq 1 9); do [ $i -lt 5 ]; done", "i=$((i + 1)); echo $((i))",
        "n=$(cat f | wc -l); echo $((n / 2))", "echo $(($(date +%s) - 60))"})
    EXPECT_FALSE(unknown(text)) << text;
}

TEST(ShellCommand, ErrorsNameTheOffset) {
  for (const char* text : {"ls\r", "ls \x01", "case x in", "echo 'a", "echo \"a", "echo $(ls",
                           "echo `ls", "ls )", "cat <", "echo ${x", "cat <<E\nx"}) {
    const auto parsed = parse_shell(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kSyntax);
    EXPECT_NE(parsed.error().where.find("offset"), std::string::npos);
  }
  EXPECT_FALSE(parse_shell(std::string_view("ls\0x", 4)));
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += "echo $(";
  EXPECT_EQ(parse_shell(deep).error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(parse_shell(std::string(70'000, 'a')).error().code, ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace anima::govern::shell_command_test
