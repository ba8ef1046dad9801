#include "cli/verbs/govern/exported_audit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "govern/ledger/ledger.h"
#include "store/verify/offline_audit.h"

namespace anima::cli {
namespace {

Result<PublicKey> parse_key(const std::string& hex) {
  const auto bytes = from_hex(trim(hex));
  PublicKey key{};
  if (!bytes || bytes->size() != key.size())
    return anima::fail(ErrorCode::kInvalidArgument, "a public key is 64 hexadecimal digits");
  std::copy(bytes->begin(), bytes->end(), key.begin());
  return key;
}

int say_verified(Context& context, const std::string& text, Json json) {
  if (context.json) {
    context.print_json(json);
  } else {
    context.print(text + "\n");
  }
  return kDone;
}

Status check_chain(const std::vector<govern::AuditEntry>& entries, const std::string& file) {
  const govern::AuditVerdict verdict = govern::verify_audit(entries);
  if (verdict.valid) return {};
  return anima::fail(ErrorCode::kCorrupt, verdict.details,
                     fmt::format("{}: entry {}", file, verdict.broken_at));
}

// The decisions that an exported log holds are those of the chain.
Status check_against_log(const std::vector<govern::AuditEntry>& entries, const std::string& file,
                         const std::vector<govern::PlacedAudit>& told) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i < told.size() && entries[i].hash == told[i].entry.hash) continue;
    return anima::fail(ErrorCode::kCorrupt,
                       i < told.size() ? "the log tells of another decision here"
                                       : "the log tells of no further decision",
                       fmt::format("{}: entry {}", file, i));
  }
  if (entries.size() == told.size()) return {};
  return anima::fail(
      ErrorCode::kCorrupt,
      fmt::format("it ends {} decisions before the log does", told.size() - entries.size()), file,
      "its end was cut, or it is older than the log: export both anew");
}

// With a log: that has been verified.
int verify_ari(Context& context, const std::string& file, const std::optional<std::string>& log,
               const std::string& log_lines) {
  const auto text = context.read_input(file);
  if (!text) return context.fail(text.error());
  const auto entries = govern::AuditChain::read_lines(*text, file);
  if (!entries) return context.fail(entries.error());
  if (const Status whole = check_chain(*entries, file); !whole) return context.fail(whole.error());
  if (entries->empty())
    return context.fail({ErrorCode::kCorrupt, "there is no decision in it", file, {}});
  std::string said = fmt::format("the chain is whole: {} events", entries->size());
  Json json = Json::object({{"valid", true}, {"events", entries->size()}});
  if (log) {
    const auto told = govern::audit_chain_of(log_lines, *log);
    if (!told) return context.fail(told.error());
    if (const Status same = check_against_log(*entries, file, *told); !same)
      return context.fail(same.error());
    said += ", the decisions of the exported log";
    json.set("decisions", told->size());
  }
  return say_verified(context, said, std::move(json));
}

// Gives the number of the entry that is proved.
Result<std::uint64_t> check_proof(Context& context, const ExportedAudit& files,
                                  const std::optional<store::Checkpoint>& checkpoint) {
  if (!checkpoint) {
    return anima::fail(ErrorCode::kInvalidArgument, "a proof needs --checkpoint FILE", {},
                       "the checkpoint signs the root that the proof leads to");
  }
  ANIMA_ASSIGN(const std::string text, context.read_input(*files.proof));
  ANIMA_ASSIGN(const Json json, parse_json(text));
  ANIMA_ASSIGN(const auto proof, store::inclusion_proof_from_json(json, *files.proof));
  std::optional<store::LogEntry> entry;
  if (files.entry) {
    ANIMA_ASSIGN(const std::string line, context.read_input(*files.entry));
    ANIMA_ASSIGN(const Json content, parse_json(trim(line)));
    ANIMA_ASSIGN(entry, store::entry_from_json(content, *files.entry));
  }
  ANIMA_TRY(store::verify_exported_proof(proof, *checkpoint, entry));
  return static_cast<std::uint64_t>(proof.sequence);
}

// What is named together must be looked at together: nothing is passed over in silence.
std::string_view misfit(const ExportedAudit& files, bool checkpoint) {
  if (files.proof && (files.log || files.ari)) return "--proof stands with neither --log nor --ari";
  if (files.entry && !files.proof) return "--entry needs --proof FILE";
  if (files.ari && checkpoint && !files.log)
    return "--ari with --checkpoint needs --log FILE, the exported log that the checkpoint signs";
  if (files.key && !checkpoint) return "--key needs --checkpoint FILE, which it signs";
  return {};
}

}  // namespace

int verify_exported(Context& context, const ExportedAudit& files,
                    const std::optional<store::Checkpoint>& checkpoint) {
  if (const auto wrong = misfit(files, checkpoint.has_value()); !wrong.empty())
    return context.usage_error(wrong);
  if (checkpoint && !files.key) {
    return context.usage_error("--checkpoint needs --key HEX here: the public key that you trust",
                               "`anima audit verify --json` in the space lists its keys");
  }
  if (checkpoint) {
    const auto key = parse_key(*files.key);
    if (!key) return context.fail(key.error());
    const Status signed_by = store::verify_signature(*checkpoint, *key);
    if (!signed_by) return context.fail(signed_by.error());
  }
  if (files.proof) {
    const auto proved = check_proof(context, files, checkpoint);
    if (!proved) return context.fail(proved.error());
    return say_verified(
        context,
        fmt::format("the proof holds: entry {} is in the log that the checkpoint signs", *proved),
        Json::object({{"valid", true}, {"sequence", *proved}}));
  }
  if (!files.log) return verify_ari(context, *files.ari, files.log, {});
  const auto lines = context.read_input(*files.log);
  if (!lines) return context.fail(lines.error());
  const auto report = store::verify_exported_log(*lines, *files.log, checkpoint);
  if (!report) return context.fail(report.error());
  if (files.ari) return verify_ari(context, *files.ari, files.log, *lines);
  return say_verified(context,
                      fmt::format("the exported log is whole: {} entries\nroot {}", report->entries,
                                  to_hex(report->root)),
                      Json::object({{"ok", true},
                                    {"entries", report->entries},
                                    {"head", to_hex(report->head.hash)},
                                    {"root", to_hex(report->root)}}));
}

}  // namespace anima::cli
