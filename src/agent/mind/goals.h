// Goals: what an agent works on, how far it has come, and how a stalled one is taken apart.
//
// Invariants: a goal's label is "goal:" and the first forty characters of its description, with a
// hash behind when the description was cut, so two long descriptions stay two goals. A goal with
// open children is Suspended; it becomes Active again when all of them are Completed.
// Source: learning_and_psyche 2.8, 2.9. Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/result.h"
#include "store/ids.h"

namespace anima::agent {

// On disk, never renumber.
enum class GoalStatus : std::uint8_t {
  kPending = 0,
  kActive = 1,
  kCompleted = 2,
  kFailed = 3,
  kSuspended = 4,
};
std::string_view to_string(GoalStatus status);
std::optional<GoalStatus> goal_status(std::string_view text);

inline constexpr std::uint8_t kDefaultPriority = 128;

struct Goal {
  std::string label;  // "goal:..."; unique
  store::EntityId symbol = store::EntityId::kNone;
  std::string description;
  std::string criteria;  // empty: the plan's end decides
  GoalStatus status = GoalStatus::kActive;
  std::string failure;  // of a Failed one
  std::uint8_t priority = kDefaultPriority;
  std::string parent;  // a label, or empty
  std::vector<std::string> children;
  std::vector<std::string> blocked_by;
  std::uint64_t order = 0;  // of creation
  Timestamp created;
  std::uint64_t cycles_worked = 0;
  std::uint64_t last_progress_cycle = 0;
  std::uint64_t progress_count = 0;
  std::uint64_t rewarded_progress = 0;  // progress that already raised the priority
  std::string answer;                   // of a question that was answered
  std::vector<std::string> known;       // labels that its findings taught, oldest first
  bool operator==(const Goal&) const = default;
};

std::string goal_label(std::string_view description);

enum class ProgressKind : std::uint8_t { kNoChange, kAdvanced, kCompleted, kFailed };
struct Progress {
  ProgressKind kind = ProgressKind::kNoChange;
  std::string reason;
};

// How a successful output serves the criteria: the share of their words (more than three letters,
// stripped, lower-case) found in the output or in the graph's labels: half or more completes.
// `found_in_graph` is asked word by word. Without criteria: Advanced when symbols were involved.
Progress measure_progress(std::string_view criteria, std::string_view output_text,
                          bool involves_symbols, const std::vector<std::string>& graph_labels);

// The parts of a description that was taken apart at commas and " and ", with their priorities
// 200, 190, ..; two generic parts when it does not come apart.
struct SubGoal {
  std::string description;
  std::uint8_t priority = kDefaultPriority;
};
std::vector<SubGoal> decompose(std::string_view description);

class GoalList {
 public:
  // The new goal, or the one of the same label (which is then left as it is).
  Goal& add(std::string_view description, std::uint8_t priority, std::string_view criteria,
            Timestamp now, std::uint64_t cycle);
  // A whole goal, as stored; replaces one of its label.
  Goal& put(Goal goal);
  Goal* find(std::string_view label);
  const Goal* find(std::string_view label) const;
  const std::vector<Goal>& all() const { return goals_; }  // in the order of creation
  std::vector<Goal>& all() { return goals_; }
  // Active ones, by priority (highest first), then by creation.
  std::vector<const Goal*> active() const;
  // The first active goal that nothing blocks, or null.
  Goal* top();
  const Goal* top() const;
  bool blocked(const Goal& goal) const;
  // Worked 5 cycles or more, and none of the last 5 brought progress.
  static bool stalled(const Goal& goal, std::uint64_t cycle);
  // Suspends the goal and adds its parts as Active children. Requires a leaf.
  std::vector<std::string> take_apart(const std::string& label, Timestamp now, std::uint64_t cycle);
  // Sets the status and wakes the parents whose children are all Completed. The labels changed.
  std::vector<std::string> set_status(const std::string& label, GoalStatus status,
                                      std::string_view reason = {});

  Json to_json() const;
  static Result<GoalList> from_json(const Json& json);
  bool operator==(const GoalList&) const = default;

 private:
  std::vector<Goal> goals_;
  std::uint64_t next_order_ = 1;
};

}  // namespace anima::agent
