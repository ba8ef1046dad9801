#include "store/verify/erasure_certificate.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "base/json/sorted_json.h"
#include "base/json/text_array.h"
#include "store/backup.h"
#include "store/log/archived.h"
#include "store/log/entry_codec.h"
#include "store/log/redacted.h"
#include "store/verify/offline_audit.h"

namespace anima::store {
namespace {

constexpr std::string_view kVersionMember = "anima_certificate_of_erasure";
constexpr std::string_view kSignature = "signature";
constexpr std::int64_t kVersion = 2;  // signed as a whole

// What a certificate repeats of the record.
constexpr std::array<std::string_view, 8> kRepeated{"reason",  "statements",  "things", "values",
                                                    "records", "attachments", "stays",  "entries"};

// Made before the forgetting, so that what was forgotten may be in them.
Status add_backups(const Space& space, Timestamp time, FileSystem& files, Json& certificate) {
  BackupNotes notes;
  if (!space.folder().empty()) {
    ANIMA_ASSIGN(notes, backup_notes(space.folder(), files));
  }
  JsonArray list;
  for (const BackupInfo& backup : notes.backups) {
    if (backup.time > time) continue;
    list.emplace_back(Json::object({{"path", backup.path},
                                    {"time", format_timestamp(backup.time)},
                                    {"entries", backup.entries}}));
  }
  certificate.set("backups", std::move(list));
  certificate.set("backups_note", doubt_about(notes));
  return {};
}

// An archive that was brought back may still lie somewhere.
Result<Json> archives_before(Log& log, Sequence last) {
  JsonArray list;
  ANIMA_TRY(log.read(Sequence{1}, [&](const LogEntry& entry) -> Status {
    if (entry.sequence > last || entry.origin.source != detail::kArchiveSource) return {};
    return visit_records(entry, [&](RecordKind, std::string_view text) -> Status {
      const Result<Json> record = parse_json(text);
      if (!record || record->find("archive") == nullptr) return {};
      Json one = Json::object({{"time", format_timestamp(entry.time)}});
      for (const std::string_view member : {"first", "last", "entries"}) {
        if (const Json* value = record->find(member)) one.set(std::string(member), *value);
      }
      list.push_back(std::move(one));
      return {};
    });
  }));
  return Json(std::move(list));
}

Unexpected<Error> bad(std::string message) {
  return fail(ErrorCode::kCorrupt, std::move(message), "certificate");
}

Result<const Json*> member(const Json& json, std::string_view name) {
  const Json* value = json.find(name);
  if (value != nullptr) return value;
  return fail(ErrorCode::kSyntax, "\"" + std::string(name) + "\" is missing", "certificate",
              "`anima forget .. -o FILE` writes one");
}

Result<Json> record_in(const LogEntry& entry) {
  std::optional<Json> found;
  ANIMA_TRY(detail::visit_forgotten(entry, [&](const Json& forgotten) { found = forgotten; }));
  if (found) return std::move(*found);
  return bad("its record does not tell of anything that was forgotten");
}

// Whoever took more from an entry later answers for it now, so that `left` may be another one; but
// an entry must not be whole again.
Status check_entries(const Json& entries, Log& log) {
  for (const Json& each : entries.as_array()) {
    if (!each.is_array() || each.as_array().size() < 3 || !each.as_array()[0].is_integer()) {
      return bad("\"entries\" is no list of entries");
    }
    const Sequence sequence{static_cast<std::uint64_t>(each.as_array()[0].as_integer())};
    ANIMA_ASSIGN(const LogEntry entry, log.entry(sequence));
    if (!(Json(to_hex(entry.hash)) == each.as_array()[1])) {
      return fail(ErrorCode::kCorrupt, "it is not the entry that the certificate names",
                  detail::entry_place(sequence));
    }
    if (!detail::is_redacted(entry) && !detail::is_archived(entry)) {
      return fail(ErrorCode::kCorrupt, "it is whole again: what was forgotten is back in the log",
                  detail::entry_place(sequence));
    }
  }
  return {};
}

std::string signed_text(const Json& certificate) {
  Json without = certificate;
  std::erase_if(without.as_object(),
                [](const JsonMember& member) { return member.first == kSignature; });
  return "anima certificate of erasure 2\n" + sorted_json(without);
}

Status check_signature(const Json& certificate, const PublicKey& key) {
  ANIMA_ASSIGN(const Json* said, member(certificate, kSignature));
  const auto bytes = from_hex(said->as_string());
  Signature signature{};
  if (!bytes || bytes->size() != signature.size()) return bad("its signature is none");
  std::copy(bytes->begin(), bytes->end(), signature.begin());
  if (verify(key, signed_text(certificate), signature)) return {};
  return bad("somebody changed it: its signature is over something else");
}

// The version it says, which must be one that its record can have.
Result<std::int64_t> version_of(const Json& certificate, const Json& told) {
  const Json& version = *certificate.find(kVersionMember);
  if (!version.is_integer() || version.as_integer() < 1 || version.as_integer() > kVersion) {
    return fail(ErrorCode::kVersionMismatch, "it is a certificate of another version",
                "certificate", "check it with a newer anima");
  }
  const Json* record = told.find("version");
  const bool needs_signature = record != nullptr && record->as_integer() >= kVersion;
  if (needs_signature && version.as_integer() < kVersion)
    return bad("its record asks for a certificate that is signed as a whole, and it is none");
  return version.as_integer();
}

}  // namespace

namespace {

struct Signed {
  Checkpoint checkpoint;
  InclusionProof proof;
};

// Both of one state of the log, though others write meanwhile.
Result<Signed> sign_at_one_moment(Log& log, const SigningKey& key, Sequence entry) {
  constexpr int kTries = 16;
  for (int tried = 0; tried < kTries; ++tried) {
    ANIMA_ASSIGN(Checkpoint checkpoint, make_checkpoint(log, key));
    ANIMA_ASSIGN(InclusionProof proof, prove_entry(log, entry));
    if (proof.entries == detail::to_number(checkpoint.sequence))
      return Signed{std::move(checkpoint), std::move(proof)};
  }
  return fail(ErrorCode::kBusy, "others wrote while the certificate was made", {},
              "`anima forget --certificate-of last` makes it");
}

}  // namespace

Status prepare_certificate(Space& space, const Origin& origin, FileSystem& files, Random& random) {
  const auto refused = [](Error error, std::string_view what) {
    // What is asked for is there: it is not what was not found.
    if (error.code == ErrorCode::kNotFound) error.code = ErrorCode::kCorrupt;
    error.message = std::string(what) + ": " + error.message;
    return fail(std::move(error));
  };
  if (!space.folder().empty()) {
    if (auto notes = backup_notes(space.folder(), files); !notes) {
      Error error = std::move(notes).error();
      error.hint = "move it away: the certificate then says that backups may exist";
      return refused(std::move(error), "a certificate could not tell of backups");
    }
  }
  if (auto key = obtain_signing_key(space, origin, files, random); !key)
    return refused(std::move(key).error(), "a certificate could not be signed");
  return {};
}

Result<Json> make_certificate(Space& space, const CertificateRequest& request, const Origin& origin,
                              FileSystem& files, Random& random) {
  ANIMA_ASSIGN(const Json record, forgotten_record(space.log(), request.entry));
  ANIMA_ASSIGN(const SigningKey key, obtain_signing_key(space, origin, files, random));
  ANIMA_ASSIGN(const Signed proven, sign_at_one_moment(space.log(), key, request.entry));
  const auto& [checkpoint, proof] = proven;
  ANIMA_ASSIGN(const LogEntry entry, space.log().entry(request.entry));
  ANIMA_ASSIGN(Json archives, archives_before(space.log(), request.entry));
  Json certificate = Json::object({{kVersionMember, kVersion},
                                   {"asked", request.asked},
                                   {"by", entry.origin.author},
                                   {"time", format_timestamp(entry.time)},
                                   {"space", to_hex(checkpoint.space)}});
  for (const std::string_view name : kRepeated) {
    if (const Json* value = record.find(name)) certificate.set(std::string(name), *value);
  }
  certificate.set("keys_destroyed", text_array(request.keys_destroyed));
  certificate.set("not_touched", text_array(request.not_touched));
  certificate.set("searched", request.searched);
  ANIMA_TRY(add_backups(space, entry.time, files, certificate));
  certificate.set("archives", std::move(archives));
  certificate.set("record", entry_to_json(entry));
  certificate.set("proof", proof.to_json());
  certificate.set("checkpoint", checkpoint.to_json());
  certificate.set(kSignature, to_hex(sign(key, signed_text(certificate))));
  return certificate;
}

Result<CertificateCheck> verify_certificate(const Json& certificate, Log* log) {
  ANIMA_TRY(member(certificate, kVersionMember));
  ANIMA_ASSIGN(const Json* record, member(certificate, "record"));
  ANIMA_ASSIGN(const Json* proof_json, member(certificate, "proof"));
  ANIMA_ASSIGN(const Json* checkpoint_json, member(certificate, "checkpoint"));
  ANIMA_ASSIGN(const LogEntry entry, entry_from_json(*record, "certificate"));
  ANIMA_ASSIGN(const InclusionProof proof, inclusion_proof_from_json(*proof_json, "certificate"));
  ANIMA_ASSIGN(const Checkpoint checkpoint, Checkpoint::from_json(*checkpoint_json));
  ANIMA_TRY(verify_signature(checkpoint, checkpoint.key));
  ANIMA_TRY(verify_exported_proof(proof, checkpoint, entry));
  ANIMA_ASSIGN(const Json told, record_in(entry));
  ANIMA_ASSIGN(const std::int64_t version, version_of(certificate, told));
  if (version == kVersion) ANIMA_TRY(check_signature(certificate, checkpoint.key));
  const Json header = Json::object({{"by", entry.origin.author},
                                    {"time", format_timestamp(entry.time)},
                                    {"space", to_hex(checkpoint.space)}});
  const auto agrees = [&](std::string_view name, const Json& from) -> Status {
    const Json *said = certificate.find(name), *meant = from.find(name);
    if (said != nullptr && meant != nullptr && *said == *meant) return {};
    return bad("its \"" + std::string(name) + "\" is not what its record says");
  };
  for (const std::string_view name : kRepeated) ANIMA_TRY(agrees(name, told));
  for (const std::string_view name : {"by", "time", "space"}) ANIMA_TRY(agrees(name, header));
  CertificateCheck check;
  check.entry = entry.sequence;
  check.key = checkpoint.key;
  check.signed_whole = version == kVersion;
  const Json& entries = *told.find("entries");
  if (!entries.is_array()) return bad("\"entries\" is no list");
  check.entries = entries.as_array().size();
  if (log == nullptr) return check;
  ANIMA_ASSIGN(const LogEntry there, log->entry(entry.sequence));
  if (there.hash != entry.hash) {
    return fail(ErrorCode::kCorrupt, "the log has another entry there than the certificate",
                detail::entry_place(entry.sequence));
  }
  ANIMA_TRY(verify_log(*log, checkpoint).map([](const AuditReport&) {}));
  ANIMA_TRY(check_entries(entries, *log));
  return check;
}

namespace {

std::string text_of(const Json& certificate, std::string_view name) {
  const Json* value = certificate.find(name);
  if (value == nullptr) return {};
  return value->is_string() ? value->as_string() : value->dump();
}

void add_list(std::string& page, const Json& certificate, std::string_view name,
              std::string_view heading, std::string_view none) {
  const Json* list = certificate.find(name);
  if (list == nullptr || !list->is_array() || list->as_array().empty()) {
    if (!none.empty()) page += std::string(none) + "\n";
    return;
  }
  page += std::string(heading) + "\n";
  for (const Json& each : list->as_array()) {
    page += "  " + (each.is_string() ? each.as_string() : each.dump()) + "\n";
  }
}

// What was looked through, and what still names it.
void add_searched(std::string& page, const Json& certificate) {
  const Json* list = certificate.find("searched");
  if (list == nullptr || !list->is_array() || list->as_array().empty()) {
    page += "No file was searched for the names: they were not known when this was written.\n";
    return;
  }
  page += "Searched for the names afterwards:\n";
  for (const Json& each : list->as_array()) {
    const std::string files = text_of(each, "files");
    page +=
        "  " + text_of(each, "place") + " (" + text_of(each, "how") + ", " + files + " files): ";
    const Json* left = each.find("left");
    if (left == nullptr || !left->is_array() || left->as_array().empty()) {
      page += "nothing is left\n";
      continue;
    }
    page += "these still have it:\n";
    for (const Json& path : left->as_array()) page += "    " + path.as_string() + "\n";
  }
}

}  // namespace

std::string certificate_text(const Json& certificate) {
  std::string page = "Certificate of erasure\n\n";
  for (const auto& [name, label] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"asked", "What was forgotten: "},
           {"by", "By:                 "},
           {"reason", "Why:                "},
           {"time", "When:               "},
           {"space", "In the space:       "}}) {
    const std::string value = text_of(certificate, name);
    if (!value.empty()) page += std::string(label) + value + "\n";
  }
  page += "\nIt took " + text_of(certificate, "statements") + " statements, " +
          text_of(certificate, "things") + " names of things, " + text_of(certificate, "values") +
          " values, " + text_of(certificate, "records") + " records and " +
          text_of(certificate, "attachments") +
          " attachments from these entries of the log\n"
          "(number, hash of the whole entry, digest of what is left):\n";
  if (const Json* entries = certificate.find("entries"); entries && entries->is_array()) {
    for (const Json& each : entries->as_array()) {
      std::string line = "  ";
      if (each.is_array()) {
        for (const Json& part : each.as_array())
          line += (part.is_string() ? part.as_string() : part.dump()) + " ";
      }
      line.back() = '\n';
      page += line;
    }
  }
  page += "\n";
  add_list(page, certificate, "keys_destroyed", "Keys that were destroyed:", "");
  add_list(page, certificate, "stays", "What stays, and why:", "");
  add_list(page, certificate, "not_touched",
           "Not touched, for only the name is like it (forget each by its id):", "");
  add_searched(page, certificate);
  const std::string doubt = text_of(certificate, "backups_note");
  add_list(page, certificate, "backups", "Backups that may still hold it:",
           doubt.empty() ? "The space knows of no backup that was made before." : "");
  if (!doubt.empty()) page += "Backups: " + doubt + ".\n";
  add_list(page, certificate, "archives", "Archives of the log that may still hold it:", "");
  page +=
      "\nExports and copies of files are not known to the space.\n"
      "Check this certificate with: anima audit verify --certificate FILE\n";
  return page;
}

}  // namespace anima::store
