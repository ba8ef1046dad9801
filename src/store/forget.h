// Forgetting: things, or what whole entries stated, are taken from the log, its views and its files
// for good.
//
// Every statement that goes leaves the payloads of the entries that made or withdrew it, and with
// them the names and values that nobody else uses. The entries keep their numbers, headers and
// hashes, so the chain, the Merkle tree and signed checkpoints hold; an entry of its own names each
// changed entry with the digest of what is left of it, and verify_log() asks for it
// (log/redacted.h). Numbers are never given again. What was withdrawn by something that goes stays
// withdrawn. All of it is one transaction of the log: a crash leaves everything or nothing, and
// what of the views was not made again is made again by whoever opens the space next. Copies are
// out of reach: backups, archives, exports. Thread-safety: functions without state; the space may
// be in use by this process and others, whose writers wait meanwhile. Source: DATA.md 9.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"
#include "store/ids.h"
#include "store/log.h"
#include "store/space.h"

namespace anima::store {

// What becomes of a record: it stays, goes, or says `text` from now on. `note` tells why something
// that should go stays; it is listed in the report.
struct RecordFate {
  enum class Kind : std::uint8_t { kStays, kGoes, kChanges };
  Kind kind = Kind::kStays;
  std::string text;
  std::string note;
};
using IsForgotten = std::function<bool(EntityId)>;
// Judges a record. `whole`: it lies in an entry that is forgotten as a whole.
using JudgeRecord = std::function<Result<RecordFate>(RecordKind kind, std::string_view payload,
                                                     const IsForgotten& gone, bool whole)>;

struct Forgetting {
  // A key and a value that an entry states as metadata of something.
  struct Claim {
    Term key, value;
  };
  // These things: all that is said of them and of links to them, in every graph, at any time. Of a
  // proposition: that it was stated, too.
  std::vector<EntityId> entities;
  // And what says one of these literals as an attribute or as metadata, in every graph, at any
  // time; what it is said of stays. What is said of types and predicates stays, too.
  std::vector<Term> values;
  // The same of these, and what is said of types and predicates goes, too.
  std::vector<Term> texts;
  // And what is said under one of these literals as its key.
  std::vector<Term> keys;
  // Graphs that are called otherwise from now on: urn:forgotten:graph:N. What stands in them stays.
  std::vector<GraphId> graphs;
  // Where whole numbers among `values` stay, which Anima counts in books of its own, and these
  // literals, which it reads them by.
  std::vector<GraphId> books;
  std::vector<Term> words_of_books = {};
  // And what these entries stated, but for what they say of types and predicates; null: none.
  std::function<bool(const LogEntry&)> entries;
  // And what an entry states of a thing or a link of which it states this: who claims something
  // has said it. Types and predicates stay, and so do entries of the system itself.
  std::optional<Claim> claim = {};
  // And what was stated with one of these as its provenance, at any time, but for what is said of
  // types and predicates.
  std::vector<std::uint64_t> provenances = {};
  // Literals of JSON that are this one from now on; what they are said of stays.
  std::vector<std::pair<Term, std::string>> rewritten = {};
  JudgeRecord record;  // null: every record stays
  // What the author and the source of an entry are called from now on; null: as they are.
  std::function<std::string(std::string_view)> header;
  Json request;  // for the record of the forgetting: what was asked, without its content
  std::string reason;
};

struct ForgottenStatement {
  Sequence entry = Sequence::kNone;  // that stated it
  Triple triple;
  GraphId graph = GraphId::kDefault;
};

struct ForgottenEntry {
  Sequence sequence = Sequence::kNone;
  Digest hash{}, left{};         // of the whole, which stays; of what is left
  std::optional<Digest> before;  // where something had been taken before: what was left then
};

struct ForgetReport {
  Receipt receipt;  // of the entry that tells of it; sequence kNone after a dry run
  std::uint64_t things = 0, values = 0, records = 0, attachments = 0, graphs = 0;
  std::vector<ForgottenStatement> statements;  // in the order of the log
  std::vector<ForgottenEntry> entries;         // of a dry run without `left`
  std::vector<std::string> stays;              // what could not go, and why
};

// Errors: kNotFound (there is nothing of that kind), kConflict (payloads lie in archives; a type or
// predicate that others use), kDenied (genesis, read-only), kBusy, those of
// check_can_be_taken_from() and of the log: nothing is changed then. O(log), and as much again for
// the views.
Result<ForgetReport> forget(Space& space, const Origin& origin, const Forgetting& what,
                            Timestamp now, bool dry_run);

// Whether what is taken from the log can go from the other files of the space, too: its folder
// takes a new base. Errors: kIo, kDiskFull, with what to do.
Status check_can_be_taken_from(Space& space);

// Of an entry that tells of a forgetting: the JSON object of its record. Errors: kNotFound (it
// tells of none), those of the log.
Result<Json> forgotten_record(Log& log, Sequence entry);

}  // namespace anima::store
