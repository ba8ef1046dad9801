// Staging: commands run over a view of the work folder; what they changed waits here until it is
// applied as a whole, and can be undone.
//
//   Staging staging(work_folder, state_folder);
//   ANIMA_ASSIGN(Trial trial, staging.run(request));          // changes nothing
//   ANIMA_ASSIGN(std::string id, staging.keep(trial, note));  // waits, on the disk
//   ANIMA_TRY(staging.apply(id));                             // all or nothing
//   ANIMA_TRY(staging.undo(id));                              // the same
//
// What holds: what is applied is what was kept, byte for byte: the id is the hash of the record,
// which holds the hash of every new file. Nothing is applied when a path that it touches is not as
// the command found it. Before the first change the journal names what is being done; whoever
// comes next after a crash does it to its end (recover()). Files that are replaced or deleted are
// kept for the undoing, for a day.
//
// On disk (docs/formats.md): <state>/<id>/record.json, new/<n>, old/<n>, applied, undone;
// <state>/journal; <state>/view-*. Thread-safety: from any thread and process; one at a time
// changes the folder (a lock of the kernel on it). Errors: kNotFound (no such id), kConflict (the
// folder is not as it was, applied or undone already), kCorrupt (what was kept is not what it was),
// kBusy (the folder is locked), those of run_sandboxed() and of the disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/random.h"
#include "base/result.h"
#include "tools/effects/apply.h"
#include "tools/effects/difference.h"
#include "tools/effects/view.h"
#include "tools/sandbox/sandbox.h"

namespace anima::tools::effects {

struct StagingOptions {
  std::optional<ViewKind> only;  // unset: layers, and a copy where there are none
  ScanLimits limits;
};

// A command that ran and what it would change.
struct Trial {
  View view;
  SandboxRun run;
  Difference difference;
};

// What waits, or was applied.
struct Staged {
  std::string id;
  Json note;  // what keep() was given
  Difference difference;
  Timestamp at;  // when it was applied, else kept
  bool applied = false;
  bool undone = false;
};

class Staging {
 public:
  // Absolute paths; the state folder is made when missing and must not lie in the work folder.
  Staging(std::string work_folder, std::string state_folder, Clock& clock, Random& random,
          StagingOptions options = {});

  // The request names no view and no writable folder: its working directory is the work folder.
  // Of a command that was ended (time, memory, disk, `stop`) there is no difference.
  Result<Trial> run(SandboxRequest request, const SandboxFacts& facts = machine_sandbox()) const;
  // The id; the view gives its files away.
  Result<std::string> keep(Trial& trial, const Json& note) const;
  Result<Staged> find(std::string_view id) const;
  Status apply(std::string_view id) const;
  Status undo(std::string_view id) const;
  // What is kept here, what was applied or kept last first.
  Result<std::vector<Staged>> list() const;
  void drop(std::string_view id) const;  // of what was not applied
  // Does what a crash interrupted to its end. Costs one look where nothing was.
  Status recover() const;

  // Where the new content of a change lies; empty: it has none.
  std::string content_of(const Staged& staged, std::size_t change) const;
  const std::string& work_folder() const { return work_; }

 private:
  enum class Way : std::uint8_t { kApply, kUndo };
  std::string place(std::string_view id) const;
  std::vector<Step> steps(const Staged& staged, Way way) const;
  Status check_contents(const Staged& staged) const;
  Status keep_old(const Staged& staged, int root) const;
  Status change(const Staged& staged, Way way) const;
  Status finish(const Staged& staged, Way way) const;
  Status go_on() const;  // with the folder locked
  Status sync(const std::vector<Step>& steps) const;
  void remove_what_is_old() const;

  std::string work_, state_;
  Clock& clock_;
  Random& random_;
  StagingOptions options_;
};

}  // namespace anima::tools::effects
