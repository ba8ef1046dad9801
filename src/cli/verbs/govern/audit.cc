// anima audit: the log as evidence.
#include "store/verify/audit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "agent/learnings/own_learnings.h"
#include "base/files/output_file.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/frame/sequence_number.h"
#include "cli/render/table.h"
#include "cli/terminal/progress.h"
#include "cli/verbs/govern/exported_audit.h"
#include "govern/decide/gateway.h"
#include "govern/decide/stop_switch.h"
#include "govern/ledger/ledger.h"
#include "govern/ledger/sealed_members.h"
#include "learn/shard_files.h"
#include "store/act.h"
#include "store/read_around.h"
#include "store/verify/erasure_certificate.h"
#include "store/verify/verify_views.h"

namespace anima::cli {
namespace {

using store::LogEntry;
using store::Sequence;

constexpr std::size_t kMaxCertificateBytes = std::size_t{64} << 20;

// --- log ----------------------------------------------------------------------------------------

std::string_view record_name(store::RecordKind kind) {
  using store::RecordKind;
  switch (kind) {
    case RecordKind::kProvenance:
      return "provenance";
    case RecordKind::kDecision:
      return "decision";
    case RecordKind::kModelAnswer:
      return "model-answer";
    case RecordKind::kToolOutput:
      return "tool-output";
    case RecordKind::kApproval:
      return "approval";
    case RecordKind::kEvent:
      return "event";
    case RecordKind::kSession:
      return "session";
    case RecordKind::kCompartment:
      return "compartment";
    case RecordKind::kKeyRotation:
      return "key-rotation";
    case RecordKind::kUndo:
      return "undo";
    case RecordKind::kRun:
      return "run";
    case RecordKind::kAudit:
      return "audit";
    case RecordKind::kCouncil:
      return "council";
    case RecordKind::kQuarantine:
      return "quarantine";
    case RecordKind::kCall:
      return "call";
  }
  if (kind == govern::kLineRecord) return "line";
  if (kind == govern::kMessageRecord) return "message";
  if (kind == govern::kIndexRecord) return "index";
  if (kind == govern::kStartRecord) return "tool_started";
  if (kind == govern::kPlanRecord) return "plan";
  return "record";
}

struct EntryRecords {
  JsonArray kinds;      // each once, in their order
  JsonArray decisions;  // {"id","action","actor","trustLevel","details"}
};

Json decision_json(std::string_view payload) {
  const auto record = parse_json(payload);
  const Json* id = record ? record->find("id") : nullptr;
  const Json* action = record ? record->find("action") : nullptr;
  Json decision = Json::object(
      {{"id", id == nullptr ? Json("") : *id}, {"action", action == nullptr ? Json("") : *action}});
  for (const std::string_view key : {"actor", "trustLevel", "details"}) {
    if (const Json* value = record ? record->find(key) : nullptr) decision.set(key, *value);
  }
  return decision;
}

EntryRecords records_of(store::Log& log, const LogEntry& entry) {
  EntryRecords records;
  if (!entry.seal.empty()) return records;
  // An entry of a newer format is listed without its records.
  (void)store::visit_all_records(
      log, entry, [&](store::RecordKind kind, std::string_view payload) -> Status {
        const Json name{std::string(record_name(kind))};
        if (std::ranges::find(records.kinds, name) == records.kinds.end())
          records.kinds.push_back(name);
        if (kind == store::RecordKind::kAudit) records.decisions.push_back(decision_json(payload));
        return {};
      });
  return records;
}

// Of a sealed entry only the space with its keys knows it (`anima history`).
Json act_json(const LogEntry& entry, const store::EntryAct& act) {
  if (!entry.seal.empty()) return {};
  return sequence_number(act.first == Sequence::kNone ? entry.sequence : act.first);
}

Json summary_json(store::Log& log, const LogEntry& entry) {
  EntryRecords records = records_of(log, entry);
  // An entry of a newer format is listed without its act.
  const auto stated = store::act_stated(entry);
  const store::EntryAct act = stated ? *stated : store::EntryAct();
  return Json::object({{"sequence", sequence_number(entry.sequence)},
                       {"time", format_timestamp(entry.time)},
                       {"author", entry.origin.author},
                       {"source", entry.origin.source},
                       {"trust", store::trust_label(entry.origin.trust)},
                       {"cause", sequence_number(entry.origin.cause)},
                       {"act", act_json(entry, act)},
                       {"act_name", act.name},
                       {"seal", entry.seal},
                       {"bytes", entry.payload.size()},
                       {"records", std::move(records.kinds)},
                       {"decisions", std::move(records.decisions)},
                       {"hash", to_hex(entry.hash)}});
}

// One that is damaged has its place, and nothing that is known of it.
Json unreadable_json(Sequence entry, const Error& why) {
  Json json = Json::object({{"sequence", sequence_number(entry)}, {"act", 0}});
  for (const std::string_view key : {"time", "author", "source", "trust", "seal"})
    json.set(key, "");
  json.set("bytes", 0);
  for (const std::string_view key : {"records", "decisions"}) json.set(key, Json::array());
  json.set("unreadable", why.message);
  return json;
}

// What a listing says that could not show each entry.
void warn_of_unreadable(Context& context, const std::vector<Sequence>& entries) {
  if (entries.empty()) return;
  context.warn(
      fmt::format("{} of the log cannot be read, the first of them entry {} (`anima "
                  "doctor` says what is whole, and what to do)",
                  entries.size() == 1 ? "one entry" : fmt::format("{} entries", entries.size()),
                  sequence_number(entries.front())));
}

// "sealed", the kinds of records, and a decision as "permission_denied 3f2a91c0", as why-denied
// takes it.
std::string what_of(const Json& entry) {
  if (const Json* why = entry.find("unreadable")) return "unreadable: " + why->as_string();
  std::string what = entry.find("seal")->as_string().empty() ? "" : "sealed";
  const auto add = [&](const std::string& word) { what += (what.empty() ? "" : " ") + word; };
  for (const Json& record : entry.find("records")->as_array()) {
    if (record.as_string() != "audit") add(record.as_string());
  }
  for (const Json& decision : entry.find("decisions")->as_array()) {
    add(decision.find("action")->as_string() + " " + decision.find("id")->as_string().substr(0, 8));
  }
  return what.empty() ? "facts" : what;
}

// The space's log; with --salvage what comes before its damage.
Result<std::shared_ptr<store::Log>> open_for_reading(Context& context) {
  if (!context.salvage) {
    ANIMA_ASSIGN(std::unique_ptr<store::Log> log, store::open_log(context.space));
    return std::shared_ptr<store::Log>(std::move(log));
  }
  ANIMA_ASSIGN(const std::shared_ptr<store::Space> space, open_space(context, Access::kRead));
  return std::shared_ptr<store::Log>(space, &space->log());
}

// What is listed of a log that lost its end is not all of it. Empty, or what is lost.
std::string told_loss(Context& context, store::Log& log) {
  const Status end = store::check_end_of_log(context.space, context.files, log);
  if (end) return {};
  if (!context.salvage) context.warn(end.error().describe());
  return end.error().message;
}

// What decisions hold of arguments and outputs, where the keys are here; else it stays sealed.
void unseal_decisions(Context& context, std::vector<Json>& entries) {
  std::shared_ptr<store::Space> space;
  for (Json& entry : entries) {
    for (Json& decision : entry.find("decisions")->as_array()) {
      Json* details = decision.find("details");
      if (details == nullptr || details->find("sealed") == nullptr) continue;
      if (space == nullptr) {
        const auto opened = open_space(context, Access::kRead);
        if (!opened) return;
        space = *opened;
      }
      (void)govern::unseal_members(*space, *details);
    }
  }
}

bool has_decision(const Json& entry, const std::string& action) {
  return std::ranges::any_of(entry.find("decisions")->as_array(), [&](const Json& decision) {
    return decision.find("action")->as_string() == action;
  });
}

int run_log(Context& context, Arguments arguments) {
  std::uint64_t limit = 20;
  std::optional<std::int64_t> after;
  std::string author;
  std::string action;
  Options options;
  options.value("--limit N", limit, "at most so many entries (20)");
  options.value("--after SEQ", after, "those after this one, instead of the newest");
  options.value("--author NAME", author, "only by this author");
  options.value("--action A", action,
                "only with this decision: permission_denied, tool_executed, ..");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto log = open_for_reading(context);
  if (!log) return context.fail(log.error());
  const auto newest = store::last_entry(**log);
  if (!newest) return context.fail(newest.error());
  const std::uint64_t last = sequence_number(*newest);
  std::uint64_t first = 1;
  if (after) {
    first = static_cast<std::uint64_t>(std::max<std::int64_t>(*after, 0)) + 1;
  } else if (author.empty() && action.empty() && last > limit) {
    first = last - limit + 1;
  }
  std::vector<Json> found;
  std::vector<Sequence> unreadable;
  const auto list = [&](Json summary) -> Status {
    found.push_back(std::move(summary));
    if (after && found.size() >= limit) return anima::fail(ErrorCode::kCancelled, "enough");
    if (!after && found.size() > limit) found.erase(found.begin());
    return {};
  };
  const Status read = store::read_around_damage(
      **log, Sequence{first},
      [&](const LogEntry& entry) -> Status {
        if (!author.empty() && entry.origin.author != author) return {};
        Json summary = summary_json(**log, entry);
        return action.empty() || has_decision(summary, action) ? list(std::move(summary))
                                                               : Status();
      },
      [&](Sequence entry, const Error& why) -> Status {
        unreadable.push_back(entry);
        return list(unreadable_json(entry, why));
      });
  warn_of_unreadable(context, unreadable);
  const std::string lost = told_loss(context, **log);
  const bool enough = !read && read.error().code == ErrorCode::kCancelled;
  if (context.json) {
    unseal_decisions(context, found);
    Json listed = Json::object({{"entries", JsonArray(found.begin(), found.end())}});
    if (!lost.empty()) listed.set("lost", lost);
    context.print_json(listed);
  } else {
    Table table({"seq", "act", "time", "author", "trust", "bytes", "what", "source"});
    table.align_right(0);
    table.align_right(1);
    table.align_right(5);
    for (const Json& entry : found) {
      table.add({std::to_string(entry.find("sequence")->as_integer()),
                 entry.find("act")->is_null() ? std::string("sealed")
                                              : std::to_string(entry.find("act")->as_integer()),
                 entry.find("time")->as_string(), entry.find("author")->as_string(),
                 entry.find("trust")->as_string(),
                 std::to_string(entry.find("bytes")->as_integer()), what_of(entry),
                 entry.find("source")->as_string()});
    }
    context.print(table.empty() ? std::string("There is no such entry.\n") : table.render(context));
  }
  return read || enough ? kDone : context.fail(read.error());
}

// --- verify, prove ------------------------------------------------------------------------------

Result<store::Checkpoint> read_checkpoint(Context& context, const std::string& path) {
  ANIMA_ASSIGN(const std::string text, context.read_input(path, 65536));
  const auto json = parse_json(text);
  if (!json) {
    Error error = json.error();
    error.where = path + ":" + error.where;
    return anima::fail(std::move(error));
  }
  Result<store::Checkpoint> checkpoint = store::Checkpoint::from_json(*json);
  if (!checkpoint && checkpoint.error().where.empty()) {
    Error error = checkpoint.error();
    error.where = path;
    return anima::fail(std::move(error));
  }
  return checkpoint;
}

Json report_json(const store::AuditReport& report) {
  JsonArray keys;
  for (const store::KeyPeriod& period : report.keys) {
    keys.emplace_back(
        Json::object({{"since", sequence_number(period.since)}, {"key", to_hex(period.key)}}));
  }
  Json json = Json::object({{"ok", true},
                            {"entries", report.entries},
                            {"head", to_hex(report.head.hash)},
                            {"time", format_timestamp(report.head.time)},
                            {"root", to_hex(report.root)},
                            {"keys", std::move(keys)}});
  if (report.checkpoint) json.set("checkpoint", sequence_number(*report.checkpoint));
  return json;
}

Json views_json(const store::ViewsReport& report) {
  JsonArray bases;
  for (const store::ComparedBase& base : report.bases) {
    Json json = Json::object({{"name", base.name}, {"sequence", sequence_number(base.sequence)}});
    if (base.unused.empty()) {
      json.set("concepts", base.concepts);
      json.set("statements", base.statements);
    } else {
      json.set("unused", base.unused);
    }
    bases.emplace_back(std::move(json));
  }
  return Json::object({{"entries", report.entries}, {"bases", std::move(bases)}});
}

std::string views_text(const store::ViewsReport& report) {
  if (report.bases.empty()) return "there is no base: everything is answered from the log\n";
  std::string text;
  for (const store::ComparedBase& base : report.bases) {
    text += base.unused.empty()
                ? fmt::format("{} says what the log says: {} concepts, {} statements\n", base.name,
                              base.concepts, base.statements)
                : fmt::format("{} is not used: {}\n", base.name, base.unused);
  }
  return text;
}

Result<store::ViewsReport> check_views(Context& context, std::uint64_t entries) {
  Progress progress(context, "verify views", "entries", entries);
  auto report = store::verify_views(context.space, context.files, [&](std::uint64_t done) {
    progress.update(done);
    return !interrupted();
  });
  if (report) progress.finish();
  return report;
}

Result<store::CertificateCheck> check_certificate(Context& context, const std::string& path) {
  ANIMA_ASSIGN(const std::string text, context.read_input(path, kMaxCertificateBytes));
  ANIMA_ASSIGN(const Json json, parse_json(text));
  ANIMA_ASSIGN(const std::unique_ptr<store::Log> log, store::open_log(context.space));
  return store::verify_certificate(json, log.get());
}

int verify_certificate(Context& context, const std::string& path,
                       const std::optional<std::string>& key) {
  const auto check = check_certificate(context, path);
  if (!check) return context.fail(check.error());
  if (key && to_hex(check->key) != to_lower(*key)) {
    return context.fail({ErrorCode::kCorrupt,
                         "the certificate is signed with another key, " + to_hex(check->key),
                         path,
                         {}});
  }
  if (context.json) {
    context.print_json(Json::object({{"ok", true},
                                     {"entry", sequence_number(check->entry)},
                                     {"entries", check->entries},
                                     {"signed_whole", check->signed_whole},
                                     {"key", to_hex(check->key)}}));
    return kDone;
  }
  if (!check->signed_whole) {
    context.warn(
        "the certificate is of an older form: only its record, its proof and its checkpoint are "
        "checked; what was asked, where was searched, what was not touched, and which keys and "
        "backups it lists could have been changed by anybody");
  }
  context.print(
      fmt::format("the certificate is true: entry {} tells of it, and what it names is still gone "
                  "from {} entries\nsigned with {}\n",
                  sequence_number(check->entry), check->entries, to_hex(check->key)));
  return kDone;
}

// What was learnt lies beside the log, and no entry answers for it.
void warn_of_learnings(Context& context) {
  const auto faults = learn::faults_of_shards(agent::shards_folder(context.space), context.files);
  if (!faults) return context.warn(faults.error().describe());
  for (const Error& fault : *faults) context.warn(fault.describe());
}

int run_audit_verify(Context& context, Arguments arguments) {
  std::string file;
  bool views = false;
  ExportedAudit exported;
  Options options;
  options.value("--checkpoint FILE", file, "a signed checkpoint: finds a tail that was cut");
  options.flag("--views", views, "also that the base files say what the log says: replays it all");
  options.value("--log FILE", exported.log, "an exported log instead of the space");
  options.value("--ari FILE", exported.ari,
                "an export in the format ari; with --log: that it tells what the log does");
  options.value("--proof FILE", exported.proof, "a proof of `audit prove`, with --checkpoint");
  options.value("--entry FILE", exported.entry, "the exported entry that the proof is about");
  options.value("--key HEX", exported.key,
                "the public key that you trust: it has signed the checkpoint");
  std::optional<std::string> certificate;
  options.value("--certificate FILE", certificate,
                "a certificate of erasure (`anima forget -o`): that it is true, and that the log "
                "still lacks what it says");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (certificate) return verify_certificate(context, *certificate, exported.key);
  std::optional<store::Checkpoint> checkpoint;
  if (!file.empty()) {
    const auto parsed = read_checkpoint(context, file);
    if (!parsed) {
      context.fail(parsed.error());
      return parsed.error().code == ErrorCode::kNotFound ? kMissing : kFailed;
    }
    checkpoint = *parsed;
  }
  if (exported.any() && views)
    return context.usage_error("--views is about a space, not about what was exported");
  if (exported.any()) return verify_exported(context, exported, checkpoint);
  if (exported.entry) return context.usage_error("--entry needs --proof FILE, which is about it");
  if (exported.key && !checkpoint)
    return context.usage_error("--key needs --checkpoint FILE, which it signs");
  if (exported.key && to_hex(checkpoint->key) != to_lower(*exported.key)) {
    return context.fail({ErrorCode::kCorrupt,
                         "the checkpoint is signed with another key, " + to_hex(checkpoint->key),
                         file,
                         {}});
  }
  const auto log = store::open_log(context.space);
  const auto head = log ? (*log)->head() : store::Head{};
  Progress progress(context, "verify", "entries", head ? sequence_number(head->sequence) : 0);
  const auto report =
      store::verify_space(context.space, context.files, checkpoint, [&](std::uint64_t entries) {
        progress.update(entries);
        return !interrupted();
      });
  if (!report) return context.fail(report.error());
  progress.finish();
  std::optional<store::ViewsReport> compared;
  if (views) {
    auto checked = check_views(context, report->entries);
    if (!checked) return context.fail(checked.error());
    compared = std::move(*checked);
  }
  warn_of_learnings(context);
  if (context.json) {
    Json json = report_json(*report);
    if (compared) json.set("views", views_json(*compared));
    context.print_json(json);
  } else {
    context.print(fmt::format("the log is whole: {} entries\nhead {}\nroot {}\n", report->entries,
                              to_hex(report->head.hash), to_hex(report->root)));
    if (report->checkpoint) {
      context.print(fmt::format("it continues the checkpoint at entry {}\n",
                                sequence_number(*report->checkpoint)));
    }
    if (compared) context.print(views_text(*compared));
  }
  if (!report->checkpoint) {
    context.note(
        "whoever cut the log's tail and what is beside it is not seen without a --checkpoint that "
        "was kept elsewhere");
  }
  return kDone;
}

int run_prove(Context& context, Arguments arguments) {
  std::string text;
  bool since = false;
  Options options;
  options.positional("SEQ", text, "the log entry").required();
  options.flag("--since", since, "prove that the log continues the log of SEQ entries");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto sequence = parse_sequence(text);
  if (!sequence) return context.usage_error(sequence.error().describe());
  const auto log = open_for_reading(context);
  if (!log) return context.fail(log.error());
  const Status end = store::check_end_of_log(context.space, context.files, **log);
  if (!end && !context.salvage) return context.fail(end.error());
  if (since) {
    const auto proof = store::prove_consistency(**log, sequence_number(*sequence));
    if (!proof) return context.fail(proof.error());
    context.print_json(proof->to_json());
    return kDone;
  }
  const auto proof = store::prove_entry(**log, *sequence);
  if (!proof) return context.fail(proof.error());
  context.print_json(proof->to_json());
  return kDone;
}

// --- checkpoint, rotate, export -----------------------------------------------------------------

// Null for standard output.
Result<std::unique_ptr<OutputFile>> open_result(Context& context, const std::string& path,
                                                std::uint32_t permissions = kPrivateFile) {
  if (path == "-") return std::unique_ptr<OutputFile>();
  return OutputFile::open(context.files, path, permissions);
}

int run_audit_checkpoint(Context& context, Arguments arguments) {
  std::string path;
  bool rotate = false;
  Options options;
  options.value("-o,--output FILE", path, "where it goes: outside the space; - prints it")
      .output()
      .required();
  options.flag("--rotate-key", rotate, "sign with a new key from now on");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kWrite);
  if (!space) return context.fail(space.error());
  // Opened first: no key is made for what has no place.
  const auto file = open_result(context, path, 0644);
  if (!file) return context.fail(file.error());
  SystemRandom random;
  const store::Origin origin = local_origin(context, "anima audit checkpoint");
  auto key = store::obtain_signing_key(**space, origin, context.files, random);
  if (key && rotate) key = store::rotate_signing_key(**space, origin, context.files, random);
  if (!key) return context.fail(key.error());
  const auto checkpoint = store::make_checkpoint((*space)->log(), *key);
  if (!checkpoint) return context.fail(checkpoint.error());
  const std::string text = checkpoint->to_json().dump(2) + "\n";
  if (*file == nullptr) {
    context.print(text);
    return kDone;
  }
  Status written = (*file)->append(text);
  if (written) written = (*file)->commit();
  if (!written) return context.fail(written.error());
  if (context.json) {
    context.print_json(Json::object({{"path", path},
                                     {"sequence", sequence_number(checkpoint->sequence)},
                                     {"root", to_hex(checkpoint->root)},
                                     {"key", to_hex(checkpoint->key)}}));
  } else {
    context.print(fmt::format("signed {} entries: {}\nkeep it outside the space\n",
                              sequence_number(checkpoint->sequence), path));
  }
  return kDone;
}

// The decisions in the source's hash-chain format, from the first on.
Status write_ari(store::Log& log, const std::function<Status(const std::string&)>& line) {
  ANIMA_ASSIGN(const auto chain, govern::audit_chain_of(log));
  for (const govern::PlacedAudit& placed : chain)
    ANIMA_TRY(line(placed.entry.to_json().dump() + "\n"));
  return {};
}

int run_audit_export(Context& context, Arguments arguments) {
  std::string path = "-";
  std::string format = "log";
  std::int64_t after = 0;
  Options options;
  options
      .value("--format F", format,
             "log: every entry of the log; ari: the decisions, as a chain of their own")
      .choices({"log", "ari"});
  options
      .value("-o,--output FILE", path, "a file instead of standard output, readable by you alone")
      .output();
  options.value("--after SEQ", after, "only the entries after this one");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto log = open_for_reading(context);
  if (!log) return context.fail(log.error());
  auto opened = open_result(context, path);
  if (!opened) return context.fail(opened.error());
  const std::unique_ptr<OutputFile> file = std::move(*opened);
  const std::uint64_t first = static_cast<std::uint64_t>(std::max<std::int64_t>(after, 0)) + 1;
  const auto put = [&](const std::string& line) -> Status {
    if (interrupted()) return anima::fail(ErrorCode::kCancelled, "stopped");
    if (file != nullptr) return file->append(line);
    context.print(line);
    return {};
  };
  std::vector<Sequence> unreadable;
  const auto all = [&] {
    return store::read_around_damage(
        **log, Sequence{first},
        [&](const LogEntry& entry) { return put(store::entry_to_json(entry).dump() + "\n"); },
        [&](Sequence entry, const Error& why) {
          unreadable.push_back(entry);
          return put(
              Json::object({{"sequence", sequence_number(entry)}, {"unreadable", why.message}})
                  .dump() +
              "\n");
        });
  };
  Status done = format == "ari" ? write_ari(**log, put) : all();
  const std::string lost = told_loss(context, **log);
  if (done && !lost.empty()) done = put(Json::object({{"lost", lost}}).dump() + "\n");
  if (done && file != nullptr) done = file->commit();
  warn_of_unreadable(context, unreadable);
  const bool whole = unreadable.empty() && (lost.empty() || context.salvage);
  if (done) return whole ? kDone : kIntegrity;
  return context.fail(done.error());
}

}  // namespace

