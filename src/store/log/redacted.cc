#include "store/log/redacted.h"

#include "base/bytes.h"
#include "store/log/archived.h"
#include "store/log/entry_codec.h"
#include "store/log/operations.h"
#include "store/log/sqlite_log.h"

namespace anima::store::detail {
namespace {

void write_header(ByteWriter& writer, const LogEntry& entry) {
  writer.u64(to_number(entry.sequence));
  writer.u64(static_cast<std::uint64_t>(entry.time.microseconds));
  writer.u8(static_cast<std::uint8_t>(entry.origin.trust));
  writer.varint(entry.format);
  writer.varint(to_number(entry.origin.cause));
  writer.string(entry.origin.author);
  writer.string(entry.origin.source);
  writer.string(entry.seal);
  writer.varint(entry.payload.size());
}

}  // namespace

Digest left_digest(const LogEntry& entry) {
  ByteWriter writer;
  writer.raw(view_of(entry.hash));
  writer.raw(view_of(entry.previous));
  write_header(writer, entry);
  return Sha256().update(writer.bytes()).update(entry.payload).finish();
}

std::string encode_redacted(const LogEntry& entry, std::uint64_t part_bytes) {
  const bool in_parts = entry.payload.size() > part_bytes;
  ByteWriter writer;
  writer.raw(view_of(entry.hash));
  writer.raw(view_of(entry.previous));
  writer.u8(kRedactedLayout);
  writer.raw(view_of(left_digest(entry)));
  write_header(writer, entry);
  writer.varint(in_parts ? part_bytes : 0);
  if (!in_parts) writer.raw(entry.payload);
  return writer.take();
}

namespace {

Status visit_told(const LogEntry& entry, std::string_view source, std::string_view member,
                  const std::function<void(const Json&)>& visit) {
  if (entry.origin.source != source || !entry.seal.empty()) return {};
  return visit_entry_records(entry, [&](RecordKind kind, std::string_view payload) -> Status {
    if (kind != RecordKind::kAudit) return {};
    const Result<Json> record = parse_json(payload);
    const Json* told = record ? record->find(member) : nullptr;
    if (told != nullptr && told->is_object()) visit(*told);
    return {};
  });
}

}  // namespace

Status visit_forgotten(const LogEntry& entry, const std::function<void(const Json&)>& visit) {
  return visit_told(entry, kForgetSource, "forgotten", visit);
}

Status visit_compacted(const LogEntry& entry, const std::function<void(const Json&)>& visit) {
  return visit_told(entry, kCompactSource, "compacted", visit);
}

bool is_known_schema(std::int64_t schema) {
  return schema == kLogSchema || (schema >= kArchivedSchema && schema <= kArchivedCompactedSchema);
}

bool has_archived(std::int64_t schema) {
  return schema == kArchivedSchema || schema == kArchivedRedactedSchema ||
         schema == kArchivedCompactedSchema;
}

std::int64_t with_archived(std::int64_t schema) {
  if (has_archived(schema)) return schema;
  if (schema == kCompactedSchema) return kArchivedCompactedSchema;
  return schema == kRedactedSchema ? kArchivedRedactedSchema : kArchivedSchema;
}

std::int64_t without_archived(std::int64_t schema) {
  if (!has_archived(schema)) return schema;
  if (schema == kArchivedCompactedSchema) return kCompactedSchema;
  return schema == kArchivedRedactedSchema ? kRedactedSchema : kLogSchema;
}

std::int64_t with_redacted(std::int64_t schema, bool compacted) {
  const bool archived = has_archived(schema);
  const bool before = schema == kCompactedSchema || schema == kArchivedCompactedSchema;
  if (compacted || before) return archived ? kArchivedCompactedSchema : kCompactedSchema;
  return archived ? kArchivedRedactedSchema : kRedactedSchema;
}

void LeftDigests::add(std::string_view left) {
  digest_.update(left);
  ++count_;
}

Digest LeftDigests::finish() { return digest_.finish(); }

Status RedactionCheck::see(const LogEntry& entry) {
  if (is_redacted(entry))
    entries_[to_number(entry.sequence)] = {entry.hash, left_digest(entry), false, false, {}};
  if (entries_.empty()) return {};
  ANIMA_TRY(visit_forgotten(entry, [this](const Json& forgotten) { see_forgotten(forgotten); }));
  return visit_compacted(entry, [this](const Json& compacted) { see_compacted(compacted); });
}

void RedactionCheck::see_forgotten(const Json& forgotten) {
  const Json* list = forgotten.find("entries");
  if (list == nullptr || !list->is_array()) return;
  for (const Json& each : list->as_array()) {
    const std::size_t size = each.is_array() ? each.as_array().size() : 0;
    if (size != 3 && size != 4) continue;
    const Json &sequence = each.as_array()[0], &hash = each.as_array()[1],
               &left = each.as_array()[2];
    if (!sequence.is_integer() || !hash.is_string() || !left.is_string()) continue;
    const auto found = entries_.find(static_cast<std::uint64_t>(sequence.as_integer()));
    if (found == entries_.end()) continue;
    One& one = found->second;
    one.answered = to_hex(one.hash) == hash.as_string() && to_hex(one.left) == left.as_string();
    if (!one.named && size == 4 && each.as_array()[3].is_string())
      one.before = each.as_array()[3].as_string();
    one.named = true;
  }
}

// It answers for all that was cut up to there, so what was said before it does not count.
void RedactionCheck::see_compacted(const Json& compacted) {
  const Json *until = compacted.find("until"), *entries = compacted.find("entries"),
             *digest = compacted.find("digest");
  if (until == nullptr || !until->is_integer() || entries == nullptr || !entries->is_integer() ||
      digest == nullptr || !digest->is_string()) {
    return;
  }
  compaction_ = {static_cast<std::uint64_t>(until->as_integer()),
                 static_cast<std::uint64_t>(entries->as_integer()), digest->as_string()};
  for (auto& [sequence, one] : entries_) {
    if (sequence > compaction_->until) break;
    one.answered = one.named = false;
    one.before.reset();
  }
}

// What was forgotten since says what had been left of its entries before.
bool RedactionCheck::compaction_holds() const {
  LeftDigests left;
  for (const auto& [sequence, one] : entries_) {
    if (sequence > compaction_->until) break;
    if (!one.named) {
      left.add(view_of(one.left));
    } else if (one.before) {
      const auto before = from_hex(*one.before);
      if (!before) return false;
      left.add(*before);
    }
  }
  return left.count() == compaction_->entries && to_hex(left.finish()) == compaction_->digest;
}

Status RedactionCheck::check() const {
  const bool holds = compaction_ && compaction_holds();
  for (const auto& [sequence, one] : entries_) {
    const bool compacted = holds && !one.named && sequence <= compaction_->until;
    if (one.answered || compacted) continue;
    return fail(ErrorCode::kCorrupt,
                "something was taken from it, and no entry answers for what is left",
                entry_place(Sequence{sequence}));
  }
  return {};
}

}  // namespace anima::store::detail
