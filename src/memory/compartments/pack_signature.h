// Signed packs: a compartment's folder with a manifest of hashes and an Ed25519 signature.
//
// compartment.sig beside compartment.toml is JSON:
//   {"anima_pack":1,"id","files":{name: SHA-256},"key","signature"}
// Signed are the lines `anima pack 1`, the id, and for each file, sorted by name, its hash, a blank
// and its name, each ended by a line feed. Every file that loading reads must be listed, and every
// listed file must be there with its hash; what is checked are the bytes that are loaded.
// Errors carry akh::compartment::bad_signature (kCorrupt). Thread-safety: functions without state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/crypto.h"
#include "memory/compartments/compartment.h"

namespace anima::memory {

inline constexpr std::string_view kSignatureFile = "compartment.sig";

// Hashes the files of the compartment in this folder and writes compartment.sig. Everything in the
// folder is listed, but hidden files and the signature. Errors: those of the manifest, kIo.
Status sign_pack(FileSystem& files, const std::string& directory, const SigningKey& key);

// The key that signed it, or nothing for a folder without compartment.sig. `content` must be what
// read_content() gave for the manifest.
Result<std::optional<PublicKey>> check_pack(FileSystem& files, const CompartmentManifest& manifest,
                                            const CompartmentContent& content);

// A secret key file, as that of a space: `anima signing key 1`, a line feed, the seed as 64
// hexadecimal digits; readable by its owner only.
Result<SigningKey> read_pack_key(FileSystem& files, const std::string& path);
// Makes one. Errors: kAlreadyExists.
Result<SigningKey> make_pack_key(FileSystem& files, const std::string& path, Random& random);
Result<PublicKey> public_key_from_hex(std::string_view text);

// The keys that an operator accepts for a space: a line each in <space>/accepted-keys, the key and
// a name for people.
struct AcceptedKey {
  PublicKey key{};
  std::string name;
};
Result<std::vector<AcceptedKey>> read_accepted_keys(FileSystem& files, const std::string& folder);
// The keys alone. Errors: those of reading.
Result<std::vector<PublicKey>> accepted_keys(FileSystem& files, const std::string& folder);
Status write_accepted_keys(FileSystem& files, const std::string& folder,
                           const std::vector<AcceptedKey>& keys);

}  // namespace anima::memory
