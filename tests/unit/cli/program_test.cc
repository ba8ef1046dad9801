#include "cli/frame/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/approval_view.h"
#include "cli/render/table.h"
#include "cli/terminal/progress.h"
#include "support/cli_run.h"

namespace anima::cli {
namespace {

class Program : public testing::Test {
 protected:
  test::CliRun run(const std::vector<std::string>& arguments) {
    return test::run_cli(arguments, environment_);
  }
  void write(const std::string& name, std::string_view text) {
    const std::string path = folder_.file(name);
    ASSERT_TRUE(system_files().make_directories(std::string(parent_path(path))));
    ASSERT_TRUE(replace_file(system_files(), path, text));
  }

  TemporaryDirectory folder_;
  Environment environment_{{"HOME", folder_.path()}, {"XDG_CONFIG_HOME", folder_.file("config")}};
};

// What a file or a stranger wrote must not move the cursor of who reads it, or hide the question
// that comes next.
TEST(Stream, ATerminalGetsNothingThatItWouldObey) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(master, 0);
  ASSERT_EQ(grantpt(master), 0);
  ASSERT_EQ(unlockpt(master), 0);
  std::FILE* terminal = std::fopen(ptsname(master), "w");
  ASSERT_NE(terminal, nullptr);
  {
    FileStream stream(terminal);
    ASSERT_TRUE(stream.is_terminal());
    stream.write("\x1b[1mbold\x1b[0m\t\u00e9\x1b[2J\x1b[8m\r\u009b2J\u202e\x07\xff");
    stream.draw("\x1b[K\n");
    stream.flush();
  }
  std::string got(4096, '\0');
  got.resize(static_cast<std::size_t>(std::max<ssize_t>(read(master, got.data(), got.size()), 0)));
  std::fclose(terminal);
  close(master);
  EXPECT_TRUE(got.starts_with("\x1b[1mbold\x1b[0m")) << got;
  EXPECT_NE(got.find("\u00e9\\u{1b}[2J\\u{1b}[8m\\u{d}\\u{9b}2J\\u{202e}\\u{7}\ufffd\x1b[K"),
            std::string::npos)
      << got;
}

TEST(ApprovalText, ShowsWhatAReaderCouldMistake) {
  govern::Approval approval;
  approval.id = "id";
  approval.request.tool = "file:delete";
  approval.request.agent = "main";
  approval.request.arguments = Json::object({{"path", "\u0440ay\u00a0pal.txt"}, {"dry_run", true}});
  approval.evidence = Json::object(
      {{"labels",
        Json::array({Json::object(
            {{"argument", "path"}, {"source", "page\x1b[8m"}, {"trust", "untrusted"}})})}});
  const std::string text = approval_text(approval);
  EXPECT_NE(text.find("ay\\u{a0}pal.txt"), std::string::npos) << text;
  EXPECT_NE(text.find("made from  path: page\\u{1b}[8m, untrusted"), std::string::npos) << text;
  EXPECT_NE(text.find("characters that look like others: \u0440 (U+0440)\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("the tool takes no \"dry_run\""), std::string::npos) << text;
  approval.request.arguments =
      Json::object({{"path", "\u043f\u0440\u0438\u0432\u0435\u0442 a.txt"}});
  EXPECT_EQ(approval_text(approval).find("beware"), std::string::npos);
}

TEST_F(Program, ExplainsItself) {
  const test::CliRun help = run({"help"});
  EXPECT_EQ(help.code, kDone);
  EXPECT_NE(help.out.find("  ask "), std::string::npos);
  EXPECT_EQ(help.out.find("config show"), std::string::npos);
  EXPECT_EQ(run({"--help"}).out, help.out);
  EXPECT_NE(run({"help", "--all"}).out.find("config show"), std::string::npos);
  const test::CliRun nothing = run({});
  EXPECT_EQ(nothing.code, kUsage);
  EXPECT_TRUE(nothing.out.empty());
}

TEST_F(Program, EveryVerbHasHelpWithAnExample) {
  for (const Verb* verb : all_verbs()) {
    std::vector<std::string> arguments{"help"};
    const std::string name(verb->name);
    const std::size_t blank = name.find(' ');
    arguments.push_back(name.substr(0, blank));
    if (blank != std::string::npos) arguments.push_back(name.substr(blank + 1));
    const test::CliRun help = run(arguments);
    EXPECT_EQ(help.code, kDone) << name << help.err;
    EXPECT_NE(help.out.find("Usage: anima " + name), std::string::npos) << help.out;
    EXPECT_NE(help.out.find("Example:\n  "), std::string::npos) << name;
    EXPECT_NE(verb->example.find("anima"), std::string_view::npos) << name;
  }
}

TEST_F(Program, TellsItsVersion) {
  EXPECT_EQ(run({"version"}).out.substr(0, 6), "anima ");
  const auto json = parse_json(run({"version", "--json"}).out);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->find("name")->as_string(), "anima");
  EXPECT_NE(json->find("build")->find("compiler"), nullptr);
  EXPECT_FALSE(json->find("build")->find("type")->as_string().empty());
  for (const char* each : {"models", "postgresql", "nats", "fetch", "forge", "world_programs"})
    EXPECT_TRUE(json->find("features")->find(each)->is_bool()) << each;
  EXPECT_EQ(run({"--version"}).out, run({"version"}).out);
  EXPECT_EQ(run({"--version", "--json"}).out, run({"version", "--json"}).out);
  EXPECT_EQ(run({"--json", "--version"}).out, run({"version", "--json"}).out);
  EXPECT_EQ(run({"--json", "version"}).out, run({"version", "--json"}).out);
}

