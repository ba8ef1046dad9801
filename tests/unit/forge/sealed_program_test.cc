// Rows X1 to X13 of learning_and_psyche: real programs, compiled by the real compiler, in the real
// sandbox.
#include "tools/sandbox/sealed_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <string>

#include "base/crypto.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "forge/compiler.h"
#include "support/forge_check.h"
#include "support/needs_sandbox.h"

namespace anima::forge::sealed_program_test {
namespace {

const TemporaryDirectory& programs() {
  static const TemporaryDirectory folder("anima-forge-test");
  return folder;
}

// A program around the body of run(); the checker is not asked.
tools::ProgramAccess program(const std::string& before, const std::string& body) {
  static int number = 0;
  const auto compiled = test::compiled("#include \"tool_api.hpp\"\n" + before +
                                       "\ntool::Result run(const tool::Input& input, "
                                       "tool::Cancel) {\n(void)input;\n" +
                                       body + "\n}\n");
  EXPECT_TRUE(compiled && compiled->success)
      << (compiled ? compiled->errors : compiled.error().describe());
  tools::ProgramAccess access;
  access.command = {programs().file("tool" + std::to_string(++number))};
  if (!compiled) return access;
  EXPECT_TRUE(replace_file(system_files(), access.command[0], compiled->binary, 0755).has_value());
  access.sealed = hash_hex(HashAlgorithm::kSha256, compiled->binary);
  return access;
}

Result<Json> ran(const tools::ProgramAccess& access, const Json& arguments = Json::object(),
                 std::int64_t wall_ms = 20'000) {
  tools::SealedOptions options;
  options.wall_ms = wall_ms;
  return tools::run_sealed("probe", access, arguments, options);
}

class Sealed : public ::testing::Test {
 protected:
  void SetUp() override { ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces()); }
};

TEST_F(Sealed, X1Echo) {
  const auto echo = program("", "return {input.input, {}};");
  const auto result = ran(echo, Json::object({{"input", "hi \"there\"\n"}}));
  ASSERT_TRUE(result.has_value()) << result.error().describe();
  EXPECT_EQ(result->find("text")->as_string(), "hi \"there\"\n");
}

TEST_F(Sealed, X2ToolError) {
  const auto result = ran(program("", "return {{}, \"no such column\"};"));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(result.error().message.find("no such column"), std::string::npos);
}

// Nobody but the program around run() reads what is no JSON: it is asked as its caller asks it.
TEST_F(Sealed, X3WhatIsNoJsonIsTheTextItself) {
  const auto echo = program("", "return {\"<\" + input.input + \">\", {}};");
  for (const auto& [given, heard] :
       {std::pair<std::string, std::string>{" plain words \n", "<plain words>"},
        {"[1, 2", "<[1, 2>"},
        {"{\"input\": \"hi\"}", "<hi>"},
        {"", "<>"}}) {
    tools::SandboxRequest request;
    request.arguments = {echo.command[0]};
    request.input = given;
    request.bare = true;
    request.working_directory = "/";
    const auto ran = tools::run_sandboxed(request);
    ASSERT_TRUE(ran.has_value()) << ran.error().describe();
    const auto json = parse_json(trim(ran->process.out));
    ASSERT_TRUE(json.has_value()) << given << ran->process.out;
    EXPECT_EQ(json->find("output")->as_string(), heard) << given;
  }
}

TEST_F(Sealed, X4ChatterBreaksTheProtocol) {
  const auto result =
      ran(program("#include <cstdio>", "std::puts(\"hello\"); return {\"x\", {}};"));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kCorrupt);
}

TEST_F(Sealed, X5InputLimit) {
  const auto echo = program("", "return {tool::number_text(double(input.input.size())), {}};");
  const std::string most(tools::kMostSealedInput - 64, 'x');
  const auto good = ran(echo, Json::object({{"input", most}}));
  ASSERT_TRUE(good.has_value()) << good.error().describe();
  EXPECT_EQ(good->find("text")->as_string(), std::to_string(most.size()));
  const auto long_one =
      ran(echo, Json::object({{"input", std::string(tools::kMostSealedInput + 1, 'x')}}));
  ASSERT_FALSE(long_one.has_value());
  EXPECT_EQ(long_one.error().code, ErrorCode::kLimitExceeded);
}

