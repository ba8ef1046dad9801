#include "store/log/redacted.h"

#include "base/bytes.h"
#include "store/log/entry_codec.h"
#include "store/log/operations.h"

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

Status visit_forgotten(const LogEntry& entry, const std::function<void(const Json&)>& visit) {
  if (entry.origin.source != kForgetSource || !entry.seal.empty()) return {};
  return visit_entry_records(entry, [&](RecordKind kind, std::string_view payload) -> Status {
    if (kind != RecordKind::kAudit) return {};
    const Result<Json> record = parse_json(payload);
    const Json* forgotten = record ? record->find("forgotten") : nullptr;
    if (forgotten != nullptr && forgotten->is_object()) visit(*forgotten);
    return {};
  });
}

Status RedactionCheck::see(const LogEntry& entry) {
  if (is_redacted(entry))
    entries_[to_number(entry.sequence)] = {entry.hash, left_digest(entry), false};
  if (entries_.empty()) return {};
  return visit_forgotten(entry, [this](const Json& forgotten) {
    const Json* list = forgotten.find("entries");
    if (list == nullptr || !list->is_array()) return;
    for (const Json& each : list->as_array()) {
      if (!each.is_array() || each.as_array().size() != 3) continue;
      const Json &sequence = each.as_array()[0], &hash = each.as_array()[1],
                 &left = each.as_array()[2];
      if (!sequence.is_integer() || !hash.is_string() || !left.is_string()) continue;
      const auto found = entries_.find(static_cast<std::uint64_t>(sequence.as_integer()));
      if (found == entries_.end()) continue;
      One& one = found->second;
      one.answered = to_hex(one.hash) == hash.as_string() && to_hex(one.left) == left.as_string();
    }
  });
}

Status RedactionCheck::check() const {
  for (const auto& [sequence, one] : entries_) {
    if (one.answered) continue;
    return fail(ErrorCode::kCorrupt,
                "something was taken from it, and no entry answers for what is left",
                entry_place(Sequence{sequence}));
  }
  return {};
}

}  // namespace anima::store::detail
