#include "store/backup.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include "base/files/noted_lines.h"
#include "base/files/output_file.h"
#include "base/json/json_member.h"
#include "base/json/text_array.h"
#include "store/base/base_file.h"
#include "store/keys/folder_keys.h"
#include "store/log/archived.h"
#include "store/log/draft_name.h"
#include "store/log/entry_codec.h"
#include "store/log/migrate.h"
#include "store/log/redacted.h"
#include "store/log/shared_head.h"
#include "store/log/sqlite.h"
#include "store/log/sqlite_log.h"
#include "store/log/stored_rows.h"
#include "store/place/log_place.h"
#include "store/postgres/postgres_tables.h"
#include "store/space/witnesses.h"
#include "store/verify/audit.h"

namespace anima::store {
namespace {

using detail::Database;
using detail::DatabaseMode;
using detail::kBusyMilliseconds;
using detail::Statement;
using detail::to_number;

constexpr char kBackupTables[] =
    "CREATE TABLE backup(key TEXT PRIMARY KEY, value TEXT NOT NULL);"
    "CREATE TABLE seal_key(name TEXT PRIMARY KEY, file TEXT NOT NULL, bytes BLOB NOT NULL)";

std::string notes_path(const std::string& folder) { return join_path(folder, "backups.jsonl"); }

// Removes the file unless told to keep it.
class Draft {
 public:
  Draft(FileSystem& files, std::string path) : files_(files), path_(std::move(path)) { remove(); }
  ~Draft() {
    if (!path_.empty()) remove();
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  const std::string& path() const { return path_; }
  // Empty, before the database is made in it: it holds all that the log does, and sometimes keys,
  // so that it is nobody else's file, and no link to one.
  Status make_private() {
    return files_.open(path_, OpenMode::kExclusive, 0600).map([](const auto&) {});
  }
  Status move_to(const std::string& place) {
    ANIMA_ASSIGN(const auto file, files_.open(path_, OpenMode::kReadWrite));
    ANIMA_TRY(file->sync());
    ANIMA_TRY(files_.rename(path_, place));
    path_.clear();
    return files_.sync_directory(std::string(parent_path(place)));
  }

 private:
  void remove() {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
      (void)files_.remove(path_ + suffix);
    }
  }
  FileSystem& files_;
  std::string path_;
};

Status put(Database& database, std::string_view key, std::string_view value) {
  ANIMA_ASSIGN(Statement statement,
               database.prepare("INSERT INTO backup(key, value) VALUES(?, ?)"));
  statement.bind_text(1, key);
  statement.bind_text(2, value);
  return statement.run();
}

// The key files of a space as they lie, name and bytes.
struct KeyFile {
  std::string name, file, bytes;
};

Result<std::vector<KeyFile>> key_files(const std::string& folder, FileSystem& files) {
  std::vector<KeyFile> found;
  const std::string place = join_path(folder, "keys");
  const Result<std::vector<DirectoryEntry>> entries = files.list(place);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return found;
  if (!entries) return fail(entries.error());
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.name.ends_with(".seal")) continue;
    const std::string path = join_path(place, entry.name);
    // A file that is no key opens nothing, here or there.
    const Result<detail::NamedKey> key = detail::read_key_file(files, path);
    if (!key) continue;
    ANIMA_ASSIGN(std::string bytes, read_file(files, path, 65536));
    found.push_back({key->seal, entry.name, std::move(bytes)});
  }
  return found;
}

// As it is stored; where only what others have in the table of parts is damaged, without its
// attachment, as one that was pruned.
Result<detail::EntryRows> rows_of_entry(Log& log, detail::StoredRows& rows, Sequence at) {
  Result<detail::EntryRows> stored = rows.stored(at);
  if (stored || stored.error().code != ErrorCode::kCorrupt) return stored;
  Result<LogEntry> entry = log.entry(at);
  if (!entry) return fail(std::move(entry).error());
  const Digest hash = entry->hash;
  detail::EntryRows row;
  detail::encode_entry(*entry, UINT64_MAX, row.row);
  if (entry->hash != hash) return stored;
  return row;
}

