// Ten calls at once over real processes: a slot comes back when its process ends, however it ends.
#include "govern/decide/call_slots.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <vector>

namespace anima::govern::call_slots_test {
namespace {

std::optional<ErrorCode> code_of(const Result<CallSlots::Slot>& slot) {
  return slot ? std::nullopt : std::optional(slot.error().code);
}

// A process that holds so many slots of a folder until it is killed.
class Holder {
 public:
  Holder(const std::string& folder, int most, int wanted) {
    int ready[2] = {};
    EXPECT_EQ(::pipe(ready), 0);
    process_ = ::fork();
    if (process_ == 0) {
      CallSlots slots(folder, most);
      std::vector<Result<CallSlots::Slot>> held;
      for (int i = 0; i < wanted; ++i) held.push_back(slots.take());
      (void)!::write(ready[1], held.back() ? "+" : "-", 1);
      for (;;) ::pause();
    }
    char answer = '-';
    EXPECT_EQ(::read(ready[0], &answer, 1), 1);
    EXPECT_EQ(answer, '+');
    ::close(ready[0]);
    ::close(ready[1]);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() { kill(); }
  void kill() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(std::exchange(process_, -1), nullptr, 0);
  }

 private:
  pid_t process_ = -1;
};

TEST(CallSlots, WithoutAFolderOneObjectCounts) {
  CallSlots slots({}, 2);
  CallSlots others({}, 2);
  auto first = std::optional(slots.take());
  const auto second = slots.take();
  EXPECT_TRUE(second);
  const auto third = slots.take();
  ASSERT_EQ(code_of(third), ErrorCode::kBusy);
  EXPECT_EQ(third.error().message, "2 calls are running already");
  EXPECT_TRUE(others.take());
  first.reset();
  EXPECT_TRUE(slots.take());
}

TEST(CallSlots, AKilledProcessHoldsNone) {
  const TemporaryDirectory folder("anima-slots");
  CallSlots slots(folder.path(), 3);
  Holder holder(folder.path(), 3, 2);
  {
    const auto mine = slots.take();
    ASSERT_TRUE(mine);
    const auto more = slots.take();
    ASSERT_EQ(code_of(more), ErrorCode::kBusy);
    EXPECT_EQ(more.error().message, "3 calls are running already, 2 of them in other processes");
  }
  holder.kill();
  const auto first = slots.take();
  const auto second = slots.take();
  const auto third = slots.take();
  EXPECT_TRUE(first && second && third);
  EXPECT_EQ(code_of(slots.take()), ErrorCode::kBusy);
}

TEST(CallSlots, AFolderWhereNothingCanBeLockedLetsNothingRun) {
  const TemporaryDirectory folder("anima-slots");
  CallSlots slots(folder.file("none"), 3);
  EXPECT_EQ(code_of(slots.take()), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(slots.take()), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace anima::govern::call_slots_test
