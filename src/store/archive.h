// Archives: payloads of old log entries in a file of their own.
//
// Archiving an entry leaves its header, its hash and its place in the chain in the log, and moves
// its payload to the archive. The log still verifies (a record of the archiving, chained like any
// entry, answers for the headers), records, proofs and checkpoints hold, and the views go on from
// their base. What needs the payloads themselves (rebuilding a lost base, undo that far back,
// erasing a key) says which entry is missing; restoring the archive brings every byte back.
// Entries that hold records (decisions, keys, ...), sealed and compacted ones always stay.
// A log with archived entries has schema version 1001. Thread-safety: functions without state; the
// space may be in use by this process and others. Source: DATA.md 13.
#pragma once

#include <cstdint>
#include <string>

#include "base/files/file.h"
#include "base/result.h"
#include "store/ids.h"
#include "store/space.h"

namespace anima::store {

// Whether payloads of the space's log lie in archives.
Result<bool> has_archived_entries(Log& log);

struct ArchiveReport {
  std::string path;
  Sequence first = Sequence::kNone, last = Sequence::kNone;
  std::uint64_t entries = 0;    // in the archive
  std::uint64_t changed = 0;    // of the log: moved out, or brought back
  std::uint64_t log_bytes = 0;  // of the log afterwards
};

// Moves the payloads of the entries up to `last` to a new file, which is read back and verified
// before anything is taken from the log. A crash leaves the log whole or the archive complete.
// Errors: kAlreadyExists (the file), kNotFound (no such entry, or nothing to move), kDiskFull, kIo.
Result<ArchiveReport> archive_entries(Space& space, Sequence last, const std::string& path,
                                      FileSystem& files);

// Checks every entry of the archive by its hash, and that the log of the space holds that hash.
// Errors: kCorrupt with the place, kNotFound.
Result<ArchiveReport> verify_archive(const std::string& folder, const std::string& path,
                                     FileSystem& files);

// Puts the payloads back, all or none; the file is left alone. The space need not be open, and
// cannot be when its base is lost. Errors: as verify_archive(), kDiskFull.
Result<ArchiveReport> restore_archive(const std::string& folder, const std::string& path,
                                      FileSystem& files);

}  // namespace anima::store
