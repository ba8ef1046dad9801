#include "govern/decide/call_slots.h"

namespace anima::govern {
namespace {

constexpr std::string_view kFile = "calls.slots";

Status all_taken(int most, int others) {
  std::string message = std::to_string(most) + " calls are running already";
  if (others > 0) message += ", " + std::to_string(others) + " of them in other processes";
  return fail(ErrorCode::kBusy, std::move(message), {}, "try again when one of them has ended");
}

}  // namespace

Result<CallSlots::Slot> CallSlots::take() {
  int here = 0;
  {
    const std::lock_guard lock(mutex_);
    if (running_ >= most_) return fail(all_taken(most_, 0).error());
    here = running_++;
  }
  Slot slot(*this);  // gives the count back when there is no lock to be had
  if (!folder_.empty()) {
    ANIMA_ASSIGN(slot.lock_, lock_free_byte(here));
  }
  return slot;
}

Result<std::unique_ptr<FileLock>> CallSlots::lock_free_byte(int here) {
  const std::string path = join_path(folder_, kFile);
  for (int byte = 0; byte < most_; ++byte) {
    auto lock = files_.lock_byte(path, static_cast<std::uint64_t>(byte));
    if (lock || lock.error().code != ErrorCode::kBusy) return lock;
  }
  return fail(all_taken(most_, most_ - here).error());
}

void CallSlots::give_back() {
  const std::lock_guard lock(mutex_);
  --running_;
}

}  // namespace anima::govern
