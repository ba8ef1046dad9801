// A cycle while it runs: what its phases read, and the one way by which they change anything.
//
// A phase hands over Actions, each some KIP statements that belong together with the evidence for
// them. They are written in series: one entry of the log for up to a few hundred actions of the
// same trust, so that nothing is trusted more than what it was made of. What the engine refuses is
// tried alone and then listed with its reason. Thread-safety: one thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kip/engine.h"
#include "sleep/detail/proposer.h"
#include "sleep/evidence/work_set.h"
#include "sleep/sleep.h"

namespace anima::sleep::detail {

struct Statement {
  std::string_view text;  // lives for ever
  Json parameters;
};

struct Action {
  std::string what, about, reason;
  std::vector<Statement> statements;
  Trust trust = Trust::kUntrusted;  // of the least trusted thing that led to it
  std::size_t changes = 1;
};

class Cycle {
 public:
  // `logged`: the state that the cycle begins with, where it is rehearsed; then nothing that it
  // does is on the log.
  Cycle(kip::Engine& engine, const Request& request, std::uint64_t number, Timestamp time,
        Clock& clock, WorkSet work, std::vector<EntityId> young, FadingCalendar fading,
        store::Sequence seen, std::optional<Snapshot> logged);

  const Policy& policy() const { return request_.policy; }
  Timestamp time() const { return time_; }
  const std::string& time_text() const { return time_text_; }
  std::uint64_t number() const { return number_; }
  // The newest state, with what this cycle wrote so far.
  Result<Reading> read();
  // Runs a query for the phase. Errors: kInternal with the engine's words.
  Result<Json> ask(std::string_view command, Json parameters);

  // What the phases ask where they do not decide themselves.
  Proposer& proposer() { return proposer_; }

  const WorkSet& work() const { return work_; }
  // Events that were too young when the last cycle looked; this one's go in `still_young`.
  const std::vector<EntityId>& young() const { return young_; }
  std::vector<EntityId> still_young;
  // When which facts are due; a phase that has looked at all that are sets it anew.
  FadingCalendar fading;
  // All that anybody wrote since the last whole cycle, and this cycle itself, but what took cycles
  // back; and that.
  Result<WorkSet> written();
  Result<WorkSet> taken_back();
  // Whether sleep made one of any two of these, and somebody took that back.
  Result<bool> was_parted(std::span<const EntityId> things);

  // False when a bound is reached or somebody asked to stop: the action was not taken.
  bool act(Action action);
  // Takes the last action of a cycle, whatever its bounds, and writes it.
  Status finish(Action action);
  Status flush();
  void leave(std::string what, std::string about, std::string reason);
  bool over();
  // True when some action was not taken.
  bool cut() const { return cut_; }
  bool stopped() const { return request_.stop != nullptr && request_.stop->load(); }

  void begin_phase(int phase);
  Status end_phase();
  const std::vector<PhaseRecord>& phases() const { return phases_; }
  std::vector<PhaseRecord> take_phases() { return std::move(phases_); }
  std::size_t changes() const { return changes_; }

 private:
  Status write(std::span<Action> actions);
  // The engine's words about what failed, or empty.
  std::string execute(std::span<const Action> actions, std::size_t changes);
  void note_touched(const Json& ids);
  void note_answer(const Json& answer);
  void done(Action& action);

  kip::Engine& engine_;
  const Request& request_;
  const std::uint64_t number_;
  const Timestamp time_;
  const std::string time_text_;
  Clock& clock_;
  const std::int64_t deadline_;  // monotonic nanoseconds; 0 = none
  WorkSet work_;
  const std::vector<EntityId> young_;
  const store::Sequence seen_;  // by the last whole cycle
  const std::optional<Snapshot> logged_;
  Proposer proposer_;
  std::vector<Action> queue_;
  std::size_t queued_ = 0, changes_ = 0;
  bool cut_ = false;
  std::int64_t phase_began_ = 0;
  std::vector<PhaseRecord> phases_;
  std::vector<EntityId> touched_;
};

}  // namespace anima::sleep::detail
