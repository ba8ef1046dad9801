// The keys that payloads are sealed under, outside the log: destroying one erases what it sealed,
// while the chain still verifies over the sealed bytes (DATA.md 9).
//
// One file a key, mode 0600, in a folder of mode 0700. A name can get a new key after its old one
// was destroyed, so an entry names the key and its generation: "alice#5f1d09c2aa31b04e". That a key
// was destroyed is told by the log alone (mark_destroyed); a file that is missing or cannot be read
// is a key that is not here, and stands in nobody's way. Thread-safety: every function from any
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto.h"
#include "base/files/file.h"
#include "base/mutex.h"
#include "base/random.h"
#include "base/result.h"
#include "store/seal_state.h"

namespace anima::store::detail {

struct NamedKey {
  std::string seal;  // name#generation, as it stands in the log
  SealKey key{};
};

struct FoundKey {
  SealState state = SealState::kSealed;
  SealKey key{};  // only when kOpen
};

class KeyStore {
 public:
  // An empty folder: keys live in memory. The folder is made with the first key.
  KeyStore(FileSystem& files, std::string folder) : files_(files), folder_(std::move(folder)) {}

  // The newest key of a name, made when there is none. Durable when it returns, whoever made it.
  // Errors: kInvalidArgument (no name, or one with '#' or a line break), kIo, kDiskFull.
  Result<NamedKey> obtain(std::string_view name, Random& random);
  // The key that an entry names.
  FoundKey find(std::string_view seal);
  // The keys of a name that are here, as name#generation; sorted, none when there are none.
  Result<std::vector<std::string>> seals(std::string_view name);
  // Key names, sorted, each once.
  Result<std::vector<std::string>> names();

  // The log says so in entry `sequence`: from now on find() never gives the key again.
  void mark_destroyed(const std::string& seal, std::uint64_t sequence);
  // Everything that was marked, by the number of the entry that says so.
  std::map<std::string, std::uint64_t> destroyed();
  // Removes the files of marked keys, as far as they are (still, or again) there. Durable.
  Status shred_destroyed();

 private:
  Result<NamedKey> read(const std::string& file);
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
