// Relations that rules derive, as queries read them: pairs of values that hold in one state of a
// space beside what is stated there.
//
// Who keeps rules current implements DerivedRelations; a language asks it for the predicates that a
// query names, and joins what it gets with relation().
// Thread-safety: find() and names() from any thread; a relation is immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/plan.h"
#include "query/values.h"
#include "store/snapshot.h"

namespace anima::query {

struct DerivedRelation {
  // One of each a row: the code of a term of the snapshot, or, with the overlay's tag, a place in
  // `made`. No pair twice, none that the space states itself.
  std::vector<std::uint32_t> subjects, objects;
  std::vector<store::Value> made;  // values that no statement of the space has

  std::size_t rows() const { return subjects.size(); }
};

class DerivedRelations {
 public:
  virtual ~DerivedRelations() = default;
  // What rules derive under this name from a whole state of the space; null where none derives a
  // predicate of two arguments that is called so. Errors: those of the rules.
  virtual Result<std::shared_ptr<const DerivedRelation>> find(const store::Snapshot& snapshot,
                                                              std::string_view predicate) = 0;
  virtual std::vector<std::string> names() = 0;  // that find() knows, sorted
};

// All rows of a relation as steps of a path. O(rows log rows).
std::shared_ptr<const DerivedEdges> edges_of(Values& values, const DerivedRelation& rows);
// The rows of a relation that agree with two ends, as a leaf of a plan. `spare` is a slot that
// nothing else uses. O(rows).
NodePtr relation(Values& values, const DerivedRelation& rows, Ref subject, Ref object, Slot spare);

}  // namespace anima::query
