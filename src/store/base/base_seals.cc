#include "store/base/base_seals.h"

#include <algorithm>

#include "base/bytes.h"

namespace anima::store::detail {
std::uint64_t BaseSeals::erasure() const {
  std::uint64_t newest = 0;
  for (const auto& [seal, sequence] : destroyed) newest = std::max(newest, sequence);
  return newest;
}

std::string encode_seals(const BaseSeals& seals) {
  if (seals.destroyed.empty() && seals.away.empty() && seals.opened.empty()) return {};
  ByteWriter writer;
  writer.varint(seals.destroyed.size());
  for (const auto& [seal, sequence] : seals.destroyed) {
    writer.string(seal);
    writer.varint(sequence);
  }
  writer.varint(seals.away.size());
  for (const auto& [seal, away] : seals.away) {
    writer.string(seal);
    writer.varint(away.last);
    writer.varint(away.defines ? 1 : 0);
  }
  writer.varint(seals.opened.size());
  for (const std::string& seal : seals.opened) writer.string(seal);
  return writer.take();
}

Result<BaseSeals> decode_seals(std::string_view bytes) {
  BaseSeals seals;
  if (bytes.empty()) return seals;
  ByteReader reader(bytes);
  ANIMA_ASSIGN(std::uint64_t left, reader.varint());
  for (; left != 0; --left) {
    ANIMA_ASSIGN(const std::string_view seal, reader.string());
    ANIMA_ASSIGN(const std::uint64_t sequence, reader.varint());
    seals.destroyed.emplace(seal, sequence);
  }
  ANIMA_ASSIGN(left, reader.varint());
  for (; left != 0; --left) {
    ANIMA_ASSIGN(const std::string_view seal, reader.string());
    AwayKey away;
    ANIMA_ASSIGN(away.last, reader.varint());
    ANIMA_ASSIGN(const std::uint64_t defines, reader.varint());
    away.defines = defines != 0;
    seals.away.emplace(seal, away);
  }
  ANIMA_ASSIGN(left, reader.varint());
  for (; left != 0; --left) {
    ANIMA_ASSIGN(const std::string_view seal, reader.string());
    seals.opened.emplace(seal);
  }
  if (reader.remaining() != 0) return fail(ErrorCode::kCorrupt, "the list of seals is too long");
  return seals;
}

}  // namespace anima::store::detail
