// One cycle of sleep a space at a time: of two, each would count the other's entries as its own.
//
// The file sleep.lock of the space is held while a cycle runs or is taken back; sleep.holder says
// who holds it, for whoever waits. The lock ends with the process, however that ends. A log that
// several machines share is guarded on each machine alone. A space in memory needs none.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/result.h"
#include "store/space.h"

namespace anima::sleep::detail {

class SleepTurn {
 public:
  // Waits so long; null for a space in memory. `what` is said to others: "a cycle, on demand".
  // Errors: kBusy with who has it, kCancelled when `stop` is raised meanwhile, kIo.
  static Result<std::unique_ptr<SleepTurn>> take(const store::Space& space, std::string_view what,
                                                 Timestamp now, std::int64_t wait_milliseconds,
                                                 const std::atomic<bool>* stop);
  // Whether somebody has it now.
  static bool is_taken(const store::Space& space);
  SleepTurn(const SleepTurn&) = delete;
  SleepTurn& operator=(const SleepTurn&) = delete;
  ~SleepTurn();

 private:
  SleepTurn(std::string holder, std::unique_ptr<FileLock> lock)
      : holder_(std::move(holder)), lock_(std::move(lock)) {}
  std::string holder_;
  std::unique_ptr<FileLock> lock_;
};

}  // namespace anima::sleep::detail
