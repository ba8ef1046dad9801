// The observer: looks at a world from outside, also while another process runs it. It reads the
// state of the last cycle that ended, and every event as it is appended. It has no way to write:
// the state is opened to be read, files are opened to be read, nothing is locked, and no agent can
// tell that somebody looks. Source: governance_and_runtime 2.8. Thread-safety: one thread at a
// time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "world/event_log.h"
#include "world/messages.h"
#include "world/state_store.h"
#include "world/world.h"

namespace anima::world {

struct WorldView {
  std::uint64_t seed = 0;
  std::vector<CycleRecord> records;  // of the cycles that ended, oldest first
};

class Observer {
 public:
  // `database` as in WorldOptions. Errors: kNotFound (no world there), those of
  // read_sqlite_state() and read_postgres_state().
  static Result<std::unique_ptr<Observer>> open(FileSystem& files, const std::string& folder,
                                                const std::string& database);
  // Errors: kCorrupt, those of the database.
  Result<WorldView> look();
  // The events since the last call, first those of the cycle that runs. Errors: those of
  // EventReader and of `each`.
  Status follow(const std::function<Status(const Event&)>& each);

 private:
  Observer(FileSystem& files, const std::string& folder, LogPosition from)
      : reader_(files, folder, from) {}

  std::unique_ptr<StateStore> store_;
  EventReader reader_;
};

// {"tick", "system", "event", "origin", ..payload}; bytes in hexadecimal digits.
Json to_json(const Event& event);
// "bounty_created"; "event 0x1234" for a kind that is not known.
std::string event_name(std::uint16_t kind);

}  // namespace anima::world
