#include "tools/detail/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "base/files/file.h"

namespace anima::tools::detail {

Result<FolderLock> FolderLock::take(const std::string& folder, int milliseconds) {
  constexpr int kPause = 5;
  FolderLock lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock.descriptor_ < 0) return fail(os_error(errno, "cannot open the folder", folder));
  for (int waited = 0; flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0; waited += kPause) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return fail(os_error(errno, "cannot lock the folder", folder));
    if (waited >= milliseconds) {
      return fail(ErrorCode::kBusy, "another process is changing the files of the folder", folder,
                  "try again when it has ended");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(kPause));
  }
  return lock;
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace anima::tools::detail
