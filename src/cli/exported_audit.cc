#include "cli/exported_audit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "govern/audit_chain.h"
#include "store/offline_audit.h"

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

int verify_ari(Context& context, const std::string& file) {
  const auto text = context.read_input(file);
  if (!text) return context.fail(text.error());
  const auto entries = govern::AuditChain::read_lines(*text, file);
  if (!entries) return context.fail(entries.error());
  const govern::AuditVerdict verdict = govern::verify_audit(*entries);
  if (!verdict.valid) {
    return context.fail({ErrorCode::kCorrupt,
                         verdict.details,
                         fmt::format("{}: entry {}", file, verdict.broken_at),
                         {}});
  }
  return say_verified(context, "the chain is whole: " + verdict.details,
                      Json::object({{"valid", true}, {"events", entries->size()}}));
}

Status check_proof(Context& context, const ExportedAudit& files,
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
  return store::verify_exported_proof(proof, *checkpoint, entry);
}

}  // namespace

int verify_exported(Context& context, const ExportedAudit& files,
                    const std::optional<store::Checkpoint>& checkpoint) {
  if (files.ari) return verify_ari(context, *files.ari);
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
    const Status held = check_proof(context, files, checkpoint);
    if (!held) return context.fail(held.error());
    return say_verified(
        context, "the proof holds: the entry is in the log that the checkpoint signs",
        Json::object(
            {{"valid", true}, {"sequence", static_cast<std::uint64_t>(checkpoint->sequence)}}));
  }
  const auto lines = context.read_input(*files.log);
  if (!lines) return context.fail(lines.error());
  const auto report = store::verify_exported_log(*lines, *files.log, checkpoint);
  if (!report) return context.fail(report.error());
  return say_verified(context,
                      fmt::format("the exported log is whole: {} entries\nroot {}", report->entries,
                                  to_hex(report->root)),
                      Json::object({{"ok", true},
                                    {"entries", report->entries},
                                    {"head", to_hex(report->head.hash)},
                                    {"root", to_hex(report->root)}}));
}

}  // namespace anima::cli
