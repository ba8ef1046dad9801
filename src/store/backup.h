// Backup, restore and migration of a space.
//
// It does not matter where the log lies: a backup of a space on PostgreSQL makes a space in a
// folder, and the other way round. A backup is one file: a copy of the log as of one moment (a
// SQLite file of the log's own schema, so that `anima audit` can be run on a restored one), and
// optionally the seal keys. Everything else of a space is rebuilt from it. Without the keys, sealed
// content in a backup dies with the key's erasure; with them it lives on there: every backup is
// noted in the space, so that an erasure can name those that still hold the content (DATA.md 9).
// The signing key is never in a backup. Thread-safety: functions without state. Errors:
// kAlreadyExists (a file or log is in the way), kCorrupt with the place, kVersionMismatch,
// kDiskFull, kIo. On an error nothing is left behind.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/result.h"
#include "store/ids.h"
#include "store/space.h"

namespace anima::store {

// Parts done and parts in all; false stops with kCancelled.
using BackupProgress = std::function<bool(std::uint64_t done, std::uint64_t all)>;

struct BackupInfo {
  std::string path;  // as given; of a note: absolute, where this program wrote it
  Timestamp time;
  std::uint64_t entries = 0;
  std::vector<std::string> keys;  // names of the seal keys that are in it
};

// What rooms above keep beside the log and want to have back.
struct KeptFile {
  std::string name;  // of theirs: "shards/owner"
  std::string bytes;
};

struct BackupOptions {
  std::vector<KeptFile> kept = {};
  bool with_keys = false;
  bool overwrite = false;
  bool noted = true;     // in the space, so that an erasure names it
  bool salvage = false;  // of a space opened so: its entries one by one, up to the damage
  BackupProgress progress = {};
};

// While the space is in use, by this process and others. The result was read back and verified.
Result<BackupInfo> backup_space(Space& space, const std::string& path, Clock& clock,
                                FileSystem& files, const BackupOptions& options = {});

// What the space has noted about its backups.
struct BackupNotes {
  std::vector<BackupInfo> backups;            // oldest first
  bool missing = false;                       // there is no note: no backup was made, or it is gone
  std::optional<std::uint64_t> damaged_from;  // the line from which on backups may be missing
};
Result<BackupNotes> backup_notes(const std::string& folder, FileSystem& files);
// Why it may list too few, in words; empty for a note that is whole.
std::string doubt_about(const BackupNotes& notes);
// The backups alone.
Result<std::vector<BackupInfo>> known_backups(const std::string& folder, FileSystem& files);

// What to do about a log that is damaged or gone, for an error's hint: up to where it is whole,
// when that is known, and the newest known backup.
std::string way_back(FileSystem& files, const std::string& folder,
                     std::optional<Sequence> whole = {});

// Makes a space in a folder that holds none, from a backup that verifies entry by entry. Errors:
// kAlreadyExists (a space is there, or what is left of another one), kCorrupt, kCancelled.
Result<BackupInfo> restore_space(const std::string& path, const std::string& folder,
                                 FileSystem& files, const BackupProgress& progress = {});

// What is kept beside the log in a backup, by name; where it goes is for its room to say.
Result<std::vector<KeptFile>> kept_files(const std::string& path);

struct MigrationReport {
  std::int64_t from = 0, to = 0;  // schema versions; equal: there was nothing to do
  std::string backup;             // made before anything was changed
};

// Brings the log of a space that nobody has open to schema version `to` (0: this program's), up or
// down. A backup beside it comes first; the change itself is one transaction.
Result<MigrationReport> migrate_space(const std::string& folder, std::int64_t to, Clock& clock,
                                      FileSystem& files);

// The log's schema version, and the one that this program writes.
Result<std::int64_t> schema_version(const std::string& folder);
std::int64_t current_schema_version();
// Whether it is that one, or one of its states: with archived payloads, with entries from which
// something was forgotten or compacted.
bool knows_schema_version(std::int64_t version);
// Whether it says that payloads of old entries lie in archives.
bool has_archived_payloads(std::int64_t version);

}  // namespace anima::store
