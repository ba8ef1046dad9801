// The bench that a tool works on: what it may read, and where it lays what it wants written.
//
// A tool reads one snapshot and proposes statements; the agent writes them in the transaction of
// its cycle, after its checks. Rules and episodes are other rooms' work, reached through here.
// Lifetime: a bench lives for one call. Thread-safety: one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/snapshot.h"

namespace anima::tools {

// A statement by its labels, because what they name may not exist yet.
struct Labels {
  std::string subject, predicate, object;
};

// A statement to be written. Whoever makes one says how far it is trusted: as far as what it was
// read from, and a derived one as the least of its premises. The log entry that writes it is
// trusted no further.
struct Proposal {
  explicit Proposal(store::Trust of) : trust(of) {}

  std::string subject, predicate, object;
  double confidence = 1.0;
  std::string rule;                          // the rule that derived it; empty: stated
  std::vector<store::EntityId> antecedents;  // what the rule rested on
  // Its premises: statements of the snapshot, or proposed before it.
  std::vector<Labels> derived_from;
  store::Trust trust;
};

struct RecalledEpisode {
  store::EntityId entity = store::EntityId::kNone;
  std::string label;  // "episode:<session>:<id>"
  std::string summary;
  std::vector<store::EntityId> learned;
  double relevance = 0;
};

// What the rules of the loaded compartments say.
struct RuleAnswer {
  std::string query;               // as asked; empty: everything was derived
  std::string question;            // the pattern's name
  std::string text;                // for people
  std::vector<std::string> rows;   // the first column of each answer, as labels, sorted
  std::vector<std::string> proof;  // lines of the derivation of one of them
  std::uint64_t derived = 0;       // facts in derived relations
  std::vector<store::EntityId> symbols;
};

class Workbench {
 public:
  virtual ~Workbench() = default;
  virtual const store::Snapshot& snapshot() const = 0;
  // Of whoever asks: what a tool states by itself is trusted no further.
  virtual store::Trust trust() const = 0;
  virtual Status propose(Proposal proposal) = 0;
  // Why a statement does not hold although it is there: another supersedes it, or it has ended.
  // Empty for one that holds.
  virtual std::string superseded(const store::Triple&) { return {}; }
  // Episodes that learned one of the symbols, newest first, then by relevance.
  virtual std::vector<RecalledEpisode> recall(std::span<const store::EntityId> symbols,
                                              std::size_t limit) = 0;
  // Runs the rules of the loaded compartments to their fixpoint. kNotFound when there are none.
  virtual Result<RuleAnswer> ask_rules(const std::string& query) = 0;
};

}  // namespace anima::tools
