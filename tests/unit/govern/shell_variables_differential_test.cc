// What the parser says that variables hold, bash and dash hold: lines put together at random from
// assignments, loops, branches, lists, pipelines and expansions, with probes among them that print
// their words. Where the line is judged harmless and the parser names every word of a probe, each
// word that a shell prints there must be one that the parser names.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "base/file.h"
#include "base/process.h"
#include "base/random.h"
#include "govern/shell_command.h"
#include "govern/shell_judge.h"

namespace anima::govern::shell_variables_differential_test {
namespace {

constexpr std::string_view kNames[] = {"f", "g", "f", "g", "d", "F_1", "fg"};
constexpr std::string_view kTexts[] = {
    "a",  "7",     "b.txt", "x/y.tar.gz", "'a b'", "\"b c\"", "''",      "",
    "-n", "'*'",   "'a*'",  "'[a]b'",     "../x",  "a=b",     "'{a,b}'", "{a,b}",
    "~",  "'~'",   "'$g'",  "\\$g",       "7",     "' a '",   "*",       "a\\ b",
    "if", "'a;b'", "'#a'",  "a#b",        "é",     "'a\\b'",  "\"'\""};
// % stands for a name.
constexpr std::string_view kWords[] = {"$%",
                                       "\"$%\"",
                                       "${%}",
                                       "\"${%}\"",
                                       "x$%",
                                       "$%.c",
                                       "\"$%\".c",
                                       "$%/$f",
                                       "$%$g",
                                       "\"$%$g\"",
                                       "\"$%\"'x'",
                                       "'$%'",
                                       "\\$%",
                                       "$%*",
                                       "\"$%\"*",
                                       "\"\"$%",
                                       "$%\"\"",
                                       "${%%.*}",
                                       "${%%%.*}",
                                       "${%#*/}",
                                       "${%##*/}",
                                       "${%%b*}",
                                       "\"${%#a}\"",
                                       "\"${%% *}\"",
                                       "${%:-d}",
                                       "\"${%-q}\"",
                                       "\"${%:-}\"",
                                       "${%:+p}",
                                       "\"${#%}\"",
                                       "$%\\\ng",
                                       "\"$%\\\ng\"",
                                       "$%g",
                                       "${%}g",
                                       "$%{a,b}",
                                       "{$%,b}",
                                       "~$%",
                                       "$%~",
                                       "$%:$f",
                                       "\"`echo $%`\"",
                                       "$(echo $%)",
                                       "$% $%",
                                       "\"$% $%\"",
                                       "[$%]",
                                       "$%[a]",
                                       "\"${%/a/b}\"",
                                       "${%:=z}",
                                       "\"${%%'.txt'}\"",
                                       "$%#",
                                       "#$%",
                                       "${%:0:1}",
                                       "a\"$%\"b$%",
                                       "$'a'$%",
                                       "$%=$%",
                                       "${%%$g}",
                                       "\"${%:-$g}\"",
                                       "${%#-}",
                                       "{a,b}",
                                       "x{1..3}y",
                                       "{,x}",
                                       "{a,b}{c,d}.z",
                                       "{a,{b,c}}",
                                       "{3..1}",
                                       "{a..c}",
                                       "{01..3}",
                                       "{a}",
                                       "{a,b",
                                       "a,b}",
                                       "{a,b}$%",
                                       "\"{a,b}\"",
                                       "\\{a,b}",
                                       "{a\\,b}",
                                       "{a,'b'}",
                                       "{,}",
                                       "x{,}",
                                       "{1..3..2}",
                                       "{1..40}",
                                       "$'a\\tb'",
                                       "$'a\\\\b'x",
                                       "\"$'a'\"",
                                       "$'\\x41'",
                                       "{a,b}*",
                                       "{-1..1}",
                                       "{a:b,c}",
                                       "{a,b}={c,d}",
                                       "{%,b}"};
constexpr std::string_view kSettings[] = {"%=@",
                                          "%=@",
                                          "%=@",
                                          "%=@",
                                          "%=$f",
                                          "%=\"$g\"",
                                          "%=$g/x",
                                          "%=${f%.*}",
                                          "%=x$g$f",
                                          "%+=q",
                                          "%=$(echo q)",
                                          "%=`echo q`",
                                          "%=$((1+1))",
                                          "%=$((1/0))",
                                          "% =a",
                                          "%=q g=$f",
                                          "%=@ f=@",
                                          "%=q >o",
                                          "%=q :",
                                          "%=q true",
                                          "%=q <nothere",
                                          "%=q >&9",
                                          "<&9 %=q",
                                          "%=q 2>&1",
                                          "%=q <<<x",
                                          "time %=@",
                                          "! %=@",
                                          ": ${%:=q}",
                                          ": ${%=q}",
                                          "read % <a",
                                          "echo q r|read %",
                                          "read g % <a",
                                          ": $((%=8))",
                                          ": $((%++))",
                                          ": $((%))",
                                          "UID=5 %=@",
                                          "UID=5",
                                          "echo ${%!}",
                                          "echo ${%:1:q}",
                                          "eval '%=@'",
                                          "eval %=@",
                                          "unset %",
                                          "export %=q",
                                          "local %=q",
                                          "readonly %=q",
                                          "printf -v % q",
                                          "set -e",
                                          "set -u",
                                          "false",
                                          "true",
                                          "shift",
                                          "cd o",
                                          "[ $% ]",
                                          "[ -f \"$%\" ]",
                                          "exec 3<a",
                                          ": $((1/0))",
                                          "echo $%",
                                          "wait",
                                          "command %=@",
                                          "%=@ \\\n",
                                          "%\\\n=@",
                                          "\"%\"=@",
                                          "%=@#",
                                          "%=@ # r",
                                          "_=@",
                                          "IFS= read % <a",
                                          "LC_ALL=C %=@",
                                          "exit",
                                          "break",
                                          "return"};
// ^ stands for more commands.
constexpr std::string_view kShapes[] = {
    "if true; then ^; fi",
    "if false; then ^; fi",
    "if false; then ^; else ^; fi",
    "if ^; then ^; fi",
    "if false; then ^; elif ^; then ^; fi",
    "while false; do ^; done",
    "while ^; do break; done",
    "until true; do ^; done",
    "for % in @ @; do ^; done",
    "for % in {a,b} c; do ^; done",
    "for % in x{1..3}; do ^; done",
    "for % in @; do ^; done",
    "for % in $f; do ^; done",
    "for % in \"$g\" @; do ^; done",
    "for % in $f/x b; do ^; ^; done",
    "for % in; do ^; done",
    "for % in *; do ^; done",
    "for %; do ^; done",
    "for % in @\ndo ^\ndone",
    "{ ^; }",
    "{ ^; ^\n}",
    "( ^ )",
    "(^; ^)",
    "^ | cat",
    "echo q | { ^; }",
    "{ ^; } | cat",
    "^ & wait",
    "{ ^; } & wait",
    "case $% in a) ^;; *) ^;; esac",
    "case @ in a|b) ^; esac",
    "case x in x) ^;; esac",
    "echo $(^)",
    "echo \"$(^)\"",
    "echo `^`",
    "cat <(^)",
    "! { ^; }",
    "sh -c '^'",
    "cat <<E\n$(^)\nE\n",
    "cat <<E; ^\n$%\nE\n",
    "cat <<E; ^\n$((1/0))\nE\n",
    "{ ^; } >o",
    "for % in a b; do ^; done >$f",
    "%() { ^; }",
    "time { ^; }",
    "^ && ^ || ^",
    "true && ^ && ^",
    "false || ^ || ^",
    "false && ^\n^",
    "false &&\n^\n^",
    "true ||\n\n# r\n^; ^",
    "echo $((1/0)); ^\n^",
};
constexpr std::string_view kJoins[] = {"; ",   "; ",   "; ",  "\n",  "\n",
                                       " && ", " || ", " | ", " & ", " ;\n"};

template <typename List>
std::string_view any_of(const List& list, Random& random) {
  return list[random.next() % std::size(list)];
}

// Mostly one of the first, which are followed.
template <typename List>
std::string_view mostly_of(const List& list, std::size_t first, Random& random) {
  return random.next() % 3 != 0 ? list[random.next() % first] : any_of(list, random);
}

class Maker {
 public:
  explicit Maker(Random& random) : random_(random) {}

