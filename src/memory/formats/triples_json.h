// triples.json: the file of a compartment, a JSON array of {subject, predicate, object,
// confidence?, valid_from?, valid_to?}; the last two are metadata of the link.
//
// The file is read element by element, without a tree of it. The first wrong element ends the
// reading: the error names its index (from 0) and its place, and since callers load inside one
// transaction, nothing is loaded. Wrong is: no object; subject, predicate or object missing, no
// string, blank, or longer than kMaxLabelBytes once trimmed; confidence no number or outside 0 ..
// 1; a bound of its time that is no string; a key twice. Keys that the format does not know are
// read over. Thread-safety: plain functions. Source: learning_and_psyche.md 2.1, 2.4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/ids.h"
#include "store/transaction.h"

namespace anima::memory {

inline constexpr std::size_t kMaxLabelBytes = 1024;

// Labels are trimmed; the views are valid during the visit.
struct TripleElement {
  std::uint64_t index = 0;
  std::string_view subject;
  std::string_view predicate;
  std::string_view object;
  double confidence = 1.0;
  std::string_view valid_from = {}, valid_to = {};  // empty: without a bound
};

// Calls `visit` for each element in order; gives their number. `name` (of the file) begins the
// `where` of errors. Errors: kSyntax for what is no JSON, kInvalidArgument for a wrong element, and
// what `visit` returns. O(bytes).
Result<std::uint64_t> read_triples_json(std::string_view text, const std::string& name,
                                        const std::function<Status(const TripleElement&)>& visit);

struct TriplesLoad {
  std::uint64_t triples = 0;     // distinct statements
  std::uint64_t duplicates = 0;  // elements that repeat one; the last confidence counts
};

// Asserts each element in the graph: subject and object are concepts of type Entity with these
// exact names, the predicate is a $PropositionType; all of them are asserted in the same graph
// (DATA.md 4).
Result<TriplesLoad> load_triples_json(store::Transaction& transaction, std::string_view text,
                                      const std::string& name, store::GraphId graph,
                                      std::uint64_t provenance = 0);

}  // namespace anima::memory
