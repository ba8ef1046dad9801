// `anima mcp` and `anima serve` through the public MCP clients of npm and the suite of conformance,
// in both eras of the protocol. `./dev setup test` installs them, pinned by
// tests/e2e/mcp_clients/package-lock.json, into build/mcp_clients; ANIMA_MCP_CLIENTS names another
// folder with that package's node_modules.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/files/file.h"
#include "support/command.h"
#include "support/needs.h"
#include "support/node.h"

namespace anima::mcp_clients_test {
namespace {

class McpClients : public testing::Test {
 protected:
  void SetUp() override {
    const char* named = std::getenv("ANIMA_MCP_CLIENTS");
    modules_ = (named != nullptr ? named : ANIMA_SOURCE_DIR "/build/mcp_clients");
    modules_ += "/node_modules";
    ANIMA_NEEDS(test::kNpm,
                file_exists(system_files(), modules_ + "/@modelcontextprotocol/client"));
    char name[] = "/tmp/anima_mcp_XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    work_ = name;
    const std::string init = ANIMA_BINARY_DIR "/anima --space " + work_ + "/space init";
    ASSERT_EQ(test::run_command(init).code, 0);
  }
  void TearDown() override {
    if (work_.empty()) return;
    EXPECT_TRUE(remove_tree(system_files(), work_));
  }
  // A script finds its modules beside itself, so it runs from a copy beside a link to them.
  std::string run(const std::string& script, const std::string& arguments) const {
    const std::string command =
        "cd " + work_ + " && ln -sfn " + modules_ + " node_modules && cp " +
        ANIMA_SOURCE_DIR "/tests/e2e/mcp_clients/*.mjs . && " + test::node_program() + " " +
        script + " " ANIMA_BINARY_DIR "/anima " + work_ + "/space " + arguments + " 2>&1";
    return test::run_command(command).out;
  }
  std::string modules_, work_;
};

// Each scenario of the public suite in each version that it knows, against `anima serve`.
TEST_F(McpClients, TheSuiteOfConformance) {
  const std::string out = run("conformance.mjs", "");
  EXPECT_NE(out.find("2025-11-25: "), std::string::npos) << out;
  EXPECT_TRUE(out.ends_with("conformance ok\n")) << out;
}

TEST_F(McpClients, SessionOfTheFirstClient) { EXPECT_EQ(run("sdk_v1.mjs", ""), "v1 ok anima\n"); }

TEST_F(McpClients, AClientThatActsIsToldWhatItCanDoNext) {
  EXPECT_EQ(run("acting.mjs", ""), "acting ok\n");
}

TEST_F(McpClients, TheFirstHourWithoutASchema) {
  EXPECT_EQ(run("first_hour.mjs", "open"), "first hour ok\n");
}

TEST_F(McpClients, TheFirstHourWithASchema) {
  EXPECT_EQ(run("first_hour.mjs", ""), "first hour ok\n");
}

TEST_F(McpClients, TheFirstHourThroughThePythonClient) {
  const std::string python = modules_ + "/../python/bin/python";
  ANIMA_NEEDS(test::kPypi, file_exists(system_files(), python));
  const std::string script = std::string(ANIMA_SOURCE_DIR) + "/tests/e2e/mcp_clients/first_hour.py";
  const std::string command =
      python + " " + script + " " + ANIMA_BINARY_DIR + "/anima " + work_ + "/space 2>&1";
  EXPECT_EQ(test::run_command(command).out, "first hour ok\n");
}

TEST_F(McpClients, SessionOfTheSecondClientInTheFirstEra) {
  EXPECT_EQ(run("client_v2.mjs", ""), "v2 ok default 2025-11-25\n");
}

TEST_F(McpClients, SessionOfTheSecondClientInTheSecondEra) {
  EXPECT_EQ(run("client_v2.mjs", "auto"), "v2 ok auto 2026-07-28\n");
}

}  // namespace
}  // namespace anima::mcp_clients_test
