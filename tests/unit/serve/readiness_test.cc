// /readyz: what a server can do now, with a log in a database that comes and goes.
#include "serve/readiness.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "support/needs.h"
#include "support/postgres_proxy.h"
#include "support/postgres_server.h"

namespace anima::serve::readiness_test {
namespace {

TEST(Readiness, TheDatabaseThatIsGoneIsTheReason) {
  const test::PostgresServer server;
  ANIMA_NEEDS(test::kPostgres, server.there());
  test::PostgresProxy proxy(server.socket_folder());
  const TemporaryDirectory home;
  ::setenv("XDG_DATA_HOME", home.path().c_str(), 1);
  store::SpaceOptions options;
  options.create = true;
  options.turn_wait_milliseconds = 2000;
  const auto space = store::Space::open(proxy.address(), options);
  ASSERT_TRUE(space) << space.error().describe();
  const auto entries = (*space)->stats().entries;
  EXPECT_EQ(readiness(**space, false).status, 200);
  proxy.set(test::PostgresProxy::Mode::kRefuse);
  for (const bool readonly : {false, true}) {
    const http::Response gone = readiness(**space, readonly);
    EXPECT_EQ(gone.status, 503);
    const auto problem = parse_json(gone.body);
    ASSERT_TRUE(problem) << gone.body;
    EXPECT_FALSE(problem->find("detail")->as_string().empty());
  }
  proxy.set(test::PostgresProxy::Mode::kPass);
  unsigned status = 0;
  for (int attempt = 0; attempt < 50 && status != 200; ++attempt) {
    status = readiness(**space, false).status;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_EQ(status, 200);
  EXPECT_EQ((*space)->stats().entries, entries) << "nothing is written";
}

}  // namespace
}  // namespace anima::serve::readiness_test
