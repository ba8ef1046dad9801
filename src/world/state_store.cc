#include "world/state_store.h"

#include "world/tables/postgres_database.h"
#include "world/tables/sqlite_database.h"
#include "world/tables/table_state.h"

namespace anima::world {

Result<std::unique_ptr<StateStore>> open_sqlite_state(const std::string& path) {
  ANIMA_ASSIGN(auto database, open_sqlite_database(path));
  return make_table_state(std::move(database));
}

Result<std::unique_ptr<StateStore>> open_postgres_state(const std::string& address) {
  ANIMA_ASSIGN(auto database, open_postgres_database(address));
  return make_table_state(std::move(database));
}

Result<std::unique_ptr<StateStore>> read_sqlite_state(const std::string& path) {
  ANIMA_ASSIGN(auto database, read_sqlite_database(path));
  return make_table_state(std::move(database));
}

Result<std::unique_ptr<StateStore>> read_postgres_state(const std::string& address) {
  ANIMA_ASSIGN(auto database, read_postgres_database(address));
  return make_table_state(std::move(database));
}

}  // namespace anima::world
