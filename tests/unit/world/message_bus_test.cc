// The contract of the bus between a kingdom and its parts: the same checks in process and over a
// NATS server, then what only a network can do to it.
#include "world/message_bus.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "bus/jetstream.h"
#include "support/nats_server.h"
#include "support/needs.h"
#include "world/transport/nats_line.h"

namespace anima::world::message_bus_test {
namespace {

constexpr const char* kSecret = "the secret of this world";

NatsBusOptions options_of(const test::NatsServer& server, std::uint64_t part = 0) {
  NatsBusOptions options;
  options.servers = server.url();
  options.world = "town";
  options.secret = kSecret;
  options.parts = 3;
  options.part = part;
  options.patience_ms = 60'000;
  options.version = "test";
  return options;
}

struct Killed {};

// A part whose handler the test gives, as one process would run it: in a thread.
class ThreadPart {
 public:
  ThreadPart(const test::NatsServer& server, std::uint64_t part,
             std::function<Result<std::string>(PartLink&, std::string_view)> handler) {
    NatsBusOptions options = options_of(server, part);
    options.stopped = [this] { return stop_.load(); };
    thread_ = std::thread([this, options, handler = std::move(handler)] {
      auto link = PartLink::open(options);
      if (!link) {
        status_ = fail(link.error());
        return;
      }
      try {
        status_ = (*link)->serve([&](std::string_view bytes) { return handler(**link, bytes); });
      } catch (const Killed&) {
        status_ = fail(ErrorCode::kCancelled, "killed");
      }
    });
  }
  ~ThreadPart() { static_cast<void>(kill()); }
  // Says no goodbye, as a process that is killed.
  Status kill() {
    stop_ = true;
    return wait();
  }
  Status wait() {
    if (thread_.joinable()) thread_.join();
    return status_;
  }

 private:
  std::atomic<bool> stop_{false};
  Status status_;
  std::thread thread_;
};

// What a part was told and what it does: "ask X" asks X and gives the answer, "fail" fails, "big N"
// gives N bytes, anything else is given back. The whole thing is remembered.
struct Doer {
  std::vector<std::string> told;
  std::mutex mutex;

  Result<std::string> operator()(const Commanded& ask, std::string_view bytes) {
    {
      const std::lock_guard<std::mutex> hold(mutex);
      told.emplace_back(bytes.substr(0, 60));
    }
    if (bytes == "fail") return fail(ErrorCode::kDiskFull, "no room", "here", "make some");
    if (bytes.starts_with("big "))
      return std::string(std::stoul(std::string(bytes.substr(4))), 'b');
    if (!bytes.starts_with("ask ")) return std::string(bytes);
    std::string answers;
    for (char c : bytes.substr(4)) {
      ANIMA_ASSIGN(const std::string answer, ask(std::string(1, c)));
      answers += answer + ";";
    }
    return answers;
  }
  std::vector<std::string> all() {
    const std::lock_guard<std::mutex> hold(mutex);
    return told;
  }
};

class BusContract : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (over_nats()) {
      server_ = std::make_unique<test::NatsServer>();
      ANIMA_NEEDS(test::kNats, server_->there());
      auto opened = open_nats_bus(options_of(*server_));
      ASSERT_TRUE(opened.has_value()) << opened.error().describe();
      bus_ = *std::move(opened);
      part_ = 2;
      remote_ = std::make_unique<ThreadPart>(
          *server_, part_, [this](PartLink& link, std::string_view bytes) {
            return doer_([&](std::string_view question) { return link.ask(question); }, bytes);
          });
    } else {
      bus_ = make_local_bus();
    }
    bus_->attend(
        [this](std::string_view question) -> Result<std::string> {
          asked_.emplace_back(question.substr(0, 60));
          if (question == "!") return fail(ErrorCode::kDenied, "not that", "there", "ask nicely");
          return question.size() > 60 ? std::string(question.size() * 2, 'a')
                                      : "A" + std::string(question);
        },
        [](std::uint64_t part) -> Result<std::vector<std::string>> {
          return std::vector<std::string>{"base of " + std::to_string(part), "and more"};
        });
    if (!over_nats())
      bus_->host(1, [this](std::string_view bytes) { return doer_(bus_->questions(), bytes); });
  }
  void TearDown() override {
    if (bus_ != nullptr) bus_->dismiss();
    if (remote_ != nullptr) {
      const Status ended = remote_->wait();
      EXPECT_TRUE(ended.has_value()) << ended.error().describe();
    }
  }
  bool over_nats() const { return GetParam(); }
  std::string command(std::string_view bytes) {
    auto done = bus_->command(part_, bytes);
    EXPECT_TRUE(done.has_value()) << done.error().describe();
    return done ? *done : std::string();
  }

