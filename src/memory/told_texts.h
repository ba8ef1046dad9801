// What remembered texts told, fact by fact, and what of it holds no longer.
//
// A text told what the records of provenance about it say (ProvenanceKind::kTold), whenever they
// were noted: with the text, or later by who answered what was asked about it. The memory names
// these records itself (item_store.h). A fact holds as long as it is stated and valid; an end that
// was told, as long as what ended does not hold again. What is erased, sealed or archived tells
// nothing. Thread-safety: one thread. Ownership: the space outlives it. Errors: those of reading
// the log. Complexity: of a text one entry of the log a record, each read once, and what was ever
// said of the things that it is about, read once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memory/provenance.h"
#include "store/history.h"
#include "store/space.h"

namespace anima::memory {

// Under these keys and the number of the record of provenance it is kept what a text said of when
// something holds, and that it is forgotten (agent/telling).
inline constexpr std::string_view kToldTimes = "told_times_", kToldValue = "told_value_",
                                  kToldGone = "told_gone_";

// A fact that holds no longer.
struct FactNoLonger {
  std::string fact;             // "Ada phone 333"
  std::vector<std::string> by;  // the memories that told what ended or replaced it; perhaps none
};

// What of a text holds no longer.
struct ToldState {
  std::vector<FactNoLonger> no_longer;
  bool over = false;  // all of it
};

class ToldTexts {
 public:
  ToldTexts(store::Space& space, const store::Snapshot& now, Timestamp time);

  Result<ToldState> state_of(std::string_view memory);

 private:
  using Records = std::vector<ProvenanceRecord>;
  struct Fact {
    store::Triple statement;
    bool ends = false;  // it was told to hold no longer
    bool operator==(const Fact&) const = default;
  };
  Result<std::vector<Fact>> facts_of(std::string_view memory);
  std::vector<Fact> facts_of(const ProvenanceRecord& record);
  std::vector<Fact> ends_of(const ProvenanceRecord& record);
  bool is_stated_at(const store::Triple& statement, store::Sequence entry);
  bool has_end_of(const store::Triple& link, const ProvenanceRecord& record);
  bool holds(const store::Triple& statement) const;
  store::Triple as_now(const store::Triple& statement, store::Sequence told) const;
  std::string words_of(const Fact& fact) const;
  Result<std::vector<std::string>> tellers_of_change(const Fact& fact);
  Status add_tellers_of_end(const store::Triple& link, std::vector<std::string>& memories);
  Status add_tellers_of_removal(const store::Triple& statement, std::vector<std::string>& memories);
  Status add_tellers(const store::Triple& statement, std::vector<std::string>& memories);
  Result<const Records*> told_in(store::Sequence entry);
  const std::vector<store::StatedWord>& words_about(store::EntityId thing);

  store::Space& space_;
  const store::Snapshot now_, items_;
  const Timestamp time_;
  std::map<store::Sequence, Records> read_;
  std::map<store::EntityId, std::vector<store::StatedWord>> words_;
};

}  // namespace anima::memory