// The entries up to `last`, one by one, where what lies behind them is damaged.
Status copy_entries(Log& log, const std::string& path, Sequence last,
                    const BackupProgress& progress) {
  ANIMA_ASSIGN(detail::StoredRows* const rows, detail::rows_of(log));
  ANIMA_ASSIGN(const std::int64_t version, rows->schema_version());
  ANIMA_ASSIGN(detail::LogFile file, detail::LogFile::create(path, version));
  const std::uint64_t all = to_number(last);
  for (std::uint64_t at = 1; at <= all; ++at) {
    ANIMA_ASSIGN(const detail::EntryRows entry, rows_of_entry(log, *rows, Sequence{at}));
    ANIMA_TRY(file.put(Sequence{at}, entry));
    if (progress && !progress(at, all)) return fail(ErrorCode::kCancelled, "stopped");
  }
  return file.finish();
}

Status copy_log(Space& space, const std::string& path, const BackupOptions& options) {
  if (options.salvage) {
    ANIMA_ASSIGN(const Head last, space.log().head());
    return copy_entries(space.log(), path, last.sequence, options.progress);
  }
  ANIMA_ASSIGN(detail::StoredRows* const rows, detail::rows_of(space.log()));
  return rows->copy_to(path, options.progress);
}

// Only where there is something to keep: older programs read a backup without this table.
Status keep(Database& database, const std::vector<KeptFile>& kept) {
  if (kept.empty()) return {};
  ANIMA_TRY(database.execute("CREATE TABLE kept_file(name TEXT PRIMARY KEY, bytes BLOB NOT NULL)"));
  ANIMA_ASSIGN(Statement insert,
               database.prepare("INSERT INTO kept_file(name, bytes) VALUES(?, ?)"));
  for (const KeptFile& each : kept) {
    insert.bind_text(1, each.name);
    insert.bind_blob(2, each.bytes);
    ANIMA_TRY(insert.run());
  }
  return {};
}

Result<BackupInfo> fill(Database& database, Space& space, Timestamp now, FileSystem& files,
                        const BackupOptions& options) {
  BackupInfo info;
  info.time = now;
  ANIMA_ASSIGN(const std::int64_t entries,
               database.query_integer("SELECT coalesce(max(sequence), 0) FROM log"));
  info.entries = static_cast<std::uint64_t>(entries);
  ANIMA_TRY(database.execute("PRAGMA journal_mode=DELETE; BEGIN"));
  ANIMA_TRY(database.execute(kBackupTables));
  ANIMA_TRY(put(database, "time", format_timestamp(now)));
  ANIMA_TRY(put(database, "entries", std::to_string(entries)));
  ANIMA_TRY(keep(database, options.kept));
  if (options.with_keys) {
    ANIMA_ASSIGN(const std::vector<KeyFile> keys, key_files(space.folder(), files));
    ANIMA_ASSIGN(Statement insert,
                 database.prepare("INSERT INTO seal_key(name, file, bytes) VALUES(?, ?, ?)"));
    for (const KeyFile& key : keys) {
      insert.bind_text(1, key.name);
      insert.bind_text(2, key.file);
      insert.bind_blob(3, key.bytes);
      ANIMA_TRY(insert.run());
      info.keys.push_back(key.name.substr(0, key.name.rfind('#')));
    }
  }
  ANIMA_TRY(database.execute("COMMIT"));
  std::sort(info.keys.begin(), info.keys.end());
  info.keys.erase(std::unique(info.keys.begin(), info.keys.end()), info.keys.end());
  return info;
}

// Reads the whole file back: every entry by its hash, and as many as there should be.
Status check_log_file(const std::string& folder, std::uint64_t entries) {
  detail::SqliteLogOptions options;
  options.read_only = true;
  ANIMA_ASSIGN(const std::unique_ptr<Log> log, detail::open_sqlite_log(folder, options));
  ANIMA_ASSIGN(const AuditReport report, verify_log(*log));
  if (report.entries == entries) return {};
  return fail(
      ErrorCode::kCorrupt,
      "it holds " + std::to_string(report.entries) + " entries of " + std::to_string(entries),
      folder);
}

Status append_note(const std::string& folder, const BackupInfo& info, FileSystem& files) {
  // It is read in other folders than the one it was typed in.
  std::error_code problem;
  const auto whole = std::filesystem::absolute(info.path, problem).lexically_normal();
  return append_noted_line(files, notes_path(folder),
                           Json::object({{"path", problem ? info.path : whole.string()},
                                         {"time", format_timestamp(info.time)},
                                         {"entries", info.entries},
                                         {"keys", text_array(info.keys)}}));
}