  std::string line() {
    std::string text;
    for (std::uint64_t settings = random_.next() % 3; settings > 0; --settings)
      text += filled("%=@", 0) + std::string(random_.next() % 2 == 0 ? "; " : "\n");
    text += commands(2);
    return text + std::string(any_of(kJoins, random_)) + probe();
  }

 private:
  std::string filled(std::string_view form, int deeper) {
    std::string text;
    for (std::size_t i = 0; i < form.size(); ++i) {
      // "%%" within an expansion is an operation on a name.
      const bool name = form[i] == '%' && (i == 0 || !is_after_name(form, i));
      if (name)
        text += any_of(kNames, random_);
      else if (form[i] == '@')
        text += mostly_of(kTexts, 6, random_);
      else if (form[i] == '^')
        text += commands(deeper);
      else
        text += form[i];
    }
    return text;
  }
  // The second and third of ${%%..} and ${%%%..} are signs.
  static bool is_after_name(std::string_view form, std::size_t at) {
    const std::size_t open = form.rfind("${", at);
    return open != std::string_view::npos && open + 2 < at &&
           form.substr(open, at - open).find('}') == std::string_view::npos;
  }
  std::string probe() {
    std::string text = "printf \\<%s\\> P" + std::to_string(++probes_);
    for (std::uint64_t words = 1 + random_.next() % 3; words > 0; --words)
      text += " " + filled(mostly_of(kWords, 12, random_), 0);
    return text + " E >&2";
  }
  std::string command(int deeper) {
    const std::uint64_t kind = random_.next() % 10;
    if (kind < 5) return filled(mostly_of(kSettings, 9, random_), 0);
    if (kind < 8 || deeper == 0) return probe();
    return filled(any_of(kShapes, random_), deeper - 1);
  }
  std::string commands(int deeper) {
    std::string text = command(deeper);
    for (std::uint64_t more = random_.next() % 3; more > 0; --more)
      text += std::string(any_of(kJoins, random_)) + command(deeper);
    return text;
  }

