// Who keeps the keys that payloads are sealed under, outside the log: destroying one erases what it
// sealed, while the chain still verifies over the sealed bytes (DATA.md 9).
//
// A key is in one of three states (SealState): here; destroyed, which the log alone tells
// (mark_destroyed); or not here, which stands in nobody's way. A name can get a new key after its
// old one was destroyed, so an entry names the key and its generation: "alice#5f1d09c2aa31b04e".
// They lie in a folder of this machine, or in memory (folder_keys.h), never in the database of a
// log. Thread-safety: every function from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto.h"
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

class KeyService {
 public:
  virtual ~KeyService() = default;

  // The newest key of a name, made when there is none. Durable when it returns, whoever made it.
  // Errors: kInvalidArgument (no name, or one with '#' or a line break), kIo, kDiskFull.
  virtual Result<NamedKey> obtain(std::string_view name, Random& random) = 0;
  // The key that an entry names.
  virtual FoundKey find(std::string_view seal) = 0;
  // The keys of a name that are here, as name#generation; sorted, none when there are none.
  virtual Result<std::vector<std::string>> seals(std::string_view name) = 0;
  // Key names, sorted, each once.
  virtual Result<std::vector<std::string>> names() = 0;

  // The log says so in entry `sequence`: from now on find() never gives the key again.
  virtual void mark_destroyed(const std::string& seal, std::uint64_t sequence) = 0;
  // Everything that was marked, by the number of the entry that says so.
  virtual std::map<std::string, std::uint64_t> destroyed() = 0;
  // Removes what is kept of marked keys, as far as it is (still, or again) there. Durable.
  virtual Status shred_destroyed() = 0;
};

// Name of the key that a seal names.
inline std::string_view key_name(std::string_view seal) { return seal.substr(0, seal.rfind('#')); }
// Errors: kInvalidArgument.
Status check_key_name(std::string_view name);
// A key of the name that nobody has had.
NamedKey draw_key(std::string_view name, Random& random);

}  // namespace anima::store::detail