  std::unique_ptr<test::NatsServer> server_;
  std::unique_ptr<MessageBus> bus_;
  std::unique_ptr<ThreadPart> remote_;
  Doer doer_;
  std::vector<std::string> asked_;
  std::uint64_t part_ = 1;
};

TEST_P(BusContract, TheBaseComesFirstAndOnce) {
  EXPECT_EQ(command("one"), "one");
  EXPECT_EQ(command("two"), "two");
  bus_->settled();
  EXPECT_EQ(command("three"), "three");
  const std::string base = "base of " + std::to_string(part_);
  EXPECT_EQ(doer_.all(), (std::vector<std::string>{base, "and more", "one", "two", "three"}));
}

TEST_P(BusContract, QuestionsAreAnsweredInTheirOrder) {
  EXPECT_EQ(command("ask xyz"), "Ax;Ay;Az;");
  EXPECT_EQ(command("ask "), "");
  EXPECT_EQ(command("ask q"), "Aq;");
  EXPECT_EQ(asked_, (std::vector<std::string>{"x", "y", "z", "q"}));
}

TEST_P(BusContract, ErrorsArriveWhole) {
  const auto failed = bus_->command(part_, "fail");
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, ErrorCode::kDiskFull);
  EXPECT_EQ(failed.error().describe(), "here: no room (make some)");
  const auto denied = bus_->command(part_, "ask a!b");
  ASSERT_FALSE(denied.has_value());
  EXPECT_EQ(denied.error().code, ErrorCode::kDenied);
  EXPECT_EQ(denied.error().describe(), "there: not that (ask nicely)");
  EXPECT_EQ(command("still here"), "still here");
}

TEST_P(BusContract, AnyBytesOfAnySizeTravel) {
  std::string bytes(3'000'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  EXPECT_EQ(command(bytes), bytes);
  EXPECT_EQ(command("big 1500000").size(), 1'500'000U);
  EXPECT_EQ(command(""), "");
}

TEST_P(BusContract, EachOfManyOnceAndInOrder) {
  std::vector<std::string> wanted{"base of " + std::to_string(part_), "and more"};
  for (int i = 0; i < 200; ++i) {
    wanted.push_back(std::to_string(i));
    ASSERT_EQ(command(wanted.back()), wanted.back());
  }
  EXPECT_EQ(doer_.all(), wanted);
}

INSTANTIATE_TEST_SUITE_P(Buses, BusContract, testing::Bool(), [](const auto& info) {
  return std::string(info.param ? "Nats" : "Local");
});

class NatsBusTest : public testing::Test {
 protected:
  void SetUp() override {
    ANIMA_NEEDS(test::kNats, server_.there());
    open_kingdom();
  }
  void open_kingdom() {
    auto opened = open_nats_bus(options_of(server_));
    ASSERT_TRUE(opened.has_value()) << opened.error().describe();
    bus_ = *std::move(opened);
    bus_->attend(
        [this](std::string_view question) -> Result<std::string> {
          asked_.emplace_back(question);
          return std::to_string(asked_.size());
        },
        [this](std::uint64_t) -> Result<std::vector<std::string>> {
          return std::vector<std::string>{"base " + base_};
        });
  }
  std::unique_ptr<ThreadPart> part(Doer& doer, std::uint64_t number = 2) {
    return std::make_unique<ThreadPart>(
        server_, number, [&doer](PartLink& link, std::string_view bytes) {
          return doer([&](std::string_view question) { return link.ask(question); }, bytes);
        });
  }
  std::string command(std::string_view bytes, std::uint64_t number = 2) {
    auto done = bus_->command(number, bytes);
    EXPECT_TRUE(done.has_value()) << done.error().describe();
    return done ? *done : std::string();
  }

  test::NatsServer server_;
  std::unique_ptr<MessageBus> bus_;
  std::string base_ = "0";
  std::vector<std::string> asked_;
};

TEST_F(NatsBusTest, APartThatWasKilledIsBroughtToWhereItWas) {
  Doer first, second, third;
  {
    const auto one = part(first);
    EXPECT_EQ(command("a"), "a");
    EXPECT_EQ(command("ask xy"), "1;2;");
    EXPECT_FALSE(one->kill().has_value());
  }
  const auto two = part(second);
  EXPECT_EQ(command("ask z"), "3;");
  EXPECT_EQ(second.all(), (std::vector<std::string>{"base 0", "a", "ask xy", "ask z"}));
  EXPECT_EQ(asked_, (std::vector<std::string>{"x", "y", "z"})) << "the kingdom did nothing twice";
  base_ = "1";
  bus_->settled();
  EXPECT_FALSE(two->kill().has_value());
  const auto three = part(third);
  EXPECT_EQ(command("b"), "b");
  EXPECT_EQ(third.all(), (std::vector<std::string>{"base 1", "b"}));
  EXPECT_EQ(bus_->counts().joined, 3U);
  bus_->dismiss();
  EXPECT_TRUE(three->wait().has_value());
}

// Killed between its question and the end of its command: the answer that it had is given again.
TEST_F(NatsBusTest, ACommandThatWasCutIsDoneOnce) {
  std::atomic<int> lives{0};
  const auto handler = [&](PartLink& link, std::string_view bytes) -> Result<std::string> {
    if (bytes != "go") return std::string();
    ANIMA_ASSIGN(const std::string one, link.ask("first"));
    if (++lives == 1) throw Killed();
    ANIMA_ASSIGN(const std::string two, link.ask("second"));
    return one + two;
  };
  ThreadPart first(server_, 2, handler);
  std::unique_ptr<ThreadPart> second;
  std::thread next([&] {
    static_cast<void>(first.wait());
    second = std::make_unique<ThreadPart>(server_, 2, handler);
  });
  const auto done = bus_->command(2, "go");
  next.join();
  ASSERT_TRUE(done.has_value()) << done.error().describe();
  EXPECT_EQ(*done, "12");
  EXPECT_EQ(asked_, (std::vector<std::string>{"first", "second"}));
  bus_->dismiss();
  EXPECT_TRUE(second->wait().has_value());
}

TEST_F(NatsBusTest, APartThatDoesOtherwiseThanBeforeIsAnError) {
  Doer first, second;
  {
    const auto one = part(first);
    EXPECT_EQ(command("a"), "a");
    static_cast<void>(one->kill());
  }
  const ThreadPart liar(server_, 2, [](PartLink&, std::string_view bytes) -> Result<std::string> {
    return "not " + std::string(bytes);
  });
  const auto done = bus_->command(2, "b");
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, ErrorCode::kConflict);
  EXPECT_NE(done.error().message.find("otherwise"), std::string::npos);
}

