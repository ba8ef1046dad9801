// Processes that act in one space at the same time, and processes that are killed while they act:
// how many calls run at once, and what is asked for.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/process.h"

namespace anima {
namespace {

class Together : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(anima({"init"}).exit_code, 0); }

  ProcessOptions call(const std::vector<std::string>& arguments) const {
    ProcessOptions options;
    options.arguments = {std::string(ANIMA_BINARY_DIR) + "/anima", "--space", space_};
    options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
    return options;
  }
  ProcessResult anima(const std::vector<std::string>& arguments) const {
    return run_process(call(arguments)).value();
  }
  ProcessResult run_tool(const std::string& tool, const Json& arguments) const {
    return anima({"tool", "run", tool, arguments.dump(), "--json"});
  }
  ProcessResult write_page(const std::string& path) const {
    return run_tool("file:write", Json::object({{"path", path}, {"content", "x"}}));
  }
  // A process whose call runs, and goes on until it is killed.
  std::unique_ptr<ChildProcess> start_long_call(const std::string& mark) const {
    const Json arguments = Json::object({{"command", "touch " + mark + " && sleep 25"}});
    auto child =
        ChildProcess::start(call({"tool", "run", "shell:execute", arguments.dump()})).value();
    for (int i = 0; i < 6000 && !file_exists(system_files(), space_ + "/work/" + mark); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_TRUE(file_exists(system_files(), space_ + "/work/" + mark))
        << child->take_error_output();
    return child;
  }
  static void kill(ChildProcess& child) {
    ASSERT_EQ(::kill(child.pid(), SIGKILL), 0);
    ASSERT_TRUE(child.wait(-1));
  }

  TemporaryDirectory folder_{"anima-together"};
  std::string space_ = folder_.file("space");
};

TEST_F(Together, TenCallsRunAtOnceAndAKilledOneMakesRoom) {
  std::vector<std::unique_ptr<ChildProcess>> running;
  for (int i = 0; i < 10; ++i) running.push_back(start_long_call("mark" + std::to_string(i)));
  const ProcessResult eleventh = write_page("a.txt");
  EXPECT_EQ(eleventh.exit_code, 75) << eleventh.err;
  const Json said = parse_json(eleventh.out).value();
  EXPECT_EQ(said.find("reason")->as_string(),
            "10 calls are running already, 10 of them in other processes");
  kill(*running[3]);
  EXPECT_EQ(write_page("a.txt").exit_code, 0);
}

TEST_F(Together, TheSameCallOfSeveralProcessesIsOneRequest) {
  const std::vector<std::string> removal = {"tool", "run", "file:delete", R"({"path":"a.txt"})",
                                            "--json"};
  std::vector<std::unique_ptr<ChildProcess>> asking;
  for (int i = 0; i < 6; ++i) asking.push_back(ChildProcess::start(call(removal)).value());
  for (const auto& each : asking) EXPECT_EQ(each->wait(-1)->exit_code, 4);
  const Json waiting = parse_json(anima({"approve", "list", "--json"}).out).value();
  EXPECT_EQ(waiting.find("approvals")->as_array().size(), 1u) << waiting.dump(2);
}

}  // namespace
}  // namespace anima
