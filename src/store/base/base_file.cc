#include "store/base/base_file.h"

#include <algorithm>

#include "base/text/read_number.h"

namespace anima::store::detail {
namespace {

constexpr std::string_view kPrefix = "base-";
constexpr std::string_view kSuffix = ".anima";
constexpr std::string_view kTemporary = ".new";
// How often a base is looked for again that vanished between the listing and the opening.
constexpr int kAttempts = 100;

std::string name_of(std::uint64_t sequence) {
  return std::string(kPrefix) + std::to_string(sequence) + std::string(kSuffix);
}

bool parse_name(std::string_view name, std::uint64_t& sequence) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return false;
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(kSuffix.size());
  const auto number = read_number<std::uint64_t>(name);
  if (number) sequence = *number;
  return number.has_value();
}

Result<std::shared_ptr<const Base>> open_base(FileSystem& files, const std::string& path) {
  ANIMA_ASSIGN(auto mapped, files.map(path));
  std::shared_ptr<const MappedFile> file(std::move(mapped));
  return Base::from_bytes(file->bytes(), file);
}

}  // namespace

std::vector<BaseFile> base_files(FileSystem& files, const std::string& folder) {
  std::vector<BaseFile> found;
  if (const auto entries = files.list(folder)) {
    for (const DirectoryEntry& entry : *entries) {
      std::uint64_t sequence = 0;
      if (parse_name(entry.name, sequence)) found.push_back({entry.name, sequence});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const BaseFile& a, const BaseFile& b) { return a.sequence > b.sequence; });
  return found;
}

std::shared_ptr<const Base> open_newest_base(FileSystem& files, const std::string& folder,
                                             std::vector<std::string>& notes) {
  std::vector<std::uint64_t> damaged;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    bool vanished = false;
    for (const BaseFile& file : base_files(files, folder)) {
      if (std::find(damaged.begin(), damaged.end(), file.sequence) != damaged.end()) continue;
      const std::string path = join_path(folder, file.name);
      auto base = open_base(files, path);
      if (base) return *base;
      // Another process has put a newer one in its place.
      vanished = base.error().code == ErrorCode::kNotFound;
      if (vanished) break;
      damaged.push_back(file.sequence);
      notes.push_back(path + ": " + base.error().message + "; rebuilt from the log");
    }
    if (!vanished) break;
  }
  return nullptr;
}

std::shared_ptr<const Base> open_newer_base(FileSystem& files, const std::string& folder,
                                            std::uint64_t after) {
  for (const BaseFile& file : base_files(files, folder)) {
    if (file.sequence <= after) break;
    if (auto base = open_base(files, join_path(folder, file.name))) return *base;
  }
  return nullptr;
}

Result<std::shared_ptr<const Base>> write_base_file(FileSystem& files, const std::string& folder,
                                                    BaseImage image) {
  const std::string path = join_path(folder, name_of(image.counts.sequence));
  const std::string beside = path + std::string(kTemporary);
  const auto write = [&]() -> Status {
    ANIMA_ASSIGN(auto file, files.open(beside, OpenMode::kTruncate));
    std::string header;
    for (const std::string_view piece : Base::file_pieces(image, header)) {
      if (!piece.empty()) ANIMA_TRY(file->append(piece));
    }
    ANIMA_TRY(file->sync());
    ANIMA_TRY(file->close());
    ANIMA_TRY(files.rename(beside, path));
    return files.sync_directory(folder);
  };
  if (Status written = write(); !written) {
    (void)files.remove(beside);
    return fail(std::move(written).error());
  }
  image = {};
  return open_base(files, path);
}

Status remove_base_file(FileSystem& files, const std::string& folder, std::uint64_t sequence) {
  const Status removed = files.remove(join_path(folder, name_of(sequence)));
  if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
  return files.sync_directory(folder);
}

Status remove_base_drafts(FileSystem& files, const std::string& folder) {
  ANIMA_ASSIGN(const auto entries, files.list(folder));
  for (const DirectoryEntry& entry : entries) {
    std::string_view name = entry.name;
    std::uint64_t sequence = 0;
    if (!name.ends_with(kTemporary)) continue;
    name.remove_suffix(kTemporary.size());
    if (parse_name(name, sequence)) ANIMA_TRY(files.remove(join_path(folder, entry.name)));
  }
  return {};
}

Status remove_base_files(FileSystem& files, const std::string& folder, std::uint64_t current,
                         bool also_current) {
  ANIMA_ASSIGN(const auto entries, files.list(folder));
  for (const DirectoryEntry& entry : entries) {
    std::uint64_t sequence = 0;
    std::string_view name = entry.name;
    const bool left_over = name.ends_with(kTemporary);
    if (left_over) name.remove_suffix(kTemporary.size());
    if (!parse_name(name, sequence)) continue;
    if (left_over ? sequence > current : sequence == current && !also_current) continue;
    if (!left_over && sequence > current && !also_current) continue;  // another process is ahead
    const Status removed = files.remove(join_path(folder, entry.name));
    // Another process may have been faster.
    if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
  }
  return files.sync_directory(folder);
}

}  // namespace anima::store::detail
