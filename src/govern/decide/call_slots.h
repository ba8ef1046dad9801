// CallSlots: how many calls run at once, over all processes of a space.
//
//   CallSlots slots(space->folder(), 10);
//   ANIMA_ASSIGN(const CallSlots::Slot slot, slots.take());   // kBusy: ten calls run already
//   ...                                                       // the call; `slot` gives itself back
//
// A slot is a lock on one byte of <space>/calls.slots. The kernel gives it back when its process
// ends, however that ends, so that a killed one holds none; nobody waits for one. Nothing is
// written to the file. Without a folder the calls of this object alone are counted.
// Thread-safety: from any thread. Ownership: a slot may outlive neither this object nor `files`.
// Complexity: one call of the kernel for each slot that others hold.
// Source: governance specification 1.7, table row 60.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/files/file.h"
#include "base/result.h"

namespace anima::govern {

class CallSlots {
 public:
  class Slot {
   public:
    Slot(Slot&& other) noexcept
        : slots_(std::exchange(other.slots_, nullptr)), lock_(std::move(other.lock_)) {}
    Slot& operator=(Slot&&) = delete;
    ~Slot() {
      lock_.reset();
      if (slots_ != nullptr) slots_->give_back();
    }

   private:
    friend class CallSlots;
    explicit Slot(CallSlots& slots) : slots_(&slots) {}
    CallSlots* slots_;
    std::unique_ptr<FileLock> lock_;
  };

  CallSlots(std::string folder, int most, FileSystem& files = system_files())
      : folder_(std::move(folder)), most_(most), files_(files) {}

  // Errors: kBusy (as many calls as may run, run already), those of the file.
  Result<Slot> take();

 private:
  Result<std::unique_ptr<FileLock>> lock_free_byte(int here);
  void give_back();

  const std::string folder_;
  const int most_;
  FileSystem& files_;
  std::mutex mutex_;
  int running_ = 0;  // calls of this object
};

}  // namespace anima::govern
