// `anima mcp` through the public MCP clients. They come from npm:
//   npm install @modelcontextprotocol/sdk @modelcontextprotocol/client     in the folder that
//   ANIMA_MCP_CLIENTS names
// Without that folder the tests are skipped; tests/unit/serve covers the protocol without clients.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/file.h"

namespace anima {
namespace {

class McpClients : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("ANIMA_MCP_CLIENTS");
    if (folder == nullptr) GTEST_SKIP() << "ANIMA_MCP_CLIENTS is not set";
    modules_ = folder;
    char name[] = "/tmp/anima_mcp_XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    work_ = name;
  }
  void TearDown() override {
    if (work_.empty()) return;
    EXPECT_TRUE(remove_tree(system_files(), work_));
  }
  // Modules are found beside the script, so it runs from a copy in the clients' folder.
  std::string run(const std::string& script, const std::string& arguments) const {
    const std::string copy = modules_ + "/" + script;
    const std::string command = "cp " ANIMA_SOURCE_DIR "/tests/e2e/mcp_clients/" + script + " " +
                                copy + " && node " + copy + " " ANIMA_BINARY_DIR "/anima " + work_ +
                                "/space " + arguments + " 2>&1";
    std::FILE* pipe = popen(command.c_str(), "r");
    std::string output;
    char buffer[256];
    while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) output += buffer;
    pclose(pipe);
    return output;
  }
  std::string modules_, work_;
};

TEST_F(McpClients, SessionOfTheFirstEra) { EXPECT_EQ(run("sdk_v1.mjs", ""), "v1 ok anima\n"); }

TEST_F(McpClients, BothErasOfTheSecondClient) {
  EXPECT_NE(run("client_v2.mjs", "").find("v2 ok default 2025-11-25"), std::string::npos);
  EXPECT_NE(run("client_v2.mjs", "auto").find("v2 ok auto 2026-07-28"), std::string::npos);
}

}  // namespace
}  // namespace anima
