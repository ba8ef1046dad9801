// Seal keys in a folder of this machine, or in memory (key_service.h).
//
// One file a key, mode 0600, in a folder of mode 0700. A file that is missing or cannot be read is
// a key that is not here. Thread-safety: every function from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/mutex.h"
#include "base/result.h"
#include "store/keys/key_service.h"

namespace anima::store::detail {

// The key that a file holds. Errors: kNotFound, kIo; kCorrupt (it is no key file, or no file).
Result<NamedKey> read_key_file(FileSystem& files, const std::string& path);
// What the file of a key is called.
std::string key_file_name(std::string_view seal);

class FolderKeys final : public KeyService {
 public:
  // An empty folder: keys live in memory. The folder is made with the first key.
  FolderKeys(FileSystem& files, std::string folder) : files_(files), folder_(std::move(folder)) {}

  Result<NamedKey> obtain(std::string_view name, Random& random) override;
  FoundKey find(std::string_view seal) override;
  Result<std::vector<std::string>> seals(std::string_view name) override;
  Result<std::vector<std::string>> names() override;
  void mark_destroyed(const std::string& seal, std::uint64_t sequence) override;
  std::map<std::string, std::uint64_t> destroyed() override;
  Status shred_destroyed() override;

 private:
  std::string path_of(std::string_view seal) const;
  Status load() ANIMA_REQUIRES(mutex_);
  Status shred(const std::string& path);
  Status sync_folders();

  FileSystem& files_;
  const std::string folder_;
  Mutex mutex_;
  bool loaded_ ANIMA_GUARDED_BY(mutex_) = false;
  struct Known {
    SealKey key{};
    std::string path;  // of its file; hashing the seal for each look costs more than the look
    bool durable = false;
  };
  void keep(const NamedKey& named, bool durable) ANIMA_REQUIRES(mutex_);
  std::map<std::string, Known, std::less<>> keys_ ANIMA_GUARDED_BY(mutex_);  // by seal
  std::map<std::string, std::uint64_t, std::less<>> destroyed_ ANIMA_GUARDED_BY(mutex_);
};

}  // namespace anima::store::detail
