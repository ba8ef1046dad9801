#include "learn/shard_files.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "learn/detail/database.h"
#include "learn/learnable.h"

namespace anima::learn {
namespace {

using detail::Database;

constexpr std::string_view kStoreEnd = "_learnings.db";
constexpr std::uint64_t kMostStoreBytes = std::uint64_t{256} << 20;
constexpr const char* kForeignTables =
    "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index') OR tbl_name NOT IN "
    "('learnings', 'save_log', 'pattern_counts', 'evidence', 'learning_audit', 'sqlite_sequence')";

Status check_store(const std::string& path, std::string_view shard) {
  ANIMA_ASSIGN(Database database, Database::open(path, Database::Mode::kRead));
  const auto foreign = database.integer(kForeignTables);
  if (!foreign || *foreign != 0)
    return fail(ErrorCode::kCorrupt, "this is no store of learnings", std::string(shard));
  ANIMA_ASSIGN(const std::int64_t version, database.integer("PRAGMA user_version"));
  if (version > detail::kSchemaVersion) {
    return fail(ErrorCode::kVersionMismatch, "these learnings were kept by a newer program",
                std::string(shard));
  }
  const auto rows = database.integer("SELECT count(*) FROM learnings");
  if (version < 1 || !rows)
    return fail(ErrorCode::kCorrupt, "this is no store of learnings", std::string(shard));
  return detail::check_rows(database);
}

// The stores of the folder, by shard, as paths.
Result<std::vector<std::pair<std::string, std::string>>> stores_in(const std::string& folder,
                                                                   FileSystem& files) {
  std::vector<std::pair<std::string, std::string>> stores;
  const auto entries = files.list(folder);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return stores;
  if (!entries) return fail(entries.error());
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.name.ends_with(kStoreEnd)) continue;
    std::string shard = entry.name.substr(0, entry.name.size() - kStoreEnd.size());
    if (is_shard_name(shard)) stores.emplace_back(std::move(shard), join_path(folder, entry.name));
  }
  return stores;
}

Status check_pages(const std::string& path, std::string_view shard) {
  ANIMA_ASSIGN(Database database, Database::open(path, Database::Mode::kRead));
  ANIMA_ASSIGN(const std::int64_t tables, database.integer("SELECT count(*) FROM sqlite_schema"));
  if (tables == 0) return {};  // nothing was kept in it yet
  return check_store(path, shard);
}

// Empty: nothing was kept in it yet. What a restore would refuse is not taken either.
Result<std::string> bytes_of(const std::string& path, std::string_view shard, FileSystem& files) {
  const TemporaryDirectory folder("anima-shard");
  const std::string copy = folder.file("store.db");
  ANIMA_ASSIGN(Database database, Database::open(path, Database::Mode::kRead));
  ANIMA_ASSIGN(const std::int64_t tables, database.integer("SELECT count(*) FROM sqlite_schema"));
  if (tables == 0) return std::string();
  ANIMA_TRY(database.execute("VACUUM INTO '" + replace_all(copy, "'", "''") + "'"));
  ANIMA_TRY(check_store(copy, shard));
  return read_file(files, copy, kMostStoreBytes);
}

std::string remedy(const Error& fault) {
  if (fault.code == ErrorCode::kCorrupt) return "`anima doctor --mend` sets it aside";
  if (fault.code == ErrorCode::kVersionMismatch) return "use the program that kept them";
  return "look at the file, and where a link leads";
}

}  // namespace

Result<ShardFiles> read_shard_files(const std::string& folder, FileSystem& files) {
  ShardFiles shards;
  ANIMA_ASSIGN(const auto stores, stores_in(folder, files));
  for (const auto& [shard, path] : stores) {
    auto bytes = bytes_of(path, shard, files);
    if (!bytes) {
      shards.left_out.push_back({bytes.error().code, bytes.error().message, path, {}});
    } else if (!bytes->empty()) {
      shards.read.push_back({shard, *std::move(bytes)});
    }
  }
  return shards;
}

Result<std::vector<Error>> faults_of_shards(const std::string& folder, FileSystem& files) {
  std::vector<Error> faults;
  ANIMA_ASSIGN(const auto stores, stores_in(folder, files));
  for (const auto& [shard, path] : stores) {
    if (const Status whole = check_pages(path, shard); !whole)
      faults.push_back({whole.error().code, whole.error().message, path, remedy(whole.error())});
  }
  return faults;
}

Result<std::vector<Error>> oddities_of_shards(const std::string& folder, FileSystem& files) {
  std::vector<Error> odd;
  const auto entries = files.list(folder);
  ANIMA_ASSIGN(const auto stores, stores_in(folder, files));
  for (const auto& [shard, path] : stores) {
    const auto at = std::ranges::find(*entries, file_name(path), &DirectoryEntry::name);
    const auto info = files.info(path);
    if (!info || info->kind != FileInfo::Kind::kFile) continue;  // a fault
    if (at != entries->end() && at->kind != FileInfo::Kind::kFile) {
      odd.push_back({ErrorCode::kUnsupported,
                     "this store is a link to another file, which is read and written in its place",
                     path, "put the file itself there if that is not meant"});
    }
    if (info->size == 0) {
      odd.push_back({ErrorCode::kCorrupt,
                     "this store is empty: nothing was kept in it, or it was cut", path,
                     "`anima restore` of a backup into another folder has what it held"});
    }
  }
  return odd;
}

Result<std::string> set_shard_aside(const std::string& path, Timestamp now, FileSystem& files) {
  std::string aside = path + ".damaged-" + replace_all(format_timestamp(now), ":", "");
  if (file_exists(files, aside))
    return fail(ErrorCode::kAlreadyExists, "a store was set aside under this name", aside);
  // First what belongs to it: a new store at its place would take that for its own.
  for (const std::string_view end : {"-wal", "-shm"}) {
    const std::string beside = path + std::string(end);
    if (file_exists(files, beside)) ANIMA_TRY(files.rename(beside, aside + std::string(end)));
  }
  ANIMA_TRY(files.rename(path, aside));
  ANIMA_TRY(files.sync_directory(std::string(parent_path(path))));
  return aside;
}

Status write_shard_file(const std::string& folder, const ShardFile& shard, FileSystem& files) {
  if (!is_shard_name(shard.shard))
    return fail(ErrorCode::kInvalidArgument, "this is no shard's name", visible_text(shard.shard));
  const std::string path = join_path(folder, shard.shard + std::string(kStoreEnd));
  if (file_exists(files, path))
    return fail(ErrorCode::kAlreadyExists, "learnings of this shard are there", path);
  const TemporaryDirectory draft("anima-shard");
  ANIMA_TRY(replace_file(files, draft.file("store.db"), shard.bytes, 0600));
  ANIMA_TRY(check_store(draft.file("store.db"), shard.shard));
  ANIMA_TRY(files.make_directories(folder, 0700));
  return replace_file(files, path, shard.bytes, 0600);
}

}  // namespace anima::learn
