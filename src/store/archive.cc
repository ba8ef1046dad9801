#include "store/archive.h"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/files/output_file.h"
#include "store/compact.h"
#include "store/log/archived.h"
#include "store/log/attachment.h"
#include "store/log/draft_name.h"
#include "store/log/entry_codec.h"
#include "store/log/exclusive_log.h"
#include "store/log/redacted.h"
#include "store/log/sqlite.h"
#include "store/log/sqlite_log.h"

namespace anima::store {
namespace {

using detail::Database;
using detail::DatabaseMode;
using detail::kBusyMilliseconds;
using detail::Statement;
using detail::to_number;

constexpr std::int64_t kArchiveVersion = 1;
constexpr char kArchiveTables[] =
    "PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL;"
    "CREATE TABLE archive(version INTEGER NOT NULL);";

std::int64_t row_of(Sequence sequence) { return static_cast<std::int64_t>(sequence); }

// A transaction that is rolled back unless it was committed.
class Transfer {
 public:
  static Result<Transfer> begin(Database& database) {
    ANIMA_TRY(database.execute("BEGIN IMMEDIATE"));
    return Transfer(database);
  }
  Transfer(Transfer&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transfer& operator=(Transfer&&) = delete;
  ~Transfer() {
    if (database_ != nullptr) (void)database_->execute("ROLLBACK");
  }
  Status commit() {
    ANIMA_TRY(database_->execute("COMMIT"));
    database_ = nullptr;
    return {};
  }

 private:
  explicit Transfer(Database& database) : database_(&database) {}
  Database* database_;
};

// The rows of an entry, as the tables of a log and of an archive hold them.
class Rows {
 public:
  static Result<Rows> open(Database& database) {
    Rows rows;
    ANIMA_ASSIGN(rows.one_, database.prepare("SELECT entry FROM log WHERE sequence = ?"));
    ANIMA_ASSIGN(rows.parts_,
                 database.prepare("SELECT bytes FROM part WHERE sequence = ? ORDER BY number"));
    return rows;
  }
  Result<std::string> row(Sequence sequence) {
    one_.reset();
    one_.bind(1, row_of(sequence));
    ANIMA_ASSIGN(const bool there, one_.step());
    const bool good = there && one_.is_blob(0);
    std::string bytes = good ? std::string(one_.blob(0)) : std::string();
    one_.reset();
    if (!good) {
      return fail(ErrorCode::kCorrupt, "it is missing", detail::entry_place(sequence));
    }
    return bytes;
  }
  Result<std::vector<std::string>> parts(Sequence sequence) {
    std::vector<std::string> found;
    parts_.reset();
    parts_.bind(1, row_of(sequence));
    while (true) {
      ANIMA_ASSIGN(const bool more, parts_.step());
      if (!more) break;
      found.emplace_back(parts_.blob(0));
    }
    parts_.reset();
    return found;
  }

