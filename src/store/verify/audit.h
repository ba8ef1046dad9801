// Audit: proof that a log is whole, and that it is the log that was there before.
//
// verify_log() walks the hash chain and builds the Merkle tree (merkle.h). That finds every
// changed, missing or moved entry, but not a tail that was cut: for that a Checkpoint, signed and
// kept outside the space, says how long the log was and what its tree's root was. Signing keys: the
// secret lies in <space>/keys/signing.key (0600); every public key is in the log, as a record
// kKeyRotation signed by the key before it and by itself. A checkpoint counts only when its key is
// one of those. Thread-safety: functions without state; those that change a key take a lock file.
// Source: DATA.md 11; RFC 6962.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto.h"
#include "base/files/file.h"
#include "base/json/json.h"
#include "base/random.h"
#include "base/result.h"
#include "store/log.h"
#include "store/space.h"
#include "store/verify/merkle.h"

namespace anima::store {

// On disk, never change: JSON {"anima_checkpoint":1,"space","sequence","time","hash","root","key",
// "signature"}, digests and keys in hex, the time in microseconds. Signed are the lines
// "anima checkpoint 1", space, sequence, time, hash, root, each ended by a line feed.
struct Checkpoint {
  Digest space{};  // hash of the first entry: which log this is
  Sequence sequence = Sequence::kNone;
  Timestamp time;  // of that entry
  Digest hash{};
  Digest root{};  // of the tree over entries 1 .. sequence
  PublicKey key{};
  Signature signature{};

  Json to_json() const;
  static Result<Checkpoint> from_json(const Json& json);
  std::string signed_text() const;
};

struct KeyPeriod {
  Sequence since = Sequence::kNone;  // the entry that brought the key in
  PublicKey key{};
};

struct AuditReport {
  std::uint64_t entries = 0;
  Head head;
  Digest root{};
  std::vector<KeyPeriod> keys;
  std::optional<Sequence> checkpoint;  // what the log was compared with
};

// Called now and then with the number of entries checked; false stops with kCancelled.
using AuditProgress = std::function<bool(std::uint64_t entries)>;

// Errors: kCorrupt with the place of the first damage; with a checkpoint also: its signature is
// false, its key is unknown to the log, the log is another one, was cut, or was rewritten before
// it.
Result<AuditReport> verify_log(Log& log, const std::optional<Checkpoint>& checkpoint = {},
                               const AuditProgress& progress = {});

// The log of a space's folder as verify_log() does, and then what is beside it: the shared head,
// the bases, the notes of backups and the signing key know of no entry that the log has not.
// Errors: those of verify_log(), kNotFound (no log), kCorrupt naming what knows more.
Result<AuditReport> verify_space(const std::string& folder, FileSystem& files,
                                 const std::optional<Checkpoint>& checkpoint = {},
                                 const AuditProgress& progress = {});

// That the log does not end before what is beside it knows: the shared head, the bases, the notes
// of backups. Of a log whose end cannot be read nothing is said. O(files in the folder). Errors:
// kCorrupt naming what knows more.
Status check_end_of_log(const std::string& folder, FileSystem& files, Log& log);

// Makes the file of a log anew of its entries, where these are whole and SQLite finds the file
// around them damaged; false: it finds nothing. Waits for the writer's turn; cut short, it leaves
// the file as it was. Errors: those of verify_log(), kBusy, kDiskFull, kCorrupt (it could not be
// made anew).
Result<bool> mend_log_file(const std::string& folder, FileSystem& files);

// An entry's place in the tree; JSON {"anima_proof":1,"sequence","entries","hash","root","path"}.
struct InclusionProof {
  Sequence sequence = Sequence::kNone;
  std::uint64_t entries = 0;  // size of the tree
  Digest hash{};              // of the entry
  Digest root{};
  std::vector<Digest> path;

  Json to_json() const;
  [[nodiscard]] bool holds() const;  // against its own root
};
Result<InclusionProof> prove_entry(Log& log, Sequence sequence);

// That the log of now continues the log of `old_entries`; JSON
// {"anima_consistency":1,"old_entries", "new_entries","old_root","new_root","path"}.
struct ConsistencyProof {
  std::uint64_t old_entries = 0, new_entries = 0;
  Digest old_root{}, new_root{};
  std::vector<Digest> path;

  Json to_json() const;
  [[nodiscard]] bool holds() const;
};
Result<ConsistencyProof> prove_consistency(Log& log, std::uint64_t old_entries);

// That the key which the log names last lies in the space's folder, where it names one: without it
// no checkpoint can be signed. Errors: kNotFound, kCorrupt (the file holds no key, or another one),
// those of the file.
Status check_signing_key_is_here(const std::string& folder, FileSystem& files,
                                 const AuditReport& report);

// The signing key of a space, made and written into the log when there is none yet.
Result<SigningKey> obtain_signing_key(Space& space, const Origin& origin, FileSystem& files,
                                      Random& random);
// Replaces it; the entry is signed by both keys. A crash at any moment leaves the old one or the
// new.
Result<SigningKey> rotate_signing_key(Space& space, const Origin& origin, FileSystem& files,
                                      Random& random);
// Signs the state of the log now (all entries are checked for it).
Result<Checkpoint> make_checkpoint(Log& log, const SigningKey& key);

// One entry as JSON, payload in hex: {"sequence","time","author","source","trust","cause","format",
// "seal","payload","previous","hash"}.
Json entry_to_json(const LogEntry& entry);
std::string_view trust_label(Trust trust);
std::optional<Trust> trust_called(std::string_view label);

}  // namespace anima::store
