// The state of a world as rows of a database. Source: source 002 9.
#pragma once

#include <memory>

#include "world/state_store.h"
#include "world/tables/sql.h"

namespace anima::world {

std::unique_ptr<StateStore> make_table_state(std::unique_ptr<SqlDatabase> database);

}  // namespace anima::world
