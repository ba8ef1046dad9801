// Why a fact of a space holds, as it is at each question: by the rules of the compartments that are
// loaded by then. What the MCP tool `why` answers with. Exact behaviour: memory/fact_proof.h.
//
// Nothing is ever written. Thread-safety: one question at a time. Ownership: shares the space; the
// file system outlives it. Complexity: of the first question after a change, that of evaluating the
// rules; then that of the proof.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/files/file.h"
#include "memory/compartments/compartments.h"
#include "memory/fact_proof.h"
#include "store/space.h"

namespace anima::agent {

class SpaceWhy {
 public:
  SpaceWhy(std::shared_ptr<store::Space> space, FileSystem& files)
      : space_(std::move(space)), compartments_(*space_, files, ""), ledger_(*space_) {}

  // `fact`: Datalog, or words as memory::sentence_patterns() reads them; of several facts the
  // first. Errors: kNotFound where nothing of the kind holds, those of the space and the rules.
  Result<memory::FactProof> why(std::string_view fact);

 private:
  Status take_up(const store::Snapshot& now);

  std::shared_ptr<store::Space> space_;
  memory::CompartmentManager compartments_;
  memory::ProvenanceLedger ledger_;
  std::unique_ptr<memory::Reasoner> reasoner_;
  std::optional<store::Sequence> taken_up_;  // the entry that the reasoner is at
};

}  // namespace anima::agent
