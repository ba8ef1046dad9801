// Row 159 at the portal: when it is open, for what, how often.
#include "world/daemons/portal.h"

#include "support/daemon_test.h"

namespace anima::world::portal_test {
namespace {

class PortalTest : public test::DaemonTest {
 protected:
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

TEST_F(PortalTest, Row159ItsEpochDecides) {
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

TEST_F(PortalTest, SaysWhenNothingCanBeFetched) {
  epoch(3);
  world_.portal.set_fetcher([](const std::string&, const std::string&) -> Result<std::string> {
    return fail(ErrorCode::kIo, "nobody answers");
  });
  EXPECT_EQ(request("GET"), "Internal: nobody answers");
  world_.portal.set_fetcher({});
  EXPECT_EQ(request("GET"), "Internal: this world has no way to the web");
}

}  // namespace
}  // namespace anima::world::portal_test
