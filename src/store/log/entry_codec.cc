#include "store/log/entry_codec.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "store/log/archived.h"
#include "store/log/redacted.h"

namespace anima::store::detail {
namespace {

constexpr std::uint8_t kLayout = 1;
constexpr std::size_t kHashSize = std::tuple_size_v<Digest>;

Digest digest_of(std::string_view bytes) {
  Digest digest;
  std::copy_n(bytes.begin(), digest.size(), reinterpret_cast<char*>(digest.data()));
  return digest;
}

Result<std::string> owned_string(ByteReader& reader) {
  ANIMA_ASSIGN(const std::string_view view, reader.string());
  return std::string(view);
}

Status decode_into(ByteReader& reader, std::string_view row, DecodedRow& out) {
  LogEntry& entry = out.entry;
  ANIMA_ASSIGN(const std::string_view hash, reader.raw(kHashSize));
  ANIMA_ASSIGN(const std::string_view previous, reader.raw(kHashSize));
  entry.hash = digest_of(hash);
  entry.previous = digest_of(previous);
  ANIMA_ASSIGN(const std::uint8_t layout, reader.u8());
  if (layout != kLayout && layout != kArchivedLayout && layout != kRedactedLayout) {
    return fail(ErrorCode::kCorrupt, "unknown layout " + std::to_string(layout));
  }
  if (layout == kRedactedLayout) {
    ANIMA_ASSIGN(const std::string_view left, reader.raw(kHashSize));
    out.left = digest_of(left);
  }
  ANIMA_ASSIGN(const std::uint64_t sequence, reader.u64());
  entry.sequence = Sequence{sequence};
  ANIMA_ASSIGN(const std::uint64_t time, reader.u64());
  entry.time = Timestamp{static_cast<std::int64_t>(time)};
  ANIMA_ASSIGN(const std::uint8_t trust, reader.u8());
  if (trust > static_cast<std::uint8_t>(Trust::kSystem)) {
    return fail(ErrorCode::kCorrupt, "unknown trust level " + std::to_string(trust));
  }
  entry.origin.trust = static_cast<Trust>(trust);
  out.archived = layout == kArchivedLayout;
  entry.format = kArchivedFormat;
  if (!out.archived) {
    ANIMA_ASSIGN(const std::uint64_t format, reader.varint());
    if (format > UINT32_MAX) return fail(ErrorCode::kCorrupt, "the format number is too large");
    entry.format = static_cast<std::uint32_t>(format);
  }
  if (out.left.has_value() != is_redacted(entry)) {
    return fail(ErrorCode::kCorrupt, "its format does not say what was taken from it");
  }
  ANIMA_ASSIGN(const std::uint64_t cause, reader.varint());
  entry.origin.cause = Sequence{cause};
  ANIMA_ASSIGN(entry.origin.author, owned_string(reader));
  ANIMA_ASSIGN(entry.origin.source, owned_string(reader));
  if (out.archived) {
    if (!reader.at_end()) return fail(ErrorCode::kCorrupt, "bytes are left over after the header");
    return {};
  }
  ANIMA_ASSIGN(entry.seal, owned_string(reader));
  ANIMA_ASSIGN(out.payload_size, reader.varint());
  ANIMA_ASSIGN(out.part_size, reader.varint());
  if (out.part_size == 0) {
    ANIMA_ASSIGN(const std::string_view payload, reader.raw(out.payload_size));
    entry.payload.assign(payload);
  } else if (out.payload_size <= out.part_size) {
    return fail(ErrorCode::kCorrupt, "the payload is cut into parts although it fits in one");
  }
  if (!reader.at_end()) return fail(ErrorCode::kCorrupt, "bytes are left over after the payload");
  out.body = row.substr(kHashSize);
  return {};
}

}  // namespace

std::uint64_t to_number(Sequence sequence) { return static_cast<std::uint64_t>(sequence); }

std::string entry_place(Sequence sequence) {
  return "log entry " + std::to_string(to_number(sequence));
}

void encode_entry(LogEntry& entry, std::uint64_t part_bytes, std::string& row) {
  const bool in_parts = entry.payload.size() > part_bytes;
  ByteWriter writer;
  writer.raw(view_of(entry.hash));
  writer.raw(view_of(entry.previous));
  writer.u8(kLayout);
  writer.u64(to_number(entry.sequence));
  writer.u64(static_cast<std::uint64_t>(entry.time.microseconds));
  writer.u8(static_cast<std::uint8_t>(entry.origin.trust));
  writer.varint(entry.format);
  writer.varint(to_number(entry.origin.cause));
  writer.string(entry.origin.author);
  writer.string(entry.origin.source);
  writer.string(entry.seal);
  writer.varint(entry.payload.size());
  writer.varint(in_parts ? part_bytes : 0);
  if (!in_parts) writer.raw(entry.payload);
  row = writer.take();
  const std::string_view body = std::string_view(row).substr(kHashSize);
  if (in_parts) {
    entry.hash = Sha256().update(body).update(entry.payload).finish();
  } else {
    entry.hash = sha256(body);
  }
  const std::string_view hash = view_of(entry.hash);
  std::copy(hash.begin(), hash.end(), row.begin());
}

Result<DecodedRow> decode_row(Sequence sequence, std::string_view row) {
  DecodedRow out;
  ByteReader reader(row);
  if (Status status = decode_into(reader, row, out); !status) {
    Error error = std::move(status).error();
    error.where = entry_place(sequence);
    return fail(std::move(error));
  }
  if (out.entry.sequence != sequence) {
    return fail(ErrorCode::kCorrupt, "it says that it is " + entry_place(out.entry.sequence),
                entry_place(sequence));
  }
  return out;
}

Result<Head> decode_head(Sequence sequence, std::string_view row) {
  ByteReader reader(row);
  const auto read = [&]() -> Result<Head> {
    ANIMA_ASSIGN(const std::string_view hash, reader.raw(kHashSize));
    ANIMA_TRY(reader.raw(kHashSize));
    ANIMA_ASSIGN(const std::uint8_t layout, reader.u8());
    if (layout != kLayout && layout != kArchivedLayout && layout != kRedactedLayout) {
      return fail(ErrorCode::kCorrupt, "unknown layout " + std::to_string(layout));
    }
    if (layout == kRedactedLayout) ANIMA_TRY(reader.raw(kHashSize));
    ANIMA_ASSIGN(const std::uint64_t number, reader.u64());
    ANIMA_ASSIGN(const std::uint64_t time, reader.u64());
    if (Sequence{number} != sequence) {
      return fail(ErrorCode::kCorrupt, "it says that it is " + entry_place(Sequence{number}));
    }
    return Head{sequence, Timestamp{static_cast<std::int64_t>(time)}, digest_of(hash)};
  };
  Result<Head> head = read();
  if (head) return head;
  Error error = std::move(head).error();
  error.where = entry_place(sequence);
  return fail(std::move(error));
}

Status check_hash(const DecodedRow& row, std::string_view parts) {
  if (row.left) {
    LogEntry whole = row.entry;
    if (!parts.empty()) whole.payload = parts;
    if (left_digest(whole) == *row.left) return {};
    return fail(ErrorCode::kCorrupt, "what is left of it does not match its digest",
                entry_place(row.entry.sequence));
  }
  const Digest hash =
      parts.empty() ? sha256(row.body) : Sha256().update(row.body).update(parts).finish();
  if (hash == row.entry.hash) return {};
  return fail(ErrorCode::kCorrupt, "its bytes do not match its hash",
              entry_place(row.entry.sequence), "`anima doctor` says what is whole, and what to do");
}

}  // namespace anima::store::detail
