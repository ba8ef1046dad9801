// Arbitrary bytes as a stored log entry, as its operations, as a checkpoint and as a sealed
// payload: an error or a value, never a crash, and what decodes encodes to the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/json/json.h"
#include "base/random.h"
#include "store/keys/folder_keys.h"
#include "store/log/entry_codec.h"
#include "store/log/sealed.h"
#include "store/space/views.h"
#include "store/verify/audit.h"

namespace {

using namespace anima;         // NOLINT: a fuzzer is one file
using namespace anima::store;  // NOLINT

void decode_entry(std::string_view bytes) {
  // The sequence is taken from the bytes, else no input would ever get past it.
  std::uint64_t sequence = 1;
  if (bytes.size() >= 73) std::memcpy(&sequence, bytes.data() + 65, sizeof sequence);
  auto row = detail::decode_row(Sequence{sequence}, bytes);
  if (!row) return;
  (void)detail::check_hash(*row, {});
  if (row->parts() != 0) return;
  LogEntry again = row->entry;
  std::string encoded;
  detail::encode_entry(again, UINT64_MAX, encoded);
  auto twice = detail::decode_row(Sequence{sequence}, encoded);
  if (!twice || !detail::check_hash(*twice, {}) || twice->entry.payload != row->entry.payload ||
      twice->entry.origin.author != row->entry.origin.author) {
    __builtin_trap();
  }
}

// Operations applied to views that already hold something.
void apply_operations(std::string_view bytes) {
  detail::ViewsOptions options;
  auto views = detail::Views::open(options);
  if (!views) __builtin_trap();
  EntryInfo info;
  info.sequence = Sequence{1};
  {
    Transaction transaction((*views)->begin(info));
    (void)transaction.upsert_concept(kEntityType, "Ada");
    (void)transaction.upsert_predicate("knows");
  }
  if (!(*views)->finish()) __builtin_trap();
  (*views)->publish();
  LogEntry entry;
  entry.sequence = Sequence{2};
  entry.payload = bytes;
  const Status applied = (*views)->apply(entry);
  const Snapshot snapshot = (*views)->publish();
  if (!applied && snapshot.sequence() != Sequence{1}) __builtin_trap();
  if (!snapshot.find_concept(kEntityType, "Ada") && !applied) __builtin_trap();
  (void)visit_records(entry, [](RecordKind, std::string_view) { return Status(); });
  (void)(*views)->visit_written(
      entry, [](const WrittenKey&) { return Status(); }, [](EntityId) { return Status(); });
}

void decode_others(std::string_view bytes) {
  if (const auto json = parse_json(bytes)) (void)Checkpoint::from_json(*json);
  SeededRandom random(1);
  detail::FolderKeys keys(system_files(), {});
  const auto key = keys.obtain("k", random);
  LogEntry entry;
  entry.seal = key->seal;
  entry.payload = bytes;
  (void)detail::open_payload(entry, keys);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      decode_entry(bytes);
      break;
    case 1:
      apply_operations(bytes);
      break;
    default:
      decode_others(bytes);
      break;
  }
  return 0;
}
