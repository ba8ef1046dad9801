#include "store/verify/audit.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/text/text.h"
#include "store/backup.h"
#include "store/log/archived.h"
#include "store/log/attachment.h"
#include "store/log/entry_codec.h"
#include "store/log/exclusive_log.h"
#include "store/log/redacted.h"
#include "store/log/shared_head.h"
#include "store/log/sqlite.h"
#include "store/log/sqlite_log.h"
#include "store/space/witnesses.h"
#include "store/space_place.h"

namespace anima::store {
namespace {

using detail::entry_place;
using detail::to_number;

constexpr std::uint64_t kProgressEvery = 4096;

template <std::size_t N>
Status read_hex(const Json& json, std::string_view member, std::array<std::uint8_t, N>& out) {
  const Json* value = json.find(member);
  const auto wrong = [&] {
    return fail(ErrorCode::kSyntax,
                "\"" + std::string(member) + "\" must be " + std::to_string(N) + " bytes in hex");
  };
  if (value == nullptr || !value->is_string()) return wrong();
  const Result<std::string> bytes = from_hex(value->as_string());
  if (!bytes || bytes->size() != N) return wrong();
  std::copy(bytes->begin(), bytes->end(), out.begin());
  return {};
}

Result<std::int64_t> read_integer(const Json& json, std::string_view member) {
  const Json* value = json.find(member);
  if (value == nullptr || !value->is_integer()) {
    return fail(ErrorCode::kSyntax, "\"" + std::string(member) + "\" must be an integer");
  }
  return value->as_integer();
}

Json hex_array(const std::vector<Digest>& digests) {
  JsonArray array;
  for (const Digest& digest : digests) array.emplace_back(to_hex(digest));
  return Json(std::move(array));
}

Unexpected<Error> broken(std::string message, std::string where) {
  return fail(ErrorCode::kCorrupt, std::move(message), std::move(where));
}

// Collects the signing keys that the log brings in, and refuses a rotation that is not signed.
class KeyHistory {
 public:
  Status see(const LogEntry& entry) {
    if (!entry.seal.empty()) return {};
    return visit_records(entry, [&](RecordKind kind, std::string_view payload) -> Status {
      if (kind != RecordKind::kKeyRotation) return {};
      Status added = add(entry.sequence, payload);
      if (added) return {};
      return broken("its key rotation is not valid: " + added.error().message,
                    entry_place(entry.sequence));
    });
  }
  const std::vector<KeyPeriod>& keys() const { return keys_; }
  std::vector<KeyPeriod> take() { return std::move(keys_); }