BackupInfo noted_backup(const Json& line) {
  BackupInfo info;
  info.path = text_member(line, "path");
  info.time = parse_timestamp(text_member(line, "time")).value_or(Timestamp{});
  if (const Json* entries = line.find("entries"); entries != nullptr && entries->is_integer())
    info.entries = static_cast<std::uint64_t>(entries->as_integer());
  if (const Json* keys = line.find("keys"); keys != nullptr) {
    for (const Json& key : keys->as_array())
      if (key.is_string()) info.keys.push_back(key.as_string());
  }
  return info;
}

Result<BackupInfo> read_info(Database& database, const std::string& path) {
  BackupInfo info;
  info.path = path;
  ANIMA_ASSIGN(Statement statement, database.prepare("SELECT key, value FROM backup"));
  while (true) {
    ANIMA_ASSIGN(const bool more, statement.step());
    if (!more) break;
    const std::string key = statement.text(0);
    const std::string value = statement.text(1);
    if (key == "time") {
      ANIMA_ASSIGN(info.time, parse_timestamp(value));
    } else if (key == "entries") {
      info.entries = std::strtoull(value.c_str(), nullptr, 10);
    }
  }
  return info;
}

Status restore_keys(Database& database, const std::string& folder, BackupInfo& info,
                    FileSystem& files) {
  ANIMA_ASSIGN(Statement statement,
               database.prepare("SELECT name, file, bytes FROM seal_key ORDER BY name"));
  while (true) {
    ANIMA_ASSIGN(const bool more, statement.step());
    if (!more) break;
    const std::string name = statement.text(0);
    const std::string file = statement.text(1);
    if (file.find('/') != std::string::npos || !file.ends_with(".seal")) {
      return fail(ErrorCode::kCorrupt, "it names a key file that it must not", info.path);
    }
    const std::string place = join_path(folder, "keys");
    const auto there = read_file(files, join_path(place, file));
    if (there && *there != statement.blob(2)) {
      return fail(ErrorCode::kAlreadyExists, "a key of another space is there: keys/" + file,
                  folder, "restore into another folder");
    }
    ANIMA_TRY(files.make_directories(place, 0700));
    ANIMA_TRY(replace_file(files, join_path(place, file), statement.blob(2), 0600));
    info.keys.push_back(name.substr(0, name.rfind('#')));
  }
  return {};
}

Error not_to_be_noted(Error why) {
  if (!why.hint.empty()) why.hint += "; ";
  why.hint +=
      "`anima backup --without-note FILE` makes one that no erasure will name, as of a disk that "
      "can only be read";
  return why;
}

}  // namespace

Result<BackupInfo> backup_space(Space& space, const std::string& path, Clock& clock,
                                FileSystem& files, const BackupOptions& options) {
  if (space.folder().empty()) {
    return fail(ErrorCode::kUnsupported, "a space in memory cannot be backed up");
  }
  if (!options.overwrite && file_exists(files, path)) {
    return fail(ErrorCode::kAlreadyExists, "the file exists", path);
  }
  ANIMA_TRY(check_replaceable(path));
  // A backup that is not noted could not be named by an erasure.
  if (options.noted) {
    Status takes = check_takes_noted_line(files, notes_path(space.folder()));
    if (!takes) return fail(not_to_be_noted(std::move(takes).error()));
  }
  // Made in a folder of its own beside the target, under the name of a log, so that it can be read
  // back as one.
  remove_dead_drafts(files, std::string(parent_path(path)), file_name(path));
  const std::string folder = detail::draft_name(path);
  ANIMA_TRY(files.make_directories(folder, 0700));
  const auto clean = [&] { (void)remove_tree(files, folder); };
  const auto made = [&]() -> Result<BackupInfo> {
    Draft draft(files, detail::log_path(folder));
    ANIMA_TRY(draft.make_private());
    ANIMA_TRY(copy_log(space, draft.path(), options));
    BackupInfo info;
    {
      ANIMA_ASSIGN(Database to, Database::open(draft.path(), DatabaseMode::kReadWrite, {}, 0));
      ANIMA_ASSIGN(info, fill(to, space, clock.now(), files, options));
    }
    ANIMA_TRY(check_log_file(folder, info.entries));
    ANIMA_TRY(draft.move_to(path));
    info.path = path;
    return info;
  }();
  clean();
  if (made && options.noted) ANIMA_TRY(append_note(space.folder(), *made, files));
  return made;
}

Result<BackupNotes> backup_notes(const std::string& folder, FileSystem& files) {
  ANIMA_ASSIGN(const NotedLines noted, read_noted_lines(files, notes_path(folder)));
  BackupNotes notes;
  notes.missing = noted.missing;
  notes.damaged_from = noted.damaged_from;
  for (const Json& line : noted.lines)
    if (!text_member(line, "path").empty()) notes.backups.push_back(noted_backup(line));
  return notes;
}

