#include "memory/compartments/pack_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/files/output_place.h"
#include "base/json/json.h"
#include "base/text/text.h"

namespace anima::memory {
namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 30;
constexpr std::string_view kKeyHeader = "anima signing key 1\n";
constexpr std::string_view kAcceptedFile = "accepted-keys";

using Hashes = std::map<std::string, Digest>;

Unexpected<Error> bad(std::string message, std::string where) {
  return fail(
      compartment_error(CompartmentFault::kBadSignature, std::move(message), std::move(where)));
}

std::string signed_text(const std::string& id, const Hashes& hashes) {
  std::string text = fmt::format("anima pack 1\n{}\n", id);
  for (const auto& [name, hash] : hashes) text += fmt::format("{} {}\n", to_hex(hash), name);
  return text;
}

Result<Digest> hash_file(const std::string& directory, const std::string& name) {
  ANIMA_ASSIGN(const std::string bytes, read_of_pack(directory, name, kMaxFileBytes));
  return sha256(bytes);
}

// Every file of the folder and its sub-folders, by its path from there.
Status collect(FileSystem& files, const std::string& directory, const std::string& prefix,
               Hashes& out) {
  ANIMA_ASSIGN(const std::vector<DirectoryEntry> entries, files.list(join_path(directory, prefix)));
  for (const DirectoryEntry& entry : entries) {
    const std::string name = prefix.empty() ? entry.name : prefix + "/" + entry.name;
    if (entry.name.starts_with(".") || name == kSignatureFile) continue;
    if (entry.kind == FileInfo::Kind::kDirectory) {
      ANIMA_TRY(collect(files, directory, name, out));
    } else {
      ANIMA_ASSIGN(out[name], hash_file(directory, name));
    }
  }
  return {};
}

template <std::size_t N>
bool bytes_of(const Json* json, std::array<std::uint8_t, N>& out) {
  if (json == nullptr || !json->is_string()) return false;
  const auto bytes = from_hex(json->as_string());
  if (!bytes || bytes->size() != N) return false;
  std::copy(bytes->begin(), bytes->end(), out.begin());
  return true;
}

struct StoredSignature {
  std::string id;
  Hashes files;
  PublicKey key{};
  Signature signature{};
};

Result<StoredSignature> parse_signature(const std::string& text, const std::string& path) {
  const auto json = parse_json(text);
  if (!json) return bad("it cannot be read: " + json.error().message, path);
  const Json* version = json->find("anima_pack");
  if (version == nullptr || !version->is_integer() || version->as_integer() != 1) {
    return bad("its format is not 1", path);
  }
  StoredSignature stored;
  const Json *id = json->find("id"), *files = json->find("files");
  if (id == nullptr || !id->is_string() || files == nullptr || !files->is_object() ||
      !bytes_of(json->find("key"), stored.key) ||
      !bytes_of(json->find("signature"), stored.signature)) {
    return bad("it lacks an id, files, a key or a signature", path);
  }
  stored.id = id->as_string();
  for (const auto& [name, hash] : files->as_object()) {
    if (!stays_inside(name) || name.find('\n') != std::string::npos ||
        !bytes_of(&hash, stored.files[name])) {
      return bad(fmt::format("the entry \"{}\" is none", name), path);
    }
  }
  return stored;
}

}  // namespace

Status sign_pack(FileSystem& files, const std::string& directory, const SigningKey& key) {
  ANIMA_ASSIGN(const CompartmentManifest manifest, read_manifest(directory));
  ANIMA_TRY(read_content(files, manifest).map([](const CompartmentContent&) {}));
  Hashes hashes;
  ANIMA_TRY(collect(files, directory, {}, hashes));
  Json listed = Json::object();
  for (const auto& [name, hash] : hashes) listed.set(name, to_hex(hash));
  const Json json =
      Json::object({{"anima_pack", 1},
                    {"id", manifest.id},
                    {"files", std::move(listed)},
                    {"key", to_hex(key.public_key)},
                    {"signature", to_hex(sign(key, signed_text(manifest.id, hashes)))}});
  return replace_file(files, join_path(directory, std::string(kSignatureFile)),
                      json.dump(2) + "\n");
}

