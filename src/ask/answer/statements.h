// The statements that an answer rests on, and how firm that ground is.
//
// The proof shows those of the first rows; the ground is judged by those of the first kGroundRows.
// Of a statement that several assert the most trusted counts. Ground is weak where a statement is
// trusted below standard, where one is surer of its opposite than not (confidence below 0.5), or
// where another statement contradicts it (memory/contradiction.h). Thread-safety: pure functions.
// Complexity: O(rows x statements of each), at most kGroundRows rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ask/compile/runner.h"
#include "ask/parse/statements/saying.h"

namespace anima::ask {

inline constexpr std::size_t kGroundRows = 200;
inline constexpr std::size_t kMostFacts = 16;
inline constexpr double kSureEnough = 0.5;

// What an answer rests on at its weakest; of no statement nothing.
struct Ground {
  std::optional<store::Trust> trust;
  std::optional<double> confidence;
  std::vector<std::string> contradictions;  // "orders-db port: 5432 and 5433"
};

struct Statements {
  // Each {fact, entry, author, source, confidence, trust}, with `claimed_source` where the writer
  // gave one.
  Json proof = Json::array();
  std::vector<SaidFact> facts;  // links and values, at most kMostFacts
  Ground ground;
};
// `read`: what the table was read from, `all`: what may contradict it.
Statements statements(const Reading& reading, const Table& table, const Lexicon& lexicon,
                      const store::Snapshot& read, const store::Snapshot& all);
// Who, trusted less than that, states something that the rows of these things rest on, as the log
// names the sources; sorted.
std::vector<std::string> sources_below(store::Trust trust, const Reading& reading,
                                       const std::vector<store::EntityId>& things,
                                       const Lexicon& lexicon, const store::Snapshot& all);
// Of each row when its link holds, as somebody said; empty where nobody did. Of tables without
// things nothing.
std::vector<std::string> held_times(const Reading& reading, const Table& table,
                                    const Lexicon& lexicon, const store::Snapshot& read);

}  // namespace anima::ask
