// Sealing the payload of a log entry.
//
// On disk, never change: entities(varint) literals(varint) graphs(varint) || seal(key, operations). The
// bounds stay readable when the key is gone, so that ids are never reused.
// Thread-safety: functions without state.
#pragma once

#include <string>

#include "base/result.h"
#include "store/detail/key_store.h"
#include "store/detail/views.h"

namespace anima::store::detail {

std::string seal_payload(const Finished& finished, const SealKey& key, Random& random);

struct OpenedPayload {
  bool erased = false;  // the key is gone: only the bounds are left
  IdBounds bounds;
  std::string operations;
};
// Errors: kCorrupt when the payload is damaged or was sealed under another key.
Result<OpenedPayload> open_payload(const LogEntry& entry, KeyStore& keys);

}  // namespace anima::store::detail