std::string doubt_about(const BackupNotes& notes) {
  if (notes.missing) {
    return "there is no note of backups (backups.jsonl): none was made with `anima backup`, or the "
           "note is gone, and backups may exist that are not listed";
  }
  if (!notes.damaged_from) return {};
  return "the note of backups (backups.jsonl) is damaged from line " +
         std::to_string(*notes.damaged_from) + " on: backups may exist that are not listed";
}

Result<std::vector<BackupInfo>> known_backups(const std::string& folder, FileSystem& files) {
  ANIMA_ASSIGN(BackupNotes notes, backup_notes(folder, files));
  return std::move(notes.backups);
}

std::string way_back(FileSystem& files, const std::string& folder, std::optional<Sequence> whole) {
  std::string hint(kLostTailHint);
  if (whole) {
    hint = "entries 1 to " + std::to_string(to_number(*whole)) +
           " are whole: --salvage reads them; or restore a backup into another folder";
  }
  const auto bases = detail::base_files(files, folder);
  if (!bases.empty() && bases.front().sequence > to_number(whole.value_or(Sequence::kNone)))
    hint += "; what " + bases.front().name +
            " holds can be asked (`anima --salvage ask ..`) and kept (`anima --salvage export -o "
            "FILE`, then `anima import FILE` into a new space)";
  const auto known = known_backups(folder, files);
  if (!known || known->empty()) return hint + "; no backup is known here";
  const BackupInfo& newest = known->back();
  return hint + "; the newest known here is " + newest.path + " of " +
         format_timestamp(newest.time) + ", " + std::to_string(newest.entries) + " entries";
}

namespace {

Status another_space(const std::string& what, const std::string& folder) {
  return fail(ErrorCode::kAlreadyExists, what, folder, "restore into another folder, then move it");
}

// What SQLite, the views and the rooms above would take for the restored log's own. Its keys and
// its notes of backups may wait for it; notes that do not name this backup are another space's.
Status check_nothing_left(const std::string& folder, const BackupInfo& backup, FileSystem& files) {
  for (const std::string& left : detail::remains_of_space(files, folder)) {
    if (left.starts_with("keys/") || left == "backups.jsonl") continue;
    return another_space("what is left of another log is there: " + left, folder);
  }
  for (const char* name : {"vectors.anima", "ledger.index", "shards", "staged", "acts"}) {
    if (files.info(join_path(folder, name)))
      return another_space("what may belong to another space is there: " + std::string(name),
                           folder);
  }
  ANIMA_ASSIGN(const BackupNotes notes, backup_notes(folder, files));
  const auto is_this = [&](const BackupInfo& noted) {
    return noted.entries == backup.entries && noted.time == backup.time;
  };
  if (!notes.missing && std::ranges::none_of(notes.backups, is_this))
    return another_space(
        "backups.jsonl is there and does not name this backup: it may be another space's", folder);
  return {};
}

// The rows of a log's file into a database where there is none yet, all or none.
Status fill_database(const std::string& log_folder, const detail::LogPlace& place,
                     FileSystem& files, const BackupProgress& progress) {
  detail::SqliteLogOptions options;
  options.read_only = true;
  ANIMA_ASSIGN(const auto from, detail::open_sqlite_log(log_folder, options));
  ANIMA_ASSIGN(detail::StoredRows* const rows, detail::rows_of(*from));
  ANIMA_ASSIGN(const Head head, from->head());
  detail::LogOpening opening;
  opening.create = true;
  ANIMA_ASSIGN(const auto log, detail::open_log_at(place, opening));
  ANIMA_ASSIGN(const auto turn, log->take_turn());
  if (turn->head().sequence != Sequence::kNone) {
    return fail(ErrorCode::kAlreadyExists, "a space is there already", place.shown(),
                "restore into another schema (?schema=NAME)");
  }
  ANIMA_ASSIGN(detail::RowTurn* const writing, detail::rows_of(*turn));
  const std::uint64_t all = to_number(head.sequence);
  for (std::uint64_t at = 1; at <= all; ++at) {
    ANIMA_ASSIGN(const detail::EntryRows entry, rows->stored(Sequence{at}));
    ANIMA_TRY(writing->put(Sequence{at}, entry));
    if (progress && !progress(at, all)) return fail(ErrorCode::kCancelled, "stopped");
  }
  ANIMA_ASSIGN(const std::int64_t version, rows->schema_version());
  ANIMA_TRY(writing->set_schema_version(version));
  ANIMA_TRY(turn->commit());
  ANIMA_ASSIGN(const AuditReport report, verify_log(*log));
  if (report.head.hash != head.hash)
    return fail(ErrorCode::kCorrupt, "the log is not what was restored", place.shown());
  return detail::keep_place(files, place, *log, false);
}

}  // namespace

