#include "store/log/shared_head.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>

#include "base/files/file.h"
#include "store/log/futex.h"

namespace anima::store::detail {

// In memory only: a file of another layout has another magic and is taken over.
struct SharedHead::Page {
  std::atomic<std::uint64_t> magic;
  std::atomic<std::uint64_t> head;
  std::atomic<std::uint64_t> intent;
  std::atomic<std::uint32_t> settlements;
  std::atomic<std::uint32_t> waiters;
  std::atomic<std::uint32_t> in_line;  // writers that wait for the turn
  std::atomic<std::uint32_t> turns;    // that ended
  std::atomic<std::uint32_t> holder;   // the process that has the turn; 0 = none, or not known
};

namespace {

constexpr std::uint64_t kHeadMagic = 0x3164616568696e61;  // "anihead1"
constexpr std::size_t kPageSize = 4096;
constexpr off_t kLineByte = 0;
constexpr off_t kTurnByte = 1;
// A holder that dies wakes nobody: the lock is tried again after so long.
constexpr std::int64_t kTrySliceMilliseconds = 20;

// Open-file-description locks: not dropped when another part of the process closes the same file.
int set_lock(int descriptor, short type, off_t byte) {
  struct flock range = {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = byte;
  range.l_len = 1;
  int code;
  do {
    code = fcntl(descriptor, F_OFD_SETLK, &range);
  } while (code != 0 && errno == EINTR);
  return code == 0 ? 0 : errno;
}

// Who may not use a file that every writer needs is told whose it is to be.
Error cannot_open(int error, std::string_view what, const std::string& path) {
  Error told = os_error(error, what, path);
  if (error == EACCES || error == EPERM)
    told.hint = "`chmod u+rw " + path + "`, as its owner; `anima doctor` looks at the others";
  return told;
}

}  // namespace

Result<std::unique_ptr<SharedHead>> SharedHead::open(const std::string& path, bool read_only) {
  int descriptor = read_only ? -1 : ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  const bool writable = !read_only;
  if (read_only) descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fail(cannot_open(errno, "cannot open the shared head", path));
  struct stat info = {};
  int error = fstat(descriptor, &info) != 0 ? errno : 0;
  if (error == 0 && info.st_size < static_cast<off_t>(kPageSize)) {
    if (!writable) {
      error = ENOENT;
    } else {
      // Allocated, so that a full disk is an error here and not a signal at the first store.
      error = posix_fallocate(descriptor, 0, kPageSize);
    }
  }
  void* memory = MAP_FAILED;
  if (error == 0) {
    memory = mmap(nullptr, kPageSize, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
                  descriptor, 0);
    if (memory == MAP_FAILED) error = errno;
  }
  ::close(descriptor);
  if (error != 0) return fail(os_error(error, "cannot map the shared head", path));
  auto* page = static_cast<Page*>(memory);
  std::unique_ptr<SharedHead> head(new SharedHead(page, writable));
  if (page->magic.load() != kHeadMagic && writable) {
    page->head = 0;
    page->in_line = 0;
    page->intent = UINT64_MAX;  // only the log knows, until somebody repairs it
    page->magic = kHeadMagic;
  }
  return head;
}

SharedHead::~SharedHead() { munmap(page_, kPageSize); }

std::optional<Sequence> SharedHead::known() const {
  // Intent is stored before the head moves and lowered after: reading it first never mistakes a
  // commit under way for a settled one.
  const std::uint64_t intent = page_->intent.load();
  const std::uint64_t head = page_->head.load();
  if (head != intent || page_->magic.load() != kHeadMagic) return std::nullopt;
  return Sequence{head};
}

Sequence SharedHead::acknowledged() const {
  // The head never passes the intent, which is raised before it and lowered after it.
  const std::uint64_t head = page_->head.load();
  if (page_->magic.load() != kHeadMagic || head > page_->intent.load()) return Sequence::kNone;
  return Sequence{head};
}

void SharedHead::announce(Sequence intent) {
  page_->intent.store(static_cast<std::uint64_t>(intent));
}

void SharedHead::settle(Sequence head) {
  // Where the head is repaired it can pass an old intent.
  if (page_->intent.load() < static_cast<std::uint64_t>(head)) announce(head);
  page_->head.store(static_cast<std::uint64_t>(head));
  page_->intent.store(static_cast<std::uint64_t>(head));
  page_->settlements.fetch_add(1);
  if (page_->waiters.load() != 0) {
    futex_wake_all(page_->settlements, true);
  }
}

std::uint32_t SharedHead::ticket() const { return page_->settlements.load(); }

void SharedHead::wait(std::uint32_t seen, std::int64_t timeout_milliseconds) {
  const timespec timeout = {timeout_milliseconds / 1000, (timeout_milliseconds % 1000) * 1'000'000};
  if (writable_) page_->waiters.fetch_add(1);
  futex_wait(page_->settlements, seen, &timeout, true);
  if (writable_) page_->waiters.fetch_sub(1);
}

// --- TurnLock -----------------------------------------------------------------------------------

Result<std::unique_ptr<TurnLock>> TurnLock::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return fail(cannot_open(errno, "cannot open the writer's lock", path));
  return std::unique_ptr<TurnLock>(new TurnLock(descriptor, path));
}

TurnLock::~TurnLock() { ::close(descriptor_); }

Status TurnLock::lock(SharedHead& head, const TurnWait& wait) {
  // Nobody waits: no need to stand in line. The counter is a hint; one that a dead waiter left
  // raised costs two calls a turn, and one that is missed costs fairness once.
  bool mine = false;
  if (head.page_->in_line.load() == 0) {
    ANIMA_ASSIGN(mine, try_lock());
  }
  if (!mine) {
    head.page_->in_line.fetch_add(1);
    const Status taken = wait_in_line(head, wait);
    head.page_->in_line.fetch_sub(1);
    if (!taken) return taken;
  }
  head.page_->holder.store(static_cast<std::uint32_t>(getpid()));
  return {};
}

// First for the place next in line, then, holding it, for the turn.
Status TurnLock::wait_in_line(SharedHead& head, const TurnWait& wait) {
  using std::chrono::milliseconds;
  using std::chrono::steady_clock;
  const auto end = steady_clock::now() + milliseconds(wait.milliseconds);
  bool next = false;
  Status status;
  while (true) {
    const std::uint32_t ended = head.page_->turns.load();
    if (!next) next = set_lock(descriptor_, F_WRLCK, kLineByte) == 0;
    if (next) {
      const Result<bool> mine = try_lock();
      if (!mine) status = fail(mine.error());
      if (!mine || *mine) break;
    }
    if (wait.stopped()) {
      status = fail(ErrorCode::kCancelled, "stopped while waiting for the writer's turn", path_);
      break;
    }
    const auto left = std::chrono::duration_cast<milliseconds>(end - steady_clock::now()).count();
    if (left <= 0) {
      const std::uint32_t holder = head.page_->holder.load();
      status = fail(ErrorCode::kBusy,
                    "another process has had the writer's turn for the " +
                        std::to_string(wait.milliseconds) +
                        " ms that this one waits (turn_wait_milliseconds)",
                    path_,
                    holder == 0 ? "try again"
                                : "try again; the turn was last taken by process " +
                                      std::to_string(holder) + ", which may be stopped");
      break;
    }
    const std::int64_t slice = std::min<std::int64_t>(left, kTrySliceMilliseconds);
    const timespec timeout = {0, slice * 1'000'000};
    futex_wait(head.page_->turns, ended, &timeout, true);
  }
  if (next) {
    set_lock(descriptor_, F_UNLCK, kLineByte);
    // Who stands behind takes the place.
    head.page_->turns.fetch_add(1);
    if (head.page_->in_line.load() > 1) futex_wake_all(head.page_->turns, true);
  }
  return status;
}

Result<bool> TurnLock::try_lock() {
  const int error = set_lock(descriptor_, F_WRLCK, kTurnByte);
  if (error == EAGAIN || error == EACCES) return false;
  if (error != 0) return fail(os_error(error, "cannot take the writer's turn", path_));
  return true;
}

void TurnLock::unlock(SharedHead& head) {
  head.page_->holder.store(0);
  set_lock(descriptor_, F_UNLCK, kTurnByte);
  head.page_->turns.fetch_add(1);
  if (head.page_->in_line.load() != 0) futex_wake_all(head.page_->turns, true);
}

}  // namespace anima::store::detail
