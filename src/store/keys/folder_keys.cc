#include "store/keys/folder_keys.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace anima::store::detail {
namespace {

constexpr std::string_view kHeader = "anima seal key 1\n";
constexpr std::string_view kSealSuffix = ".seal";

std::string hex_of(std::string_view bytes) { return to_hex(bytes); }

}  // namespace

Status check_key_name(std::string_view name) {
  if (!name.empty() && name.find_first_of("#\n\r") == std::string_view::npos) return {};
  return fail(ErrorCode::kInvalidArgument, "a key needs a name without '#' and line breaks",
              std::string(name));
}

NamedKey draw_key(std::string_view name, Random& random) {
  NamedKey named;
  std::array<std::uint8_t, 8> generation{};
  random.fill(generation);
  random.fill(named.key);
  named.seal = std::string(name) + "#" + to_hex(generation);
  return named;
}

// The name is hashed: it may hold any character, and a listing of the folder does not give it away.
std::string key_file_name(std::string_view seal) {
  const Digest digest = sha256(seal);
  return to_hex(digest).substr(0, 40) + std::string(kSealSuffix);
}

std::string FolderKeys::path_of(std::string_view seal) const {
  return join_path(folder_, key_file_name(seal));
}

void FolderKeys::keep(const NamedKey& named, bool durable) {
  keys_.insert_or_assign(named.seal, Known{named.key, path_of(named.seal), durable});
}

Result<NamedKey> read_key_file(FileSystem& files, const std::string& path) {
  const auto damaged = [&] { return fail(ErrorCode::kCorrupt, "this is no key file", path); };
  ANIMA_ASSIGN(const FileInfo info, files.info(path));
  if (info.kind != FileInfo::Kind::kFile) return damaged();
  ANIMA_ASSIGN(const std::string text, read_file(files, path, 65536));
  std::string_view rest = text;
  if (!rest.starts_with(kHeader)) return damaged();
  rest.remove_prefix(kHeader.size());
  const std::size_t line = rest.find('\n');
  if (line == std::string_view::npos) return damaged();
  NamedKey named;
  named.seal = rest.substr(0, line);
  rest.remove_prefix(line + 1);
  if (rest.ends_with('\n')) rest.remove_suffix(1);
  const Result<std::string> key = from_hex(rest);
  if (!key || key->size() != named.key.size()) return damaged();
  std::copy(key->begin(), key->end(), named.key.begin());
  return named;
}

// One file that is no key must not keep the others from being used.
Status FolderKeys::load() {
  if (loaded_ || folder_.empty()) return {};
  Result<std::vector<DirectoryEntry>> entries = files_.list(folder_);
  if (!entries && entries.error().code == ErrorCode::kNotFound) {
    loaded_ = true;
    return {};
  }
  if (!entries) return fail(std::move(entries).error());
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.name.ends_with(kSealSuffix)) continue;
    const Result<NamedKey> named = read_key_file(files_, join_path(folder_, entry.name));
    if (!named || destroyed_.contains(named->seal) || keys_.contains(named->seal)) continue;
    keep(*named, false);
  }
  loaded_ = true;
  return {};
}

// The folder's own name too: without it the keys are gone after a crash.
Status FolderKeys::sync_folders() {
  ANIMA_TRY(files_.sync_directory(folder_));
  return files_.sync_directory(std::string(parent_path(folder_)));
}

Result<NamedKey> FolderKeys::obtain(std::string_view name, Random& random) {
  ANIMA_TRY(check_key_name(name));
  const MutexLock guard(mutex_);
  ANIMA_TRY(load());
  for (auto& [seal, known] : keys_) {
    if (key_name(seal) != name) continue;
    if (folder_.empty()) return NamedKey{seal, known.key};
    // Somebody may have taken it away meanwhile.
    if (!file_exists(files_, known.path)) {
      keys_.erase(seal);
      break;
    }
    // Whoever made it may have died before its name was on the disk.
    if (!known.durable) ANIMA_TRY(sync_folders());
    known.durable = true;
    return NamedKey{seal, known.key};
  }
  NamedKey named = draw_key(name, random);
  if (!folder_.empty()) {
    // A space that was moved or deleted is not begun anew at its old place.
    const std::string space(parent_path(folder_));
    if (!file_exists(files_, space)) {
      return fail(ErrorCode::kNotFound, "the folder of the space is gone", space,
                  "open the space again, where it lies now");
    }
    ANIMA_TRY(files_.make_directories(folder_, 0700));
    const std::string key(reinterpret_cast<const char*>(named.key.data()), named.key.size());
    ANIMA_TRY(replace_file(files_, path_of(named.seal),
                           std::string(kHeader) + named.seal + "\n" + hex_of(key) + "\n", 0600));
    ANIMA_TRY(sync_folders());
  }
  keep(named, true);
  return named;
}

