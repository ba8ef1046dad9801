// The text index: words of the dictionary's literals, so that SEARCH finds the entities that carry
// them.
//
// A document is a literal (its dictionary place), not an entity. Literals never change and their
// places grow with the log, so postings never need deletion and a reader of any snapshot (older,
// narrowed to graphs, a what-if branch) sees exactly its own text: it ignores places at or above
// its bound, and the graph indexes say which entities carry a literal in that snapshot. A
// transaction's postings become visible with its snapshot by construction (DATA.md 12).
//
// Shape: a base segment (memory-mapped, from the checkpoint) and newer segments of adjoining ranges
// of places, each immutable; small neighbours are merged as they come, so there are O(log n) of
// them. catch_up() may be called lazily: search_text() does it for what is missing, so a writer
// pays nothing. After a bulk, call it from a background thread so that the first search need not
// wait. Thread-safety: every function from any thread; readers take the list of segments; who
// finds places missing from it waits for the catch_up() that is under way. Source: BM25 as
// Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), 3.3-3.6.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "store/snapshot.h"
#include "store/value.h"

namespace anima::store::detail {

class TextSegment;

// The dictionary as the index sees it.
class TextSource {
 public:
  virtual ~TextSource() = default;
  // The literal at a place below the bound that was passed along; never asked for place 0, which is
  // none. The views must stay valid during the call. An erased literal reads as null.
  virtual ValueView literal(std::uint32_t place) const = 0;
};

using TextSegments =
    std::vector<std::shared_ptr<const TextSegment>>;  // adjoining ranges, ascending

class TextIndex {
 public:
  TextIndex();
  ~TextIndex();

  // Over the section of a base file that section() wrote; `keep_alive` owns the mapping. Every
  // offset is checked here once: a damaged section is kCorrupt, another format kVersionMismatch.
  // O(section).
  static Result<std::shared_ptr<TextIndex>> open(std::string_view section,
                                                 std::shared_ptr<const void> keep_alive);

  // Literals below it are indexed.
  std::uint32_t bound() const;
  // Indexes [bound(), bound). No-op when that is empty. About 10 million words a second.
  void catch_up(const TextSource& literals, std::uint32_t bound);
  // All postings of the places below `bound`, one segment, for the base file. Requires bound <=
  // this->bound().
  std::string section(std::uint32_t bound) const;
  std::size_t heap_bytes() const;  // without the mapped base

  std::shared_ptr<const TextSegments> segments() const;

 private:
  Mutex writer_;                                  // one catch_up at a time
  std::shared_ptr<const TextSegments> segments_;  // read and replaced atomically
};

// What a search runs on. Places below `shared_bound` are the space's and may be indexed for
// everybody; those from there to `bound` are private (a transaction's or a branch's own) and are
// read for this search alone.
struct TextScope {
  TextIndex* index = nullptr;
  const TextSource* literals = nullptr;
  std::uint32_t shared_bound = 0;
  std::uint32_t bound = 0;
};

// Entities of the snapshot by descending score, ties by id. Snapshot::search() calls this.
std::vector<TextHit> search_text(const Snapshot& snapshot, const TextScope& scope,
                                 const TextQuery& query);

}  // namespace anima::store::detail
