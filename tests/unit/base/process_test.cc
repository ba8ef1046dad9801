#include "base/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>

#include "base/files/file.h"
#include "base/log.h"

namespace anima {
namespace {

ProcessResult run(std::vector<std::string> arguments, std::string input = {},
                  std::int64_t timeout_ms = 10'000) {
  ProcessOptions options;
  options.arguments = std::move(arguments);
  options.input = std::move(input);
  options.timeout_ms = timeout_ms;
  auto result = run_process(options);
  EXPECT_TRUE(result) << (result ? "" : result.error().describe());
  return result ? *result : ProcessResult{};
}

TEST(Process, SeparatesItsStreams) {
  const ProcessResult result = run({"sh", "-c", "cat; echo bad >&2; exit 3"}, "input");
  EXPECT_EQ(result.out, "input");
  EXPECT_EQ(result.err, "bad\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_FALSE(result.ok());
}

TEST(Process, MovesMoreThanAPipeHolds) {
  const std::string big(1 << 20, 'x');
  EXPECT_EQ(run({"cat"}, big).out, big);
  EXPECT_TRUE(run({"true"}, big).ok());  // a child that does not read its input
  ProcessOptions options;
  options.arguments = {"cat"};
  options.input = big;
  options.max_output_bytes = 1000;
  const auto cut = run_process(options).value();
  EXPECT_EQ(cut.out.size(), 1000U);
  EXPECT_TRUE(cut.truncated);
}

TEST(Process, SaysWhenThereIsNoSuchProgram) {
  ProcessOptions options;
  options.arguments = {"/no/such/program"};
  EXPECT_EQ(run_process(options).error().code, ErrorCode::kNotFound);
  options.arguments = {};
  EXPECT_EQ(run_process(options).error().code, ErrorCode::kInvalidArgument);
}

TEST(Process, KillsTheWholeGroupWhenTheTimeIsOver) {
  const TemporaryDirectory folder;
  const auto start = std::chrono::steady_clock::now();
  const ProcessResult result =
      run({"sh", "-c", "sleep 60 & echo $! > " + folder.file("pid") + "; wait"}, "", 300);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  const int grandchild = std::stoi(read_file(system_files(), folder.file("pid")).value());
  // Its parent is gone; init reaps it in its own time, so a zombie counts as dead.
  bool dead = false;
  for (int i = 0; i < 200 && !dead; ++i) {
    const auto stat = read_file(system_files(), "/proc/" + std::to_string(grandchild) + "/stat");
    dead = !stat || stat->find(") Z ") != std::string::npos;
    if (!dead) usleep(10'000);
  }
  EXPECT_TRUE(dead);
}

TEST(Process, DoesNotWaitForGrandchildrenThatHoldThePipes) {
  const auto start = std::chrono::steady_clock::now();
  const ProcessResult result = run({"sh", "-c", "sleep 60 & echo done"}, "", 30'000);
  EXPECT_EQ(result.out, "done\n");
  EXPECT_TRUE(result.ok());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Process, HasItsOwnFolderAndEnvironment) {
  const TemporaryDirectory folder;
  ProcessOptions options;
  options.arguments = {"/bin/sh", "-c", "pwd; echo $ONLY$HOME"};
  options.working_directory = folder.path();
  options.environment = Environment{{"ONLY", "this"}};
  EXPECT_EQ(run_process(options)->out, folder.path() + "\nthis\n");
}

TEST(ChildProcess, TalksLineByLine) {
  ProcessOptions options;
  options.arguments = {"sh", "-c", "while read x; do echo got $x; done; echo bye; printf end"};
  const auto child = ChildProcess::start(options).value();
  ASSERT_TRUE(child->write("a\nb\n"));
  EXPECT_EQ(child->read_line(10'000).value(), "got a");
  EXPECT_EQ(child->read_line(10'000).value(), "got b");
  EXPECT_EQ(child->read_line(20).error().code, ErrorCode::kTimeout);
  EXPECT_EQ(child->wait(0).error().code, ErrorCode::kTimeout);
  child->close_input();
  EXPECT_EQ(child->read_line(10'000).value(), "bye");
  EXPECT_EQ(child->read_line(10'000).value(), "end");
  EXPECT_EQ(child->read_line(10'000).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(child->wait(10'000)->ok());
  EXPECT_FALSE(child->write("x"));
}

TEST(ChildProcess, ExchangesBothWaysWithoutHoldingEachOtherUp) {
  ProcessOptions options;
  options.arguments = {"sh", "-c", "cat; echo told >&2"};
  const auto child = ChildProcess::start(options).value();
  // Far more than the two pipes hold: writing it all before reading would wait for ever.
  const std::string sent(3'000'000, 'x');
  std::string_view left = sent;
  std::string got, said;
  while (got.size() < sent.size()) {
    const auto moved = child->exchange(left, 10'000);
    ASSERT_TRUE(moved.has_value()) << moved.error().describe();
    left.remove_prefix(moved->written);
    got += moved->out;
  }
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(got, sent);
  EXPECT_EQ(child->exchange({}, 50).error().code, ErrorCode::kTimeout);
  child->close_input();
  auto moved = child->exchange({}, 10'000);
  while (moved) {
    said += moved->err;
    moved = child->exchange({}, 10'000);
  }
  EXPECT_EQ(said, "told\n");
  EXPECT_EQ(moved.error().code, ErrorCode::kIo);
}

TEST(ChildProcess, DiesBySignalAndOnDestruction) {
  ProcessOptions options;
  options.arguments = {"sleep", "60"};
  auto child = ChildProcess::start(options).value();
  child->signal(SIGKILL);
  EXPECT_EQ(child->wait(10'000)->signal, SIGKILL);
  child = ChildProcess::start(options).value();
  const pid_t pid = child->pid();
  child.reset();
  EXPECT_NE(kill(pid, 0), 0);
}

TEST(Log, PassesWhatItsLevelAllowsAndEscapesControl) {
  std::vector<std::pair<LogLevel, std::string>> lines;
  set_log_sink([&](LogLevel level, std::string_view room, std::string_view message) {
    lines.emplace_back(level, std::string(room) + ' ' + std::string(message));
  });
  log_info("store", "hidden");
  log_warning("store", "two\nlines\x1b[31m \xc3\xa9");
  set_log_level(LogLevel::kDebug);
  log_debug("store", "shown");
  set_log_level(LogLevel::kWarning);
  set_log_sink({});
  EXPECT_EQ(lines, (std::vector<std::pair<LogLevel, std::string>>{
                       {LogLevel::kWarning, "store two\\nlines\\x1b[31m \xc3\xa9"},
                       {LogLevel::kDebug, "store shown"}}));
  EXPECT_EQ(parse_log_level("Info").value(), LogLevel::kInfo);
  EXPECT_FALSE(parse_log_level("loud"));
}

}  // namespace
}  // namespace anima