TEST_F(NatsBusTest, PartsBeginAnewWithANewKingdom) {
  Doer doer;
  const auto one = part(doer);
  EXPECT_EQ(command("a"), "a");
  bus_.reset();  // as when it is killed: nobody is dismissed
  base_ = "later";
  open_kingdom();
  EXPECT_EQ(command("b"), "b");
  EXPECT_EQ(doer.all(), (std::vector<std::string>{"base 0", "a", "base later", "b"}));
  bus_->dismiss();
  EXPECT_TRUE(one->wait().has_value());
}

TEST_F(NatsBusTest, TheServerMayCrashAndComeBack) {
  Doer doer, other;
  const auto one = part(doer);
  const auto two = part(other, 3);
  std::vector<std::string> wanted{"base 0"};
  std::atomic<int> at{0};
  std::thread crash([&] {
    for (const int when : {20, 60}) {
      while (at < when) std::this_thread::yield();
      server_.stop();
      server_.start();
    }
  });
  for (; at < 100; ++at) {
    wanted.push_back(std::to_string(at));
    ASSERT_EQ(command(wanted.back()), wanted.back());
    ASSERT_EQ(command("ask q", 3), std::to_string(at + 1) + ";");
  }
  crash.join();
  EXPECT_EQ(doer.all(), wanted);
  EXPECT_EQ(asked_.size(), 100U);
  bus_->dismiss();
  EXPECT_TRUE(one->wait().has_value());
  EXPECT_TRUE(two->wait().has_value());
}

TEST_F(NatsBusTest, WhatIsNotOfThisWorldIsRefusedAndCounted) {
  auto stranger = bus::JetStream::open({server_.url(), "stranger"});
  ASSERT_TRUE(stranger.has_value());
  const std::string subject = "anima.world.town.to.kingdom.2";
  const AgentId kingdom = link_identity(0, kSecret).id;
  const Identity part_identity = link_identity(2, kSecret);
  const auto send = [&](const std::string& id, const std::string& bytes) {
    EXPECT_TRUE((*stranger)->send(subject, id, bytes).has_value());
  };
  send("1", "rubbish");
  send("2", std::string(5000, 'K'));
  const LinkMessage done{LinkCode::kDone, {}, 1, "forged"};
  send("3", encode_link(link_identity(2, "another secret"), kingdom, done, 0).front().bytes);
  send("4", encode_link(link_identity(3, kSecret), kingdom, done, 0).front().bytes);
  std::string changed = encode_link(part_identity, kingdom, done, 0).front().bytes;
  changed.back() ^= 1;
  send("5", changed);
  // Signed well, and of no session.
  send("6", encode_link(part_identity, kingdom, done, 0).front().bytes);
  Doer doer;
  const auto one = part(doer);
  EXPECT_EQ(command("a"), "a");
  EXPECT_EQ(doer.all(), (std::vector<std::string>{"base 0", "a"}));
  EXPECT_EQ(bus_->counts().refused, 5U);
  EXPECT_GE(bus_->counts().repeated, 1U);
  bus_->dismiss();
  EXPECT_TRUE(one->wait().has_value());
}

