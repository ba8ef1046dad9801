// Row 159 at the portal: when it is open, for what, how often.
#include "world/daemons/portal.h"

#include "support/daemon_test.h"

namespace anima::world::portal_gate_test {
namespace {

class PortalGateTest : public test::DaemonTest {
 protected:
  void SetUp() override {
    test::DaemonTest::SetUp();
    open([](const std::string&, const std::string&) -> Result<WebPage> {
      return WebPage{200, "text/plain", "hello", {}, false};
    });
  }
  void open(PageFetcher fetcher) {
    world_.portal.open(std::move(fetcher), {"example.org"}, nullptr);
  }
  void epoch(std::uint64_t number) {
    MessagePack state{MessagePack::Map()};
    const MessagePack before = nexus_.state();
    for (const auto& member : *before.map())
      state.set(*member.first.text(),
                *member.first.text() == "epoch" ? MessagePack(number) : member.second);
    ASSERT_TRUE(nexus_.restore(state));
  }
  std::string request(const char* method, std::size_t agent = 0) {
    return ask(agents_[agent], Message::kWebRequest,
               {{"method", method}, {"url", "https://example.org/"}})
        .refusal();
  }
};

TEST_F(PortalGateTest, Row159ItsEpochDecides) {
  for (const std::uint64_t closed : {0U, 1U, 2U}) {
    epoch(closed);
    EXPECT_EQ(request("GET"), "Unauthorized: the portal opens in epoch 3, Commerce");
  }
  epoch(3);
  EXPECT_EQ(request("POST"), "Unauthorized: only GET and HEAD in epoch 3");
  EXPECT_EQ(request("HEAD"), "granted");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(request("GET"), "granted") << i;
  EXPECT_EQ(request("GET"), "QuotaExceeded: no more requests in this cycle");
  EXPECT_EQ(request("GET", 1), "granted") << "of another agent";
  epoch(4);
  EXPECT_EQ(request("POST"), "granted");
  EXPECT_EQ(request("GET"), "granted");
  EXPECT_EQ(request("GET"), "QuotaExceeded: no more requests in this cycle");
  world_.portal.end_cycle();
  EXPECT_EQ(request("GET"), "granted");
}

TEST_F(PortalGateTest, SaysWhenNothingCanBeFetched) {
  epoch(3);
  open([](const std::string&, const std::string&) -> Result<WebPage> {
    return fail(ErrorCode::kIo, "nobody answers");
  });
  EXPECT_EQ(request("GET"), "Internal: nobody answers");
  open({});
  EXPECT_EQ(request("GET"), "Internal: this world has no way to the web");
}

}  // namespace
}  // namespace anima::world::portal_gate_test