 private:
  Statement one_, parts_;
};

struct WholeEntry {
  Digest hash{};
  std::string row;
  std::vector<std::string> parts;
};

// An entry with its payload, checked by its hash.
Result<WholeEntry> whole_entry(Rows& rows, Sequence sequence) {
  WholeEntry whole;
  ANIMA_ASSIGN(whole.row, rows.row(sequence));
  ANIMA_ASSIGN(whole.parts, rows.parts(sequence));
  ANIMA_ASSIGN(const detail::DecodedRow row, detail::decode_row(sequence, whole.row));
  if (row.archived) return detail::archived_error(sequence);
  std::string payload;
  for (const std::string& part : whole.parts) payload += part;
  if (row.parts() != whole.parts.size() ||
      (row.parts() != 0 && payload.size() != row.payload_size)) {
    return fail(ErrorCode::kCorrupt, "its parts are not all there", detail::entry_place(sequence));
  }
  ANIMA_TRY(detail::check_hash(row, payload));
  whole.hash = row.entry.hash;
  return whole;
}

Status put_parts(Statement& insert, Sequence sequence, const std::vector<std::string>& parts) {
  std::int64_t number = 0;
  for (const std::string& part : parts) {
    insert.bind(1, row_of(sequence));
    insert.bind(2, number++);
    insert.bind_blob(3, part);
    ANIMA_TRY(insert.run());
  }
  return {};
}

constexpr char kInsertPart[] = "INSERT INTO part(sequence, number, bytes) VALUES(?, ?, ?)";

// --- choosing -----------------------------------------------------------------------------------

struct Chosen {
  std::vector<Sequence> entries;
  detail::Remains remains;
};

Result<bool> holds_records(const LogEntry& entry) {
  bool found = detail::has_attachment(entry);
  ANIMA_TRY(visit_records(entry, [&](RecordKind, std::string_view) -> Status {
    found = true;
    return {};
  }));
  return found;
}

// One compaction answers together for what it has cut, so that stays together too.
bool is_compacted(const LogEntry& entry, Sequence oldest) {
  return detail::is_redacted(entry) && entry.sequence <= oldest;
}

Result<Chosen> choose(Log& log, Sequence last, Sequence oldest) {
  Chosen chosen;
  bool past = false;
  const Status read = log.read(Sequence{1}, [&](const LogEntry& entry) -> Status {
    past = entry.sequence > last;
    if (past) return fail(ErrorCode::kCancelled, "that is all");
    if (detail::is_archived(entry) || !entry.seal.empty()) return {};
    if (is_compacted(entry, oldest)) return {};
    ANIMA_ASSIGN(const bool records, holds_records(entry));
    if (records) return {};
    chosen.entries.push_back(entry.sequence);
    chosen.remains.add(entry);
    return {};
  });
  if (!read && !past) return fail(read.error());
  if (!chosen.entries.empty()) return chosen;
  return fail(ErrorCode::kNotFound,
              "up to there every entry is archived already, compacted, sealed, or holds records, "
              "which stay",
              detail::entry_place(last));
}

// --- files --------------------------------------------------------------------------------------

Status write_archive(const std::string& folder, const std::vector<Sequence>& entries,
                     const std::string& path) {
  ANIMA_ASSIGN(Database from, Database::open(detail::log_path(folder), DatabaseMode::kReadOnly, {},
                                             kBusyMilliseconds));
  ANIMA_ASSIGN(Rows rows, Rows::open(from));
  ANIMA_ASSIGN(Database to, Database::open(path, DatabaseMode::kCreate, {}, 0));
  ANIMA_TRY(to.execute(std::string(kArchiveTables) + detail::kLogTables));
  ANIMA_ASSIGN(Transfer transfer, Transfer::begin(to));
  ANIMA_TRY(to.execute("INSERT INTO archive VALUES(" + std::to_string(kArchiveVersion) + ")"));
  ANIMA_ASSIGN(Statement insert, to.prepare("INSERT INTO log(sequence, entry) VALUES(?, ?)"));
  ANIMA_ASSIGN(Statement insert_part, to.prepare(kInsertPart));
  for (const Sequence sequence : entries) {
    ANIMA_ASSIGN(const WholeEntry whole, whole_entry(rows, sequence));
    insert.bind(1, row_of(sequence));
    insert.bind_blob(2, whole.row);
    ANIMA_TRY(insert.run());
    ANIMA_TRY(put_parts(insert_part, sequence, whole.parts));
  }
  return transfer.commit();
}

// Calls `visit` for each entry of the archive, checked by its own hash.
Status read_archive(const std::string& path, FileSystem& files,
                    const std::function<Status(Sequence, const WholeEntry&)>& visit) {
  if (!file_exists(files, path)) return fail(ErrorCode::kNotFound, "there is no such file", path);
  ANIMA_ASSIGN(Database archive, Database::open(path, DatabaseMode::kImmutable, {}, 0));
  ANIMA_ASSIGN(const std::int64_t tables,
               archive.query_integer("SELECT count(*) FROM sqlite_schema WHERE name IN ('log', "
                                     "'part', 'archive')"));
  if (tables != 3) return fail(ErrorCode::kCorrupt, "this is no archive of a log", path);
  ANIMA_ASSIGN(const std::int64_t version,
               archive.query_integer("SELECT coalesce(max(version), 0) FROM archive"));
  if (version != kArchiveVersion) {
    return fail(ErrorCode::kVersionMismatch,
                "the archive has version " + std::to_string(version) + ", this program knows " +
                    std::to_string(kArchiveVersion),
                path, "use a newer anima");
  }
  ANIMA_ASSIGN(Rows rows, Rows::open(archive));
  ANIMA_ASSIGN(Statement list, archive.prepare("SELECT sequence FROM log ORDER BY sequence"));
  while (true) {
    ANIMA_ASSIGN(const bool more, list.step());
    if (!more) return {};
    const Sequence sequence{static_cast<std::uint64_t>(list.integer(0))};
    ANIMA_ASSIGN(const WholeEntry whole, whole_entry(rows, sequence));
    ANIMA_TRY(visit(sequence, whole));
  }
}

void count_entry(ArchiveReport& report, Sequence sequence) {
  if (report.entries++ == 0) report.first = sequence;
  report.last = sequence;
}

// The log's row of an archived entry; fails when the log holds another entry there.
Result<detail::DecodedRow> counterpart(Rows& log, Sequence sequence, const WholeEntry& whole) {
  ANIMA_ASSIGN(const std::string bytes, log.row(sequence));
  ANIMA_ASSIGN(detail::DecodedRow row, detail::decode_row(sequence, bytes));
  row.body = {};  // a view of `bytes`
  if (row.entry.hash == whole.hash) return row;
  return fail(ErrorCode::kCorrupt, "the log has another entry there than the archive",
              detail::entry_place(sequence));
}

// --- the log ------------------------------------------------------------------------------------

Status take_payloads(const std::string& folder, const std::vector<Sequence>& entries) {
  ANIMA_ASSIGN(detail::ExclusiveLog writing, detail::ExclusiveLog::open(folder));
  {
    ANIMA_ASSIGN(Rows rows, Rows::open(writing.log));
    ANIMA_ASSIGN(Statement update,
                 writing.log.prepare("UPDATE log SET entry = ?2 WHERE sequence = ?1"));
    ANIMA_ASSIGN(Statement drop, writing.log.prepare("DELETE FROM part WHERE sequence = ?"));
    ANIMA_ASSIGN(Transfer transfer, Transfer::begin(writing.log));
    for (const Sequence sequence : entries) {
      ANIMA_ASSIGN(const std::string bytes, rows.row(sequence));
      ANIMA_ASSIGN(const detail::DecodedRow row, detail::decode_row(sequence, bytes));
      if (row.archived) {
        return fail(ErrorCode::kConflict, "somebody else archived it meanwhile",
                    detail::entry_place(sequence));
      }
      const std::string rest = detail::encode_archived(row.entry);
      update.bind(1, row_of(sequence));
      update.bind_blob(2, rest);
      ANIMA_TRY(update.run());
      drop.bind(1, row_of(sequence));
      ANIMA_TRY(drop.run());
    }
    ANIMA_ASSIGN(const std::int64_t schema, writing.log.query_integer("PRAGMA user_version"));
    ANIMA_TRY(writing.log.execute("PRAGMA user_version=" +
                                  std::to_string(detail::with_archived(schema))));
    ANIMA_TRY(transfer.commit());
  }
  return writing.shrink();
}

Result<std::uint64_t> log_bytes(const std::string& folder) {
  ANIMA_ASSIGN(Database log, Database::open(detail::log_path(folder), DatabaseMode::kReadOnly, {},
                                            kBusyMilliseconds));
  ANIMA_ASSIGN(const std::int64_t pages, log.query_integer("PRAGMA page_count"));
  ANIMA_ASSIGN(const std::int64_t size, log.query_integer("PRAGMA page_size"));
  return static_cast<std::uint64_t>(pages * size);
}

}  // namespace

Result<bool> has_archived_entries(const std::string& folder) {
  ANIMA_ASSIGN(Database log, Database::open(detail::log_path(folder), DatabaseMode::kReadOnly, {},
                                            kBusyMilliseconds));
  ANIMA_ASSIGN(const std::int64_t schema, log.query_integer("PRAGMA user_version"));
  return detail::has_archived(schema);
}

Result<ArchiveReport> archive_entries(Space& space, Sequence last, const std::string& path,
                                      FileSystem& files) {
  const std::string& folder = space.folder();
  if (folder.empty()) {
    return fail(ErrorCode::kUnsupported, "a space in memory has nothing to archive");
  }
  if (file_exists(files, path)) return fail(ErrorCode::kAlreadyExists, "the file exists", path);
  ANIMA_TRY(check_replaceable(path));
  ANIMA_ASSIGN(const Head head, space.log().head());
  if (last == Sequence::kNone || last > head.sequence) {
    return fail(ErrorCode::kNotFound, "there is no such entry", detail::entry_place(last));
  }
  // From now on the views start here.
  ANIMA_TRY(space.checkpoint());
  ANIMA_ASSIGN(const Snapshot now, space.snapshot());
  ANIMA_ASSIGN(const Chosen chosen, choose(space.log(), last, oldest_state(now)));
  ArchiveReport report;
  report.path = path;
  remove_dead_drafts(files, std::string(parent_path(path)), file_name(path));
  const std::string draft = detail::draft_name(path);
  const auto remove_draft = [&] {
    for (const char* suffix : {"", "-journal"}) (void)files.remove(draft + suffix);
  };
  const auto write = [&]() -> Status {
    // It holds what the log held, for the owner of the log alone.
    ANIMA_TRY(files.open(draft, OpenMode::kExclusive, kPrivateFile).map([](const auto&) {}));
    ANIMA_TRY(write_archive(folder, chosen.entries, draft));
    ANIMA_TRY(read_archive(draft, files, [&](Sequence sequence, const WholeEntry&) -> Status {
      count_entry(report, sequence);
      return {};
    }));
    if (report.entries != chosen.entries.size()) {
      return fail(ErrorCode::kCorrupt, "the archive does not hold what was written", draft);
    }
    ANIMA_TRY(files.rename(draft, path));
    return files.sync_directory(std::string(parent_path(path)));
  };
  if (Status written = write(); !written) {
    remove_draft();
    return fail(std::move(written).error());
  }
  const Origin origin{"anima", std::string(detail::kArchiveSource), Trust::kSystem,
                      Sequence::kNone};
  const std::string record = chosen.remains.record();
  ANIMA_TRY(space.write(origin, [&](Transaction& transaction) {
    return transaction.record(RecordKind::kAudit, record);
  }));
  ANIMA_TRY(take_payloads(folder, chosen.entries));
  report.changed = report.entries;
  ANIMA_ASSIGN(report.log_bytes, log_bytes(folder));
  return report;
}

Result<ArchiveReport> verify_archive(const std::string& folder, const std::string& path,
                                     FileSystem& files) {
  ArchiveReport report;
  report.path = path;
  ANIMA_ASSIGN(Database log, Database::open(detail::log_path(folder), DatabaseMode::kReadOnly, {},
                                            kBusyMilliseconds));
  ANIMA_ASSIGN(Rows rows, Rows::open(log));
  ANIMA_TRY(read_archive(path, files, [&](Sequence sequence, const WholeEntry& whole) -> Status {
    count_entry(report, sequence);
    return counterpart(rows, sequence, whole).map([](const detail::DecodedRow&) {});
  }));
  ANIMA_ASSIGN(report.log_bytes, log_bytes(folder));
  return report;
}

Result<ArchiveReport> restore_archive(const std::string& folder, const std::string& path,
                                      FileSystem& files) {
  ArchiveReport report;
  report.path = path;
  {
    ANIMA_ASSIGN(detail::ExclusiveLog writing, detail::ExclusiveLog::open(folder));
    ANIMA_ASSIGN(Rows rows, Rows::open(writing.log));
    ANIMA_ASSIGN(Statement update,
                 writing.log.prepare("UPDATE log SET entry = ?2 WHERE sequence = ?1"));
    ANIMA_ASSIGN(Statement insert_part, writing.log.prepare(kInsertPart));
    ANIMA_ASSIGN(Transfer transfer, Transfer::begin(writing.log));
    ANIMA_TRY(read_archive(path, files, [&](Sequence sequence, const WholeEntry& whole) -> Status {
      count_entry(report, sequence);
      ANIMA_ASSIGN(const detail::DecodedRow there, counterpart(rows, sequence, whole));
      if (!there.archived) return {};
      ++report.changed;
      update.bind(1, row_of(sequence));
      update.bind_blob(2, whole.row);
      ANIMA_TRY(update.run());
      return put_parts(insert_part, sequence, whole.parts);
    }));
    ANIMA_ASSIGN(const std::int64_t left,
                 writing.log.query_integer("SELECT count(*) FROM log WHERE "
                                           "hex(substr(entry, 65, 1)) = '02'"));
    if (left == 0) {
      ANIMA_ASSIGN(const std::int64_t schema, writing.log.query_integer("PRAGMA user_version"));
      ANIMA_TRY(writing.log.execute("PRAGMA user_version=" +
                                    std::to_string(detail::without_archived(schema))));
    }
    ANIMA_TRY(transfer.commit());
  }
  ANIMA_ASSIGN(report.log_bytes, log_bytes(folder));
  return report;
}

}  // namespace anima::store
