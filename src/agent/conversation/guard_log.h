// What a guarded session keeps on the log, as records of the kind kValuesRecord: messages, plans,
// calls that ran and what they gave. Each is sealed under the key "values": `anima erase values`
// destroys all of it. Whoever opens the session reads them, so a restart and other processes know
// what it knows. Thread-safety: one thread at a time. Ownership: the ledger outlives it. Errors:
// those of the space; kCorrupt. Complexity: of the first read(), the log since the session began;
// of later ones, what is new. On disk: docs/formats.md, kind 28.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/json/json.h"
#include "base/result.h"
#include "govern/ledger/ledger.h"

namespace anima::agent {

inline constexpr store::RecordKind kValuesRecord{28};

class GuardLog {
 public:
  GuardLog(govern::Ledger& ledger, std::string session, store::Origin origin)
      : ledger_(ledger), session_(std::move(session)), origin_(std::move(origin)) {}

  // Writes the event and gives the place of its entry.
  Result<std::int64_t> write(const Json& event, govern::Trust trust);
  // The events of the session that were not read yet, in the order of the log.
  Status read(const std::function<Status(std::int64_t place, const Json& event)>& visit);

 private:
  govern::Ledger& ledger_;
  std::string session_;
  store::Origin origin_;
  std::optional<store::Sequence> read_ = {};  // the last entry; nothing: none was written yet
};

}  // namespace anima::agent
