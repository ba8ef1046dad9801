// PostgreSQL for the state of a world.
//
// One connection. Within a transaction writes are sent in turns of 256 without waiting for each
// answer (libpq's pipeline). The session holds an advisory lock, so that one process at a time runs
// the world of a database; the server lets it go when the connection ends. A lost connection is an
// error and nothing is tried again: what was not committed was never there.
// Source: sql.h, source 002 9.
#pragma once

#include <memory>
#include <string>

#include "world/tables/sql.h"

namespace anima::world {

// Errors: those of open_postgres_state().
Result<std::unique_ptr<SqlDatabase>> open_postgres_database(const std::string& address);
// To be read alone, in a session that may not write, also while a world runs. Errors: those above
// but kBusy; kNotFound (no world).
Result<std::unique_ptr<SqlDatabase>> read_postgres_database(const std::string& address);

}  // namespace anima::world