Result<std::optional<PublicKey>> check_pack(FileSystem& files, const CompartmentManifest& manifest,
                                            const CompartmentContent& content) {
  const std::string path = join_path(manifest.directory, std::string(kSignatureFile));
  if (!file_exists(files, path)) return std::optional<PublicKey>();
  ANIMA_ASSIGN(const std::string text,
               read_of_pack(manifest.directory, std::string(kSignatureFile), kMaxFileBytes));
  ANIMA_ASSIGN(const StoredSignature stored, parse_signature(text, path));
  if (!verify(stored.key, signed_text(stored.id, stored.files), stored.signature)) {
    return bad("the signature is not of this list of files by this key", path);
  }
  if (stored.id != manifest.id) {
    return bad(fmt::format("it is the signature of \"{}\"", stored.id), path);
  }
  Hashes loaded = content.hashes;
  loaded["compartment.toml"] = manifest.hash;
  for (const auto& [name, hash] : loaded) {
    const auto listed = stored.files.find(name);
    if (listed == stored.files.end()) return bad(fmt::format("{} is not in it", name), path);
    if (listed->second != hash) return bad(fmt::format("{} is not what was signed", name), path);
  }
  for (const auto& [name, hash] : stored.files) {
    if (loaded.count(name) != 0) continue;
    const Result<Digest> found = hash_file(manifest.directory, name);
    if (!found) return bad(fmt::format("{} cannot be read: {}", name, found.error().message), path);
    if (*found != hash) return bad(fmt::format("{} is not what was signed", name), path);
  }
  return std::optional<PublicKey>(stored.key);
}

Result<SigningKey> read_pack_key(FileSystem& files, const std::string& path) {
  ANIMA_ASSIGN(const std::string text, read_file(files, path, 4096));
  const bool headed = text.starts_with(kKeyHeader);
  const auto bytes = from_hex(trim(std::string_view(text).substr(headed ? kKeyHeader.size() : 0)));
  std::array<std::uint8_t, 32> seed{};
  if (!headed || !bytes || bytes->size() != seed.size()) {
    return fail(ErrorCode::kInvalidArgument, "this is no signing key", path,
                "make one with --new-key");
  }
  std::copy(bytes->begin(), bytes->end(), seed.begin());
  return signing_key_from_seed(seed);
}

Result<SigningKey> make_pack_key(FileSystem& files, const std::string& path, Random& random) {
  if (file_exists(files, path)) {
    return fail(ErrorCode::kAlreadyExists, "there is a key already", path);
  }
  ANIMA_TRY(check_output_place(path));
  const SigningKey key = make_signing_key(random);
  ANIMA_TRY(replace_file(files, path, std::string(kKeyHeader) + to_hex(key.seed) + "\n", 0600));
  return key;
}

Result<PublicKey> public_key_from_hex(std::string_view text) {
  PublicKey key{};
  const Json json(trim(text));
  if (bytes_of(&json, key)) return key;
  return fail(ErrorCode::kInvalidArgument, "a public key is 64 hexadecimal digits",
              std::string(text), "`anima compartment sign` prints it");
}

Result<std::vector<AcceptedKey>> read_accepted_keys(FileSystem& files, const std::string& folder) {
  std::vector<AcceptedKey> keys;
  const std::string path = join_path(folder, std::string(kAcceptedFile));
  if (folder.empty() || !file_exists(files, path)) return keys;
  ANIMA_ASSIGN(const std::string text, read_file(files, path, std::uint64_t{1} << 20));
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view entry = trim(line);
    if (entry.empty() || entry.starts_with("#")) continue;
    const std::size_t blank = entry.find(' ');
    AcceptedKey accepted;
    const auto key = public_key_from_hex(entry.substr(0, blank));
    if (!key) return fail(ErrorCode::kInvalidArgument, "a line holds no key", path);
    accepted.key = *key;
    if (blank != std::string_view::npos) accepted.name = trim(entry.substr(blank));
    keys.push_back(std::move(accepted));
  }
  return keys;
}

Result<std::vector<PublicKey>> accepted_keys(FileSystem& files, const std::string& folder) {
  ANIMA_ASSIGN(const std::vector<AcceptedKey> keys, read_accepted_keys(files, folder));
  std::vector<PublicKey> accepted;
  for (const AcceptedKey& key : keys) accepted.push_back(key.key);
  return accepted;
}

Status write_accepted_keys(FileSystem& files, const std::string& folder,
                           const std::vector<AcceptedKey>& keys) {
  std::string text;
  for (const AcceptedKey& key : keys) text += fmt::format("{} {}\n", to_hex(key.key), key.name);
  return replace_file(files, join_path(folder, std::string(kAcceptedFile)), text, 0600);
}

}  // namespace anima::memory
