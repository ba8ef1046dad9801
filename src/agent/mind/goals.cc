#include "agent/mind/goals.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/json_fields.h"
#include "base/crypto.h"
#include "base/json/text_array.h"
#include "base/text/text.h"
#include "language/text/words.h"

namespace anima::agent {
namespace {

constexpr std::size_t kLabelCharacters = 40;
constexpr std::uint64_t kStalledCycles = 5;
constexpr std::size_t kShortestPart = 4;  // characters
constexpr std::uint8_t kFirstPart = 200;
constexpr std::uint8_t kPartStep = 10;

std::vector<std::string> criteria_words(std::string_view text) {
  std::vector<std::string> words = language::folded_words(text, language::FoldStrength::kCase);
  std::erase_if(words, [](const std::string& word) { return count_code_points(word) <= 3; });
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

double share_found(const std::vector<std::string>& words, const std::string& folded) {
  const auto found = std::count_if(words.begin(), words.end(), [&](const std::string& word) {
    return folded.find(word) != std::string::npos;
  });
  return static_cast<double>(found) / static_cast<double>(words.size());
}

std::vector<std::string> split_parts(std::string_view text) {
  std::vector<std::string> parts;
  for (const std::string_view piece : split(text, ',')) {
    std::string_view rest = piece;
    for (;;) {
      const std::size_t at = rest.find(" and ");
      const std::string_view part = trim(rest.substr(0, at));
      if (count_code_points(part) >= kShortestPart) parts.emplace_back(part);
      if (at == std::string_view::npos) break;
      rest.remove_prefix(at + 5);
    }
  }
  return parts;
}

std::vector<std::string> labels_of(const Json& json, std::string_view key) {
  std::vector<std::string> labels;
  for (const Json& item : items_of(json, key)) {
    if (item.is_string()) labels.push_back(item.as_string());
  }
  return labels;
}

}  // namespace

std::string_view to_string(GoalStatus status) {
  switch (status) {
    case GoalStatus::kPending:
      return "pending";
    case GoalStatus::kActive:
      return "active";
    case GoalStatus::kCompleted:
      return "completed";
    case GoalStatus::kFailed:
      return "failed";
    case GoalStatus::kSuspended:
      return "suspended";
  }
  return "pending";
}

std::optional<GoalStatus> goal_status(std::string_view text) {
  for (const GoalStatus status : {GoalStatus::kPending, GoalStatus::kActive, GoalStatus::kCompleted,
                                  GoalStatus::kFailed, GoalStatus::kSuspended}) {
    if (to_string(status) == text) return status;
  }
  return std::nullopt;
}

std::string goal_label(std::string_view description) {
  const std::string_view text = trim(description);
  const std::string_view head = substring_by_code_points(text, 0, kLabelCharacters);
  if (head.size() == text.size()) return fmt::format("goal:{}", text);
  return fmt::format("goal:{}~{}", head, to_hex(sha256(text)).substr(0, 8));
}

Progress measure_progress(std::string_view criteria, std::string_view output_text,
                          bool involves_symbols, const std::vector<std::string>& graph_labels) {
  const Progress by_symbols{involves_symbols ? ProgressKind::kAdvanced : ProgressKind::kNoChange,
                            {}};
  const std::vector<std::string> words = criteria_words(criteria);
  if (words.empty()) return by_symbols;
  std::string labels;
  for (const std::string& label : graph_labels) labels += to_lower(label) + '\n';
  const double ratio =
      std::max(share_found(words, to_lower(output_text)), share_found(words, labels));
  if (ratio >= 0.5)
    return {ProgressKind::kCompleted, fmt::format("{:.0f}% of the criteria", ratio * 100)};
  if (ratio > 0)
    return {ProgressKind::kAdvanced, fmt::format("{:.0f}% of the criteria", ratio * 100)};
  return by_symbols;
}

std::vector<SubGoal> decompose(std::string_view description) {
  const std::vector<std::string> parts = split_parts(description);
  if (parts.size() < 2) {
    return {{fmt::format("gather what is known about: {}", trim(description)), 200},
            {fmt::format("reason about: {}", trim(description)), 180}};
  }
  std::vector<SubGoal> goals;
  std::uint8_t priority = kFirstPart;
  for (const std::string& part : parts) {
    goals.push_back({part, priority});
    priority = priority > kPartStep ? static_cast<std::uint8_t>(priority - kPartStep) : priority;
  }
  return goals;
}

Goal& GoalList::add(std::string_view description, std::uint8_t priority, std::string_view criteria,
                    Timestamp now, std::uint64_t cycle) {
  const std::string label = goal_label(description);
  if (Goal* known = find(label)) return *known;
  Goal goal;
  goal.label = label;
  goal.description = std::string(trim(description));
  goal.criteria = std::string(trim(criteria));
  goal.priority = priority;
  goal.created = now;
  goal.last_progress_cycle = cycle;
  return put(std::move(goal));
}

Goal& GoalList::put(Goal goal) {
  if (goal.order == 0) goal.order = next_order_;
  next_order_ = std::max(next_order_, goal.order + 1);
  if (Goal* known = find(goal.label)) {
    *known = std::move(goal);
    return *known;
  }
  goals_.push_back(std::move(goal));
  return goals_.back();
}

Goal* GoalList::find(std::string_view label) {
  for (Goal& goal : goals_) {
    if (goal.label == label) return &goal;
  }
  return nullptr;
}

const Goal* GoalList::find(std::string_view label) const {
  return const_cast<GoalList*>(this)->find(label);
}

std::vector<const Goal*> GoalList::active() const {
  std::vector<const Goal*> list;
  for (const Goal& goal : goals_) {
    if (goal.status == GoalStatus::kActive) list.push_back(&goal);
  }
  std::sort(list.begin(), list.end(), [](const Goal* a, const Goal* b) {
    return a->priority != b->priority ? a->priority > b->priority : a->order < b->order;
  });
  return list;
}

bool GoalList::blocked(const Goal& goal) const {
  return std::any_of(goal.blocked_by.begin(), goal.blocked_by.end(), [&](const auto& label) {
    const Goal* other = find(label);
    return other != nullptr && other->status != GoalStatus::kCompleted;
  });
}

const Goal* GoalList::top() const {
  for (const Goal* goal : active()) {
    if (!blocked(*goal)) return goal;
  }
  return nullptr;
}

Goal* GoalList::top() { return const_cast<Goal*>(std::as_const(*this).top()); }

bool GoalList::stalled(const Goal& goal, std::uint64_t cycle) {
  return goal.cycles_worked >= kStalledCycles && cycle >= goal.last_progress_cycle + kStalledCycles;
}

std::vector<std::string> GoalList::take_apart(const std::string& label, Timestamp now,
                                              std::uint64_t cycle) {
  Goal* parent = find(label);
  if (parent == nullptr || !parent->children.empty()) return {};
  std::vector<std::string> children;
  for (const SubGoal& part : decompose(parent->description)) {
    if (goal_label(part.description) == label) continue;
    Goal& child = add(part.description, part.priority, {}, now, cycle);
    child.parent = label;
    children.push_back(child.label);
  }
  parent = find(label);
  parent->children = children;
  if (!children.empty()) parent->status = GoalStatus::kSuspended;
  return children;
}

std::vector<std::string> GoalList::set_status(const std::string& label, GoalStatus status,
                                              std::string_view reason) {
  std::vector<std::string> changed;
  Goal* goal = find(label);
  if (goal == nullptr) return changed;
  goal->status = status;
  goal->failure = std::string(reason);
  changed.push_back(label);
  Goal* parent = goal->parent.empty() ? nullptr : find(goal->parent);
  if (parent == nullptr || parent->status != GoalStatus::kSuspended) return changed;
  const bool done = std::all_of(parent->children.begin(), parent->children.end(), [&](auto& child) {
    const Goal* found = find(child);
    return found != nullptr && found->status == GoalStatus::kCompleted;
  });
  if (done) {
    parent->status = GoalStatus::kActive;
    changed.push_back(parent->label);
  }
  return changed;
}

Json GoalList::to_json() const {
  Json list = Json::array();
  for (const Goal& goal : goals_) {
    list.push_back(Json::object({{"label", goal.label},
                                 {"symbol", static_cast<std::int64_t>(goal.symbol)},
                                 {"description", goal.description},
                                 {"criteria", goal.criteria},
                                 {"status", to_string(goal.status)},
                                 {"failure", goal.failure},
                                 {"priority", static_cast<int>(goal.priority)},
                                 {"parent", goal.parent},
                                 {"children", text_array(goal.children)},
                                 {"blocked_by", text_array(goal.blocked_by)},
                                 {"order", goal.order},
                                 {"created", goal.created.microseconds},
                                 {"cycles_worked", goal.cycles_worked},
                                 {"last_progress_cycle", goal.last_progress_cycle},
                                 {"progress_count", goal.progress_count},
                                 {"rewarded_progress", goal.rewarded_progress},
                                 {"answer", goal.answer},
                                 {"known", text_array(goal.known)}}));
  }
  return Json::object({{"version", 1}, {"next_order", next_order_}, {"goals", std::move(list)}});
}

Result<GoalList> GoalList::from_json(const Json& json) {
  if (!json.is_object() || count_of(json, "version") != 1) {
    return fail(ErrorCode::kCorrupt, "the stored goals are of no known version");
  }
  GoalList goals;
  for (const Json& item : items_of(json, "goals")) {
    Goal goal;
    goal.label = text_of(item, "label");
    const std::optional<GoalStatus> status = goal_status(text_of(item, "status"));
    const std::uint64_t priority = count_of(item, "priority", 256);
    if (goal.label.empty() || !status || priority > 255) {
      return fail(ErrorCode::kCorrupt, "a stored goal is incomplete");
    }
    goal.status = *status;
    goal.priority = static_cast<std::uint8_t>(priority);
    goal.symbol = static_cast<store::EntityId>(count_of(item, "symbol"));
    goal.description = text_of(item, "description");
    goal.criteria = text_of(item, "criteria");
    goal.failure = text_of(item, "failure");
    goal.parent = text_of(item, "parent");
    goal.children = labels_of(item, "children");
    goal.blocked_by = labels_of(item, "blocked_by");
    goal.order = count_of(item, "order");
    goal.created.microseconds = static_cast<std::int64_t>(count_of(item, "created"));
    goal.cycles_worked = count_of(item, "cycles_worked");
    goal.last_progress_cycle = count_of(item, "last_progress_cycle");
    goal.progress_count = count_of(item, "progress_count");
    goal.rewarded_progress = count_of(item, "rewarded_progress");
    goal.answer = text_of(item, "answer");
    goal.known = labels_of(item, "known");
    goals.put(std::move(goal));
  }
  goals.next_order_ = std::max(goals.next_order_, count_of(json, "next_order"));
  return goals;
}

}  // namespace anima::agent