FoundKey FolderKeys::find(std::string_view seal) {
  const MutexLock guard(mutex_);
  if (destroyed_.contains(seal)) return {SealState::kDestroyed, {}};
  const auto known = keys_.find(seal);
  if (folder_.empty()) {
    if (known == keys_.end()) return {};
    return {SealState::kOpen, known->second.key};
  }
  // The file is the truth: somebody else may have made it or taken it away. A seal names one key
  // for ever, so that one which is still there need not be read again.
  if (known != keys_.end() && file_exists(files_, known->second.path))
    return {SealState::kOpen, known->second.key};
  if (known != keys_.end()) keys_.erase(known);
  const Result<NamedKey> named = read_key_file(files_, path_of(seal));
  if (!named || named->seal != seal) return {};
  keep(*named, false);
  return {SealState::kOpen, named->key};
}

Result<std::vector<std::string>> FolderKeys::seals(std::string_view name) {
  const MutexLock guard(mutex_);
  loaded_ = false;  // another process may have made some
  ANIMA_TRY(load());
  std::vector<std::string> found;
  for (const auto& [seal, known] : keys_) {
    if (key_name(seal) == name) found.push_back(seal);
  }
  return found;
}

Result<std::vector<std::string>> FolderKeys::names() {
  const MutexLock guard(mutex_);
  ANIMA_TRY(load());
  std::vector<std::string> names;
  for (const auto& [seal, known] : keys_) names.emplace_back(key_name(seal));
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void FolderKeys::mark_destroyed(const std::string& seal, std::uint64_t sequence) {
  const MutexLock guard(mutex_);
  keys_.erase(seal);
  std::uint64_t& said = destroyed_[seal];
  said = std::max(said, sequence);
}

std::map<std::string, std::uint64_t> FolderKeys::destroyed() {
  const MutexLock guard(mutex_);
  return {destroyed_.begin(), destroyed_.end()};
}

// Overwritten first, in place: the blocks of a removed file may live on.
Status FolderKeys::shred(const std::string& path) {
  Result<std::unique_ptr<File>> file = files_.open(path, OpenMode::kReadWrite);
  if (!file && file.error().code == ErrorCode::kNotFound) return {};
  if (!file) return fail(std::move(file).error());
  ANIMA_ASSIGN(const std::uint64_t size, (*file)->size());
  ANIMA_TRY((*file)->write_at(0, std::string(size, '\0')));
  ANIMA_TRY((*file)->sync());
  ANIMA_TRY(files_.remove(path));
  return files_.sync_directory(folder_);
}

// By the name of the file, since what is in it may be zeroed already.
Status FolderKeys::shred_destroyed() {
  const MutexLock guard(mutex_);
  if (folder_.empty() || destroyed_.empty()) return {};
  const Result<std::vector<DirectoryEntry>> entries = files_.list(folder_);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return {};
  if (!entries) return fail(entries.error());
  const auto lies_here = [&](const std::string& path) {
    const std::string_view name = file_name(path);
    const auto at = std::lower_bound(
        entries->begin(), entries->end(), name,
        [](const DirectoryEntry& entry, std::string_view wanted) { return entry.name < wanted; });
    return at != entries->end() && at->name == name;
  };
  for (const auto& [seal, sequence] : destroyed_) {
    const std::string path = path_of(seal);
    if (lies_here(path)) ANIMA_TRY(shred(path));
  }
  return {};
}

}  // namespace anima::store::detail
