// The forge: whose sandbox it is, when results come, and what a call costs.
#include "world/daemons/forge.h"

#include "support/daemon_test.h"

namespace anima::world::forge_test {
namespace {

class ForgeTest : public test::DaemonTest {
 protected:
  Digest sandbox(std::string_view program, std::uint64_t limit = 1000) {
    return ask(agents_[0], Message::kSandboxCreate,
               {{"program", pack(object(program))}, {"tick_limit", limit}})
        .id("sandbox_id");
  }
  test::DaemonAnswer start(const Digest& id) {
    return ask(agents_[0], Message::kExecStart, {{"sandbox_id", pack(id)}});
  }
  // What an agent is told in the tick after this one.
  test::DaemonAnswer result(std::size_t agent = 0) {
    world_.frames.clear();
    world_.forge.work();
    EXPECT_TRUE(world_.frames.empty()) << "not in the tick that asked";
    ++realm_.tick;
    world_.forge.work();
    return world_.frames.empty() ? test::DaemonAnswer()
                                 : read(world_.frames.back(), agents_[agent].id);
  }
  const MessagePack none_ = pack(sha256("none"));
};

TEST_F(ForgeTest, ASandboxIsItsOwnersAndStartsOnce) {
  EXPECT_EQ(refused(agents_[0], Message::kSandboxCreate, {{"program", none_}}),
            "NotFound: there is no such program");
  const Digest id = sandbox("push 7\nhalt");
  for (const Message type : {Message::kExecStart, Message::kProofRequest}) {
    EXPECT_EQ(refused(agents_[0], type, {{"sandbox_id", none_}}),
              "NotFound: there is no such sandbox");
    EXPECT_EQ(refused(agents_[1], type, {{"sandbox_id", pack(id)}}),
              "Unauthorized: the sandbox is another's");
  }
  ASSERT_TRUE(start(id).good());
  EXPECT_EQ(refused(agents_[0], Message::kExecStart, {{"sandbox_id", pack(id)}}),
            "Conflict: the sandbox has been started");
  const auto done = result();
  EXPECT_EQ(done.type, Message::kExecResult);
  EXPECT_EQ(done.text("state"), "Halted");
  EXPECT_EQ(*done.body.find("result")->natural(), 7U);
  EXPECT_EQ(refused(agents_[0], Message::kExecStart, {{"sandbox_id", pack(id)}}),
            "Conflict: the sandbox has been started");
  ASSERT_TRUE(ask(agents_[0], Message::kProofRequest, {{"sandbox_id", pack(id)}}).good());
  const auto proof = result();
  EXPECT_EQ(proof.type, Message::kProofResult);
  EXPECT_TRUE(*proof.body.find("halted")->boolean());
  world_.forge.end_cycle();
  EXPECT_EQ(refused(agents_[0], Message::kProofRequest, {{"sandbox_id", pack(id)}}),
            "NotFound: there is no such sandbox")
      << "what ended goes with the cycle";
}

TEST_F(ForgeTest, AFaultIsTold) {
  ASSERT_TRUE(start(sandbox("jump 0", 50)).good());
  const auto done = result();
  EXPECT_EQ(done.text("state"), "Faulted");
  EXPECT_EQ(*done.body.find("fault")->natural(), 1U) << "ticks";
  EXPECT_EQ(told(EventKind::kSandboxFaulted), 1U);
  EXPECT_EQ(told(EventKind::kSandboxHalted), 0U);
}

TEST_F(ForgeTest, ServicesAreCalledForTheirFee) {
  EXPECT_EQ(refused(agents_[0], Message::kServiceCreate, {{"name", "s"}, {"program", none_}}),
            "NotFound: there is no such program");
  const auto service = [&](std::uint64_t fee) {
    return ask(agents_[0], Message::kServiceCreate,
               {{"name", "square"},
                {"program", pack(object("input\ndup\nmul\nhalt"))},
                {"fee", fee}})
        .id("service_id");
  };
  EXPECT_EQ(refused(agents_[1], Message::kServiceCall, {{"service_id", none_}}),
            "NotFound: there is no such service");
  EXPECT_EQ(refused(agents_[1], Message::kServiceCall, {{"service_id", pack(service(97))}}),
            "QuotaExceeded: the balance does not reach");
  EXPECT_EQ(result().there, false) << "who does not pay is not served";
  const Digest id = service(10);
  ASSERT_TRUE(
      ask(agents_[1], Message::kServiceCall, {{"service_id", pack(id)}, {"data", 9}}).good());
  EXPECT_EQ(balance(agents_[1].id), 89);
  EXPECT_EQ(balance(agents_[0].id), 110);
  const auto done = result(1);
  EXPECT_EQ(done.type, Message::kServiceResult);
  EXPECT_EQ(*done.body.find("result")->natural(), 81U);
  ASSERT_TRUE(ask(agents_[0], Message::kServiceCall, {{"service_id", pack(id)}}).good());
  EXPECT_EQ(balance(agents_[0].id), 110) << "its owner pays nothing";
}

TEST_F(ForgeTest, SaysWhichImportsAreThere) {
  const auto answer = ask(
      agents_[0], Message::kLinkResolve,
      {{"program", none_}, {"imports", pack(std::vector<Digest>{object("x"), sha256("none")})}});
  const auto& resolved = *answer.data("resolved").array();
  ASSERT_EQ(resolved.size(), 2U);
  EXPECT_TRUE(*resolved[0].boolean());
  EXPECT_FALSE(*resolved[1].boolean());
}

}  // namespace
}  // namespace anima::world::forge_test
