#include "base/files/file_stamp.h"

#include <sys/stat.h>

#include <cerrno>

namespace anima {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

FileStamp stamp_of(const std::string& path) {
  FileStamp stamp;
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    stamp.error = errno;
    return stamp;
  }
  stamp.device = static_cast<std::uint64_t>(status.st_dev);
  stamp.inode = static_cast<std::uint64_t>(status.st_ino);
  stamp.size = static_cast<std::uint64_t>(status.st_size);
  stamp.modified_nanoseconds = nanoseconds(status.st_mtim);
  stamp.changed_nanoseconds = nanoseconds(status.st_ctim);
  return stamp;
}

}  // namespace anima
