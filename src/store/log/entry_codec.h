// One log entry as it is stored: a row of bytes, and parts for a payload too long for one row.
//
// On disk, never change (a new layout gets a new number):
//   row     = hash(32) body [payload]
//   body    = previous(32) layout(u8 = 1) sequence(u64) time(i64) trust(u8) format(varint)
//             cause(varint) author(string) source(string) seal(string)
//             payload_size(varint) part_size(varint)
//   payload = in the row when part_size is 0; else cut into parts of part_size bytes, numbered from
//   0 hash    = SHA-256(body || payload)
// An entry whose payload was archived has layout 2 (archived.h), one from which something was taken
// layout 3 (redacted.h).
// Every stored byte is therefore under the hash, and the hash is under the next entry's.
// Thread-safety: functions without state. Errors: kCorrupt with `where` "log entry N".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/crypto.h"
#include "base/result.h"
#include "store/log.h"

namespace anima::store::detail {

// What an entry takes in the log besides its payload and names: hashes, numbers, the row itself.
inline constexpr std::uint64_t kEntryOverhead = 128;
// About what the entry takes in the log's file.
inline std::uint64_t stored_bytes(const LogEntry& entry) {
  return entry.payload.size() + entry.origin.author.size() + entry.origin.source.size() +
         kEntryOverhead;
}

inline constexpr std::uint8_t kArchivedLayout = 2;
inline constexpr std::uint64_t kPartBytes = std::uint64_t{32} << 20;

inline std::string_view view_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// "log entry 12"
std::string entry_place(Sequence sequence);
std::uint64_t to_number(Sequence sequence);

// Requires sequence, time and previous to be set; sets hash. `row` is overwritten. When the payload
// is longer than part_bytes it is left out of the row, and the caller stores the parts.
void encode_entry(LogEntry& entry, std::uint64_t part_bytes, std::string& row);

struct DecodedRow {
  LogEntry entry;              // its payload empty when there are parts
  std::string_view body;       // a view into the row: what the hash covers, but for the parts
  std::optional<Digest> left;  // of a redacted entry: of what is left
  bool archived = false;       // only the header is here; there is nothing to compute the hash from
  std::uint64_t payload_size = 0;
  std::uint64_t part_size = 0;  // 0: the payload was in the row
  std::uint64_t parts() const {
    return part_size == 0 ? 0 : (payload_size + part_size - 1) / part_size;
  }
};

// Does not check the hash. Fails when the row does not decode, is not exactly used up, or says
// another sequence than `sequence`.
Result<DecodedRow> decode_row(Sequence sequence, std::string_view row);

// What the first kHeadBytes of a row tell, or fewer of a shorter row. Errors: kCorrupt, as
// decode_row().
inline constexpr std::size_t kHeadBytes = 113;
Result<Head> decode_head(Sequence sequence, std::string_view row);

// Fails unless the hash of body and parts is the stored one; of a redacted entry, unless what is
// left is what it says. `parts` as one string (empty if none).
Status check_hash(const DecodedRow& row, std::string_view parts);

}  // namespace anima::store::detail
