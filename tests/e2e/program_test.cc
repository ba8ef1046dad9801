// The program as a process: its streams, its signals, its completion script.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/process.h"
#include "base/text/text.h"
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

// The answers of `anima mcp` to these lines, by their ids, in their order.
std::vector<std::pair<std::string, Json>> mcp_answers(const std::string& lines) {
  const TemporaryDirectory folder;
  const ProcessResult served =
      shell("(" + lines + ") | \"$1\" mcp --create --space " + folder.file("space"));
  EXPECT_EQ(served.exit_code, 0) << served.err;
  std::vector<std::pair<std::string, Json>> answers;
  for (const std::string_view line : split(std::string_view(served.out), '\n')) {
    if (line.empty()) continue;
    const auto answer = parse_json(line);
    EXPECT_TRUE(answer) << line;
    if (answer) answers.emplace_back(answer->find("id")->dump(), *answer);
  }
  return answers;
}

TEST(Program, AnswersAnMcpMessageThatIsTooLongAndGoesOn) {
  const std::string much = "head -c 20000000 /dev/zero | tr '\\0' x; ";
  auto answers = mcp_answers(
      much +
      "echo; printf '{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"x\":\"'; " +
      much +
      "echo '\"},\"id\":9}'; echo '{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"prompts/list\"}'");
  ASSERT_EQ(answers.size(), 3u);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& [id, answer] = answers[i];
    EXPECT_EQ(id, i == 0 ? "null" : "9");
    EXPECT_EQ(answer.find("error")->find("code")->as_integer(), -32600);
    EXPECT_EQ(answer.find("error")->find("data")->find("maxBytes")->as_integer(), 16 << 20);
  }
  EXPECT_EQ(answers[2].first, "7");
  EXPECT_NE(answers[2].second.find("result"), nullptr);
}

TEST(Program, AnswersAPingDuringALongCall) {
  const std::string query =
      "FIND(COUNT(?a)) WHERE { ?a {} ?b {} ?c {} ?d {} ?e {} FILTER(?a.name < ?b.name || ?b.name < "
      "?c.name || ?c.name < ?d.name || ?d.name < ?e.name || ?e.name < ?a.name) }";
  const auto answers = mcp_answers(
      "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
      "\"execute_kip_readonly\",\"arguments\":{\"command\":\"" +
      query + "\"}}}'; echo '{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}'");
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].first, "2");
  EXPECT_EQ(answers[1].first, "1");
  EXPECT_NE(answers[1].second.find("result"), nullptr);
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