TEST_F(Program, JsonIsJsonWhateverWasNamed) {
  const test::CliRun missing = run({"tool", "info", "a\xff", "--json"});
  EXPECT_EQ(missing.code, 6);
  const auto json = parse_json(missing.out);
  ASSERT_TRUE(json) << missing.out;
  EXPECT_EQ(json->find("error")->find("where")->as_string(), "a\xef\xbf\xbd");
}

TEST_F(Program, HintsAtWhatWasMeant) {
  const test::CliRun verb = run({"verson"});
  EXPECT_EQ(verb.code, kUsage);
  EXPECT_NE(verb.err.find("did you mean \"version\"?"), std::string::npos);
  const test::CliRun below = run({"config", "shwo"});
  EXPECT_EQ(below.code, kUsage);
  EXPECT_NE(below.err.find("did you mean \"config show\"?"), std::string::npos);
  const test::CliRun option = run({"version", "--jsno"});
  EXPECT_EQ(option.code, kUsage);
  EXPECT_NE(option.err.find("did you mean \"--json\"?"), std::string::npos);
  const test::CliRun group = run({"config"});
  EXPECT_EQ(group.code, kUsage);
  EXPECT_NE(group.err.find("config check"), std::string::npos);
  EXPECT_EQ(run({"config", "--help"}).code, kDone);
  EXPECT_EQ(run({"--frob"}).code, kUsage);
}

TEST_F(Program, ShowsWhereASettingComesFrom) {
  write("config/anima/config.toml", "[log]\nlevel = 'info'\n");
  environment_["ANIMA_CLI_PROGRESS"] = "plain";
  const test::CliRun shown =
      run({"config", "show", "--origin", "--json", "--set", "cli.color=never"});
  const auto json = parse_json(shown.out);
  ASSERT_TRUE(json) << shown.err;
  std::map<std::string, std::string> origins;
  for (const Json& item : json->find("settings")->as_array()) {
    origins[item.find("name")->as_string()] = item.find("origin")->as_string();
  }
  EXPECT_EQ(origins["log.level"], folder_.file("config/anima/config.toml") + ":2:1");
  EXPECT_EQ(origins["cli.progress"], "environment ANIMA_CLI_PROGRESS");
  EXPECT_EQ(origins["cli.color"], "flag --set");
}

