// Conversations and texts into the graph, without a model: each turn becomes an Event (turns.h)
// with who said it and when, the names, addresses and links in it, and the days that its relative
// times mean.
//
// Admission: what was recalled before (the fenced part of a prompt, recall_context.h) is taken out
// of a turn; a turn without a single word that means something, or whose speaker said the same
// among his last turns of the session, is left out; what looks like an injection goes to the
// quarantine of the manager instead (below operator trust). A turn that is there already is left as
// it is, so the same file may be read again. A turn that the space refuses stops no other.
// Everything that is left out is counted.
//
// Turns are written in batches, a log entry each: after a crash the same call goes on.
// Thread-safety: one thread. Errors: those of the space; kCancelled. Complexity: O(bytes).
// Source: issue 19, "Ingest without a model".
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "govern/detect/guardian.h"
#include "memory/memory_manager.h"
#include "store/space.h"

namespace anima::memory {

struct Turn {
  std::string session;  // of one conversation and sitting; never empty
  std::string id;       // tells turns of a session apart
  std::string speaker;  // may be empty
  std::string text;
  std::string attachment;  // a caption; from the second line on, words that find it
  std::optional<Timestamp> time;
  std::int64_t offset_seconds = 0;  // of the speaker's clock from UTC
};

struct IngestOptions {
  store::Origin origin;
  std::size_t batch = 4'000;  // turns an entry
  // Everything is read and judged, and nothing is written.
  bool dry_run = false;
  // After each batch; false ends it.
  std::function<bool(std::size_t done, std::size_t all)> progress = nullptr;
  // Hears of each turn that was written, with its words as they are kept.
  std::function<void(const Turn& turn, const std::string& text)> kept = nullptr;
};

struct IngestReport {
  std::size_t turns = 0;     // written, or that would be
  std::size_t known = 0;     // there before
  std::size_t repeated = 0;  // said again by the same speaker, left out
  std::size_t empty = 0;     // without a word that means something, left out
  std::size_t recalled = 0;  // whose recalled parts were taken out
  std::size_t quarantined = 0;
  std::vector<std::string> refused;  // that cannot be kept as they are, and why
  std::size_t mentions = 0;          // links to things that the graph knows
  Json to_json() const;
};

// Sessions may come in any order; the turns of one in the order in which they were said.
Result<IngestReport> ingest_turns(MemoryManager& memory, store::Space& space,
                                  const govern::Guardian& guardian, const std::vector<Turn>& turns,
                                  const IngestOptions& options);

// Days of pause after which the same conversation is another sitting.
inline constexpr std::int64_t kSittingPause = 8 * 3600 * kMicrosecondsPerSecond;
// Cuts each session where nothing was said for so long: "chat" becomes "chat", "chat 2" ..
void cut_sittings(std::vector<Turn>& turns);

}  // namespace anima::memory
