#include "memory/fact_proof.h"

#include <fmt/format.h>

#include <algorithm>

#include "govern/trust.h"
#include "memory/compartments/fact_words.h"
#include "memory/contradiction.h"
#include "memory/grounds.h"
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
  for (const datalog::Premise& premise : line.statements) {
    for (const Conflict& conflict : contradictions.conflicts_of(premise.statement)) {
      Dispute& dispute = list.emplace_back();
      const bool second = conflict.superseded == premise.statement;
      dispute.even = conflict.verdict == Verdict::kEven;
      dispute.lost = second && !dispute.even;
      dispute.effective = triple_text(snapshot, conflict.effective);
      dispute.other = triple_text(snapshot, conflict.superseded);
      if (second && dispute.even) std::swap(dispute.effective, dispute.other);
      dispute.reason = conflict.reason;
    }
  }
  return list;
}

std::vector<std::string> out_of_time(const Contradictions& contradictions, const ProofLine& line) {
  std::vector<std::string> list;
  for (const datalog::Premise& premise : line.statements) {
    std::string one = contradictions.out_of_time(premise.statement);
    if (!one.empty()) list.push_back(std::move(one));
  }
  return list;
}

Json line_json(const ProofLine& line) {
  return Json::object({{"depth", line.depth},
                       {"fact", line.fact},
                       {"because", line.because},
                       {"where", line.where},
                       {"given", line.given},
                       {"repeated", line.repeated},
                       {"confidence", line.confidence}});
}

Json step_json(const FactStep& step) {
  Json line = line_json(step.line);
  if (!step.line.given) return line;
  Json asserted = Json::array();
  for (const ToldAssertion& one : step.asserted)
    asserted.push_back(assertion_json(one.assertion, one.told));
  line.set("asserted", std::move(asserted));
  if (!step.out_of_time.empty()) {
    Json times = Json::array();
    for (const std::string& one : step.out_of_time) times.push_back(one);
    line.set("out_of_time", std::move(times));
  }
  if (step.disputes.empty()) return line;
  Json contradictions = Json::array();
  for (const Dispute& dispute : step.disputes) {
    contradictions.push_back(Json::object({{"superseded", dispute.lost},
                                           {"even", dispute.even},
                                           {"effective", dispute.effective},
                                           {"other", dispute.other},
                                           {"reason", dispute.reason}}));
  }
  line.set("contradictions", std::move(contradictions));
  return line;
}

}  // namespace

std::string Dispute::words() const {
  if (even) return "contradicted by " + other;
  return lost ? "superseded by " + effective : "effective over " + other;
}

Json proof_json(const std::vector<ProofLine>& proof) {
  Json lines = Json::array();
  for (const ProofLine& line : proof) lines.push_back(line_json(line));
  return lines;
}

Json FactProof::to_json() const {
  Json proof = Json::array();
  for (const FactStep& step : steps) proof.push_back(step_json(step));
  return Json::object({{"fact", fact},
                       {"proof", std::move(proof)},
                       {"confidence", confidence},
                       {"superseded", superseded},
                       {"ended", ended},
                       {"trust", govern::trust_name(trust)}});
}

std::vector<std::string> FactProof::text_lines(std::size_t most) const {
  std::vector<std::string> text;
  for (const FactStep& step : steps) {
    if (step.line.repeated) continue;
    const std::string pad(2 * step.line.depth, ' ');
    const bool derived = !step.line.given && !step.line.where.empty();
    text.push_back(pad + step.line.fact + (derived ? "  (rule at " + step.line.where + ")" : ""));
    for (const ToldAssertion& one : step.asserted)
      text.push_back(pad + "  " + assertion_text(one.assertion, one.told));
    for (const std::string& one : step.out_of_time) text.push_back(pad + "  " + one);
    for (const Dispute& dispute : step.disputes) {
      text.push_back(pad + "  " + dispute.words() + ": " + dispute.reason);
    }
  }
  if (text.size() <= most) return text;
  const std::size_t more = text.size() - most;
  text.resize(most);
  text.push_back(fmt::format("({} lines more: anima why)", more));
  return text;
}

Result<FactProof> prove_fact(store::Space& space, const store::Snapshot& snapshot,
                             const Reasoner& reasoner, const std::string& fact) {
  ProvenanceLedger ledger(space);
  return prove_fact(ledger, snapshot, reasoner, fact);
}

Result<FactProof> prove_fact(ProvenanceLedger& ledger, const store::Snapshot& snapshot,
                             const Reasoner& reasoner, const std::string& fact) {
  FactProof proof;
  proof.fact = fact;
  ANIMA_ASSIGN(std::vector<ProofLine> lines, reasoner.why(fact));
  ANIMA_ASSIGN(proof.trust, reasoner.trust(fact));
  if (!lines.empty()) proof.confidence = lines.front().confidence;
  ANIMA_TRY(ledger.refresh());
  const Contradictions contradictions(snapshot);
  for (ProofLine& line : lines) {
    FactStep& step = proof.steps.emplace_back();
    step.line = std::move(line);
    if (!step.line.given) continue;
    step.asserted = told(ledger, step.line);
    if (step.line.repeated) continue;
    step.disputes = disputes(snapshot, contradictions, step.line);
    step.out_of_time = out_of_time(contradictions, step.line);
    const bool lost = std::ranges::any_of(step.disputes, &Dispute::lost);
    if (lost || !step.out_of_time.empty()) ++proof.superseded;
    if (!step.out_of_time.empty()) ++proof.ended;
  }
  return proof;
}

Result<FactProof> prove_first(ProvenanceLedger& ledger, const store::Snapshot& snapshot,
                              const Reasoner& reasoner, const std::vector<std::string>& patterns) {
  ANIMA_ASSIGN(const std::vector<std::string> facts, matching_facts(patterns, reasoner));
  ANIMA_ASSIGN(FactProof first, prove_fact(ledger, snapshot, reasoner, facts.front()));
  for (std::size_t at = 1; first.superseded > 0 && at < facts.size(); ++at) {
    ANIMA_ASSIGN(FactProof other, prove_fact(ledger, snapshot, reasoner, facts[at]));
    if (other.superseded == 0) return other;
  }
  return first;
}

Result<FactProof> prove_first(store::Space& space, const store::Snapshot& snapshot,
                              const Reasoner& reasoner, const std::vector<std::string>& patterns) {
  ProvenanceLedger ledger(space);
  return prove_first(ledger, snapshot, reasoner, patterns);
}

}  // namespace anima::memory
