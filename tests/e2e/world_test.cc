// `anima world run` as its user meets it: the same world for the same seed, also after kill -9, and
// a report in one file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "base/random.h"
#include "support/command.h"
#include "support/model_server.h"
#include "support/needs.h"
#include "support/postgres_server.h"
#include "tools/sandbox/sandbox.h"

namespace anima::world_verb_test {
namespace {

using test::Ran;

class WorldVerb : public testing::Test {
 protected:
  Ran world(const std::string& arguments) const {
    return test::run_anima(folder_, "world run --seed 7 " + arguments);
  }
  static std::string hash_of(const Ran& ran) {
    const Json json = ran.json();
    const Json* hash = json.find("world_hash");
    return hash == nullptr ? std::string() : hash->as_string();
  }
  TemporaryDirectory folder_;
};

TEST_F(WorldVerb, TheSameSeedGivesTheSameWorldAndAReport) {
  const std::string report = folder_.file("world.html");
  const Ran first = world("--cycles 3 --json --report " + report);
  ASSERT_EQ(first.code, 0);
  const Ran second = world("--cycles 3 --json");
  EXPECT_EQ(hash_of(first).size(), 64U);
  EXPECT_EQ(hash_of(first), hash_of(second));
  const Json json = first.json();
  const Json* cycles = json.find("cycles");
  ASSERT_NE(cycles, nullptr);
  ASSERT_EQ(cycles->as_array().size(), 3U);
  for (const Json& cycle : cycles->as_array())
    EXPECT_EQ(cycle.find("sum")->as_integer(), cycle.find("supply")->as_integer());
  const auto page = read_file(system_files(), report);
  ASSERT_TRUE(page.has_value());
  EXPECT_NE(page->find("<svg"), std::string::npos);
  EXPECT_NE(world("--cycles 1").out.find("world hash"), std::string::npos);
}

TEST_F(WorldVerb, KilledAndResumedItIsTheSame) {
  const std::string whole = hash_of(world("--cycles 4 --json"));
  SystemRandom dice;
  const std::string at = " --cycles 4 --json --at " + folder_.file("kept");
  for (int kill = 0; kill < 3; ++kill) {
    const std::string seconds = "0." + std::to_string(1 + dice.below(9));
    test::run_command("timeout -s KILL " + seconds + " " + ANIMA_BINARY_DIR +
                      "/anima world run --seed 7" + at + " >/dev/null 2>&1");
  }
  EXPECT_EQ(hash_of(world(at)), whole);
  EXPECT_EQ(hash_of(world(at)), whole) << "a world that has ended stays as it is";
  EXPECT_EQ(test::run_anima(folder_, "world run --seed 8" + at).code,
            test::run_anima(folder_, "world run --seed 9" + at).code);
  EXPECT_NE(test::run_anima(folder_, "world run --seed 8" + at).code, 0);
}

// Who was killed has its lock until it is gone.
TEST_F(WorldVerb, WaitsAMomentForWhoRunsTheWorld) {
  const std::string at = folder_.file("kept");
  const std::string line = "--agents 2 --cycles 1 --at " + at;
  ASSERT_EQ(world(line).code, 0);
  const auto take = [&] {
    return system_files().lock(join_path(at, "world.lock"), LockMode::kExclusive, false);
  };
  auto held = take();
  ASSERT_TRUE(held);
  const Ran refused = test::run_anima(folder_, "world run --seed 7 " + line, "2>&1 </dev/null");
  EXPECT_EQ(refused.code, 75);
  EXPECT_NE(refused.out.find("another process runs this world"), std::string::npos) << refused.out;
  std::thread gone([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    held->reset();
  });
  EXPECT_EQ(world(line).code, 0);
  gone.join();
}

// What a process left that was killed while it wrote.
TEST_F(WorldVerb, DraftsInItsFolderAreItsOwn) {
  const std::string line = "--agents 2 --cycles 1 --json --at " + folder_.file("kept");
  const std::string whole = hash_of(world(line));
  ASSERT_EQ(whole.size(), 64U);
  const std::string nobody = std::to_string(std::numeric_limits<pid_t>::max());
  for (const char* name : {"checkpoint.json", "world.key", "events_00000001.wal"}) {
    const std::string draft = folder_.file("kept/") + name + ".tmp-" + nobody + "-1";
    ASSERT_TRUE(replace_file(system_files(), draft, "half"));
    EXPECT_EQ(hash_of(world(line)), whole) << draft;
    EXPECT_FALSE(file_exists(system_files(), draft));
  }
  ASSERT_TRUE(replace_file(system_files(), folder_.file("kept/notes.tmp-1-1"), "mine"));
  EXPECT_NE(world(line).code, 0) << "somebody else's";
}

TEST_F(WorldVerb, OnPostgresItIsTheSameWorld) {
  const test::PostgresServer server;
  ANIMA_NEEDS(test::kPostgres, server.there());
  const std::string whole = hash_of(world("--cycles 3 --json"));
  ASSERT_EQ(whole.size(), 64U);
  const std::string at = " --cycles 3 --json --at " + folder_.file("kept");
  const std::string database = " --database '" + server.address() + "'";
  test::run_command("timeout -s KILL 0.6 " + std::string(ANIMA_BINARY_DIR) +
                    "/anima world run --seed 7" + at + database + " >/dev/null 2>&1");
  EXPECT_EQ(hash_of(world(at + database)), whole);
  EXPECT_EQ(access((folder_.file("kept") + "/world.db").c_str(), F_OK), -1);
  EXPECT_EQ(hash_of(test::run_anima(folder_, "world run --seed 7" + at + " --set 'world.database=" +
                                                 server.address() + "'")),
            whole)
      << "from the settings";
  EXPECT_EQ(hash_of(test::run_anima(folder_,
                                    "world show --json --at " + folder_.file("kept") + database)),
            whole);
  EXPECT_EQ(test::run_anima(folder_, "world show --at " + folder_.file("kept")).code, 6)
      << "its state is not in the folder";
  EXPECT_NE(world(at).code, 0) << "its state is not in the folder";
  EXPECT_NE(world(" --cycles 3 --at " + folder_.file("other") + database).code, 0)
      << "nor is its key in another";
  EXPECT_EQ(world(at + database).code, 0) << "and nothing of that did harm";
  EXPECT_EQ(world("--cycles 3" + database).code, 2) << "--at is missing";
  const Ran refused = test::run_anima(
      folder_,
      "world run --at " + folder_.file("x") + " --database postgresql://me:hush@127.0.0.1:1/d",
      "2>&1 </dev/null");
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.out.find("cannot be reached"), std::string::npos) << refused.out;
  EXPECT_EQ(refused.out.find("hush"), std::string::npos) << refused.out;
  EXPECT_EQ(test::run_anima(folder_, "config show --set world.database=postgresql://a:hush@b/c")
                .out.find("hush"),
            std::string::npos);
}

// The same command, also where the seed was drawn.
TEST_F(WorldVerb, GoesOnWithTheSeedThatWasDrawn) {
  const std::string line = "world run --json --agents 2 --at " + folder_.file("drawn");
  const Ran first = test::run_anima(folder_, line + " --cycles 1");
  ASSERT_EQ(first.code, 0) << first.out;
  const Ran second = test::run_anima(folder_, line + " --cycles 2");
  ASSERT_EQ(second.code, 0) << second.out;
  EXPECT_EQ(first.json().find("seed")->as_integer(), second.json().find("seed")->as_integer());
}

// The model makes the plans; killed and gone on it is the same world, so is the recording without a
// server; where nobody answers, it is the world without models.
TEST_F(WorldVerb, AModelMakesThePlansAndARecordingRepeatsThem) {
  auto server = std::make_unique<test::ModelServer>();
  server->otherwise([](const test::ServerRequest&) {
    return test::json_answer(test::chat_reply(
        R"(Let me see. {"action":"create_plan","params":{"steps":[)"
        R"({"action":"msg_query","params":{"limit":3}},{"action":"entry_query","params":{}}]},)"
        R"("reasoning":"look around first","memory_update":null})"));
  });
  const std::string model =
      " --set llm.local.provider=openai --set llm.local.model=scripted-1 "
      "--set llm.local.attempts=1 --set llm.local.url=" +
      server->url();
  const std::string tape = folder_.file("tape.jsonl");
  const std::string town = " --agents 4 --cycles 3 --json";
  const Ran first = world(town + " --llm local --record " + tape + model);
  ASSERT_EQ(first.code, 0) << first.out;
  EXPECT_GT(first.json().find("models")->find("answered")->as_integer(), 4);
  const std::size_t asked = server->count();
  EXPECT_GT(asked, 4U);
  EXPECT_NE(server->requests().front().body.find("AVAILABLE ACTIONS"), std::string::npos);

  const std::string at = town + " --llm local --at " + folder_.file("kept") + model;
  for (const char* seconds : {"0.3", "0.6"})
    test::run_command("timeout -s KILL " + std::string(seconds) + " " + ANIMA_BINARY_DIR +
                      "/anima world run --seed 7" + at + " >/dev/null 2>&1");
  EXPECT_EQ(hash_of(world(at)), hash_of(first));
  EXPECT_LE(server->count(), 2 * asked + 2) << "a cut call may be made again, and no other";
  server.reset();

  const Ran replayed = world(town + " --replay " + tape);
  EXPECT_EQ(replayed.code, 0) << replayed.out;
  EXPECT_EQ(hash_of(replayed), hash_of(first));
  const Ran other = test::run_anima(folder_, "world run --seed 8" + town + " --replay " + tape);
  EXPECT_EQ(other.code, 75) << "another world asks other things";

  const Ran alone = world(town + " --llm local" + model);
  EXPECT_EQ(alone.code, 0);
  EXPECT_EQ(alone.json().find("models")->find("answered")->as_integer(), 0);
  EXPECT_EQ(hash_of(alone), hash_of(world(town)));
  EXPECT_EQ(world(town + " --llm nobody" + model).code, 6);
  EXPECT_EQ(world(town + " --llm local --llm-tier 4" + model).code, 2);
  EXPECT_EQ(world(town + " --llm local --replay " + tape + model).code, 2);
}

// From epoch 3 on the portal fetches, from hosts that were named alone; the pages are in the
// recording, and the world runs again without a network.
TEST_F(WorldVerb, PagesAreFetchedAndRepeated) {
  ANIMA_NEEDS(test::kSandbox, tools::machine_sandbox().containment() != tools::Containment::kNone);
  auto server = std::make_unique<test::ModelServer>();
  const std::string page = server->url() + "/page";
  server->otherwise([page](const test::ServerRequest& request) {
    if (request.head.starts_with("GET"))
      return test::http_answer(200, "text/plain", "the tide is at noon");
    const bool open = request.body.find("epoch Commerce") != std::string::npos ||
                      request.body.find("epoch Expansion") != std::string::npos;
    return test::json_answer(test::chat_reply(
        !open ? ""
              : R"({"action":"create_plan","params":{"steps":[{"action":"web_request","params":)"
                R"({"method":"GET","url":")" +
                    page + R"("}}]},"reasoning":"read"})"));
  });
  const std::string town =
      " --cycles 7 --json --set tools.private_addresses=true "
      "--set world.web=127.0.0.1,*.example.org";
  const std::string model =
      " --set llm.local.provider=openai --set llm.local.model=scripted-1 "
      "--set llm.local.url=" +
      server->url();
  const std::string tape = folder_.file("tape.jsonl");
  const Ran first = world(town + " --llm local --record " + tape + model);
  ASSERT_EQ(first.code, 0) << first.out;
  const auto requests = server->requests();
  EXPECT_TRUE(std::ranges::any_of(
      requests, [](const test::ServerRequest& request) { return request.path() == "/v1/page"; }));
  server.reset();
  EXPECT_NE(read_file(system_files(), tape)->find("the tide is at noon"), std::string::npos);
  EXPECT_EQ(world("--cycles 1 --set world.web=https://example.org").code, 1) << "no host";
  const Ran again = world(town + " --replay " + tape);
  EXPECT_EQ(again.code, 0) << again.out;
  EXPECT_EQ(hash_of(again), hash_of(first));
}

