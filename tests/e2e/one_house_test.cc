// One house behind every door: what a rule of the owner denies is denied from each of them, and a
// text that was recalled carries its label into what is done next.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "anima/governed_agent.h"
#include "base/file.h"
#include "support/command.h"

namespace anima {
namespace {

constexpr std::string_view kReason = "notes stay closed in this house";

class OneHouse : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::system(("chmod 755 " + folder_.path()).c_str()), 0);
    test::init_space(folder_);
    ASSERT_TRUE(system_files().make_directories(space_ + "/policy"));
    ASSERT_TRUE(system_files().make_directories(space_ + "/work"));
    put(space_ + "/work/notes.txt", "the notes");
    put(space_ + "/policy/house.mg",
        "deny(Call, \"" + std::string(kReason) + "\") :- call(Call, \"file:read\", _, _).\n");
  }
  void put(const std::string& path, std::string_view text) {
    ASSERT_TRUE(replace_file(system_files(), path, text)) << path;
  }
  std::string anima(const std::string& arguments, const std::string& input = {}) {
    put(folder_.file("input"), input);
    return test::run_command("HOME=" + folder_.path() + " ANIMA_SPACE=" + space_ + " " +
                             ANIMA_BINARY_DIR + "/anima " + arguments + " <" +
                             folder_.file("input") + " 2>&1")
        .out;
  }
  // How often the ledger says that the rule denied.
  std::size_t denials() {
    const std::string log = anima("audit log --json --limit 1000");
    std::size_t count = 0;
    for (std::size_t at = log.find(kReason); at != std::string::npos;
         at = log.find(kReason, at + 1))
      ++count;
    return count;
  }
  void expect_denied(const std::string& arguments, const std::string& input = {}) {
    const std::size_t before = denials();
    const std::string out = anima(arguments, input);
    EXPECT_EQ(out.find("the notes"), std::string::npos) << arguments << "\n" << out;
    EXPECT_GT(denials(), before) << arguments << "\n" << out;
  }

  TemporaryDirectory folder_{"anima-house"};
  std::string space_ = folder_.file("space");
};

TEST_F(OneHouse, ARuleOfTheOwnerDeniesFromEveryDoor) {
  expect_denied(R"(tool run file:read '{"path":"notes.txt"}')");
  expect_denied("message 'read notes.txt'");
  expect_denied("chat", "read notes.txt\n");
  expect_denied("run 'read the file ./notes.txt' --max-cycles 4");
  anima("agent cycle --goal 'read ./notes.txt again'");
  expect_denied("agent resume --max-cycles 3");
  expect_denied("mcp --act --trust verified",
                R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":)"
                R"("2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})"
                "\n"
                R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"call_tool",)"
                R"("arguments":{"tool":"file:read","arguments":{"path":"notes.txt"}}}})"
                "\n");
}

TEST_F(OneHouse, ARuleOfTheOwnerDeniesInTheLibrary) {
  auto agent = GovernedAgent::open(space_).value();
  ToolCall call;
  call.tool = "file:read";
  call.arguments = Json::object({{"path", "notes.txt"}});
  call.label = TrustLevel::kOperator;
  const auto result = agent.call(call);
  ASSERT_TRUE(result) << result.error().describe();
  EXPECT_NE(result->reason.find(kReason), std::string::npos) << result->reason;
}

}  // namespace
}  // namespace anima
