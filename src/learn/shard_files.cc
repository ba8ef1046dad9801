#include "learn/shard_files.h"

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
  return {};
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

}  // namespace

Result<ShardFiles> read_shard_files(const std::string& folder, FileSystem& files) {
  ShardFiles shards;
  const auto entries = files.list(folder);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return shards;
  if (!entries) return fail(entries.error());
  for (const DirectoryEntry& entry : *entries) {
    if (entry.kind != FileInfo::Kind::kFile || !entry.name.ends_with(kStoreEnd)) continue;
    const std::string shard = entry.name.substr(0, entry.name.size() - kStoreEnd.size());
    if (!is_shard_name(shard)) continue;
    const std::string path = join_path(folder, entry.name);
    auto bytes = bytes_of(path, shard, files);
    if (!bytes) {
      shards.left_out.push_back({bytes.error().code, bytes.error().message, path, {}});
    } else if (!bytes->empty()) {
      shards.read.push_back({shard, *std::move(bytes)});
    }
  }
  return shards;
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
