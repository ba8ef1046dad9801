// Three programs with one memory on PostgreSQL: they write at once, one is killed and started
// again, the server crashes and comes back. Every acknowledged write is there once, and all see the
// same.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/files/file.h"
#include "support/memory_writers.h"
#include "support/needs.h"
#include "support/postgres_server.h"
#include "support/program_on_space.h"

namespace anima::shared_memory_test {
namespace {

using test::all_things;
using test::MemoryWriter;
using test::say;

int writes_of_each() {
  const char* const full = std::getenv("ANIMA_TEST_FULL");
  return full != nullptr && *full != '\0' ? 10'000 : 300;
}

class SharedMemory : public ::testing::Test {
 protected:
  void SetUp() override { ANIMA_NEEDS(test::kPostgres, server_.there()); }
  // As a program of that machine is called.
  std::vector<std::string> on(const std::string& machine) const {
    return {std::string(ANIMA_BINARY_DIR) + "/anima", "--space",
            server_.address() + "&folder=" + folder_.file(machine)};
  }
  // Durable: a crash of the server must lose nothing.
  test::PostgresServer server_{true};
  TemporaryDirectory folder_{"anima-shared"};
};

TEST_F(SharedMemory, ThreeProgramsLoseNothingAndDoNothingTwice) {
  const std::vector<std::string> machines = {"one", "two", "three"};
  ASSERT_EQ(say(on("one"), {"init"}).exit_code, 0);
  ASSERT_EQ(
      say(on("one"), {"kip", "UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Parcel\"} } }"})
          .exit_code,
      0);
  const int writes = writes_of_each();
  std::vector<std::unique_ptr<MemoryWriter>> writers;
  for (const std::string& machine : machines)
    writers.push_back(std::make_unique<MemoryWriter>(on(machine), machine, writes));
  writers[1]->kill_at(writes / 3);
  for (auto& writer : writers) writer->start();

  // Each restart in the midst of writing, whatever the speed of the machine.
  const auto wait_for = [&](int number) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(10);
    while (writers[0]->acknowledged() < number && !writers[0]->gave_up() &&
           std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  };
  wait_for(writes / 4);
  server_.stop("immediate");
  server_.start();
  ASSERT_TRUE(server_.there());
  wait_for(writes / 2);
  server_.stop("fast");
  server_.start();
  ASSERT_TRUE(server_.there());
  for (auto& writer : writers) writer->join();

  std::vector<std::string> things;
  for (const auto& writer : writers) {
    ASSERT_FALSE(writer->gave_up()) << writer->last_trouble();
    EXPECT_EQ(writer->acknowledged(), writes);
    for (int number = 1; number <= writes; ++number) things.push_back(writer->thing(number));
  }
  EXPECT_EQ(writers[1]->killed(), 1);

  const std::string seen = all_things(on("one"));
  for (const std::string& machine : machines) EXPECT_EQ(all_things(on(machine)), seen) << machine;
  for (const std::string& thing : things)
    EXPECT_NE(seen.find("\"" + thing + "\""), std::string::npos) << thing;

  for (const std::string& machine : machines) {
    const ProcessResult verified = say(on(machine), {"audit", "verify"});
    EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
  }
  const ProcessResult exported = say(on("three"), {"audit", "export"});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  int wrong = 0;
  for (const auto& [thing, entries] : test::entries_by_thing(exported.out, things)) {
    if (entries == 1) continue;
    if (++wrong <= 5) ADD_FAILURE() << thing << " is in " << entries << " entries";
  }
  EXPECT_EQ(wrong, 0);
}

// The verbs that work on the log itself, on a machine that has seen nothing of it before.
TEST_F(SharedMemory, TheVerbsOfAFolderWorkAndNobodySeesThePassword) {
  const auto at = [&](const std::string& schema, const std::string& machine) {
    return std::vector<std::string>{
        std::string(ANIMA_BINARY_DIR) + "/anima", "--space",
        server_.address() + "&password=hush&schema=" + schema + "&folder=" + folder_.file(machine)};
  };
  const auto one = at("memory", "one"), two = at("memory", "two");
  std::string said;
  const auto run = [&](const std::vector<std::string>& where, std::vector<std::string> arguments,
                       int exit = 0) {
    const std::string verb = arguments.front();
    const ProcessResult result = say(where, std::move(arguments));
    EXPECT_EQ(result.exit_code, exit) << verb << "\n" << result.out << result.err;
    said += result.out + result.err;
    return result.out;
  };
  run(one, {"kip", "FIND(?x) WHERE { ?x {type: \"Parcel\"} }"}, 6);
  run(one, {"doctor"}, 6);
  EXPECT_NE(run(one, {"init"}).find("made a space in postgresql://"), std::string::npos);
  EXPECT_NE(run(two, {"init"}).find("already"), std::string::npos);
  const std::string type = "UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Parcel\"} } }";
  const auto number = [](int value) {
    return "UPSERT { CONCEPT { {type: \"Parcel\", name: \"one\"} SET ATTRIBUTES {number: " +
           std::to_string(value) + "} } }";
  };
  run(one, {"kip", type});
  run(two, {"kip", number(1)});
  run(one, {"kip", number(2)});
  EXPECT_EQ(all_things(one), all_things(two));
  const std::string now = all_things(two);
  run(two, {"history", "one"});
  run(two, {"undo", "last"});
  EXPECT_NE(all_things(one), now);
  run(one, {"as-of", "2", "kip", "FIND(?x.name) WHERE { ?x {type: \"$ConceptType\"} }"});
  run(one, {"stats", "--json"});
  run(one, {"doctor"});
  run(one, {"checkpoint"});
  run(two, {"audit", "verify"});
  run(two, {"audit", "verify", "--views"});
  run(two, {"audit", "log"});
  run(one, {"migrate"});
  run(one, {"compact", "--dry-run"}, 6);  // nothing is old enough
  run(one, {"erase", "nobody", "--confirm"}, 6);
  run(one, {"backup", folder_.file("backup")});
  run(at("copy", "copy"), {"restore", folder_.file("backup")});
  EXPECT_EQ(all_things(at("copy", "copy")), all_things(one));
  run(at("copy", "copy"), {"audit", "verify"});
  run(at("copy", "copy"), {"restore", folder_.file("backup")}, 1);
  const std::vector<std::string> in_folder = {one[0], "--space", folder_.file("folder")};
  run(in_folder, {"restore", folder_.file("backup")});
  EXPECT_EQ(all_things(in_folder), all_things(one));
  // The folder alone names the database, too.
  EXPECT_EQ(all_things({one[0], "--space", folder_.file("two")}), all_things(one));
  server_.stop("fast");
  run(one, {"stats"}, 1);
  run(one, {"doctor"}, 1);
  EXPECT_EQ(said.find("hush"), std::string::npos);
  const auto kept = read_file(system_files(), folder_.file("one") + "/log.address", 65536);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->find("hush"), std::string::npos) << *kept;
}

}  // namespace
}  // namespace anima::shared_memory_test
