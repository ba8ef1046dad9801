#include "store/log/file_identity.h"

#include <sys/stat.h>

namespace anima::store::detail {

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return FileIdentity{static_cast<std::uint64_t>(info.st_dev),
                      static_cast<std::uint64_t>(info.st_ino)};
}

Error log_replaced(const std::string& path) {
  return {ErrorCode::kConflict, "the log was deleted, moved or replaced while it was open here",
          path, "nothing was written; open the space again, where it lies now"};
}

}  // namespace anima::store::detail
