#include "bus/event_bus.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

namespace anima::bus {
namespace {

class EventBusTest : public ::testing::Test {
 protected:
  Handler noting(std::string name) {
    return [this, name = std::move(name)](const Event& event) {
      seen_.push_back(name + " " + event.type);
    };
  }
  std::vector<std::string> seen_;
  EventBus bus_;
};

using ::testing::Test;

TEST_F(EventBusTest, HandlersRunInSubscriptionOrder) {
  const auto first = bus_.subscribe("core:route", noting("first"));
  const auto all = bus_.subscribe("*", noting("all"));
  const auto last = bus_.subscribe("core:route", noting("last"));
  bus_.emit({"core:route", Json::object()});
  EXPECT_EQ(seen_,
            (std::vector<std::string>{"first core:route", "all core:route", "last core:route"}));
}

// Governance table, row 32.
TEST_F(EventBusTest, Row32ThrowingHandlerStopsNobody) {
  const auto thrower =
      bus_.subscribe("core:route", [](const Event&) { throw std::runtime_error("broken"); });
  const auto later = bus_.subscribe("core:route", noting("later"));
  const auto errors = bus_.subscribe("system:handler_error", [this](const Event& event) {
    seen_.push_back("error " + event.payload.find("error")->as_string());
  });
  bus_.emit({"core:route", Json::object()});
  EXPECT_EQ(seen_, (std::vector<std::string>{"later core:route", "error broken"}));
}

TEST_F(EventBusTest, NestedEventsAreAppendedAndSecurityGoesFirst) {
  const auto emitter = bus_.subscribe("core:route", [this](const Event&) {
    seen_.emplace_back("begin");
    bus_.emit({"core:response", Json::object()});
    bus_.emit({"security:alert", Json::object()});
    seen_.emplace_back("end");
  });
  const auto response = bus_.subscribe("core:response", noting("r"));
  const auto alert = bus_.subscribe("security:alert", noting("a"));
  bus_.emit({"core:route", Json::object()});
  EXPECT_EQ(seen_,
            (std::vector<std::string>{"begin", "end", "a security:alert", "r core:response"}));
}

TEST_F(EventBusTest, OnceAndCancel) {
  const auto once = bus_.once("core:route", noting("once"));
  auto cancelled = bus_.subscribe("core:route", noting("cancelled"));
  cancelled.cancel();
  bus_.emit({"core:route", Json::object()});
  bus_.emit({"core:route", Json::object()});
  EXPECT_EQ(seen_, (std::vector<std::string>{"once core:route"}));
}

TEST(EventBus, SinkSeesEveryEventBeforeItIsDelivered) {
  std::vector<std::string> order;
  EventBus bus([&](const Event& event) { order.push_back("sink " + event.type); });
  const auto handler =
      bus.subscribe("*", [&](const Event& event) { order.push_back("handler " + event.type); });
  bus.emit({"memory:stored", Json::object()});
  EXPECT_EQ(order, (std::vector<std::string>{"sink memory:stored", "handler memory:stored"}));
}

TEST(EventBus, ASinkMayEmitAndSubscribe) {
  std::vector<std::string> order;
  std::vector<Subscription> kept;
  EventBus* itself = nullptr;
  EventBus bus([&](const Event& event) {
    order.push_back("sink " + event.type);
    if (event.type != "memory:stored") return;
    itself->emit({"security:alert", Json::object()});
    kept.push_back(itself->subscribe(
        "*", [&](const Event& told) { order.push_back("handler " + told.type); }));
  });
  itself = &bus;
  bus.emit({"memory:stored", Json::object()});
  EXPECT_EQ(order, (std::vector<std::string>{"sink memory:stored", "sink security:alert",
                                             "handler security:alert", "handler memory:stored"}));
}

TEST(EventBus, WhoSubscribesWaitsForNoSink) {
  std::promise<void> begun, free;
  EventBus bus([&](const Event&) {
    begun.set_value();
    free.get_future().wait();
  });
  std::thread emitter([&] { bus.emit({"memory:stored", Json::object()}); });
  begun.get_future().wait();
  std::vector<std::string> seen;
  const auto handler = bus.subscribe("*", [&](const Event& event) { seen.push_back(event.type); });
  free.set_value();
  emitter.join();
  EXPECT_EQ(seen, (std::vector<std::string>{"memory:stored"}));
}

TEST(EventBus, ASinkThatThrowsStopsNobody) {
  EventBus bus([](const Event&) { throw std::runtime_error("full"); });
  std::vector<std::string> seen;
  const auto handler = bus.subscribe("*", [&](const Event& event) { seen.push_back(event.type); });
  bus.emit({"memory:stored", Json::object()});
  EXPECT_EQ(seen, (std::vector<std::string>{"memory:stored", "system:handler_error"}));
}

TEST(EventBus, ManyThreadsHandEachEventOverOnceAndBeforeTheyGoOn) {
  constexpr int kThreads = 4, kEach = 500;
  std::mutex mutex;
  std::set<std::string> sunk;
  std::atomic<int> delivered = 0, early = 0;
  EventBus bus([&](const Event& event) {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(sunk.insert(event.type).second);
  });
  const auto handler = bus.subscribe("*", [&](const Event&) { ++delivered; });
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kEach; ++i) {
        const std::string type = "tool:" + std::to_string(thread) + "." + std::to_string(i);
        bus.emit({type, Json::object()});
        const std::lock_guard lock(mutex);
        early += sunk.contains(type) ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sunk.size(), std::size_t{kThreads} * kEach);
  EXPECT_EQ(delivered, kThreads * kEach);
  EXPECT_EQ(early, 0);
}

}  // namespace
}  // namespace anima::bus
