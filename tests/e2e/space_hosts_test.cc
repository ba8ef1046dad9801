// One memory of three hosts as its users meet it: `anima mcp` on hosts with networks of their own,
// over one PostgreSQL. One host is cut off for a while, the server crashes, and two writers are
// killed: every write that was acknowledged is there once, and all hosts answer alike. Show 3 of
// issue 21: 30,000 transactions and a partition of 20 seconds in the long form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

#include "support/background.h"
#include "support/command.h"
#include "support/needs.h"
#include "support/network_hosts.h"
#include "support/postgres_server.h"

namespace anima::space_hosts_test {
namespace {

using test::Background;
using test::NetworkHosts;
using test::Ran;

constexpr int kHosts = 3;

class SpaceHosts : public testing::Test {
 protected:
  std::string environment(int host) const {
    const std::string own = folder_.file("host" + std::to_string(host));
    return "env HOME=" + own + " XDG_DATA_HOME=" + own + " XDG_CONFIG_HOME=" + own +
           " XDG_STATE_HOME=" + own + " ANIMA_SPACE=" + database_.network_address() + " " +
           network_.on(host) + ANIMA_BINARY_DIR + "/anima ";
  }
  Ran anima(int host, const std::string& arguments) const {
    return test::run_command(environment(host) + arguments + " 2>/dev/null </dev/null");
  }
  static std::string name_of(int host, int number) {
    return "h" + std::to_string(host) + "n" + std::to_string(number);
  }
  std::string file(const char* what, int host) const {
    return folder_.file(what + std::to_string(host));
  }
  std::string responses(int host) const {
    const auto text = read_file(system_files(), file("responses", host));
    return text ? *text : std::string();
  }

  // A writer of what the host has not written yet: one transaction a line, one answer a line.
  Background write(int host) const {
    std::string lines;
    for (int number : missing_[host]) {
      const std::string command =
          "UPSERT { CONCEPT { {type: \"Person\", name: \"" + name_of(host, number) + "\"} } }";
      lines += Json::object({{"jsonrpc", "2.0"},
                             {"id", number},
                             {"method", "tools/call"},
                             {"params",
                              Json::object({{"name", "execute_kip"},
                                            {"arguments", Json::object({{"command", command}})}})}})
                   .dump() +
               "\n";
    }
    EXPECT_TRUE(replace_file(system_files(), file("requests", host), lines).has_value());
    return Background("exec " + environment(host) + "mcp <" + file("requests", host) + " >>" +
                      file("responses", host) + " 2>>" + file("errors", host));
  }
  // What was acknowledged is not missing any more. A last line without its end is of a killed
  // writer.
  void read_acknowledged(int host) {
    const std::string text = responses(host);
    for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
      const auto json = parse_json(std::string_view(text).substr(at, end - at));
      const Json* result = json ? json->find("result") : nullptr;
      const Json* id = json ? json->find("id") : nullptr;
      if (result == nullptr || id == nullptr || !id->is_integer()) continue;
      if (const Json* failed = result->find("isError"); failed != nullptr && *failed == Json(true))
        continue;
      missing_[host].erase(static_cast<int>(id->as_integer()));
    }
  }
  // Until the host has so many answers.
  void wait_for_answers(int host, std::size_t count) const {
    for (int i = 0; i < 60'000; ++i) {
      const std::string text = responses(host);
      if (static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) >= count) return;
      ::usleep(20'000);
    }
    FAIL() << "host " << host << " writes no more";
  }

  TemporaryDirectory folder_;
  NetworkHosts network_{kHosts};
  test::PostgresServer database_{
      false, {NetworkHosts::address(), NetworkHosts::network(), network_.on(0)}};
  std::set<int> missing_[kHosts + 1];
};

TEST_F(SpaceHosts, EveryAcknowledgedWriteIsThereOnce) {
  ANIMA_NEEDS(test::kNetworkNamespaces, network_.there());
  ANIMA_NEEDS(test::kPostgres, database_.there());
  const bool full = std::getenv("ANIMA_TEST_FULL") != nullptr;
  const int each = full ? 10'000 : 150;
  for (int host = 1; host <= kHosts; ++host) {
    ASSERT_EQ(anima(host, "init").code, 0);
    for (int number = 0; number < each; ++number) missing_[host].insert(number);
  }
  Background writers[kHosts + 1];
  for (int host = 1; host <= kHosts; ++host) writers[host] = write(host);
  const auto part = [&](int sixths) { return static_cast<std::size_t>(each * sixths / 6); };

  wait_for_answers(2, part(1));
  ASSERT_TRUE(network_.cut(2));
  ::sleep(full ? 20 : 2);
  ASSERT_TRUE(network_.mend(2));
  wait_for_answers(3, part(3));
  database_.stop("immediate");
  database_.start();
  ASSERT_TRUE(database_.there());
  wait_for_answers(1, part(4));
  writers[1].end(SIGKILL);
  writers[3].end(SIGKILL);

  // Each writes what it was not told to have written, until there is nothing.
  for (int host = 1; host <= kHosts; ++host) {
    if (host == 2) static_cast<void>(writers[host].wait());
    for (int again = 0; again < 10; ++again) {
      read_acknowledged(host);
      if (missing_[host].empty()) break;
      writers[host] = write(host);
      static_cast<void>(writers[host].wait());
    }
    EXPECT_EQ(missing_[host].size(), 0U) << host;
  }

  std::vector<std::string> wanted;
  for (int host = 1; host <= kHosts; ++host) {
    for (int number = 0; number < each; ++number) wanted.push_back(name_of(host, number));
  }
  std::ranges::sort(wanted);
  std::string first;
  for (int host = 1; host <= kHosts; ++host) {
    const Ran found =
        anima(host, "kip --json 'FIND(?p.name) WHERE { ?p {type: \"Person\"} } LIMIT 100000'");
    ASSERT_EQ(found.code, 0) << found.out;
    if (host == 1) first = found.out;
    EXPECT_EQ(found.out, first) << "host " << host << " answers otherwise";
    EXPECT_EQ(anima(host, "audit verify").code, 0);
  }
  const auto json = parse_json(first);
  ASSERT_TRUE(json.has_value()) << first.substr(0, 300);
  std::vector<std::string> names;
  for (const Json& name : json->find("result")->as_array()) {
    if (name.as_string().starts_with("h")) names.push_back(name.as_string());
  }
  std::ranges::sort(names);
  EXPECT_EQ(names, wanted);
}

}  // namespace
}  // namespace anima::space_hosts_test
