// kill -9 of `anima serve` while clients write: what was answered is there, and what was not is
// there once when it is said again with its key.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/json/json.h"
#include "base/random.h"
#include "support/background.h"
#include "support/http_client.h"
#include "support/program_on_space.h"

namespace anima::serve_kill_test {
namespace {

int kills() { return std::getenv("ANIMA_TEST_FULL") != nullptr ? 200 : 20; }
constexpr int kClients = 3;

class ServeKilled : public test::ProgramOnSpace {
 protected:
  void serve() {
    server_ = test::Background("exec " ANIMA_BINARY_DIR "/anima --space " + space_ +
                               " serve --log off >/dev/null 2>>" + folder_.file("err.txt"));
    const auto begun = std::chrono::steady_clock::now();
    while (true) {
      test::HttpClient client(space_ + "/serve.sock");
      if (client.connected() && client.request("GET", "/healthz").status == 200) return;
      ASSERT_TRUE(server_.runs())
          << read_file(system_files(), folder_.file("err.txt")).value_or("");
      ASSERT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(60));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  // The status; 0 when no answer came.
  int say(const std::string& text) {
    test::HttpClient client(space_ + "/serve.sock");
    if (!client.connected()) return 0;
    return client
        .request("POST", "/v1/memories",
                 "Content-Type: application/json\r\nIdempotency-Key: " + text + "\r\n",
                 Json::object({{"text", text}}).dump())
        .status;
  }
  std::map<std::string, int> remembered() {
    std::map<std::string, int> counts;
    std::string cursor;
    do {
      test::HttpClient client(space_ + "/serve.sock");
      const auto page = parse_json(client.request("GET", "/v1/memories?limit=100" + cursor).body);
      if (!page || page->find("memories") == nullptr) break;
      for (const Json& each : page->find("memories")->as_array())
        ++counts[each.find("text")->as_string()];
      const Json* next = page->find("next_cursor");
      cursor = next == nullptr ? "" : "&cursor=" + next->as_string();
    } while (!cursor.empty());
    return counts;
  }

  test::Background server_;
};

TEST_F(ServeKilled, NoAnsweredWriteIsLostAndNoneIsMadeTwice) {
  SeededRandom random(44);
  std::mutex mutex;
  std::vector<std::string> answered, unknown;
  int said = 0;
  for (int kill = 0; kill < kills(); ++kill) {
    ASSERT_NO_FATAL_FAILURE(serve());
    // What was cut off is said again, with its key.
    for (const std::string& text : std::exchange(unknown, {})) {
      const int status = say(text);
      ASSERT_TRUE(status == 200 || status == 201) << text << status;
      answered.push_back(text);
    }
    std::atomic<bool> stop{false};
    std::vector<std::thread> clients;
    for (int i = 0; i < kClients; ++i) {
      clients.emplace_back([&] {
        while (!stop) {
          std::string text;
          {
            const std::lock_guard lock(mutex);
            text = "note number " + std::to_string(++said) + " of the harbour";
          }
          const int status = say(text);
          const std::lock_guard lock(mutex);
          (status == 200 || status == 201 ? answered : unknown).push_back(text);
          if (status == 0) return;
        }
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50 + random.below(400)));
    server_.end(SIGKILL);
    stop = true;
    for (std::thread& client : clients) client.join();
  }
  ASSERT_NO_FATAL_FAILURE(serve());
  const auto counts = remembered();
  for (const std::string& text : answered) {
    const auto found = counts.find(text);
    EXPECT_EQ(found == counts.end() ? 0 : found->second, 1) << text;
  }
  EXPECT_GT(answered.size(), 20U);
  for (const std::string& text : unknown) {
    const int status = say(text);
    EXPECT_TRUE(status == 200 || status == 201) << text << status;
  }
  for (const auto& [text, count] : remembered()) EXPECT_EQ(count, 1) << text;
  server_.end(SIGTERM);
  EXPECT_EQ(anima({"audit", "verify"}).exit_code, 0);
}

}  // namespace
}  // namespace anima::serve_kill_test