TEST_F(Sealed, X6X7X8NothingOfTheMachine) {
  ::setenv("ANIMA_SECRET", "hidden", 1);
  const auto probe = program(
      "#include <cerrno>\n#include <cstdlib>\n#include <fcntl.h>\n#include <sys/socket.h>\n"
      "#include <unistd.h>\n#include <dirent.h>\nextern char** environ;",
      "std::string out;\n"
      "out += environ[0] == nullptr ? \"no environment;\" : environ[0];\n"
      "out += ::socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EPERM ? \"no socket;\" : "
      "\"socket;\";\n"
      "int pair[2]; out += ::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 ? \"no pair;\" : "
      "\"pair;\";\n"
      "for (const char* p : {\"/etc/passwd\", \"/proc/self/status\", \"/dev/null\", "
      "\"/usr/bin/env\"})\n"
      "  out += ::open(p, O_RDONLY) < 0 ? \"no file;\" : \"file;\";\n"
      "out += ::open(\"/x\", O_RDWR | O_CREAT, 0600) < 0 ? \"no write;\" : \"write;\";\n"
      "DIR* root = ::opendir(\"/\"); if (root != nullptr) { while (auto* e = ::readdir(root))\n"
      "  if (e->d_name[0] != '.') { out += e->d_name; out += \";\"; } }\n"
      "return {out, {}};");
  const auto result = ran(probe);
  ::unsetenv("ANIMA_SECRET");
  ASSERT_TRUE(result.has_value()) << result.error().describe();
  EXPECT_EQ(result->find("text")->as_string(),
            "no environment;no socket;no pair;no file;no file;no file;no file;no write;tool;");
}

TEST_F(Sealed, X8FoldersAreReadOnly) {
  const TemporaryDirectory folder("anima-shown");
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  ASSERT_TRUE(replace_file(system_files(), folder.file("a.txt"), "seen", 0666).has_value());
  auto access = program(
      "#include <fcntl.h>\n#include <unistd.h>",
      "std::string p = input.args[0]; char b[9] = {}; int f = ::open(p.c_str(), O_RDONLY);\n"
      "long got = ::read(f, b, 8); (void)got; std::string out = b;\n"
      "out += ::open(p.c_str(), O_WRONLY) < 0 ? \";no write\" : \";write\"; return {out, {}};");
  access.folders = {{folder.path(), false}};
  const auto result =
      ran(access, Json::object({{"args", Json::array({Json(folder.file("a.txt"))})}}));
  ASSERT_TRUE(result.has_value()) << result.error().describe();
  EXPECT_EQ(result->find("text")->as_string(), "seen;no write");
}

TEST_F(Sealed, X9EndlessLoop) {
  const auto result =
      ran(program("", "for (volatile int i = 0;; i = i + 1) {} return {};"), {}, 700);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kTimeout);
  // Who only waits takes no time of the processor, and has no longer.
  const auto waited = ran(program("#include <chrono>\n#include <thread>",
                                  "std::this_thread::sleep_for(std::chrono::seconds(2)); return "
                                  "{\"waited\", {}};"),
                          {}, 700);
  ASSERT_FALSE(waited.has_value());
  EXPECT_EQ(waited.error().code, ErrorCode::kTimeout);
}

TEST_F(Sealed, X10Memory) {
  const auto held = [](const std::string& mebibytes) {
    return ran(program("", "std::vector<std::string> all; for (int i = 0; i < " + mebibytes +
                               "; ++i)\n  all.push_back(std::string(1 << 20, 'x')); return "
                               "{\"held\", {}};"));
  };
  EXPECT_TRUE(held("100").has_value());
  const auto result = held("400");
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().describe().find("probe"), std::string::npos);
}

