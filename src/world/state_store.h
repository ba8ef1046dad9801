// Where the agents of a world and the world itself are kept between cycles: one interface, behind
// which SQLite and PostgreSQL stand with the same statements (tables/table_state.h). The tables are
// those of source 002 section 9, with nexus.agents, which they refer to, agent.runtime_state for
// what they have no columns for, and world.state. Writes are gathered between begin() and commit():
// what is not committed was never there. Source: source 002 9; governance_and_runtime 2.6, 4
// (36-38). Thread-safety: one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "world/citizen.h"

namespace anima::world {

struct StoredAgent {
  Citizen citizen;         // its identity has the id alone
  std::string sealed_key;  // identity.h
};

// Where a runtime keeps its agents.
class AgentStore {
 public:
  virtual ~AgentStore() = default;
  virtual Status begin() = 0;
  virtual Status commit() = 0;
  virtual void roll_back() = 0;
  virtual bool in_batch() const = 0;

  virtual Status save_agent(const Citizen& citizen, std::string_view sealed_key) = 0;
  // Errors: kNotFound, kCorrupt.
  virtual Result<StoredAgent> load_agent(const AgentId& id) = 0;
};

class StateStore : public AgentStore {
 public:
  virtual Result<std::vector<AgentId>> agents() = 0;   // by id
  virtual Status remove_agent(const AgentId& id) = 0;  // with all that refers to it

  virtual Status save_part(std::string_view name, std::string_view bytes) = 0;
  // Nothing: it was never saved.
  virtual Result<std::optional<std::string>> load_part(std::string_view name) = 0;
};

// Makes the file when it is missing. Errors: kIo, kBusy, kCorrupt, kVersionMismatch.
Result<std::unique_ptr<StateStore>> open_sqlite_state(const std::string& path);

// postgresql://[user[:password]@][host][:port][/database][?options]; one world in a database. Makes
// schemas and tables when they are missing. Errors: kInvalidArgument (the address), kDenied (the
// server refuses the user), kBusy (another process runs the world), kUnsupported (libpq is not
// installed), kIo, kVersionMismatch.
Result<std::unique_ptr<StateStore>> open_postgres_state(const std::string& address);

// The same to be read alone, also while a world runs on it: nothing is made, locked or written.
// Errors: kNotFound (no world), those of the two above but kBusy of another process.
Result<std::unique_ptr<StateStore>> read_sqlite_state(const std::string& path);
Result<std::unique_ptr<StateStore>> read_postgres_state(const std::string& address);

}  // namespace anima::world
