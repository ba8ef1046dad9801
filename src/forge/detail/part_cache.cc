#include "forge/detail/part_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "base/crypto.h"
#include "base/files/file.h"
#include "base/files/file_stamp.h"
#include "base/json/json.h"

namespace anima::forge::detail {
namespace {

std::string digest_of(std::string_view bytes) { return hash_hex(HashAlgorithm::kSha256, bytes); }

std::string stamp_text(const std::string& path) {
  const FileStamp stamp = stamp_of(path);
  return fmt::format("{} {} {} {} {} {}", stamp.error, stamp.device, stamp.inode, stamp.size,
                     stamp.modified_nanoseconds, stamp.changed_nanoseconds);
}

std::string beginning_of_name(std::string_view name) { return fmt::format(".part-{}-", name); }

bool only_ours(const struct stat& info) {
  return info.st_uid == geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool folder_is_ours(const std::string& folder) {
  struct stat info {};
  return lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && only_ours(info);
}

// The bytes of a regular file that only this user can have written.
std::optional<std::string> read_ours(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  std::optional<std::string> bytes;
  struct stat info {};
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && only_ours(info) &&
      static_cast<std::uint64_t>(info.st_size) <= kMostPart) {
    bytes.emplace(static_cast<std::size_t>(info.st_size), '\0');
    std::size_t at = 0;
    while (at < bytes->size()) {
      const ssize_t got = read(file, bytes->data() + at, bytes->size() - at);
      if (got <= 0) break;
      at += static_cast<std::size_t>(got);
    }
    if (at != bytes->size()) bytes.reset();
  }
  close(file);
  return bytes;
}

// Whether what the line says of the part holds.
bool holds(std::string_view line, std::string_view key, std::string_view bytes) {
  const auto head = parse_json(line);
  if (!head || !head->is_object()) return false;
  const Json* const its_key = head->find("key");
  const Json* const digest = head->find("sha256");
  const Json* const read = head->find("read");
  if (its_key == nullptr || !its_key->is_string() || its_key->as_string() != key) return false;
  if (digest == nullptr || !digest->is_string() || digest->as_string() != digest_of(bytes))
    return false;
  if (read == nullptr || !read->is_array()) return false;
  for (const Json& each : read->as_array()) {
    if (!each.is_array() || each.as_array().size() != 2) return false;
    const JsonArray& pair = each.as_array();
    if (!pair[0].is_string() || !pair[1].is_string()) return false;
    if (stamp_text(pair[0].as_string()) != pair[1].as_string()) return false;
  }
  return true;
}

}  // namespace

std::string PartCache::path_of(std::string_view name, std::string_view key) const {
  return join_path(folder_, beginning_of_name(name) + std::string(key.substr(0, 16)));
}

std::optional<std::string> PartCache::find(std::string_view name, std::string_view key) const {
  if (!keeps() || !folder_is_ours(folder_)) return std::nullopt;
  auto all = read_ours(path_of(name, key));
  if (!all) return std::nullopt;
  const std::size_t end = all->find('\n');
  if (end == std::string::npos) return std::nullopt;
  const std::string_view text(*all);
  if (!holds(text.substr(0, end), key, text.substr(end + 1))) return std::nullopt;
  all->erase(0, end + 1);
  return all;
}

Status PartCache::keep(std::string_view name, std::string_view key, std::string_view bytes,
                       const std::vector<std::string>& read) const {
  if (!keeps()) return {};
  FileSystem& files = system_files();
  ANIMA_TRY(files.make_directories(folder_, 0700));
  const std::string path = path_of(name, key);
  ANIMA_ASSIGN(const auto entries, files.list(folder_));
  for (const DirectoryEntry& each : entries) {
    if (each.name.starts_with(beginning_of_name(name)) && each.name != file_name(path))
      (void)files.remove(join_path(folder_, each.name));  // another process may have done it
  }
  Json stamps = Json::array();
  for (const std::string& each : read)
    stamps.push_back(Json::array({Json(each), Json(stamp_text(each))}));
  const Json head = Json::object(
      {{"key", std::string(key)}, {"sha256", digest_of(bytes)}, {"read", std::move(stamps)}});
  return replace_file(files, path, head.dump() + "\n" + std::string(bytes), 0600);
}

std::string part_key(const std::vector<std::string>& texts,
                     std::initializer_list<std::string> programs) {
  std::string all;
  for (const std::string& each : texts) all += fmt::format("{} {}\n", each.size(), each);
  for (const std::string& each : programs) all += fmt::format("{} {}\n", each, stamp_text(each));
  return digest_of(all);
}

Status write_part(const std::string& path, std::string_view bytes) {
  ANIMA_ASSIGN(const std::unique_ptr<File> file,
               system_files().open(path, OpenMode::kTruncate, 0644));
  ANIMA_TRY(file->append(bytes));
  return file->close();
}

}  // namespace anima::forge::detail
