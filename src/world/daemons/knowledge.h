// The knowledge of a world: the entries of its oracle, the verdicts on them and their citations as
// things and links of a space, written and read by KIP, so that `anima kip --space WORLD/knowledge`
// and every other verb can ask it.
//
//   {type: "Entry", name: "TITLE (16 digits of its id)"} with entry_id, title, body, earlier (the
//     bodies before it), reviewed, published, accuracy
//   ({type: "Citizen", name: ID}, "wrote", entry)
//   ({type: "Citizen", name: ID}, "judged", entry) with value and weight
//   (entry, "cites", entry) with place
//
// What an agent wrote, its judgements and its citations are entries of the log with the agent as
// author, "world cycle N" as source, and the trust of its reputation (0.7 and more verified, 0.3
// and more standard, else untrusted). Accuracy and publication are the oracle's own, trust system.
//
// A cycle is written when it ends, before the world's state. The state keeps the number of the
// space's last entry: what the world wrote behind it belongs to a cycle that was cut, and go_back()
// undoes it. What others wrote there stays. Time is the world's (a tick is a second since 1970) and
// ids follow from the seed, so that a world run twice has the same knowledge.
// Thread-safety: one thread at a time. Source: governance_and_runtime 2.8; source 001.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "world/types.h"

namespace anima::world {

inline constexpr std::string_view kKnowledgeFolder = "knowledge";

struct Verdict;
struct Entry;
using Entries = std::map<Digest, Entry>;

class Knowledge {
 public:
  // The space in that folder, made when it is missing; in memory when `folder` is empty. Errors:
  // those of Space::open.
  static Result<std::unique_ptr<Knowledge>> open(const std::string& folder, std::string secret);
  ~Knowledge();

  // What changed since the last time.
  struct Changes {
    std::set<Digest> written;                     // new, or with a new body
    std::set<Digest> citing;                      // with a new citation
    std::set<std::pair<AgentId, Digest>> judged;  // by whom
    bool empty() const { return written.empty() && citing.empty() && judged.empty(); }
  };
  // Durable when it returns. Errors: those of the space; kInternal when KIP refuses a command.
  Status write(const Entries& entries, const Changes& changes, const AgentId& oracle,
               const std::function<float(const AgentId&)>& reputation, std::uint64_t tick);
  Result<Entries> read();

  // The number of the space's newest entry.
  Result<std::uint64_t> position();
  // Undoes what the world wrote after that entry. Errors: kCorrupt (the space is older), kConflict
  // (something else relies on what is to go; the message names it).
  Status go_back(std::uint64_t position);

 private:
  struct Inside;
  explicit Knowledge(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace anima::world
