#include "memory/fact_proof.h"

#include <fmt/format.h>

#include "memory/contradiction.h"
#include "memory/provenance.h"
#include "store/symbols.h"

namespace anima::memory {
namespace {

std::string triple_text(const store::Snapshot& snapshot, const store::Triple& triple) {
  return fmt::format("\"{}\" {} \"{}\"", store::symbol_label(snapshot, triple.subject),
                     store::predicate_label(snapshot, triple.predicate),
                     store::term_label(snapshot, triple.object));
}

std::vector<ToldAssertion> told(const ProvenanceLedger& ledger, const ProofLine& line) {
  std::vector<ToldAssertion> list;
  for (const datalog::Premise& premise : line.statements) {
    for (const datalog::Assertion& assertion : premise.assertions) {
      const ProvenanceRecord* record = ledger.find(assertion.provenance);
      list.push_back({assertion, record == nullptr ? std::string()
                                                   : describe(*record, premise.statement.subject)});
    }
  }
  return list;
}

// What contradicts the statements that a given fact rests on, and which of each pair is effective.
std::vector<Dispute> disputes(const store::Snapshot& snapshot, const Contradictions& contradictions,
                              const ProofLine& line) {
  std::vector<Dispute> list;
  if (!contradictions.declared()) return list;
  for (const datalog::Premise& premise : line.statements) {
    for (const Conflict& conflict : contradictions.conflicts_of(premise.statement)) {
      list.push_back({conflict.superseded == premise.statement,
                      triple_text(snapshot, conflict.effective),
                      triple_text(snapshot, conflict.superseded), conflict.reason});
    }
  }
  return list;
}

}  // namespace

Result<FactProof> prove_fact(store::Space& space, const store::Snapshot& snapshot,
                             const Reasoner& reasoner, const std::string& fact) {
  FactProof proof;
  proof.fact = fact;
  ANIMA_ASSIGN(std::vector<ProofLine> lines, reasoner.why(fact));
  ANIMA_ASSIGN(proof.trust, reasoner.trust(fact));
  if (!lines.empty()) proof.confidence = lines.front().confidence;
  ProvenanceLedger ledger(space);
  ANIMA_TRY(ledger.refresh());
  const Contradictions contradictions(snapshot);
  for (ProofLine& line : lines) {
    FactStep& step = proof.steps.emplace_back();
    step.line = std::move(line);
    if (!step.line.given) continue;
    step.asserted = told(ledger, step.line);
    if (step.line.repeated) continue;
    step.disputes = disputes(snapshot, contradictions, step.line);
    for (const Dispute& dispute : step.disputes) {
      if (!dispute.lost) continue;
      ++proof.superseded;
      break;
    }
  }
  return proof;
}

}  // namespace anima::memory
