// `anima serve` with many clients at once: 10,000 connections that wait, 64 that ask, one that
// reads nothing and one that never ends its request; and that nothing of the process grows.
//
// ANIMA_GROWTH_SECONDS says how long the growth is watched (an hour in `./dev test --full`).
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/json/json_member.h"
#include "base/text/read_number.h"
#include "support/background.h"
#include "support/http_client.h"
#include "support/needs.h"
#include "support/program_on_space.h"

namespace anima::serve_load_test {
namespace {

// A sanitizer makes the server so slow that the first would be closed for their silence.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kIdle = 1000;
#else
constexpr std::size_t kIdle = 10'000;
#endif
constexpr const char* kJson = "Content-Type: application/json\r\n";

class ServeLoad : public test::ProgramOnSpace {
 protected:
  void SetUp() override {
    ProgramOnSpace::SetUp();
    const std::string told = anima({"serve", "token", "add", "client"}).out;
    token_ = "Authorization: Bearer " + told.substr(0, told.find('\n')) + "\r\n";
    server_ = test::Background("echo $$ >" + folder_.file("pid") +
                               "; exec " ANIMA_BINARY_DIR "/anima --space " + space_ +
                               " serve --listen 127.0.0.1:0 --json --log off >" +
                               folder_.file("out.txt") + " 2>" + folder_.file("err.txt"));
    for (int i = 0; i < 3000 && text_of("out.txt").find('\n') == std::string::npos; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto told_by = parse_json(text_of("out.txt"));
    ASSERT_TRUE(told_by) << text_of("err.txt");
    const std::string page = text_member(*told_by, "page");  // "http://127.0.0.1:PORT/"
    const std::size_t colon = page.rfind(':');
    port_ = read_number<std::uint16_t>(page.substr(colon + 1, page.size() - colon - 2)).value();
  }
  std::string text_of(const std::string& name) const {
    return read_file(system_files(), folder_.file(name), 1 << 22).value_or("");
  }
  int status(test::HttpClient& client, const char* method, const std::string& target,
             const std::string& body = "") const {
    return client.request(method, target, token_ + (body.empty() ? "" : kJson), body).status;
  }
  // "RssAnon:" (without the mapped base) in KiB, "Threads:", and how many descriptors are open.
  struct Held {
    long memory = 0, threads = 0, descriptors = 0;
  };
  Held held() const {
    const std::string pid = text_of("pid").substr(0, text_of("pid").find('\n'));
    const std::string status =
        read_file(system_files(), "/proc/" + pid + "/status", 1 << 16).value_or("");
    const auto number = [&](const std::string& name) {
      const std::size_t at = status.find(name);
      return at == std::string::npos ? 0L
                                     : std::strtol(status.c_str() + at + name.size(), nullptr, 10);
    };
    const auto open = system_files().list("/proc/" + pid + "/fd");
    return {number("RssAnon:"), number("Threads:"), open ? static_cast<long>(open->size()) : 0};
  }

  std::string token_;
  std::uint16_t port_ = 0;
  test::Background server_;
};

TEST_F(ServeLoad, TenThousandConnectionsWaitAndDisturbNobody) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  ANIMA_NEEDS(test::kDescriptors, limit.rlim_max >= kIdle + 1000);
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  const Held before = held();
  std::vector<std::unique_ptr<test::HttpClient>> idle;
  for (std::size_t i = 0; i < kIdle; ++i) {
    idle.push_back(std::make_unique<test::HttpClient>(port_));
    ASSERT_EQ(status(*idle.back(), "GET", "/v1/me"), 200) << i;
  }
  const Held full = held();
  EXPECT_GE(full.descriptors, static_cast<long>(kIdle));
  RecordProperty("kib_a_connection",
                 std::to_string((full.memory - before.memory) / static_cast<long>(kIdle)));
  EXPECT_LT(full.memory - before.memory, 200L * 1024);
  // One asks for much and reads nothing, one begins a request and does not end it.
  test::HttpClient slow(port_), half(port_);
  for (int i = 0; i < 200; ++i)
    slow.send("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n" + token_ + "\r\n");
  half.send("POST /v1/recall HTTP/1.1\r\nHost: localhost\r\nContent-Len");
  std::atomic<int> good{0};
  std::vector<std::thread> busy;
  for (int i = 0; i < 64; ++i) {
    busy.emplace_back([&] {
      test::HttpClient client(port_);
      for (int n = 0; n < 5; ++n)
        good += status(client, "POST", "/v1/recall", R"({"question":"Where is Ada?"})") == 200;
    });
  }
  for (std::thread& each : busy) each.join();
  EXPECT_EQ(good, 64 * 5);
  for (std::size_t i = 0; i < kIdle; i += 97)
    EXPECT_EQ(status(*idle[i], "GET", "/v1/me"), 200) << i;
  idle.clear();
  for (int i = 0; i < 500 && held().descriptors > before.descriptors + 10; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_LE(held().descriptors, before.descriptors + 10);
}

// Connections come and go, memories are kept and withdrawn, and the process stays as it was.
TEST_F(ServeLoad, NothingGrows) {
  const char* asked = std::getenv("ANIMA_GROWTH_SECONDS");
  const auto seconds = std::chrono::seconds(asked == nullptr ? 12 : std::atoi(asked));
  const auto round = [&] {
    test::HttpClient client(port_);
    const auto made = client.request("POST", "/v1/memories", token_ + kJson,
                                     R"({"text":"the tide is high at nine"})");
    const auto json = parse_json(made.body);
    if (made.status / 100 != 2 || !json) return false;
    const std::string id = text_member(*json, "id");
    return status(client, "POST", "/v1/recall", R"({"question":"the tide"})") == 200 &&
           status(client, "GET", "/v1/me") == 200 && status(client, "GET", "/v1/none") == 404 &&
           status(client, "DELETE", "/v1/memories/" + id) == 200;
  };
  const auto until = [&](std::chrono::steady_clock::time_point end) {
    long rounds = 0;
    while (std::chrono::steady_clock::now() < end) {
      if (!round()) return -1L;
      ++rounds;
    }
    return rounds;
  };
  const auto begun = std::chrono::steady_clock::now();
  ASSERT_GT(until(begun + seconds / 3), 0);
  const Held warm = held();
  const long rounds = until(begun + seconds);
  ASSERT_GT(rounds, 0);
  const Held end = held();
  RecordProperty("rounds", std::to_string(rounds));
  RecordProperty("kib_warm", std::to_string(warm.memory));
  RecordProperty("kib_end", std::to_string(end.memory));
  std::printf("%ld rounds: %ld KiB, then %ld KiB; threads %ld, %ld; descriptors %ld, %ld\n", rounds,
              warm.memory, end.memory, warm.threads, end.threads, warm.descriptors,
              end.descriptors);
  // One makes a checkpoint now and then.
  EXPECT_LE(end.threads, warm.threads + 2);
  EXPECT_LE(end.descriptors, warm.descriptors + 4);
  // What is newer than the base is in the heap until the next checkpoint.
  EXPECT_LT(end.memory - warm.memory, 64L * 1024);
}

}  // namespace
}  // namespace anima::serve_load_test
