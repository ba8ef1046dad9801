#include "agent/house/space_why.h"

#include "memory/compartments/fact_words.h"

namespace anima::agent {

Status SpaceWhy::take_up(const store::Snapshot& now) {
  if (taken_up_ == now.sequence()) return {};
  ANIMA_TRY(compartments_.refresh());
  ANIMA_ASSIGN(reasoner_, memory::Reasoner::create(now, compartments_.rules()));
  taken_up_ = now.sequence();
  return {};
}

Result<memory::FactProof> SpaceWhy::why(std::string_view fact) {
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  ANIMA_TRY(take_up(now));
  ANIMA_ASSIGN(const auto patterns, memory::sentence_patterns(fact, *reasoner_));
  return memory::prove_first(ledger_, now, *reasoner_, patterns);
}

}  // namespace anima::agent