TEST_F(NatsBusTest, WhoDoesNotFitIsToldWhy) {
  const auto refused = [&](NatsBusOptions options) {
    Error error;
    auto link = PartLink::open(std::move(options));
    if (!link) return link.error();
    const Status served =
        (*link)->serve([](std::string_view) -> Result<std::string> { return std::string(); });
    return served ? Error{} : served.error();
  };
  NatsBusOptions other_seed = options_of(server_, 2);
  other_seed.secret = "of another seed";
  EXPECT_NE(refused(other_seed).message.find("another seed"), std::string::npos);
  EXPECT_EQ(refused(options_of(server_, 4)).message, "this world has 3 parts, and no part 4");
  NatsBusOptions older = options_of(server_, 2);
  older.version = "older";
  EXPECT_EQ(refused(older).code, ErrorCode::kVersionMismatch);
  EXPECT_EQ(refused(options_of(server_, 1)).code, ErrorCode::kInvalidArgument);
  NatsBusOptions elsewhere = options_of(server_, 2);
  elsewhere.world = "nowhere";
  elsewhere.patience_ms = 100;
  EXPECT_EQ(refused(elsewhere).code, ErrorCode::kTimeout);
  elsewhere.world = "no such.name";
  EXPECT_EQ(refused(elsewhere).code, ErrorCode::kInvalidArgument);

  Doer doer;
  const auto one = part(doer);
  EXPECT_EQ(command("a"), "a");
  const Error taken = refused(options_of(server_, 2));
  EXPECT_EQ(taken.code, ErrorCode::kConflict);
  EXPECT_NE(taken.message.find("another process has part 2"), std::string::npos) << taken.message;
  const auto second = open_nats_bus(options_of(server_));
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kConflict);
  EXPECT_EQ(command("b"), "b") << "nothing of that did harm";
  bus_->dismiss();
  EXPECT_TRUE(one->wait().has_value());
}

TEST_F(NatsBusTest, APartThatDoesNotComeIsNotWaitedForWithoutEnd) {
  bus_.reset();
  NatsBusOptions hasty = options_of(server_);
  hasty.patience_ms = 100;
  std::vector<std::string> warned;
  hasty.warn = [&](const std::string& text) { warned.push_back(text); };
  const auto bus = open_nats_bus(hasty);
  ASSERT_TRUE(bus.has_value());
  (*bus)->attend(
      [](std::string_view) -> Result<std::string> { return std::string(); },
      [](std::uint64_t) -> Result<std::vector<std::string>> { return std::vector<std::string>(); });
  const auto done = (*bus)->command(3, "a");
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, ErrorCode::kTimeout);
  EXPECT_NE(done.error().describe().find("anima world join --part 3"), std::string::npos);
}

TEST(NatsServerTest, SaysWhatIsWrongWithIt) {
  NatsBusOptions options;
  options.secret = kSecret;
  options.servers = "nats://me:hush@127.0.0.1:1";
  const auto nobody = open_nats_bus(options);
  ASSERT_FALSE(nobody.has_value());
  EXPECT_EQ(nobody.error().code, ErrorCode::kBusy);
  EXPECT_EQ(nobody.error().describe().find("hush"), std::string::npos);
  EXPECT_EQ(nobody.error().where, "nats://127.0.0.1:1");
  options.servers = "http://hush@x";
  EXPECT_EQ(open_nats_bus(options).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(bus::shown_nats_address("nats://a:b@one:1,tls://tok@two"), "nats://one:1,tls://two");

  const test::NatsServer bare({.jetstream = false});
  ANIMA_NEEDS(test::kNats, bare.there());
  options.servers = bare.url();
  const auto no_streams = open_nats_bus(options);
  ASSERT_FALSE(no_streams.has_value());
  EXPECT_EQ(no_streams.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(no_streams.error().hint.find("-js"), std::string::npos);

  const test::NatsServer locked({.user = "town", .password = "hush"});
  options.servers = locked.plain_url();
  EXPECT_EQ(open_nats_bus(options).error().code, ErrorCode::kDenied);
  options.servers = locked.url();
  const auto known = open_nats_bus(options);
  EXPECT_TRUE(known.has_value()) << known.error().describe();
}

}  // namespace
}  // namespace anima::world::message_bus_test
