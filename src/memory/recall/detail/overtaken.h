// Which remembered texts hold no longer, because what they told was ended or replaced by a later
// one, and by which texts.
//
// A text tells what the records of provenance of its own act say that it told (ProvenanceKind::
// kTold). It is over when nothing of that holds: a link that is not valid then, a value that is not
// its own any more. What told an end is not over itself. Of what was noted by a later act, as by
// the answer to a question, nobody knows here. Thread-safety: one thread. Ownership: the space
// outlives it. Errors: those of reading the log. Complexity: of a text at most kMostEntriesRead
// entries of its act, each read once, that lie at most kMostEntriesPassed behind it: what others
// write meanwhile lies between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memory/provenance.h"
#include "store/space.h"

namespace anima::memory::detail {

inline constexpr std::size_t kMostEntriesRead = 8;
inline constexpr std::uint64_t kMostEntriesPassed = 64;

class OvertakenTexts {
 public:
  OvertakenTexts(store::Space& space, const store::Snapshot& now, Timestamp time)
      : space_(space), now_(now), time_(time) {}

  // Of a memory that this entry made: the memories that took its place, as far as they are known;
  // nothing where something of it holds, or it told nothing.
  Result<std::optional<std::vector<std::string>>> overtaken_by(std::string_view memory,
                                                               store::Sequence made);

 private:
  using Records = std::vector<ProvenanceRecord>;
  Result<const Records*> told_in(store::Sequence entry);
  Result<Records> told_with(std::string_view memory, store::Sequence made);
  bool holds(const ProvenanceRecord& told) const;
  Status add_newer(const ProvenanceRecord& told, std::vector<std::string>& memories);
  Status add_memory_of(const store::Triple& statement, std::vector<std::string>& memories);
  std::optional<store::Triple> link_of(const ProvenanceRecord& told) const;

  store::Space& space_;
  const store::Snapshot now_;
  const Timestamp time_;
  std::map<store::Sequence, Records> read_;
};

}  // namespace anima::memory::detail
