// SharedHead: the head sequence of a log in memory that all processes of the machine share, so that
// a reader learns of another process's commit without asking SQLite (DATA.md 6).
//
// A small file beside the log, mapped by everybody. A writer, holding the turn, announces the
// sequence it is about to commit (intent), commits, and moves the head there. So
//   head == intent   the head is the truth
//   head <  intent   somebody is committing, or died while committing: only the log knows
// The head moves behind a commit that is on disk, so a log that ends before it has lost entries
// that somebody was told are safe: acknowledged() says which, and nobody lowers it. A head that is
// behind the log, missing or zeroed is a hint lost, and is repaired by whoever holds the turn.
// Thread-safety: every function from any thread; announce and settle only by the turn's holder.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/ids.h"

namespace anima::store::detail {

class SharedHead {
 public:
  // Maps the file, made when missing; for reading only when `read_only`. Errors: kDenied, kIo,
  // kDiskFull; kNotFound (read_only, and nobody has written it).
  static Result<std::unique_ptr<SharedHead>> open(const std::string& path, bool read_only);
  ~SharedHead();
  SharedHead(const SharedHead&) = delete;
  SharedHead& operator=(const SharedHead&) = delete;

  // The head, or nullopt when only the log knows. Two loads.
  std::optional<Sequence> known() const;

  // The newest entry that was acknowledged, as far as the file knows; kNone when it knows nothing
  // or contradicts itself.
  Sequence acknowledged() const;

  void announce(Sequence intent);
  void settle(Sequence head);  // and wakes who waits

  // Sleeps until settle() is called anywhere after `seen` was read from ticket(), or the time is
  // up.
  std::uint32_t ticket() const;
  void wait(std::uint32_t seen, std::int64_t timeout_milliseconds);

 private:
  friend class TurnLock;  // who has the turn, and who waits for it; requires a writable head
  struct Page;
  SharedHead(Page* page, bool writable) : page_(page), writable_(writable) {}
  Page* page_;
  bool writable_;
};

// How long something is waited for that another process has.
struct TurnWait {
  std::int64_t milliseconds = 30'000;
  const std::atomic<bool>* stop = nullptr;  // raised: the wait ends with kCancelled
  bool stopped() const { return stop != nullptr && stop->load(); }
};

// The writer's turn among processes: an advisory lock that the kernel frees when its holder dies.
// Two byte ranges make it fair: one waits for the turn holding the place next in line, so that a
// busy writer cannot pass a waiting one. A wait has an end, so that a process which stops with the
// turn in its hands (Ctrl-Z, a debugger) does not hold up the others for ever. Thread-safety: one
// thread at a time.
class TurnLock {
 public:
  static Result<std::unique_ptr<TurnLock>> open(const std::string& path);
  ~TurnLock();
  TurnLock(const TurnLock&) = delete;
  TurnLock& operator=(const TurnLock&) = delete;

  // Errors: kBusy after `wait`, naming it and, where it is known, the holder; kCancelled, kIo.
  Status lock(SharedHead& head, const TurnWait& wait);
  Result<bool> try_lock();
  void unlock(SharedHead& head);

 private:
  explicit TurnLock(int descriptor, std::string path)
      : descriptor_(descriptor), path_(std::move(path)) {}
  Status wait_in_line(SharedHead& head, const TurnWait& wait);
  int descriptor_;
  std::string path_;
};

}  // namespace anima::store::detail