TEST_F(WorldVerb, ItsKnowledgeIsASpaceAndItCanBeLookedAt) {
  const std::string town = folder_.file("town");
  const Ran ran = world("--cycles 2 --json --at " + town);
  ASSERT_EQ(ran.code, 0);
  const Ran asked = test::run_anima(
      folder_, "kip --json --space " + town +
                   R"(/knowledge 'FIND(COUNT(?l)) WHERE { ?l (?a, "wrote", ?e) }')");
  ASSERT_EQ(asked.code, 0) << asked.out;
  EXPECT_GT(asked.json().find("result")->as_integer(), 1) << asked.out;
  const Ran shown = test::run_anima(folder_, "world show --json --at " + town);
  EXPECT_EQ(shown.code, 0);
  EXPECT_EQ(hash_of(shown), hash_of(ran));
  EXPECT_NE(test::run_anima(folder_, "world show --at " + town).out.find(hash_of(ran)),
            std::string::npos);
  EXPECT_EQ(test::run_anima(folder_, "world show --at " + folder_.file("none")).code, 6);
  EXPECT_EQ(test::run_anima(folder_, "world show").code, 2);
  // While another process runs it: its state, and its events as they come.
  const std::string program = std::string(ANIMA_BINARY_DIR) + "/anima ";
  const Ran followed = test::run_command(
      program + "world run --seed 7 --cycles 100000 --at " + town + " >/dev/null 2>&1 & run=$!; " +
      "until " + program + "world show --json --at " + town +
      " | grep -q '\"cycle\": *3'; do sleep 0.1; done; timeout 120 sh -c '" + program +
      "world show --follow --json --at " + town +
      " 2>/dev/null | grep -m1 bounty_claimed'; kill -INT $run; wait $run");
  const auto event = parse_json(followed.out);
  ASSERT_TRUE(event.has_value()) << followed.out;
  EXPECT_EQ(event->find("event")->as_string(), "bounty_claimed");
  EXPECT_EQ(event->find("system")->as_string(), "Agora");
}

TEST_F(WorldVerb, RefusesWhatCannotBe) {
  EXPECT_EQ(world("--agents 0").code, 2);
  EXPECT_EQ(world("--cycles 0").code, 2);
  EXPECT_EQ(world("--agents 1001").code, 2);
  EXPECT_EQ(world("--cycles 18446744073709551615").code, 2);
  const Ran nowhere = world("--cycles 1 --report " + folder_.file("no/such/page.html"));
  EXPECT_NE(nowhere.code, 0);
  EXPECT_EQ(nowhere.out.find("world hash"), std::string::npos) << "told before the run";
}

}  // namespace
}  // namespace anima::world_verb_test