TEST_F(Sealed, X11NoProcess) {
  const auto result = ran(program("#include <unistd.h>\n#include <sys/wait.h>",
                                  "int children = 0; for (int i = 0; i < 100; ++i) { int p = "
                                  "::fork(); if (p == 0) ::_exit(0);\n"
                                  "  if (p > 0) ++children; }\n"
                                  "char* a[] = {const_cast<char*>(\"/tool\"), nullptr}; (void)a;\n"
                                  "return {tool::number_text(children), {}};"));
  ASSERT_TRUE(result.has_value()) << result.error().describe();
  EXPECT_EQ(result->find("text")->as_string(), "0");
}

TEST_F(Sealed, X12NoSandboxNoRun) {
  const auto echo = program("", "return {input.input, {}};");
  tools::SandboxFacts none;
  const auto refused = tools::run_sealed("probe", echo, Json::object(), {}, none);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kNoSandbox);
}

TEST_F(Sealed, X13TemplateBombEnds) {
  const auto compiled = [](int depth, std::uint64_t cpu_seconds, std::uint64_t mebibytes) {
    CompileOptions options = test::forge_compiler();
    options.cpu_seconds = cpu_seconds;
    options.memory_bytes = mebibytes << 20;
    return test::compiled(
        "#include \"tool_api.hpp\"\n"
        "template <int A, long B> struct T { static constexpr long v = T<A - 1, 2 * B>::v + T<A - "
        "1, 2 * B + 1>::v; };\ntemplate <long B> struct T<0, B> { static constexpr long v = 1; "
        "};\ntool::Result run(const tool::Input&, tool::Cancel) { return {tool::number_text(T<" +
            std::to_string(depth) + ", 1>::v), {}}; }\n",
        options);
  };
  const auto memory = compiled(40, 30, 512);
  ASSERT_TRUE(memory.has_value()) << memory.error().describe();
  EXPECT_FALSE(memory->success);
  // With more time it would end well.
  const auto processor = compiled(17, 1, 2048);
  ASSERT_TRUE(processor.has_value()) << processor.error().describe();
  EXPECT_FALSE(processor->success);
}

// ANIMA_TEST_FULL=1: a thousand calls; `./dev bench forge` measures them.
TEST_F(Sealed, ManyCallsLeaveNothingBehind) {
  const auto echo = program("", "return {input.input, {}};");
  const TemporaryDirectory temporary("anima-many");
  ASSERT_EQ(::setenv("TMPDIR", temporary.path().c_str(), 1), 0);
  const auto left = [&] {
    std::string children;
    const std::string own = "/proc/self/task/" + std::to_string(::getpid()) + "/children";
    if (const int file = ::open(own.c_str(), O_RDONLY); file >= 0) {
      char buffer[4096];
      for (ssize_t got = 0; (got = ::read(file, buffer, sizeof buffer)) > 0;)
        children.append(buffer, static_cast<std::size_t>(got));
      ::close(file);
    }
    return std::pair(children, system_files().list("/proc/self/fd")->size());
  };
  ASSERT_TRUE(ran(echo).has_value());
  const auto before = left();
  const int calls = std::getenv("ANIMA_TEST_FULL") == nullptr ? 100 : 1000;
  for (int i = 0; i < calls; ++i) ASSERT_TRUE(ran(echo).has_value()) << i;
  EXPECT_EQ(left(), before);
  EXPECT_TRUE(system_files().list(temporary.path())->empty());
  ::unsetenv("TMPDIR");
}

TEST_F(Sealed, AnotherProgramDoesNotRun) {
  auto echo = program("", "return {input.input, {}};");
  auto bytes = read_file(system_files(), echo.command[0]);
  ASSERT_TRUE(bytes.has_value());
  (*bytes)[bytes->size() / 2] = static_cast<char>((*bytes)[bytes->size() / 2] ^ 1);
  ASSERT_TRUE(replace_file(system_files(), echo.command[0], *bytes, 0755).has_value());
  const auto result = ran(echo);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace anima::forge::sealed_program_test