TEST_F(Program, ChecksTheConfiguration) {
  EXPECT_EQ(run({"config", "check"}).code, kDone);
  write("space/config.toml", "[log]\nlevle = 'info'\n");
  const test::CliRun unknown = run({"config", "check", "--space", folder_.file("space")});
  EXPECT_EQ(unknown.code, kFailed);
  EXPECT_NE(unknown.out.find("did you mean \"log.level\"?"), std::string::npos);
  const test::CliRun warned = run({"--space", folder_.file("space"), "config", "show"});
  EXPECT_EQ(warned.code, kDone);
  EXPECT_NE(warned.err.find("warning"), std::string::npos);
  write("space/config.toml", "[log\n");
  EXPECT_EQ(run({"config", "check", "--space", folder_.file("space")}).code, kFailed);
  const test::CliRun broken = run({"config", "show", "--json", "--space", folder_.file("space")});
  EXPECT_EQ(broken.code, kFailed);
  EXPECT_EQ(parse_json(broken.out)->find("error")->find("code")->as_string(), "syntax");
}

TEST_F(Program, CompletesCommandLines) {
  EXPECT_NE(run({"completion", "bash"}).out.find("complete -F"), std::string::npos);
  EXPECT_EQ(run({"completion", "tcsh"}).code, kUsage);
  EXPECT_EQ(run({"completion"}).code, kUsage);
  EXPECT_NE(run({"completion", "words", "--", "ver"}).out.find("version\t"), std::string::npos);
  EXPECT_EQ(run({"completion", "words", "--", "config", "sh"}).out.substr(0, 5), "show\t");
  EXPECT_EQ(run({"completion", "words", "--", "config", "show", "--or"}).out.substr(0, 9),
            "--origin\t");
  EXPECT_EQ(run({"completion", "words", "--", "completion", "zs"}).out.substr(0, 4), "zsh\t");
  EXPECT_EQ(run({"completion", "words", "--", "version", "--color", "al"}).out.substr(0, 7),
            "always\t");
}

TEST(ExitCodes, FollowTheContract) {
  const auto code_of = [](ErrorCode code, std::string message = {}) {
    return exit_code_for(Error{code, std::move(message), {}, {}});
  };
  EXPECT_EQ(code_of(ErrorCode::kSyntax), 1);
  EXPECT_EQ(code_of(ErrorCode::kDenied, "everything is closed"), 3);
  EXPECT_EQ(code_of(ErrorCode::kDenied, "waits for approval 3f2a: ask me"), 4);
  EXPECT_EQ(code_of(ErrorCode::kCorrupt), 5);
  EXPECT_EQ(code_of(ErrorCode::kNotFound), 6);
  EXPECT_EQ(code_of(ErrorCode::kBusy), 75);
  EXPECT_EQ(code_of(ErrorCode::kTimeout), 124);
  EXPECT_EQ(code_of(ErrorCode::kCancelled), 130);
}

const Verb kProbe{"probe", Group::kHelp, "is for tests", "", "anima probe", nullptr};

class OptionsTest : public testing::Test {
 protected:
  std::optional<int> parse(Options& options, std::vector<std::string> arguments) {
    context_.verb = &kProbe;
    return options.parse(context_, arguments);
  }
  test::StringStream out_;
  test::StringStream err_;
  Context context_{out_, err_, system_files(), {{"HOME", "/nonexistent"}}};
};

TEST_F(OptionsTest, ReadsEveryKind) {
  std::string name;
  std::vector<std::string> rest;
  std::optional<std::string> format;
  std::int64_t limit = 5;
  std::uint64_t count = 0;
  double ratio = 0;
  std::vector<std::string> goals;
  bool dry = false;
  bool other = false;
  Options options;
  options.positional("NAME", name, "a name").required();
  options.positional("REST", rest, "more");
  options.value("-f,--format F", format, "a format").choices({"csv", "json"});
  options.value("--limit N", limit, "a limit");
  options.value("--count N", count, "a count");
  options.value("--ratio X", ratio, "a ratio");
  options.values("--goal G", goals, "a goal");
  options.flag("--dry-run", dry, "only look");
  options.flag("--other", other, "not given");
  ASSERT_EQ(parse(options, {"n", "--goal", "a", "r1", "--goal=[b,c]", "-f", "csv", "--limit", "-3",
                            "[x,y]", "--count=7", "--ratio", "0.5", "--dry-run", "--", "--r3"}),
            std::nullopt)
      << err_.text();
  EXPECT_EQ(name, "n");
  EXPECT_EQ(rest, (std::vector<std::string>{"r1", "[x,y]", "--r3"}));
  EXPECT_EQ(format, "csv");
  EXPECT_EQ(limit, -3);
  EXPECT_EQ(count, 7U);
  EXPECT_EQ(ratio, 0.5);
  EXPECT_EQ(goals, (std::vector<std::string>{"a", "[b,c]"}));
  EXPECT_TRUE(dry);
  EXPECT_FALSE(other);
}

