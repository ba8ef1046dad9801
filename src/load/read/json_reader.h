// JSON and JSON Lines as tables.
//
// An array of objects is a table, and so is each such array below the members of one object, an
// object whose members are all objects (their names are a column), and one object alone (one row).
// An object inside a row is a row of another table that the first links to; its key is a member
// called like one (id, name, ..) that all have, else it is called by the row and the member. Arrays
// are lists. Read element by element: what is held is one row.
// Errors: kSyntax with file and row. Thread-safety: one thread. O(bytes) a pass.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "load/read/table.h"

namespace anima::load {

// `text` lives as long as `keeps`.
Result<std::vector<std::unique_ptr<SourceTable>>> json_tables(std::string_view text,
                                                              std::shared_ptr<void> keeps,
                                                              const std::string& file, bool lines);

}  // namespace anima::load
