#include "store/log/shared_head.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "base/file.h"
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
};

namespace {

constexpr std::uint64_t kMagic = 0x3164616568696e61;  // "anihead1"
constexpr std::size_t kPageSize = 4096;
constexpr off_t kLineByte = 0;
constexpr off_t kTurnByte = 1;

// Open-file-description locks: not dropped when another part of the process closes the same file.
int set_lock(int descriptor, short type, off_t byte, bool wait) {
  struct flock range = {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = byte;
  range.l_len = 1;
  int code;
  do {
    code = fcntl(descriptor, wait ? F_OFD_SETLKW : F_OFD_SETLK, &range);
  } while (code != 0 && errno == EINTR);
  return code == 0 ? 0 : errno;
}

}  // namespace

Result<std::unique_ptr<SharedHead>> SharedHead::open(const std::string& path, bool read_only) {
  int descriptor = read_only ? -1 : ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  const bool writable = descriptor >= 0;
  if (!writable) descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fail(os_error(errno, "cannot open the shared head", path));
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
  if (page->magic.load() != kMagic && writable) {
    page->head = 0;
    page->in_line = 0;
    page->intent = UINT64_MAX;  // only the log knows, until somebody repairs it
    page->magic = kMagic;
  }
  return head;
}

SharedHead::~SharedHead() { munmap(page_, kPageSize); }

std::optional<Sequence> SharedHead::known() const {
  // Intent is stored before the head moves and lowered after: reading it first never mistakes a
  // commit under way for a settled one.
  const std::uint64_t intent = page_->intent.load();
  const std::uint64_t head = page_->head.load();
  if (head != intent || page_->magic.load() != kMagic) return std::nullopt;
  return Sequence{head};
}

Sequence SharedHead::acknowledged() const {
  // The head never passes the intent, which is raised before it and lowered after it.
  const std::uint64_t head = page_->head.load();
  if (page_->magic.load() != kMagic || head > page_->intent.load()) return Sequence::kNone;
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

std::atomic<std::uint32_t>& SharedHead::in_line() { return page_->in_line; }

// --- TurnLock -----------------------------------------------------------------------------------

Result<std::unique_ptr<TurnLock>> TurnLock::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return fail(os_error(errno, "cannot open the writer's lock", path));
  return std::unique_ptr<TurnLock>(new TurnLock(descriptor, path));
}

TurnLock::~TurnLock() { ::close(descriptor_); }

Status TurnLock::lock(std::atomic<std::uint32_t>& in_line) {
  // Nobody waits: no need to stand in line. The counter is a hint; one that a dead waiter left
  // raised costs two calls a turn, and one that is missed costs fairness once.
  if (in_line.load() == 0) {
    ANIMA_ASSIGN(const bool mine, try_lock());
    if (mine) return {};
  }
  in_line.fetch_add(1);
  int error = set_lock(descriptor_, F_WRLCK, kLineByte, true);
  if (error == 0) {
    error = set_lock(descriptor_, F_WRLCK, kTurnByte, true);
    set_lock(descriptor_, F_UNLCK, kLineByte, true);
  }
  in_line.fetch_sub(1);
  if (error != 0) return fail(os_error(error, "cannot take the writer's turn", path_));
  return {};
}

Result<bool> TurnLock::try_lock() {
  const int error = set_lock(descriptor_, F_WRLCK, kTurnByte, false);
  if (error == EAGAIN || error == EACCES) return false;
  if (error != 0) return fail(os_error(error, "cannot take the writer's turn", path_));
  return true;
}

void TurnLock::unlock() { set_lock(descriptor_, F_UNLCK, kTurnByte, true); }

}  // namespace anima::store::detail
