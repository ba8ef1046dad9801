// The page of `anima serve` in a browser (Debian's Chromium, driven by Playwright from npm), on a
// space of its own; and that web/dist is what web/src is built to.
//
// `./dev setup test` installs what it needs: Chromium, and web/package-lock.json into build/page.
// PAGE_PICTURES names a folder for pictures of every view.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/files/file.h"
#include "base/json/json.h"
#include "support/background.h"
#include "support/command.h"
#include "support/needs.h"
#include "support/node.h"
#include "support/program_on_space.h"

namespace anima::page_test {
namespace {

const std::string kTools = ANIMA_SOURCE_DIR "/build/page/node_modules";

class Page : public test::ProgramOnSpace {
 protected:
  void SetUp() override {
    ANIMA_NEEDS(test::kNpm, file_exists(system_files(), kTools + "/playwright-core/package.json"));
    ANIMA_NEEDS(test::kChromium, file_exists(system_files(), "/usr/bin/chromium"));
    test::ProgramOnSpace::SetUp();
    writer_ = token({"writer"});
    reader_ = token({"reader", "--readonly", "--approvals"});
  }
  std::string token(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"serve", "token", "add"});
    const std::string out = anima(arguments).out;
    return out.substr(0, out.find('\n'));
  }
  std::string text_of(const std::string& name) const {
    return read_file(system_files(), folder_.file(name), 1 << 22).value_or("");
  }
  void serve() {
    server_ = test::Background("exec " ANIMA_BINARY_DIR "/anima --space " + space_ +
                               " serve --listen 127.0.0.1:0 --json --log off >" +
                               folder_.file("out.txt") + " 2>" + folder_.file("err.txt"));
    const auto begun = std::chrono::steady_clock::now();
    while (text_of("out.txt").find('\n') == std::string::npos && server_.runs() &&
           std::chrono::steady_clock::now() - begun < std::chrono::seconds(60))
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_TRUE(server_.runs()) << text_of("err.txt");
    const auto told = parse_json(text_of("out.txt"));
    ASSERT_TRUE(told) << text_of("out.txt");
    url_ = told->find("page")->as_string();
    ASSERT_TRUE(url_.ends_with('/')) << url_;
    url_.pop_back();
  }
  // A script finds its modules beside itself, so it runs from a copy beside a link to them.
  std::string run(const std::string& script) {
    serve();
    const std::string work = folder_.file("work");
    const std::string command =
        "mkdir -p " + work + " && cd " + work + " && ln -sfn " + kTools + " node_modules && cp " +
        ANIMA_SOURCE_DIR "/tests/e2e/page/*.mjs . && " + test::node_program() + " " + script + " " +
        url_ + " " + writer_ + " " + reader_ + " " + space_ + " 2>&1";
    return test::run_command(command).out;
  }

  std::string writer_, reader_, url_;
  test::Background server_;
};

TEST_F(Page, EachViewWithData) { EXPECT_EQ(run("views.mjs"), "views ok\n"); }

TEST_F(Page, WhatIsWrittenByOthersRunsNothing) { EXPECT_EQ(run("hostile.mjs"), "hostile ok\n"); }

TEST_F(Page, WithoutAMouse) { EXPECT_EQ(run("keyboard.mjs"), "keyboard ok\n"); }

TEST_F(Page, ItsLooksInTheLightInTheDarkAndOnAPhone) { EXPECT_EQ(run("looks.mjs"), "looks ok\n"); }

TEST_F(Page, ATokenThatOnlyReadsSeesNoButtonThatWrites) {
  EXPECT_EQ(run("reads.mjs"), "reads ok\n");
}

TEST_F(Page, RunsSleepAndTwoThingsThatBecomeOne) {
  ASSERT_EQ(
      anima({"kip", R"(UPSERT { CONCEPT { {type: "$ConceptType", name: "Sensor"} } })"}).exit_code,
      0);
  for (int cycle = 0; cycle < 2; ++cycle) {
    std::string sensors;
    for (int i = 0; i < 6; ++i) {
      sensors += R"(CONCEPT { {type: "Sensor", name: "sensor )" + std::to_string(cycle * 6 + i) +
                 R"("} } )";
    }
    ASSERT_EQ(anima({"kip", "UPSERT { " + sensors + "}"}).exit_code, 0);
    ASSERT_EQ(anima({"sleep"}).exit_code, 0);
  }
  anima({"run", "find out about sensor 1", "--max-cycles", "2"});
  EXPECT_EQ(run("upkeep.mjs"), "upkeep ok\n");
}

// The program carries what was committed.
TEST(PageBuild, GivesTheBytesThatAreCommitted) {
  ANIMA_NEEDS(test::kNpm, file_exists(system_files(), kTools + "/esbuild/package.json"));
  const std::string web = ANIMA_SOURCE_DIR "/web";
  const test::Ran types = test::run_command(kTools + "/.bin/tsc -p " + web + " 2>&1");
  EXPECT_EQ(types.code, 0) << types.out;
  const TemporaryDirectory folder;
  const std::string to = folder.file("dist");
  const test::Ran built =
      test::run_command("ANIMA_PAGE_MODULES=" + kTools + " " + test::node_program() + " " + web +
                        "/build.mjs " + to + " && diff -r " + to + " " + web + "/dist 2>&1");
  EXPECT_EQ(built.code, 0) << built.out << "./dev page builds it anew";
}

}  // namespace
}  // namespace anima::page_test