extern const Verb kAuditLog;
extern const Verb kAuditVerify;
extern const Verb kAuditProve;
extern const Verb kAuditCheckpoint;
extern const Verb kAuditExport;
const Verb kAuditLog{"audit log",
                     Group::kKeeping,
                     "the newest log entries: when, by whom, from where",
                     "[--limit N] [--after SEQ] [--author NAME] [--action A]",
                     "anima audit log --limit 5\n"
                     "anima audit log --action permission_denied",
                     run_log};
const Verb kAuditVerify{
    "audit verify",
    Group::kKeeping,
    "checks every entry of the log; exit code 5 and the place when broken",
    "[--checkpoint FILE] [--log|--ari|--proof FILE] [--entry FILE] [--key HEX]",
    "anima audit verify --checkpoint monday.checkpoint\n"
    "anima audit verify --log log.jsonl --checkpoint monday.checkpoint --key HEX",
    run_audit_verify};
const Verb kAuditProve{"audit prove",
                       Group::kKeeping,
                       "proves that an entry is in the log, or that the log only grew",
                       "SEQ [--since]",
                       "anima audit prove 12",
                       run_prove};
const Verb kAuditCheckpoint{"audit checkpoint",
                            Group::kKeeping,
                            "signs the state of the log, to be kept elsewhere",
                            "-o FILE [--rotate-key]",
                            "anima audit checkpoint -o monday.checkpoint",
                            run_audit_checkpoint};
const Verb kAuditExport{"audit export",
                        Group::kKeeping,
                        "every log entry, or every decision, as one line of JSON",
                        "[--format log|ari] [-o FILE] [--after SEQ]",
                        "anima audit export -o log.jsonl\n"
                        "anima audit export --format ari -o decisions.jsonl",
                        run_audit_export};

}  // namespace anima::cli