TEST_F(OptionsTest, ExplainsMistakes) {
  const auto mistake = [&](std::vector<std::string> arguments) {
    std::string name;
    std::int64_t limit = 0;
    std::string format;
    bool one = false;
    bool two = false;
    Options options;
    options.positional("NAME", name, "a name").required();
    options.value("--limit N", limit, "a limit");
    options.value("--format F", format, "a format").choices({"csv", "json"});
    options.flag("--one", one, "one");
    options.flag("--two", two, "two").excludes("--one");
    err_.clear();
    EXPECT_EQ(parse(options, std::move(arguments)), kUsage);
    return err_.text();
  };
  EXPECT_NE(mistake({}).find("NAME is missing"), std::string::npos);
  EXPECT_NE(mistake({"a", "b"}).find("unexpected argument \"b\""), std::string::npos);
  EXPECT_NE(mistake({"a", "--limit", "ten"}).find("\"ten\" is not a whole number"),
            std::string::npos);
  EXPECT_NE(mistake({"a", "--limit"}).find("--limit"), std::string::npos);
  EXPECT_NE(mistake({"a", "--format", "xml"}).find("choose one of csv, json"), std::string::npos);
  EXPECT_NE(mistake({"a", "--one", "--two"}).find("exclude each other"), std::string::npos);
  EXPECT_NE(mistake({"a", "--one=false"}).find("--one takes no value"), std::string::npos);
  EXPECT_NE(mistake({"a", "--one="}).find("--one takes no value"), std::string::npos);
  EXPECT_NE(mistake({"a", "--lmit", "3"}).find("did you mean \"--limit\"?"), std::string::npos);
}

TEST_F(OptionsTest, SetsTheContext) {
  Options options;
  ASSERT_EQ(parse(options, {"--space", "/s", "--json", "--progress", "json", "--color", "always"}),
            std::nullopt);
  EXPECT_EQ(context_.space, "/s");
  EXPECT_TRUE(context_.json);
  EXPECT_TRUE(context_.color);
  EXPECT_EQ(context_.progress, ProgressMode::kJson);
}

TEST_F(OptionsTest, ColoursOnlyWhereWanted) {
  Options options;
  ASSERT_EQ(parse(options, {}), std::nullopt);
  EXPECT_FALSE(context_.color);
  EXPECT_EQ(context_.paint(Paint::kRed, "x"), "x");
}

TEST_F(OptionsTest, ReportsProgressAsLines) {
  context_.progress = ProgressMode::kJson;
  Progress progress(context_, "import", "facts", 10);
  progress.update(10);
  progress.finish();
  const auto line = parse_json(err_.text());
  ASSERT_TRUE(line) << err_.text();
  EXPECT_EQ(line->find("done")->as_integer(), 10);
  EXPECT_TRUE(line->find("finished")->as_bool());
  EXPECT_TRUE(out_.text().empty());
}

TEST_F(OptionsTest, AlignsTables) {
  Table table({"name", "n"});
  table.align_right(1);
  table.add({"\xe6\xbc\xa2", "1"});
  table.add({"long\tname", "23"});
  EXPECT_EQ(table.render(context_), "name         n\n\xe6\xbc\xa2           1\nlong\\tname  23\n");
}

}  // namespace
}  // namespace anima::cli
