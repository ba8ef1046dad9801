#include "cli/verbs/space/space_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace anima::cli {
namespace {

enum class Loss : std::uint8_t {
  kMadeAgain,
  kHolds,
  kGiven,  // by a person; it is only read
};

// docs/formats.md says what each is.
struct SpaceFile {
  std::string_view name;
  FileInfo::Kind kind;
  Loss loss;
};
constexpr auto kFile = FileInfo::Kind::kFile;
constexpr auto kFolder = FileInfo::Kind::kDirectory;
constexpr std::string_view kKeysLock = "keys/lock";
constexpr SpaceFile kSpaceFiles[] = {
    {"log.db", kFile, Loss::kHolds},
    {"log.db-wal", kFile, Loss::kMadeAgain},
    {"log.db-shm", kFile, Loss::kMadeAgain},
    {"log.head", kFile, Loss::kMadeAgain},
    {"log.turn", kFile, Loss::kMadeAgain},
    {"log.address", kFile, Loss::kGiven},
    {"checkpoint.lock", kFile, Loss::kMadeAgain},
    {"vectors.lock", kFile, Loss::kMadeAgain},
    {"vectors.anima", kFile, Loss::kMadeAgain},
    {"sleep.lock", kFile, Loss::kMadeAgain},
    {"sleep.holder", kFile, Loss::kMadeAgain},
    {"calls.slots", kFile, Loss::kMadeAgain},
    {"serve_keys.lock", kFile, Loss::kMadeAgain},
    {"plans.lock", kFile, Loss::kMadeAgain},
    {"ledger.index", kFile, Loss::kMadeAgain},
    {"config.toml", kFile, Loss::kGiven},
    {"serve_tokens.json", kFile, Loss::kGiven},
    {"acts", kFolder, Loss::kMadeAgain},
    {"keys", kFolder, Loss::kHolds},
    {kKeysLock, kFile, Loss::kMadeAgain},
    {"staged", kFolder, Loss::kHolds},
    {"shards", kFolder, Loss::kHolds},
    {"learn", kFolder, Loss::kGiven},
    {"policy", kFolder, Loss::kGiven},
    {"compartments", kFolder, Loss::kGiven},
    {"skills", kFolder, Loss::kGiven},
    {"work", kFolder, Loss::kHolds},
};

const SpaceFile* known_file(std::string_view name) {
  const auto* const found = std::ranges::find(kSpaceFiles, name, &SpaceFile::name);
  return found == std::end(kSpaceFiles) ? nullptr : found;
}

bool may(const std::string& path, int mode) {
  return ::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0;
}

FileFault no_such_kind(const SpaceFile& file) {
  return {fmt::format("{} is no {}", file.name, file.kind == kFile ? "file" : "folder"),
          file.loss == Loss::kMadeAgain
              ? "move it away; it is made again with the next command"
              : "move it away, and put back what was there: what it held is not known without it"};
}

}  // namespace

std::vector<FileFault> faults_of_files(FileSystem& files, const std::string& space) {
  std::vector<FileFault> faults;
  const auto entries = files.list(space);
  if (!entries) return {{entries.error().describe(), "chmod u+rwx " + space}};
  const bool is_written = may(space, W_OK);
  std::vector<std::string> names;
  for (const DirectoryEntry& entry : *entries) names.push_back(entry.name);
  const auto keys = files.list(join_path(space, "keys"));
  if (keys && std::ranges::find(*keys, "lock", &DirectoryEntry::name) != keys->end())
    names.emplace_back(kKeysLock);
  for (const std::string& name : names) {
    const SpaceFile* const known = known_file(name);
    const std::string path = join_path(space, name);
    const auto info = files.info(path);
    if (!info) {
      const bool made_again = known != nullptr && known->loss == Loss::kMadeAgain;
      faults.push_back({fmt::format("{} cannot be looked at, as a link to nothing", name),
                        made_again ? "move it away; it is made again with the next command"
                                   : "put back what it leads to, or move it away: what it held is "
                                     "not known without it"});
      continue;
    }
    if (known != nullptr && info->kind != known->kind) {
      faults.push_back(no_such_kind(*known));
      continue;
    }
    const bool is_base = name.starts_with("base-") && name.ends_with(".anima");
    if (known == nullptr && !is_base) continue;
    const bool is_folder = info->kind == kFolder;
    const bool reads = may(path, R_OK | (is_folder ? X_OK : 0));
    const bool writes = !is_written || is_base || known->loss == Loss::kGiven || may(path, W_OK);
    if (reads && writes) continue;
    faults.push_back(
        {fmt::format("{} may not be {} by this account", name, reads ? "written" : "read"),
         fmt::format("chmod u+rw{} {}, as its owner", is_folder ? "x" : "", path)});
  }
  return faults;
}

}  // namespace anima::cli