Result<BackupInfo> restore_space(const std::string& path, const std::string& folder,
                                 FileSystem& files, const BackupProgress& progress) {
  if (!file_exists(files, path)) return fail(ErrorCode::kNotFound, "there is no such file", path);
  ANIMA_ASSIGN(const detail::LogPlace place, detail::log_place(files, folder));
  if (file_exists(files, detail::log_path(folder))) {
    return fail(ErrorCode::kAlreadyExists, "a space is there already", folder,
                "restore into another folder, then move it");
  }
  ANIMA_ASSIGN(Database from, Database::open(path, DatabaseMode::kImmutable, {}, 0));
  ANIMA_ASSIGN(const std::int64_t application, from.query_integer("PRAGMA application_id"));
  ANIMA_ASSIGN(const std::int64_t tables,
               from.query_integer("SELECT count(*) FROM sqlite_schema WHERE name IN ('log', "
                                  "'part', 'backup', 'seal_key')"));
  // It is copied page by page: what runs by itself in it would run in the space.
  ANIMA_ASSIGN(const std::int64_t foreign,
               from.query_integer("SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', "
                                  "'index') OR tbl_name NOT IN ('log', 'part', 'backup', "
                                  "'seal_key', 'kept_file')"));
  if (application != detail::kLogApplication || tables != 4 || foreign != 0) {
    return fail(ErrorCode::kCorrupt, "this is no backup of a space", path);
  }
  ANIMA_ASSIGN(BackupInfo info, read_info(from, path));
  ANIMA_TRY(check_nothing_left(folder, info, files));
  remove_dead_drafts(files, folder);
  const std::string draft_folder = detail::draft_name(join_path(folder, "restore"));
  ANIMA_TRY(files.make_directories(draft_folder, 0700));
  const auto made = [&]() -> Status {
    Draft draft(files, detail::log_path(draft_folder));
    {
      ANIMA_ASSIGN(Database to, Database::open(draft.path(), DatabaseMode::kCreate, {}, 0));
      ANIMA_TRY(detail::copy_database(from, to, [&](std::uint64_t left, std::uint64_t all) {
        return !progress || progress(all - left, all);
      }));
      ANIMA_TRY(
          to.execute("DROP TABLE backup; DROP TABLE seal_key; DROP TABLE IF EXISTS kept_file"));
    }
    ANIMA_TRY(check_log_file(draft_folder, info.entries));
    ANIMA_TRY(restore_keys(from, folder, info, files));
    if (place.database) return fill_database(draft_folder, place, files, progress);
    return draft.move_to(detail::log_path(folder));
  }();
  (void)remove_tree(files, draft_folder);
  if (!made) {
    Error error = made.error();
    if (error.where.empty() || error.where.starts_with(draft_folder)) error.where = path;
    return fail(std::move(error));
  }
  return info;
}

Result<std::vector<KeptFile>> kept_files(const std::string& path) {
  std::vector<KeptFile> kept;
  ANIMA_ASSIGN(Database from, Database::open(path, DatabaseMode::kImmutable, {}, 0));
  ANIMA_ASSIGN(const std::int64_t there,
               from.query_integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND "
                                  "name = 'kept_file'"));
  if (there == 0) return kept;
  ANIMA_ASSIGN(Statement statement,
               from.prepare("SELECT name, bytes FROM kept_file ORDER BY name"));
  while (true) {
    ANIMA_ASSIGN(const bool more, statement.step());
    if (!more) return kept;
    kept.push_back({statement.text(0), std::string(statement.blob(1))});
  }
}

// --- migration ----------------------------------------------------------------------------------

