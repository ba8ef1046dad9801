// Why a fact holds, with all that is known about it: its derivation by the rules, who asserts what
// it rests on, where each row came from, and what contradicts it. `anima why` and the library show
// the same. Thread-safety: a function over a space.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "memory/compartments/reasoner.h"
#include "memory/provenance.h"
#include "store/space.h"

namespace anima::memory {

// Who said it, and what a provenance record adds: "Loaded(hosts.csv, row 7)", or nothing.
struct ToldAssertion {
  datalog::Assertion assertion;
  std::string told;
};

struct Dispute {
  bool lost = false;  // the statement that the proof rests on is the superseded one
  bool even = false;  // nothing tells which of the two is right: `effective` is the proof's own
  std::string effective, other;  // '"Ada" lives_in "London"'
  std::string reason;

  std::string words() const;  // "superseded by ..", with the other statement
};

struct FactStep {
  ProofLine line;
  std::vector<ToldAssertion> asserted;  // of a given fact
  std::vector<Dispute> disputes;
  std::vector<std::string> out_of_time;  // of what it rests on: "ended on 2026-11-16, by Ada"
};

struct FactProof {
  std::string fact;
  std::vector<FactStep> steps;  // the fact first
  double confidence = 1.0;
  std::uint64_t superseded = 0;  // facts that it rests on and that lost to others, or that ended
  std::uint64_t ended = 0;       // those of them that are not valid now
  store::Trust trust = store::Trust::kUntrusted;

  // {"fact","proof":[..],"confidence","superseded","ended","trust"}
  Json to_json() const;
  // The proof as lines of text, each asserter behind its fact; at most so many, the rest counted.
  std::vector<std::string> text_lines(std::size_t most) const;
};

// Requires a reasoner at the snapshot. Errors: kNotFound (the fact does not hold), those of the
// rules and of reading the log. O(entries of the log + proof).
Result<FactProof> prove_fact(store::Space& space, const store::Snapshot& snapshot,
                             const Reasoner& reasoner, const std::string& fact);
// The same with a ledger of the caller's, which is brought up to date: O(new entries + proof).
Result<FactProof> prove_fact(ProvenanceLedger& ledger, const store::Snapshot& snapshot,
                             const Reasoner& reasoner, const std::string& fact);

// Of several facts that the patterns (fact_words.h) match the first one that holds now; where none
// does, the first. Errors: those of matching_facts() and prove_fact(). O(entries of the log +
// proofs).
Result<FactProof> prove_first(ProvenanceLedger& ledger, const store::Snapshot& snapshot,
                              const Reasoner& reasoner, const std::vector<std::string>& patterns);
Result<FactProof> prove_first(store::Space& space, const store::Snapshot& snapshot,
                              const Reasoner& reasoner, const std::vector<std::string>& patterns);

Json proof_json(const std::vector<ProofLine>& proof);

}  // namespace anima::memory
