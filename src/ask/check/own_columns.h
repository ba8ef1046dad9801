// What a row has in a column of its own is that, and not the same of what the row is linked to:
// "rentals in Graz" are those of the city Graz, and not those of cars that stand there; "visits of
// Ada in 2026" were in 2026, and not Ada born then.
//
// Thread-safety: pure functions. Complexity: O(readings^2 x restrictions).
#pragma once

#include <vector>

#include "ask/parse/reading.h"

namespace anima::ask {

// Leaves out the readings that say a value or a time of a linked thing, which is named by its name
// or by that value alone, where another reading says the same of the rows.
void leave_linked(std::vector<Reading>& readings);

}  // namespace anima::ask
