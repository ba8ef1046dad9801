#include "store/detail/sealed.h"

#include <utility>

#include "base/bytes.h"
#include "store/detail/entry_codec.h"

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

Result<OpenedPayload> open_payload(const LogEntry& entry, KeyStore& keys) {
  OpenedPayload opened;
  if (entry.seal.empty()) {
    opened.operations = entry.payload;
    return opened;
  }
  ByteReader reader(entry.payload);
  ANIMA_ASSIGN(opened.bounds.entities, bound(reader));
  ANIMA_ASSIGN(opened.bounds.literals, bound(reader));
  ANIMA_ASSIGN(opened.bounds.graphs, bound(reader));
  ANIMA_ASSIGN(const std::optional<SealKey> key, keys.find(entry.seal));
  if (!key) {
    opened.erased = true;
    return opened;
  }
  ANIMA_ASSIGN(const std::string_view sealed, reader.raw(reader.remaining()));
  Result<std::string> plain = unseal(*key, sealed);
  if (!plain) {
    return fail(ErrorCode::kCorrupt, "its payload cannot be unsealed with the key " + entry.seal,
                entry_place(entry.sequence));
  }
  opened.operations = std::move(*plain);
  return opened;
}

}  // namespace anima::store::detail
