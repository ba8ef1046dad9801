// The program as a process: its streams, its signals, its completion script.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/process.h"
#include "support/needs.h"

namespace anima::program_test {
namespace {

const std::string& program() {
  static const std::string path = join_path(ANIMA_BINARY_DIR, "anima");
  return path;
}

ProcessResult shell(const std::string& script) {
  ProcessOptions options;
  options.arguments = {"bash", "-c", script, "bash", program()};
  options.timeout_ms = 60'000;
  return run_process(options).value();
}

// True once the process has a handler for SIGINT: bit 1 of the mask that the kernel shows.
bool catches_interrupt(pid_t pid) {
  const auto status = read_file(system_files(), "/proc/" + std::to_string(pid) + "/status");
  const std::size_t at = status ? status->find("SigCgt:\t") : std::string::npos;
  return at != std::string::npos &&
         (std::stoull(status->substr(at + 8, 16), nullptr, 16) & (1ULL << (SIGINT - 1))) != 0;
}

TEST(Program, FailsWhenItsResultCannotBeWritten) {
  ANIMA_NEEDS(test::kDevices, access("/dev/full", W_OK) == 0);
  const ProcessResult full = shell("\"$1\" help > /dev/full");
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_NE(full.err.find("cannot write the result"), std::string::npos) << full.err;
}

TEST(Program, EndsQuietlyWhenItsReaderGoesAway) {
  const ProcessResult gone = shell("for i in 1 2 3; do \"$1\" help; done | head -n 1");
  EXPECT_EQ(gone.err, "");
  EXPECT_EQ(gone.exit_code, 0);
}

TEST(Program, KeepsResultsAndComplaintsApart) {
  const ProcessResult wrong = shell("\"$1\" version --json --frobnicate");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_EQ(wrong.out, "");
  EXPECT_NE(wrong.err.find("unknown option --frobnicate"), std::string::npos);
  EXPECT_TRUE(parse_json(shell("\"$1\" version --json 2>/dev/null").out));
}

TEST(Program, AnswersAnMcpMessageThatIsTooLongAndGoesOn) {
  const TemporaryDirectory folder;
  const ProcessResult served = shell(
      "(head -c 20000000 /dev/zero | tr '\\0' x; echo; "
      "echo '{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}') | \"$1\" mcp --create --space " +
      folder.file("space"));
  EXPECT_EQ(served.exit_code, 0) << served.err;
  const std::size_t end = served.out.find('\n');
  ASSERT_NE(end, std::string::npos) << served.out;
  const auto refused = parse_json(served.out.substr(0, end));
  ASSERT_TRUE(refused) << served.out;
  EXPECT_EQ(refused->find("error")->find("code")->as_integer(), -32600);
  EXPECT_EQ(refused->find("error")->find("data")->find("maxBytes")->as_integer(), 16 << 20);
  EXPECT_EQ(served.out.substr(end + 1), "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n");
}

TEST(Program, StopsWithItsCodeOnInterrupt) {
  const TemporaryDirectory folder;
  ASSERT_EQ(shell("\"$1\" init --space " + folder.file("space")).exit_code, 0);
  ProcessOptions options;
  options.arguments = {program(), "kip", "--space", folder.file("space"), "-f", "-"};
  const auto child = ChildProcess::start(options).value();
  // It waits for its input, which stays open.
  for (int i = 0; i < 2000 && !catches_interrupt(child->pid()); ++i) usleep(10'000);
  child->signal(SIGINT);
  const auto end = child->wait(20'000);
  ASSERT_TRUE(end) << end.error().describe();
  EXPECT_EQ(end->exit_code, 130) << child->take_error_output();
}

TEST(Program, CompletesInBash) {
  const ProcessResult result = shell(
      "anima() { \"$ANIMA\" \"$@\"; }; ANIMA=$1; source <(\"$1\" completion bash); "
      "COMP_WORDS=(anima config sh); COMP_CWORD=2; _anima; echo \"${COMPREPLY[@]}\"");
  EXPECT_EQ(result.out, "show\n") << result.err;
}

}  // namespace
}  // namespace anima::program_test
