// The keys that payloads are sealed under, outside the log: destroying one erases what it sealed,
// while the chain still verifies over the sealed bytes (DATA.md 9).
//
// One file a key, mode 0600, in a folder of mode 0700. A name can get a new key after its old one
// was destroyed, so an entry names the key and its generation: "alice#5f1d09c2aa31b04e".
// Thread-safety: every function from any thread.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto.h"
#include "base/file.h"
#include "base/random.h"
#include "base/result.h"

namespace anima::store::detail {

struct NamedKey {
  std::string seal;  // name#generation, as it stands in the log
  SealKey key{};
};

class KeyStore {
 public:
  // An empty folder: keys live in memory. The folder is made with the first key.
  KeyStore(FileSystem& files, std::string folder) : files_(files), folder_(std::move(folder)) {}

  // The newest key of a name, made when there is none. Durable when it returns.
  // Errors: kInvalidArgument (no name, or one with '#' or a line break), kIo, kDiskFull.
  Result<NamedKey> obtain(std::string_view name, Random& random);
  // The key that an entry names; nullopt when it was destroyed.
  Result<std::optional<SealKey>> find(std::string_view seal);
  // The keys of a name, as name#generation; sorted, none when there are none.
  Result<std::vector<std::string>> seals(std::string_view name);
  // Destroys these keys; those that are gone already are fine.
  Status destroy(const std::vector<std::string>& seals);
  // Key names, sorted, each once.
  Result<std::vector<std::string>> names();

 private:
  Result<NamedKey> read(const std::string& file);
  std::string path_of(std::string_view seal) const;
  Status load();
  Status shred(const std::string& path);

  FileSystem& files_;
  const std::string folder_;
  std::mutex mutex_;
  bool loaded_ = false;
  struct Known {
    SealKey key{};
    std::string path;  // of its file; hashing the seal for each look costs more than the look
  };
  void keep(const NamedKey& named);
  std::map<std::string, Known, std::less<>> keys_;  // by seal
};

}  // namespace anima::store::detail
