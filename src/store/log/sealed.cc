#include "store/log/sealed.h"

#include <charconv>
#include <utility>

#include "base/bytes.h"
#include "base/json/json.h"
#include "base/json/text_array.h"
#include "store/log/entry_codec.h"
#include "store/log/operations.h"
#include "store/log/redacted.h"

namespace anima::store::detail {
namespace {

Result<std::uint32_t> bound(ByteReader& reader) {
  ANIMA_ASSIGN(const std::uint64_t value, reader.varint());
  if (value > kPayloadMask + 1u) return fail(ErrorCode::kCorrupt, "an id bound is too large");
  return static_cast<std::uint32_t>(value);
}

}  // namespace

std::string seal_payload(const Finished& finished, const SealKey& key, Random& random) {
  ByteWriter writer;
  writer.varint(finished.bounds.entities);
  writer.varint(finished.bounds.literals);
  writer.varint(finished.bounds.graphs);
  writer.raw(seal(key, finished.payload, random));
  return writer.take();
}

Result<std::string_view> sealed_part(const LogEntry& entry, IdBounds* bounds) {
  ByteReader reader(entry.payload);
  IdBounds read;
  ANIMA_ASSIGN(read.entities, bound(reader));
  ANIMA_ASSIGN(read.literals, bound(reader));
  ANIMA_ASSIGN(read.graphs, bound(reader));
  if (bounds != nullptr) *bounds = read;
  return reader.raw(reader.remaining());
}

Result<OpenedPayload> open_payload(const LogEntry& entry, KeyService& keys) {
  OpenedPayload opened;
  if (entry.seal.empty()) {
    opened.operations = entry.payload;
    return opened;
  }
  ANIMA_ASSIGN(const std::string_view sealed, sealed_part(entry, &opened.bounds));
  const FoundKey found = keys.find(entry.seal);
  opened.state = found.state;
  if (found.state != SealState::kOpen) return opened;
  // The entry's hash has been checked, so that it is the key that is not what it was.
  Result<std::string> plain = unseal(found.key, sealed);
  if (plain) {
    opened.operations = std::move(*plain);
  } else {
    opened.state = SealState::kSealed;
  }
  return opened;
}

std::string erasure_record(const std::vector<std::string>& seals) {
  return Json::object({{"erased", text_array(seals)}}).dump();
}

std::optional<CompactedSeal> compacted_seal(std::string_view seal) {
  if (!seal.starts_with(kForgottenSeal)) return std::nullopt;
  CompactedSeal found;
  const char* const end = seal.data() + seal.size();
  const auto entry = std::from_chars(seal.data() + kForgottenSeal.size(), end, found.entry);
  if (entry.ec != std::errc() || entry.ptr == end || *entry.ptr != '/') return std::nullopt;
  const auto until = std::from_chars(entry.ptr + 1, end, found.until);
  if (until.ec != std::errc() || until.ptr != end) return std::nullopt;
  return found;
}

Status visit_erasures(const LogEntry& entry, const std::function<void(std::string)>& visit) {
  if (entry.origin.source == kForgetSource) {
    bool forgot = false;
    ANIMA_TRY(visit_forgotten(entry, [&](const Json&) { forgot = true; }));
    if (forgot) visit(std::string(kForgottenSeal) + std::to_string(to_number(entry.sequence)));
    return {};
  }
  if (entry.origin.source == kCompactSource) {
    return visit_compacted(entry, [&](const Json& compacted) {
      const Json* until = compacted.find("until");
      if (until == nullptr || !until->is_integer()) return;
      visit(std::string(kForgottenSeal) + std::to_string(to_number(entry.sequence)) + "/" +
            std::to_string(until->as_integer()));
    });
  }
  if (entry.origin.source != kErasureSource || !entry.seal.empty()) return {};
  return visit_entry_records(entry, [&](RecordKind kind, std::string_view payload) -> Status {
    if (kind != RecordKind::kAudit) return {};
    const Result<Json> json = parse_json(payload);
    const Json* list = json ? json->find("erased") : nullptr;
    if (list == nullptr || list->kind() != Json::Kind::kArray) return {};
    for (const Json& seal : list->as_array()) {
      if (seal.is_string()) visit(seal.as_string());
    }
    return {};
  });
}

}  // namespace anima::store::detail
