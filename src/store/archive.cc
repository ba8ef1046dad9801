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
#include "store/log/redacted.h"
#include "store/log/sqlite.h"
#include "store/log/stored_rows.h"
#include "store/place/log_place.h"

namespace anima::store {
namespace {

using detail::Database;
using detail::DatabaseMode;
using detail::EntryRows;
using detail::Statement;
using detail::StoredRows;
using detail::to_number;

constexpr std::int64_t kArchiveVersion = 1;

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

Status write_archive(StoredRows& log, const std::vector<Sequence>& entries,
                     const std::string& path) {
  ANIMA_ASSIGN(detail::LogFile to,
               detail::LogFile::create(path, std::nullopt,
                                       "CREATE TABLE archive(version INTEGER NOT NULL);"
                                       "INSERT INTO archive VALUES(" +
                                           std::to_string(kArchiveVersion) + ");"));
  for (const Sequence sequence : entries) {
    ANIMA_ASSIGN(const EntryRows stored, log.stored(sequence));
    ANIMA_TRY(detail::whole_entry(sequence, stored));
    ANIMA_TRY(to.put(sequence, stored));
  }
  return to.finish();
}

// An entry of an archive, and its hash.
struct Archived {
  EntryRows stored;
  Digest hash{};
};

// Calls `visit` for each entry of the archive, checked by its own hash.
Status read_archive(const std::string& path, FileSystem& files,
                    const std::function<Status(Sequence, const Archived&)>& visit) {
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
  ANIMA_ASSIGN(detail::FileRows rows, detail::FileRows::open(archive));
  ANIMA_ASSIGN(Statement list, archive.prepare("SELECT sequence FROM log ORDER BY sequence"));
  while (true) {
    ANIMA_ASSIGN(const bool more, list.step());
    if (!more) return {};
    const Sequence sequence{static_cast<std::uint64_t>(list.integer(0))};
    Archived archived;
    ANIMA_ASSIGN(archived.stored, rows.read(sequence));
    ANIMA_ASSIGN(const LogEntry whole, detail::whole_entry(sequence, archived.stored));
    archived.hash = whole.hash;
    ANIMA_TRY(visit(sequence, archived));
  }
}

void count_entry(ArchiveReport& report, Sequence sequence) {
  if (report.entries++ == 0) report.first = sequence;
  report.last = sequence;
}

// The log's row of an archived entry; fails when the log holds another entry there.
Result<detail::DecodedRow> counterpart(StoredRows& log, Sequence sequence, const Digest& hash) {
  ANIMA_ASSIGN(const EntryRows stored, log.stored(sequence));
  ANIMA_ASSIGN(detail::DecodedRow row, detail::decode_row(sequence, stored.row));
  row.body = {};  // a view of the row
  if (row.entry.hash == hash) return row;
  return fail(ErrorCode::kCorrupt, "the log has another entry there than the archive",
              detail::entry_place(sequence));
}

// --- the log ------------------------------------------------------------------------------------

Status take_payloads(Log& log, const std::vector<Sequence>& entries) {
  ANIMA_ASSIGN(StoredRows* const rows, detail::rows_of(log));
  {
    ANIMA_ASSIGN(const auto turn, log.take_turn());
    ANIMA_ASSIGN(detail::RowTurn* const writing, detail::rows_of(*turn));
    for (const Sequence sequence : entries) {
      ANIMA_ASSIGN(const EntryRows stored, rows->stored(sequence));
      ANIMA_ASSIGN(const detail::DecodedRow row, detail::decode_row(sequence, stored.row));
      if (row.archived) {
        return fail(ErrorCode::kConflict, "somebody else archived it meanwhile",
                    detail::entry_place(sequence));
      }
      ANIMA_TRY(writing->put(sequence, {detail::encode_archived(row.entry), {}, {}}));
    }
    ANIMA_ASSIGN(const std::int64_t schema, rows->schema_version());
    ANIMA_TRY(writing->set_schema_version(detail::with_archived(schema)));
    ANIMA_TRY(turn->commit());
  }
  return rows->sweep(true).map([](bool) {});
}

Result<bool> holds_archived_rows(Log& log) {
  bool found = false;
  const Status read = log.read(Sequence{1}, [&](const LogEntry& entry) -> Status {
    found = detail::is_archived(entry);
    return found ? fail(ErrorCode::kCancelled, "there is one") : Status();
  });
  if (!found) ANIMA_TRY(read);
  return found;
}

Result<std::unique_ptr<Log>> log_of(const std::string& folder, FileSystem& files, bool read_only) {
  ANIMA_ASSIGN(const detail::LogPlace place, detail::log_place(files, folder));
  detail::LogOpening opening;
  opening.read_only = read_only;
  return detail::open_log_at(place, opening);
}

}  // namespace

Result<bool> has_archived_entries(Log& log) {
  detail::StoredRows* const rows = log.rows();
  if (rows == nullptr) return false;
  ANIMA_ASSIGN(const std::int64_t schema, rows->schema_version());
  return detail::has_archived(schema);
}

Result<ArchiveReport> archive_entries(Space& space, Sequence last, const std::string& path,
                                      FileSystem& files) {
  ANIMA_ASSIGN(StoredRows* const rows, detail::rows_of(space.log()));
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
    ANIMA_TRY(write_archive(*rows, chosen.entries, draft));
    ANIMA_TRY(read_archive(draft, files, [&](Sequence sequence, const Archived&) -> Status {
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
  ANIMA_TRY(take_payloads(space.log(), chosen.entries));
  report.changed = report.entries;
  ANIMA_ASSIGN(report.log_bytes, space.log().stored_bytes());
  return report;
}

Result<ArchiveReport> verify_archive(const std::string& folder, const std::string& path,
                                     FileSystem& files) {
  ArchiveReport report;
  report.path = path;
  ANIMA_ASSIGN(const std::unique_ptr<Log> log, log_of(folder, files, true));
  ANIMA_ASSIGN(StoredRows* const rows, detail::rows_of(*log));
  ANIMA_TRY(read_archive(path, files, [&](Sequence sequence, const Archived& archived) -> Status {
    count_entry(report, sequence);
    return counterpart(*rows, sequence, archived.hash).map([](const detail::DecodedRow&) {});
  }));
  ANIMA_ASSIGN(report.log_bytes, log->stored_bytes());
  return report;
}

Result<ArchiveReport> restore_archive(const std::string& folder, const std::string& path,
                                      FileSystem& files) {
  ArchiveReport report;
  report.path = path;
  ANIMA_ASSIGN(const std::unique_ptr<Log> log, log_of(folder, files, false));
  ANIMA_ASSIGN(StoredRows* const rows, detail::rows_of(*log));
  const auto in_a_turn = [&](const std::function<Status(detail::RowTurn&)>& change) -> Status {
    ANIMA_ASSIGN(const auto turn, log->take_turn());
    ANIMA_ASSIGN(detail::RowTurn* const writing, detail::rows_of(*turn));
    ANIMA_TRY(change(*writing));
    return turn->commit();
  };
  ANIMA_TRY(in_a_turn([&](detail::RowTurn& writing) {
    return read_archive(path, files, [&](Sequence sequence, const Archived& archived) -> Status {
      count_entry(report, sequence);
      ANIMA_ASSIGN(const detail::DecodedRow there, counterpart(*rows, sequence, archived.hash));
      if (!there.archived) return {};
      ++report.changed;
      return writing.put(sequence, archived.stored);
    });
  }));
  // In a turn of its own: the rows of the first are seen by others only behind it.
  ANIMA_TRY(in_a_turn([&](detail::RowTurn& writing) -> Status {
    ANIMA_ASSIGN(const bool left, holds_archived_rows(*log));
    if (left) return {};
    ANIMA_ASSIGN(const std::int64_t schema, rows->schema_version());
    return writing.set_schema_version(detail::without_archived(schema));
  }));
  ANIMA_ASSIGN(report.log_bytes, log->stored_bytes());
  return report;
}

}  // namespace anima::store
