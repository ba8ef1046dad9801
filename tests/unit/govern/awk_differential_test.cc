// What the judge of shell commands takes for an awk program that only prints, real awks only print:
// programs put together at random from the pieces that decide where a string, a pattern or a remark
// ends, each with the removal of a file in it. Every awk of this machine runs those that are judged
// harmless, and the file must still be there.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "base/file.h"
#include "base/process.h"
#include "base/random.h"
#include "govern/shell_judge.h"

namespace anima::govern::awk_differential_test {
namespace {

// c is "canary".
constexpr std::string_view kHarm[] = {"| \"rm -f canary\"", "> c", "> \"canary\" ", ">c ", ">> c "};

constexpr std::string_view kPieces[] = {"/",
                                        "\"",
                                        "\\",
                                        "[",
                                        "]",
                                        "[^",
                                        "[[:alpha:]]",
                                        "(",
                                        ")",
                                        "{",
                                        "}",
                                        ";",
                                        "\n",
                                        "#",
                                        " ",
                                        "~",
                                        "!~",
                                        "!",
                                        "$1",
                                        "$0 ",
                                        "$",
                                        "print ",
                                        "print",
                                        "x",
                                        "x ",
                                        "1",
                                        "2 ",
                                        "+",
                                        "++",
                                        "-",
                                        "*",
                                        "%",
                                        "^",
                                        "=",
                                        "/=",
                                        "==",
                                        "<",
                                        "> 5 ",
                                        ">=",
                                        "?",
                                        ":",
                                        ",",
                                        "&&",
                                        "||",
                                        "|",
                                        "a",
                                        "a[1]",
                                        "in ",
                                        "length",
                                        "length ",
                                        "BEGIN",
                                        "END",
                                        "if (x) ",
                                        "do ",
                                        ".",
                                        "\\/",
                                        "\\\"",
                                        "getl",
                                        "return",
                                        "for (k in n) ",
                                        "/a/",
                                        "\"/\"",
                                        "/\"/",
                                        "\"a\"",
                                        "{print",
                                        "{print $1",
                                        "/a|b/",
                                        "[/]",
                                        "[]/]",
                                        "sub(/a/,\"b\")",
                                        "> $2",
                                        "> x ",
                                        "if ($2 > ",
                                        "while (x > 2 ",
                                        "printf ",
                                        "printf(",
                                        "print(",
                                        "> (",
                                        "x > ",
                                        "$1 > c {",
                                        "switch (1) {",
                                        "case ",
                                        "case /\"/: ",
                                        "default: ",
                                        "> \"/dev/stderr\"",
                                        ">> \"/dev/stdout\" ",
                                        "/\\[/",
                                        "/\\[a]/",
                                        "(x)/2",
                                        "((1)/2",
                                        "(x) /a/",
                                        "while (x) "};

std::string put_together(Random& random) {
  std::string program = random.next() % 2 == 0 ? "{print $1 " : "";
  for (std::uint64_t pieces = 2 + random.next() % 9; pieces > 0; --pieces) {
    program += random.next() % 5 == 0 ? kHarm[random.next() % std::size(kHarm)]
                                      : kPieces[random.next() % std::size(kPieces)];
  }
  return program + (random.next() % 2 == 0 ? "}" : "");
}

std::vector<std::string> awks() {
  std::vector<std::string> found;
  for (const char* name : {"mawk", "gawk", "original-awk", "busybox"}) {
    if (!file_exists(system_files(), std::string("/usr/bin/") + name)) continue;
    found.push_back(std::string(name) + (std::string_view(name) == "busybox" ? " awk" : ""));
  }
  return found;
}

TEST(AwkDifferential, WhatOnlyPrintsLeavesTheFile) {
  const std::uint64_t programs = std::getenv("ANIMA_TEST_FULL") != nullptr ? 300'000 : 1'000;
  const TemporaryDirectory folder;
  const std::vector<std::string> programs_of_awk = awks();
  ASSERT_TRUE(replace_file(system_files(), folder.file("a"), "a 1\nb/c 2\n"));
  std::size_t ran = 0;
  for (std::uint64_t seed = 0; seed < programs; ++seed) {
    SeededRandom random(seed);
    const std::string program = put_together(random);
    const bool harms = std::ranges::any_of(
        kHarm, [&](std::string_view harm) { return program.find(harm) != std::string::npos; });
    if (!harms) continue;
    const std::string arguments = " -v c=canary '" + program + "' a";
    const auto judged = judge_shell("awk" + arguments);
    if (!judged || !judged->harmless()) continue;
    ++ran;
    for (const std::string& awk : programs_of_awk) {
      ASSERT_TRUE(replace_file(system_files(), folder.file("canary"), "alive"));
      ProcessOptions options;
      options.arguments = {"/bin/sh", "-c", awk + arguments};
      options.working_directory = folder.path();
      options.environment = {{"PATH", "/usr/bin:/bin"}, {"LANG", "C.UTF-8"}};
      options.timeout_ms = 10'000;
      (void)run_process(options);
      const auto canary = read_file(system_files(), folder.file("canary"));
      ASSERT_TRUE(canary && *canary == "alive") << awk << " seed " << seed << "\n" << program;
    }
  }
  EXPECT_GT(ran, programs / 300);
}

}  // namespace
}  // namespace anima::govern::awk_differential_test