  Random& random_;
  int probes_ = 0;
};

using Records = std::map<std::string, std::set<std::string>>;  // words by probe

// The words that the parser names, of probes all of whose words it names.
Records named_by_parser(const ShellCommand& parsed) {
  Records named;
  std::set<std::string> open;
  for (const SimpleCommand& command : parsed.commands) {
    if (command.program != "printf" || command.arguments.size() < 2) continue;
    const std::string& probe = command.arguments[1];
    std::string words;
    for (std::size_t i = 1; i < command.arguments.size(); ++i) {
      if (command.forms[i] != WordForm::kFixed) open.insert(probe);
      words += "<" + command.arguments[i] + ">";
    }
    named[probe].insert(words);
  }
  for (const std::string& probe : open) named.erase(probe);
  return named;
}

Records printed(std::string_view output) {
  Records all;
  for (std::size_t at = output.find("<P"); at != std::string_view::npos;
       at = output.find("<P", at + 1)) {
    const std::size_t name = output.find('>', at);
    const std::size_t end = output.find("<E>", at);
    if (name == std::string_view::npos || end == std::string_view::npos) break;
    all[std::string(output.substr(at + 1, name - at - 1))].insert(
        std::string(output.substr(at, end + 3 - at)));
  }
  return all;
}

class Folder {
 public:
  std::string output(const std::string& shell, const std::string& line, bool inherits) {
    EXPECT_TRUE(replace_file(system_files(), folder_.file("a"), "read this\n"));
    ProcessOptions options;
    options.arguments = {shell, "-c", line};
    options.working_directory = folder_.path();
    options.environment = {{"PATH", "/usr/bin:/bin"}, {"HOME", "/home/x"}, {"LC_ALL", "C.UTF-8"}};
    if (inherits) {
      for (const std::string_view name : kNames) (*options.environment)[std::string(name)] = "-E e";
    }
    options.timeout_ms = 10'000;
    const auto ran = run_process(options);
    return ran ? ran->err : std::string();
  }

 private:
  TemporaryDirectory folder_;
};

// ANIMA_TEST_SEED chooses other lines.
std::uint64_t first_seed() {
  const char* text = std::getenv("ANIMA_TEST_SEED");
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10) * 1'000'000;
}

TEST(ShellVariablesDifferential, ShellsHoldWhatTheParserNames) {
  const bool full = std::getenv("ANIMA_TEST_FULL") != nullptr;
  const std::uint64_t lines = full ? 100'000 : 2'000;
  const std::uint64_t first = first_seed();
  Folder folder;
  std::size_t held_up = 0;
  std::size_t compared = 0;
  for (std::uint64_t seed = first; seed < first + lines; ++seed) {
    SeededRandom random(seed);
    const std::string line = Maker(random).line();
    const auto judged = judge_shell(line);
    const auto parsed = parse_shell(line);
    if (!judged || !judged->harmless()) {
      ++held_up;
      continue;
    }
    const Records named = named_by_parser(*parsed);
    if (named.empty() || line.find('$') == std::string::npos) continue;
    for (const char* shell : {"/bin/sh", "/bin/bash"}) {
      if (!file_exists(system_files(), shell)) continue;
      for (const auto& [probe, seen] : printed(folder.output(shell, line, seed % 2 == 0))) {
        const auto known = named.find(probe);
        if (known == named.end()) continue;
        ++compared;
        for (const std::string& words : seen) {
          ASSERT_TRUE(known->second.contains(words))
              << shell << " seed " << seed << " has " << words << " and the parser "
              << *known->second.begin() << " of " << known->second.size() << "\n"
              << line;
        }
      }
    }
  }
  RecordProperty("compared", static_cast<int>(compared));
  EXPECT_GT(compared, lines / 20);
  EXPECT_LT(held_up, lines);
}

}  // namespace
}  // namespace anima::govern::shell_variables_differential_test
