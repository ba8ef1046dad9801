// A world on several machines as its user meets it: three processes of `anima`, one NATS server
// between them. First on one network, with every way to get the command line wrong; then on hosts
// with networks of their own, with the state in PostgreSQL. One host is cut off for a while, both
// servers crash, and two processes are killed: the world is the one that nothing happened to.
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/background.h"
#include "support/command.h"
#include "support/nats_server.h"
#include "support/needs.h"
#include "support/network_hosts.h"
#include "support/postgres_server.h"

namespace anima::world_hosts_test {
namespace {

using test::Background;
using test::Ran;

class WorldHosts : public testing::Test {
 protected:
  std::string hash_of(const std::string& text) const {
    const auto json = parse_json(text);
    const Json* hash = json ? json->find("world_hash") : nullptr;
    return hash == nullptr ? std::string() : hash->as_string();
  }
  std::string written(const std::string& name) const {
    const auto text = read_file(system_files(), folder_.file(name));
    return text ? *text : std::string();
  }
  // Lines before it are errors of processes that ended before.
  std::string last_line(const std::string& name) const {
    std::string text = written(name);
    if (!text.empty() && text.back() == '\n') text.pop_back();
    return text.substr(text.rfind('\n') + 1);
  }
  // A process whose two streams go to NAME.out and NAME.err.
  Background anima(const std::string& name, const std::string& arguments,
                   const std::string& prefix = {}) const {
    return Background("exec env ANIMA_SPACE=" + folder_.file("space") + " " + prefix +
                      ANIMA_BINARY_DIR + "/anima " + arguments + " >>" + folder_.file(name) +
                      ".out 2>>" + folder_.file(name) + ".err </dev/null");
  }
  void wait_for(const std::string& name, const std::string& text) const {
    for (int i = 0; i < 3000 && written(name).find(text) == std::string::npos; ++i)
      ::usleep(20'000);
    ASSERT_NE(written(name).find(text), std::string::npos) << written(name);
  }
  // Until so many cycles of the kept world have ended.
  void wait_for_cycle(Background& kingdom, const std::string& folder, std::int64_t cycle) const {
    while (kingdom.runs()) {
      const auto json = parse_json(written(folder + "/checkpoint.json"));
      const Json* ended = json ? json->find("cycle") : nullptr;
      if (ended != nullptr && ended->as_integer() >= cycle) return;
      ::usleep(20'000);
    }
    FAIL() << "cycle " << cycle << " does not come: " << written("kingdom.err");
  }
  TemporaryDirectory folder_;
};

TEST_F(WorldHosts, ThreeProcessesAreOneWorld) {
  const test::NatsServer server({.user = "town", .password = "hush"});
  ANIMA_NEEDS(test::kNats, server.there());
  const std::string size = "world run --json --seed 7 --agents 5 --cycles 2 ";
  const std::string bus = " --bus " + server.url();
  const std::string whole = hash_of(test::run_anima(folder_, size).out);
  ASSERT_EQ(whole.size(), 64U);
  Background second = anima("second", "world join --json --seed 7 --part 2" + bus);
  Background third = anima("third", "world join --seed 7 --part 3 --set world.bus=" + server.url());
  const Ran kingdom = test::run_anima(folder_, size + "--parts 3" + bus, "2>&1 </dev/null");
  EXPECT_EQ(kingdom.code, 0);
  const std::size_t json = kingdom.out.find('{');
  ASSERT_NE(json, std::string::npos) << kingdom.out;
  EXPECT_EQ(hash_of(kingdom.out.substr(json)), whole) << kingdom.out;
  EXPECT_EQ(second.wait(60), 0) << written("second.err");
  EXPECT_EQ(third.wait(60), 0) << written("third.err");
  const auto lived = parse_json(written("second.out"));
  ASSERT_TRUE(lived.has_value()) << written("second.out");
  EXPECT_EQ(lived->find("part")->as_integer(), 2);
  EXPECT_GT(lived->find("turns")->as_integer(), 100);
  EXPECT_EQ(lived->find("bus")->find("refused")->as_integer(), 0);
  EXPECT_NE(written("third.out").find("the world has ended"), std::string::npos);
  for (const std::string& said :
       {kingdom.out, written("second.err"), written("third.err"), written("third.out")})
    EXPECT_EQ(said.find("hush"), std::string::npos) << said;
}

TEST_F(WorldHosts, SaysWhatIsWrong) {
  const auto code = [&](const std::string& arguments) {
    return test::run_anima(folder_, "world " + arguments).code;
  };
  EXPECT_EQ(code("run --parts 2"), 2) << "no bus";
  EXPECT_EQ(code("run --parts 0"), 2);
  EXPECT_EQ(code("run --parts 65 --bus nats://x"), 2);
  EXPECT_EQ(code("run --parts 2 --bus nats://x"), 2) << "no seed that the other part could be told";
  EXPECT_EQ(code("run --world a.b --bus nats://x"), 2);
  EXPECT_EQ(code("run --wait 0"), 2);
  EXPECT_EQ(code("join --part 2 --seed 7"), 2) << "no bus";
  EXPECT_EQ(code("join --part 1 --seed 7 --bus nats://x"), 2);
  EXPECT_EQ(code("join --part 2 --bus nats://x"), 2) << "no seed";
  EXPECT_EQ(code("join --part 2 --seed 7 --bus ftp://x"), 1);
  const Ran nobody = test::run_anima(
      folder_, "world join --part 2 --seed 7 --bus nats://me:hush@127.0.0.1:1", "2>&1 </dev/null");
  EXPECT_EQ(nobody.code, 75);
  EXPECT_NE(nobody.out.find("cannot be reached"), std::string::npos) << nobody.out;
  EXPECT_EQ(nobody.out.find("hush"), std::string::npos) << nobody.out;
  EXPECT_EQ(
      test::run_anima(folder_, "config show --set world.bus=nats://a:hush@b").out.find("hush"),
      std::string::npos);
  EXPECT_EQ(code("run --bus local --cycles 1 --agents 1"), 0);

  const test::NatsServer server;
  ANIMA_NEEDS(test::kNats, server.there());
  const std::string bus = " --bus " + server.url();
  EXPECT_EQ(code("run --seed 7 --cycles 1 --agents 2 --parts 2 --wait 1" + bus), 124)
      << "part 2 is missing";
  EXPECT_EQ(code("join --part 2 --seed 7 --wait 1" + bus), 124) << "there is no kingdom";
  Background kingdom = anima("kingdom", "world run --seed 7 --parts 2" + bus);
  wait_for("kingdom.err", "waits for part 2");
  EXPECT_EQ(code("join --part 2 --seed 8" + bus), 1) << "another seed";
  EXPECT_EQ(code("join --part 3 --seed 7" + bus), 1) << "no such part";
  EXPECT_EQ(code("run --seed 7 --parts 2" + bus), 75) << "a second kingdom";
  kingdom.end(SIGINT);
  EXPECT_EQ(kingdom.wait(30), 130) << "Ctrl-C ends the waiting";
}

// Show 3 of issue 21: its form in short; in the long form the partition is of 20 seconds.
TEST_F(WorldHosts, HostsThatAreCutOffAndKilled) {
  const test::NetworkHosts network(3);
  ANIMA_NEEDS(test::kNetworkNamespaces, network.there());
  test::NatsServer server({.host = test::NetworkHosts::address(), .prefix = network.on(0)});
  ANIMA_NEEDS(test::kNats, server.there());
  test::PostgresServer database(
      false, {test::NetworkHosts::address(), test::NetworkHosts::network(), network.on(0)});
  ANIMA_NEEDS(test::kPostgres, database.there());
  const bool full = std::getenv("ANIMA_TEST_FULL") != nullptr;
  const int cycles = full ? 20 : 6;
  const std::string size = "world run --json --seed 7 --agents " + std::string(full ? "8" : "5") +
                           " --cycles " + std::to_string(cycles);
  const std::string whole = hash_of(test::run_anima(folder_, size).out);
  ASSERT_EQ(whole.size(), 64U);
  const std::string bus = " --bus " + server.url();
  const std::string run_kingdom = size + " --parts 3 --at " + folder_.file("town") +
                                  " --database " + database.network_address() + bus;
  const auto run_part = [&](int part) {
    return anima("part" + std::to_string(part),
                 "world join --json --seed 7 --part " + std::to_string(part) + bus,
                 network.on(part));
  };
  Background kingdom = anima("kingdom", run_kingdom, network.on(1));
  Background second = run_part(2), third = run_part(3);

  ASSERT_NO_FATAL_FAILURE(wait_for_cycle(kingdom, "town", 1));
  ASSERT_TRUE(network.cut(2));
  ::sleep(full ? 20 : 2);
  ASSERT_TRUE(network.mend(2));
  ASSERT_NO_FATAL_FAILURE(wait_for_cycle(kingdom, "town", cycles / 3));
  server.stop();
  ::usleep(300'000);
  server.start();
  ASSERT_TRUE(server.there());
  ASSERT_NO_FATAL_FAILURE(wait_for_cycle(kingdom, "town", cycles / 2));
  third.end(SIGKILL);
  kingdom.end(SIGKILL);
  third = run_part(3);
  kingdom = anima("kingdom", run_kingdom, network.on(1));
  ASSERT_NO_FATAL_FAILURE(wait_for_cycle(kingdom, "town", cycles / 2 + 1));
  // A kingdom that cannot write ends with an error, and the same command goes on.
  database.stop("immediate");
  database.start();
  ASSERT_TRUE(database.there());
  for (int again = 0; again < 3 && kingdom.wait(600) != 0; ++again)
    kingdom = anima("kingdom", run_kingdom, network.on(1));

  EXPECT_EQ(kingdom.wait(), 0) << written("kingdom.err");
  EXPECT_EQ(second.wait(60), 0) << written("part2.err");
  EXPECT_EQ(third.wait(60), 0) << written("part3.err");
  const std::string last = last_line("kingdom.out");
  EXPECT_EQ(hash_of(last), whole);
  const auto result = parse_json(last);
  ASSERT_TRUE(result.has_value()) << last;
  for (const Json& cycle : result->find("cycles")->as_array())
    EXPECT_EQ(cycle.find("sum")->as_integer(), cycle.find("supply")->as_integer());
  EXPECT_EQ(result->find("bus")->find("refused")->as_integer(), 0);
  // The same as nothing happened, with every message of it.
  const Ran undisturbed = test::run_anima(folder_, size + " --at " + folder_.file("undisturbed"));
  EXPECT_EQ(undisturbed.code, 0);
  EXPECT_EQ(written("town/events_00000001.wal"), written("undisturbed/events_00000001.wal"));
}

}  // namespace
}  // namespace anima::world_hosts_test