 private:
  Status add(Sequence sequence, std::string_view payload);
  std::vector<KeyPeriod> keys_;
};

// What both keys of a rotation sign. `space` binds it to one log.
std::string rotation_text(const Digest& space, const std::optional<PublicKey>& old_key,
                          const PublicKey& new_key) {
  return "anima key rotation 1\n" + to_hex(space) + "\n" + (old_key ? to_hex(*old_key) : "none") +
         "\n" + to_hex(new_key) + "\n";
}

Status KeyHistory::add(Sequence sequence, std::string_view payload) {
  ANIMA_ASSIGN(const Json json, parse_json(payload));
  Digest space{};
  PublicKey key{};
  Signature signature{};
  ANIMA_TRY(read_hex(json, "space", space));
  ANIMA_TRY(read_hex(json, "new", key));
  ANIMA_TRY(read_hex(json, "new_signature", signature));
  std::optional<PublicKey> old_key;
  if (!keys_.empty()) old_key = keys_.back().key;
  const std::string text = rotation_text(space, old_key, key);
  if (!verify(key, text, signature)) return broken("the new key did not sign it", {});
  if (old_key) {
    Signature old_signature{};
    ANIMA_TRY(read_hex(json, "old_signature", old_signature));
    if (!verify(*old_key, text, old_signature)) return broken("the old key did not sign it", {});
  }
  keys_.push_back({sequence, key});
  return {};
}

std::string rotation_record(const Digest& space, const SigningKey* old_key,
                            const SigningKey& new_key) {
  std::optional<PublicKey> old_public;
  if (old_key != nullptr) old_public = old_key->public_key;
  const std::string text = rotation_text(space, old_public, new_key.public_key);
  Json json = Json::object({{"space", to_hex(space)},
                            {"new", to_hex(new_key.public_key)},
                            {"new_signature", to_hex(sign(new_key, text))}});
  if (old_key != nullptr) {
    json.set("old", to_hex(old_key->public_key));
    json.set("old_signature", to_hex(sign(*old_key, text)));
  }
  return json.dump();
}

// The key that was in force where the checkpoint was made: one that was replaced may be in
// anybody's hands.
Status check_key(const std::vector<KeyPeriod>& keys, const Checkpoint& checkpoint) {
  const KeyPeriod* in_force = nullptr;
  bool known = false;
  for (const KeyPeriod& period : keys) {
    known = known || period.key == checkpoint.key;
    if (period.since <= checkpoint.sequence) in_force = &period;
  }
  if (in_force != nullptr && in_force->key == checkpoint.key) return {};
  if (!known) return broken("its key was never brought into this log", "checkpoint");
  return broken("it is signed with a key that was not in force at its entry", "checkpoint");
}

// What a checkpoint says about the entries up to its own.
Status compare(const Checkpoint& checkpoint, Sequence head, const Digest& space, const Digest& hash,
               const Digest& root) {
  if (checkpoint.sequence > head) {
    return broken("the log ends here, but the checkpoint saw " +
                      std::to_string(to_number(checkpoint.sequence)) + " entries: its tail was cut",
                  entry_place(head));
  }
  if (checkpoint.space != space) {
    return broken("the checkpoint is of another space", entry_place(Sequence{1}));
  }
  if (checkpoint.hash != hash || checkpoint.root != root) {
    return broken("the log up to here is not the one that the checkpoint signed",
                  entry_place(checkpoint.sequence));
  }
  return {};
}

}  // namespace

std::string_view trust_label(Trust trust) {
  switch (trust) {
    case Trust::kHostile:
      return "hostile";
    case Trust::kUntrusted:
      return "untrusted";
    case Trust::kStandard:
      return "standard";
    case Trust::kVerified:
      return "verified";
    case Trust::kOperator:
      return "operator";
    case Trust::kSystem:
      return "system";
  }
  return "unknown";
}

std::optional<Trust> trust_called(std::string_view label) {
  for (const Trust trust : {Trust::kHostile, Trust::kUntrusted, Trust::kStandard, Trust::kVerified,
                            Trust::kOperator, Trust::kSystem}) {
    if (trust_label(trust) == label) return trust;
  }
  return std::nullopt;
}

// --- checkpoints --------------------------------------------------------------------------------

std::string Checkpoint::signed_text() const {
  return "anima checkpoint 1\n" + to_hex(space) + "\n" + std::to_string(to_number(sequence)) +
         "\n" + std::to_string(time.microseconds) + "\n" + to_hex(hash) + "\n" + to_hex(root) +
         "\n";
}

Json Checkpoint::to_json() const {
  return Json::object({{"anima_checkpoint", 1},
                       {"space", to_hex(space)},
                       {"sequence", to_number(sequence)},
                       {"time", time.microseconds},
                       {"hash", to_hex(hash)},
                       {"root", to_hex(root)},
                       {"key", to_hex(key)},
                       {"signature", to_hex(signature)}});
}

Result<Checkpoint> Checkpoint::from_json(const Json& json) {
  ANIMA_ASSIGN(const std::int64_t version, read_integer(json, "anima_checkpoint"));
  if (version != 1) {
    return fail(ErrorCode::kVersionMismatch,
                "checkpoint format " + std::to_string(version) + " is not known");
  }
  Checkpoint checkpoint;
  ANIMA_TRY(read_hex(json, "space", checkpoint.space));
  ANIMA_ASSIGN(const std::int64_t sequence, read_integer(json, "sequence"));
  if (sequence < 1) return fail(ErrorCode::kSyntax, "\"sequence\" must be positive");
  checkpoint.sequence = Sequence{static_cast<std::uint64_t>(sequence)};
  ANIMA_ASSIGN(checkpoint.time.microseconds, read_integer(json, "time"));
  ANIMA_TRY(read_hex(json, "hash", checkpoint.hash));
  ANIMA_TRY(read_hex(json, "root", checkpoint.root));
  ANIMA_TRY(read_hex(json, "key", checkpoint.key));
  ANIMA_TRY(read_hex(json, "signature", checkpoint.signature));
  return checkpoint;
}

namespace {

// What is attached is what the entry tells of, or somebody answers for its being gone.
Status check_attachment(Log& log, const LogEntry& entry, detail::PruneCheck& pruned) {
  if (!pruned.empty() && entry.origin.source == detail::kPruneSource) {
    ANIMA_TRY(visit_records(entry, [&](RecordKind, std::string_view record) -> Status {
      pruned.see_record(record);
      return {};
    }));
  }
  if (!detail::has_attachment(entry)) return {};
  ANIMA_ASSIGN(const std::string attachment, log.attachment(entry.sequence));
  if (!attachment.empty()) return detail::attached_records(entry, attachment).map([](auto) {});
  pruned.missing(entry.sequence);
  return {};
}

// As verify_log(); after a damage `whole` is the last entry before it.
Result<AuditReport> walk_log(Log& log, const std::optional<Checkpoint>& checkpoint,
                             const AuditProgress& progress, std::optional<Sequence>& whole) {
  if (checkpoint && !verify(checkpoint->key, checkpoint->signed_text(), checkpoint->signature)) {
    return broken("the checkpoint's signature is false", "checkpoint");
  }
  AuditReport report;
  MerkleFrontier tree;
  KeyHistory keys;
  Digest space{};
  Digest hash_there{};  // at the checkpoint
  Digest root_there{};
  detail::Remains remains;
  detail::PruneCheck pruned;
  detail::RedactionCheck redacted;
  const Status read = log.read(Sequence{1}, [&](const LogEntry& entry) -> Status {
    if (entry.time < report.head.time) {
      return broken("its time is before that of the entry before it", entry_place(entry.sequence));
    }
    tree.add(merkle_entry_leaf(entry.hash));
    ANIMA_TRY(keys.see(entry));
    if (detail::is_archived(entry)) {
      remains.add(entry);
    } else if (!remains.empty() && entry.origin.source == detail::kArchiveSource) {
      ANIMA_TRY(visit_records(entry, [&](RecordKind, std::string_view record) -> Status {
        remains.see_record(record);
        return {};
      }));
    }
    ANIMA_TRY(check_attachment(log, entry, pruned));
    ANIMA_TRY(redacted.see(entry));
    if (entry.sequence == Sequence{1}) space = entry.hash;
    report.head = Head{entry.sequence, entry.time, entry.hash};
    if (checkpoint && checkpoint->sequence == entry.sequence) {
      report.checkpoint = checkpoint->sequence;
      hash_there = entry.hash;
      root_there = tree.root();
    }
    if (progress && tree.size() % kProgressEvery == 0 && !progress(tree.size())) {
      return fail(ErrorCode::kCancelled, "stopped");
    }
    return {};
  });
  if (!read) {
    if (read.error().code == ErrorCode::kCorrupt) whole = report.head.sequence;
    return fail(read.error());
  }
  if (tree.size() == 0) return broken("the log holds no entry", entry_place(Sequence{1}));
  ANIMA_TRY(remains.check());
  ANIMA_TRY(pruned.check());
  ANIMA_TRY(redacted.check());
  report.entries = tree.size();
  report.root = tree.root();
  report.keys = keys.take();
  if (!checkpoint) return report;
  ANIMA_TRY(compare(*checkpoint, report.head.sequence, space, hash_there, root_there));
  ANIMA_TRY(check_key(report.keys, *checkpoint));
  return report;
}

}  // namespace

Result<AuditReport> verify_log(Log& log, const std::optional<Checkpoint>& checkpoint,
                               const AuditProgress& progress) {
  std::optional<Sequence> whole;
  return walk_log(log, checkpoint, progress, whole);
}

Result<Checkpoint> make_checkpoint(Log& log, const SigningKey& key) {
  ANIMA_ASSIGN(const AuditReport report, verify_log(log));
  ANIMA_ASSIGN(const LogEntry first, log.entry(Sequence{1}));
  Checkpoint checkpoint;
  checkpoint.space = first.hash;
  checkpoint.sequence = report.head.sequence;
  checkpoint.time = report.head.time;
  checkpoint.hash = report.head.hash;
  checkpoint.root = report.root;
  checkpoint.key = key.public_key;
  checkpoint.signature = sign(key, checkpoint.signed_text());
  return checkpoint;
}

// --- proofs -------------------------------------------------------------------------------------

namespace {

// The leaves of all entries up to `last` go into both; `added` is called after each.
Status add_leaves(Log& log, Sequence last, MerkleFrontier& tree, ProofBuilder& builder,
                  const std::function<void(const LogEntry&)>& added) {
  return log.read(Sequence{1}, [&](const LogEntry& entry) -> Status {
    if (entry.sequence > last) return {};
    const Digest leaf = merkle_entry_leaf(entry.hash);
    tree.add(leaf);
    builder.add(leaf);
    added(entry);
    return {};
  });
}

}  // namespace

Json InclusionProof::to_json() const {
  return Json::object({{"anima_proof", 1},
                       {"sequence", to_number(sequence)},
                       {"entries", entries},
                       {"hash", to_hex(hash)},
                       {"root", to_hex(root)},
                       {"path", hex_array(path)}});
}

bool InclusionProof::holds() const {
  return sequence != Sequence::kNone &&
         verify_inclusion(merkle_entry_leaf(hash), to_number(sequence) - 1, entries, path, root);
}

Result<InclusionProof> prove_entry(Log& log, Sequence sequence) {
  ANIMA_ASSIGN(const Head head, log.head());
  if (sequence == Sequence::kNone || sequence > head.sequence) {
    return fail(ErrorCode::kNotFound, "there is no such entry", entry_place(sequence));
  }
  InclusionProof proof;
  proof.sequence = sequence;
  proof.entries = to_number(head.sequence);
  ProofBuilder builder(inclusion_ranges(to_number(sequence) - 1, proof.entries));
  MerkleFrontier tree;
  ANIMA_TRY(add_leaves(log, head.sequence, tree, builder, [&](const LogEntry& entry) {
    if (entry.sequence == sequence) proof.hash = entry.hash;
  }));
  proof.root = tree.root();
  proof.path = builder.proof();
  return proof;
}

Json ConsistencyProof::to_json() const {
  return Json::object({{"anima_consistency", 1},
                       {"old_entries", old_entries},
                       {"new_entries", new_entries},
                       {"old_root", to_hex(old_root)},
                       {"new_root", to_hex(new_root)},
                       {"path", hex_array(path)}});
}

bool ConsistencyProof::holds() const {
  return verify_consistency(old_entries, old_root, new_entries, new_root, path);
}

Result<ConsistencyProof> prove_consistency(Log& log, std::uint64_t old_entries) {
  ANIMA_ASSIGN(const Head head, log.head());
  ConsistencyProof proof;
  proof.old_entries = old_entries;
  proof.new_entries = to_number(head.sequence);
  if (old_entries == 0 || old_entries > proof.new_entries) {
    return fail(ErrorCode::kNotFound, "there is no such entry", entry_place(Sequence{old_entries}));
  }
  ProofBuilder builder(consistency_ranges(old_entries, proof.new_entries));
  MerkleFrontier tree;
  ANIMA_TRY(add_leaves(log, head.sequence, tree, builder, [&](const LogEntry&) {
    if (tree.size() == old_entries) proof.old_root = tree.root();
  }));
  proof.new_root = tree.root();
  proof.path = builder.proof();
  return proof;
}

// --- signing keys -------------------------------------------------------------------------------

namespace {

constexpr std::string_view kKeyHeader = "anima signing key 1\n";
constexpr std::string_view kPutKeyBack =
    "put the key file back; without it no checkpoint and no certificate can be signed";

std::string key_path(const Space& space) { return join_path(space.folder(), "keys/signing.key"); }
std::string next_key_path(const Space& space) { return key_path(space) + ".next"; }

Result<SigningKey> read_key(FileSystem& files, const std::string& path) {
  ANIMA_ASSIGN(const std::string text, read_file(files, path, 4096));
  std::string_view rest = text;
  const auto damaged = [&] { return fail(ErrorCode::kCorrupt, "this is no signing key", path); };
  if (!rest.starts_with(kKeyHeader)) return damaged();
  rest.remove_prefix(kKeyHeader.size());
  if (rest.ends_with('\n')) rest.remove_suffix(1);
  const Result<std::string> seed = from_hex(rest);
  std::array<std::uint8_t, 32> bytes{};
  if (!seed || seed->size() != bytes.size()) return damaged();
  std::copy(seed->begin(), seed->end(), bytes.begin());
  return signing_key_from_seed(bytes);
}

// Why what lies at the path is not the key that the log names last.
Error not_the_key(const Result<SigningKey>& found, const std::string& path) {
  const std::string hint(kPutKeyBack);
  if (found)
    return {ErrorCode::kCorrupt, "this is not the signing key that the log names last", path, hint};
  if (found.error().code == ErrorCode::kNotFound)
    return {ErrorCode::kNotFound, "the signing key of this space is missing", path, hint};
  Error error = found.error();
  error.hint = hint;
  return error;
}

Status write_key(FileSystem& files, const std::string& path, const SigningKey& key) {
  ANIMA_TRY(files.make_directories(std::string(parent_path(path)), 0700));
  return replace_file(files, path, std::string(kKeyHeader) + to_hex(key.seed) + "\n", 0600);
}

Result<std::vector<KeyPeriod>> keys_in(Log& log) {
  KeyHistory history;
  ANIMA_TRY(log.read(Sequence{1}, [&](const LogEntry& entry) { return history.see(entry); }));
  return history.take();
}

Status record_key(Space& space, const Origin& origin, const SigningKey* old_key,
                  const SigningKey& new_key) {
  ANIMA_ASSIGN(const LogEntry first, space.log().entry(Sequence{1}));
  const std::string record = rotation_record(first.hash, old_key, new_key);
  ANIMA_TRY(space.write(origin, [&](Transaction& transaction) {
    return transaction.record(RecordKind::kKeyRotation, record);
  }));
  return {};
}

Result<std::unique_ptr<FileLock>> lock_keys(const Space& space, FileSystem& files) {
  ANIMA_TRY(files.make_directories(join_path(space.folder(), "keys"), 0700));
  return files.lock(join_path(space.folder(), "keys/lock"), LockMode::kExclusive, true);
}

// The key on disk that the log names last; finishes a rotation that a crash cut short between the
// log entry and the renaming.
Result<std::optional<SigningKey>> current_key(Space& space, FileSystem& files) {
  ANIMA_ASSIGN(const std::vector<KeyPeriod> known, keys_in(space.log()));
  const std::string path = key_path(space);
  if (known.empty()) {
    // A key gets its place only after its entry is in the log.
    if (!file_exists(files, path)) return std::optional<SigningKey>();
    return fail(ErrorCode::kCorrupt, "the log does not know this key: it has lost its entry", path,
                way_back(files, space.folder()));
  }
  const std::string next = next_key_path(space);
  const Result<SigningKey> key = read_key(files, path);
  if (key && key->public_key == known.back().key) return std::optional<SigningKey>(*key);
  const Result<SigningKey> newer = read_key(files, next);
  if (newer && newer->public_key == known.back().key) {
    ANIMA_TRY(files.rename(next, path));
    ANIMA_TRY(files.sync_directory(std::string(parent_path(path))));
    return std::optional<SigningKey>(*newer);
  }
  return fail(not_the_key(key, path));
}

Result<SigningKey> bring_in(Space& space, const Origin& origin, const SigningKey* old_key,
                            FileSystem& files, Random& random) {
  const SigningKey key = make_signing_key(random);
  const std::string path = key_path(space);
  const std::string next = next_key_path(space);
  ANIMA_TRY(write_key(files, next, key));
  ANIMA_TRY(record_key(space, origin, old_key, key));
  ANIMA_TRY(files.rename(next, path));
  ANIMA_TRY(files.sync_directory(std::string(parent_path(path))));
  return key;
}

}  // namespace

Result<SigningKey> obtain_signing_key(Space& space, const Origin& origin, FileSystem& files,
                                      Random& random) {
  ANIMA_ASSIGN(const auto lock, lock_keys(space, files));
  ANIMA_ASSIGN(const std::optional<SigningKey> key, current_key(space, files));
  if (key) return *key;
  return bring_in(space, origin, nullptr, files, random);
}

Result<SigningKey> rotate_signing_key(Space& space, const Origin& origin, FileSystem& files,
                                      Random& random) {
  ANIMA_ASSIGN(const auto lock, lock_keys(space, files));
  ANIMA_ASSIGN(const std::optional<SigningKey> old_key, current_key(space, files));
  return bring_in(space, origin, old_key ? &*old_key : nullptr, files, random);
}

Status check_signing_key_is_here(const std::string& folder, FileSystem& files,
                                 const AuditReport& report) {
  if (report.keys.empty()) return {};
  const std::string path = join_path(folder, "keys/signing.key");
  // A rotation that was cut short leaves the new one under its other name.
  for (const std::string& each : {path, path + ".next"}) {
    const Result<SigningKey> key = read_key(files, each);
    if (key && key->public_key == report.keys.back().key) return {};
  }
  return fail(not_the_key(read_key(files, path), path));
}

// A key gets its place only after its entry is in the log.
Status check_signing_key(const std::string& folder, FileSystem& files, const AuditReport& report) {
  const std::string path = join_path(folder, "keys/signing.key");
  const Result<SigningKey> key = read_key(files, path);
  if (!key) return {};
  for (const KeyPeriod& period : report.keys) {
    if (period.key == key->public_key) return {};
  }
  // The log ends before the entry that brought it in, or the file is not what it was.
  const auto head = detail::SharedHead::open(join_path(folder, "log.head"), true);
  if (head && (*head)->acknowledged() == report.head.sequence) {
    return fail(ErrorCode::kCorrupt,
                "the log does not know this signing key, and log.head says that the log is whole: "
                "the file was changed, or is another space's; else both have lost their end",
                path,
                "put the key file back; where it is the right one: " + way_back(files, folder));
  }
  return fail(ErrorCode::kCorrupt,
              "the log ends at entry " + std::to_string(report.entries) +
                  ", before the one that brought in the key of keys/signing.key",
              path, way_back(files, folder));
}

namespace {

// What SQLite says of its file: entries can be whole in one that takes no more. A log that is not a
// file here, or cannot be opened apart, says nothing.
Status check_pages(const std::string& folder, FileSystem& files) {
  const std::string path = detail::log_path(folder);
  if (is_shared_log(files, folder) || !file_exists(files, path)) return {};
  auto database = detail::Database::open_to_read(path, {}, 1'000);
  if (!database) return {};
  auto check = database->prepare("PRAGMA quick_check(1)");
  if (!check) return {};
  const auto row = check->step();
  const bool is_damaged =
      row ? *row && check->text(0) != "ok" : row.error().code == ErrorCode::kCorrupt;
  if (!is_damaged) return {};
  const std::string said = row ? check->text(0) : row.error().message;
  return fail(ErrorCode::kCorrupt,
              "its entries are whole, and its file is damaged, so that it may take no more: " +
                  replace_all(said, "\n", " "),
              path, "`anima doctor --mend` makes the file anew of its entries");
}

Error not_anew(const Error& why, const std::string& folder) {
  return {ErrorCode::kCorrupt,
          "its entries are whole, and its file cannot be made anew where it lies: " + why.message,
          detail::log_path(folder),
          "`anima --salvage backup FILE`, then restore that into another folder"};
}

}  // namespace

Result<bool> mend_log_file(const std::string& folder, FileSystem& files) {
  if (is_shared_log(files, folder)) return false;
  const auto fault = [&]() -> Result<std::optional<Error>> {
    ANIMA_ASSIGN(const std::unique_ptr<Log> log, open_log(folder));
    std::optional<Sequence> whole;
    ANIMA_TRY(walk_log(*log, {}, {}, whole).map([](const AuditReport&) {}));
    const Status pages = check_pages(folder, files);
    return pages ? std::nullopt : std::optional(pages.error());
  };
  ANIMA_ASSIGN(const std::optional<Error> before, fault());
  if (!before) return false;
  {
    ANIMA_ASSIGN(detail::ExclusiveLog writing, detail::ExclusiveLog::open(folder));
    const Status made = writing.log.execute("VACUUM");
    if (!made && made.error().code != ErrorCode::kCorrupt) return fail(made.error());
    if (!made) return fail(not_anew(made.error(), folder));
    ANIMA_TRY(writing.fold().map([](bool) {}));
  }
  ANIMA_ASSIGN(const std::optional<Error> after, fault());
  if (after) return fail(not_anew(*after, folder));
  return true;
}

Status check_end_of_log(const std::string& folder, FileSystem& files, Log& log) {
  const detail::Witness witness = detail::newest_witness(files, folder);
  const auto head = log.head();
  return head ? detail::check_witness(files, folder, witness, head->sequence) : Status();
}

Result<AuditReport> verify_space(const std::string& folder, FileSystem& files,
                                 const std::optional<Checkpoint>& checkpoint,
                                 const AuditProgress& progress) {
  const detail::Witness witness = detail::newest_witness(files, folder);
  Result<std::unique_ptr<Log>> log = open_log(folder);
  if (!log) return fail(std::move(log).error());
  std::optional<Sequence> whole;
  Result<AuditReport> report = walk_log(**log, checkpoint, progress, whole);
  if (!report) {
    Error error = std::move(report).error();
    if (whole) error.hint = way_back(files, folder, whole);
    return fail(std::move(error));
  }
  ANIMA_TRY(detail::check_witness(files, folder, witness, report->head.sequence));
  ANIMA_TRY(check_signing_key(folder, files, *report));
  ANIMA_TRY(check_pages(folder, files));
  return report;
}

Json entry_to_json(const LogEntry& entry) {
  return Json::object({{"sequence", to_number(entry.sequence)},
                       {"time", format_timestamp(entry.time)},
                       {"author", entry.origin.author},
                       {"source", entry.origin.source},
                       {"trust", trust_label(entry.origin.trust)},
                       {"cause", to_number(entry.origin.cause)},
                       {"format", entry.format},
                       {"seal", entry.seal},
                       {"payload", to_hex(entry.payload)},
                       {"previous", to_hex(entry.previous)},
                       {"hash", to_hex(entry.hash)}});
}

}  // namespace anima::store