Result<MigrationReport> migrate_space(const std::string& folder, std::int64_t to, Clock& clock,
                                      FileSystem& files) {
  // Archived entries are a state of this version's log, not an older form of it.
  // So are entries from which something was taken.
  const Result<std::int64_t> schema = schema_version(folder);
  ANIMA_ASSIGN(const detail::LogPlace place, detail::log_place(files, folder));
  if (place.database) {
    if (!schema) return fail(schema.error());
    if (detail::is_known_schema(*schema) && (to == 0 || to == *schema))
      return MigrationReport{*schema, *schema, {}};
    return fail(ErrorCode::kVersionMismatch,
                "this program knows no way from schema version " + std::to_string(*schema) +
                    " of a log in a database",
                place.shown(),
                "back it up, and restore the backup with the program that is to use it");
  }
  if (to == 0 && schema && detail::is_known_schema(*schema)) to = *schema;
  return detail::migrate_log(folder, to == 0 ? detail::kLogSchema : to, detail::migration_steps(),
                             clock, files);
}

Result<std::int64_t> schema_version(const std::string& folder) {
  ANIMA_ASSIGN(const detail::LogPlace place, detail::log_place(system_files(), folder));
  return place.database ? detail::postgres_schema_version(*place.database)
                        : detail::sqlite_schema_version(folder);
}

bool has_archived_payloads(std::int64_t version) { return detail::has_archived(version); }

std::int64_t current_schema_version() { return detail::kLogSchema; }

bool knows_schema_version(std::int64_t version) { return detail::is_known_schema(version); }

namespace detail {

std::span<const MigrationStep> migration_steps() { return {}; }

namespace {

// The SQL from one version to another, or an error when a step is not known.
Result<std::string> script(std::int64_t from, std::int64_t to,
                           std::span<const MigrationStep> steps) {
  std::string sql;
  while (from != to) {
    const std::int64_t wanted = from < to ? from : from - 1;
    const auto step = std::find_if(steps.begin(), steps.end(), [&](const MigrationStep& candidate) {
      return candidate.from == wanted;
    });
    if (step == steps.end()) {
      return fail(ErrorCode::kVersionMismatch, "this program knows no way from schema version " +
                                                   std::to_string(from) + " to " +
                                                   std::to_string(to));
    }
    sql += std::string(from < to ? step->up : step->down) + ";";
    from += from < to ? 1 : -1;
  }
  return sql + "PRAGMA user_version=" + std::to_string(to);
}

}  // namespace

Result<MigrationReport> migrate_log(const std::string& folder, std::int64_t to,
                                    std::span<const MigrationStep> steps, Clock& clock,
                                    FileSystem& files) {
  const std::string path = log_path(folder);
  if (!file_exists(files, path)) {
    const std::vector<std::string> remains = remains_of_space(files, folder);
    return fail(remains.empty() ? no_space(folder) : lost_log(files, folder, remains));
  }
  ANIMA_ASSIGN(Database database, Database::open(path, DatabaseMode::kReadWrite, {}, 5000));
  ANIMA_ASSIGN(const std::int64_t application, database.query_integer("PRAGMA application_id"));
  if (application != kLogApplication) {
    return fail(ErrorCode::kCorrupt, "this SQLite file is no Anima log", path);
  }
  MigrationReport report;
  report.to = to;
  ANIMA_ASSIGN(report.from, database.query_integer("PRAGMA user_version"));
  if (report.from == to) return report;
  ANIMA_ASSIGN(const std::string sql, script(report.from, to, steps));
  ANIMA_ASSIGN(const auto turn, TurnLock::open(join_path(folder, "log.turn")));
  ANIMA_ASSIGN(const bool mine, turn->try_lock());
  if (!mine) return fail(ErrorCode::kBusy, "somebody is writing to the space", folder);
  std::string stamp = format_timestamp(clock.now());
  std::replace(stamp.begin(), stamp.end(), ':', '-');
  report.backup = join_path(
      folder, "before-migration-from-" + std::to_string(report.from) + "-" + stamp + ".db");
  {
    Draft draft(files, draft_name(report.backup));
    ANIMA_TRY(draft.make_private());
    {
      ANIMA_ASSIGN(Database copy, Database::open(draft.path(), DatabaseMode::kCreate, {}, 0));
      ANIMA_TRY(copy_database(database, copy, {}));
      ANIMA_TRY(copy.execute("PRAGMA journal_mode=DELETE"));
    }
    ANIMA_TRY(draft.move_to(report.backup));
  }
  ANIMA_TRY(database.execute("PRAGMA synchronous=FULL; BEGIN EXCLUSIVE"));
  Status changed = database.execute(sql);
  if (changed) changed = database.execute("COMMIT");
  if (!changed) {
    (void)database.execute("ROLLBACK");
    return fail(std::move(changed).error());
  }
  return report;
}

}  // namespace detail

}  // namespace anima::store
