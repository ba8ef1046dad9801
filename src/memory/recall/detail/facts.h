// Statements of the graph that fit a question, scored as texts of their own against the same words,
// so that they compete with what was said.
//
// Looked at are the things whose whole name stands in the question, and those that a text search
// finds while the space has few turns (kMostTextsSearched): beyond that, turns are all that it
// finds. Of a thing, what is stated of it and what links to it. How rare a word is comes from the
// texts and from the statements looked at: nobody counts the words of all statements.
// Thread-safety: one thread. Complexity: O(words of the question), the search, and the statements
// of at most kMostThings things. Source: recall study, section 3, last paragraph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "memory/provenance.h"
#include "memory/recall/detail/texts_view.h"
#include "store/snapshot.h"

namespace anima::memory::detail {

inline constexpr std::size_t kMostThings = 16;
inline constexpr std::size_t kMostStatements = 16;  // of a thing, and of each kind
inline constexpr std::size_t kMostTextsSearched = 20'000;

struct FactItem {
  store::EntityId subject = store::EntityId::kNone;
  std::string text;  // "Greifswald .depth = four metres"
  store::EntryInfo entry;
  std::vector<std::string> stems;  // sorted, each once
  std::vector<DayRange> holds;     // where it says from when or to when; the last time at the end
  double score = 0, words = 0, traits = 0;
};

// Whose facts are looked for: of those that people told, what this one told, or nobody in
// particular. An empty speaker looks for all.
struct Tellers {
  SpeakerNames speaker = {};
  const ProvenanceLedger* provenance = nullptr;  // where there is a speaker

  bool may_tell(const store::Snapshot& snapshot, const store::Triple& statement) const;
};

// Best first, ties by text. `texts` is how many texts there are. A link that says when it holds
// (`valid_from`, `valid_to`) stands before others where that is the time that the question names,
// and behind them where it is not; without a time in the question, where it has ended.
std::vector<FactItem> find_facts(const store::Snapshot& snapshot, std::string_view question,
                                 const TextRanking& ranking, TermReader& terms, std::size_t texts,
                                 Day today, const Tellers& tellers = {});

// The entry that a statement's label comes from: of those of the knowledge the most trusted.
// Nothing when only the books state it.
std::optional<store::EntryInfo> stated_by(const store::Snapshot& snapshot,
                                          const store::Triple& statement);

}  // namespace anima::memory::detail
