// The agent: goals, a psyche, a memory, tools, and the loop that joins them.
//
//   observe -> orient -> decide -> act -> record, one durable transaction a cycle.
//
// Everything a cycle changes (facts that its tool proposed, provenance, goals, episodes, the
// decision, the state to resume from) is one entry of the log; a cycle that fails to write changes
// nothing. With it goes what a replay needs: the call, the state it read, the time, and what tools
// outside the graph answered. A veto of the shadow keeps a tool from running, whatever scored it.
// Without a model, the symbolic policy decides alone. Errors: kNotFound ("NoGoals") when there is
// nothing to do; those of the space. Source: learning_and_psyche 2.7 to 2.16. Thread-safety: one
// thread. Ownership: the space, the manager and the file system outlive the agent.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/findings/synthesis.h"
#include "agent/learnings/own_learnings.h"
#include "agent/loop/cycle.h"
#include "agent/loop/session.h"
#include "base/clock.h"
#include "memory/compartments/compartments.h"
#include "tools/tool.h"

namespace anima::agent {

struct AgentConfig {
  std::string name = "main";
  std::size_t memory_capacity = 100;
  ReflectionConfig reflection;
  bool psyche = true;                      // false: no shadow, no archetypes; only by explicit wish
  bool fresh = false;                      // goals and memory anew; psyche and bans stay
  bool psyche_anew = false;                // also where the one in force cannot be read
  std::vector<AvoidedAction> avoid = {};   // proposed no more, as long as this agent lives
  std::vector<std::string> warnings = {};  // told with its own
  // Who acts; nothing that it states is trusted further.
  store::Origin origin = {.source = {}, .trust = store::Trust::kUntrusted};
  std::shared_ptr<Clock> clock;  // null: the system's; read once a call
  // Whether a tool that works on the graph alone may run; an error ends the call that it is part
  // of, and nothing of it is kept. Tools outside the graph have judges of their own.
  std::function<Status(const std::string& tool, const tools::ToolInput& input, bool changes)>
      judge = {};
  // Called before each write; a replay brings its space up to date here.
  std::function<Status()> before_write = {};
};

// What one tool did outside of a cycle.
struct Performed {
  bool success = false;
  std::string result;
  std::string vetoed_by;           // a shadow pattern, or empty
  std::optional<Effects> effects;  // of an action that proposes statements
  std::vector<tools::Proposal> written;
  store::Sequence sequence = store::Sequence::kNone;  // kNone: there was nothing to write
  Json to_json() const;
};

enum class RunEnd : std::uint8_t { kDone, kMaxCycles, kStopped };

class Agent {
 public:
  // Resumes where the agent of this name stopped, unless `fresh`. The psyche: persisted, else that
  // of an active Core compartment, else the default.
  static Result<std::unique_ptr<Agent>> create(store::Space& space,
                                               memory::CompartmentManager& compartments,
                                               FileSystem& files, AgentConfig config);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // The goal's label. An active or new goal; a finished one of the same words begins again. One
  // that is there is raised to the priority, never lowered.
  Result<std::string> add_goal(std::string_view description,
                               std::uint8_t priority = kDefaultPriority,
                               std::string_view criteria = {});
  Result<CycleReport> run_cycle();
  // What the next cycle would see and choose, with every candidate; nothing changes.
  Result<CycleReport> deliberate();
  // run_cycle() until no goal is active or the number is reached. `seen` may stop it (false).
  Result<RunEnd> run_until_complete(std::uint64_t max_cycles,
                                    const std::function<bool(const CycleReport&)>& seen = {});

  // Reflects now, applies and persists.
  Result<Reflection> reflect();
  Result<WorkingMemory::Outcome> consolidate();
  // The plan of a goal; where there is none yet, the one that its next cycle would make.
  Result<Plan> plan_for(const std::string& goal);
  Status set_goal_status(const std::string& goal, GoalStatus status, std::string_view reason = {});
  // A person's veto: this action is never offered again for the goal. Recorded as a shadow veto.
  Status forbid(const std::string& goal, const std::string& tool, const tools::ToolInput& input);

  // One tool at a person's wish, outside of cycles and goals. Vetoes, the what-if, provenance and
  // the record of the run are those of a cycle. Errors: as ToolTable::run; those of the space.
  Result<Performed> perform(const std::string& tool, const tools::ToolInput& input);

  const Psyche& psyche() const;
  Status set_psyche(Psyche psyche);  // persisted
  const GoalList& goals() const;
  const WorkingMemory& memory() const;
  const SessionState& session() const;
  std::uint64_t cycle() const;
  // The number of this run (agent/loop/replay.h): the sequence of its first entry; none before it.
  store::Sequence run() const;
  const tools::ToolTable& tools() const;
  tools::ToolTable& tools();
  // What could not be restored, a grammar that could not be used ..
  std::vector<std::string> take_warnings();

  Result<std::vector<tools::RecalledEpisode>> recall(std::span<const store::EntityId> symbols,
                                                     std::size_t limit);
  // What was found for a goal, as a document; and in the words of a grammar (grammar_shelf.h): the
  // one given, else the psyche's, else narrative.
  Document findings(const std::string& goal) const;
  std::string synthesize_findings(const std::string& goal, std::string_view grammar = {});
  // A document in the words of the psyche's grammar, without the overview.
  std::string tell(const Document& document);

  // The question in the words of an active compartment that the text fits, if any.
  std::optional<AnswerableQuestion> understand(std::string_view text);
  // Example questions of the active compartments.
  std::vector<std::string> askable();
  // Labels of the graph that a text names, in its order; and its words that neither a label nor any
  // text of the graph has, leaving out those that ask or join.
  Result<std::vector<std::string>> mentioned(std::string_view text);
  Result<std::vector<std::string>> unknown_words(std::string_view text);

 private:
  class Impl;
  explicit Agent(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace anima::agent
