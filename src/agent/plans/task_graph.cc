#include "agent/plans/task_graph.h"

#include <algorithm>

namespace anima::agent {

std::string_view to_string(TaskStatus status) {
  switch (status) {
    case TaskStatus::kPending:
      return "pending";
    case TaskStatus::kInProgress:
      return "in_progress";
    case TaskStatus::kCompleted:
      return "completed";
    case TaskStatus::kFailed:
      return "failed";
    case TaskStatus::kSkipped:
      return "skipped";
  }
  return "pending";
}

std::string_view to_string(GraphStatus status) {
  switch (status) {
    case GraphStatus::kInProgress:
      return "in_progress";
    case GraphStatus::kCompleted:
      return "completed";
    case GraphStatus::kFailed:
      return "failed";
  }
  return "in_progress";
}

Result<std::size_t> TaskGraph::place(std::string_view id) const {
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (tasks_[i].id == id) return i;
  }
  return fail(ErrorCode::kNotFound, "there is no task '" + std::string(id) + "'");
}

const Task* TaskGraph::find(std::string_view id) const {
  const auto at = place(id);
  return at ? &tasks_[*at] : nullptr;
}

Status TaskGraph::add(Task task) {
  if (find(task.id) != nullptr)
    return fail(ErrorCode::kAlreadyExists, "the task '" + task.id + "' is there already");
  for (const std::string& dependency : task.dependencies) {
    if (dependency == task.id)
      return fail(ErrorCode::kConflict, "the task '" + task.id + "' would wait for itself");
    ANIMA_TRY(place(dependency));
  }
  tasks_.push_back(std::move(task));
  return {};
}

// Depth-first along the dependencies; visited marks keep it linear.
bool TaskGraph::reaches(std::size_t from, std::string_view id) const {
  std::vector<bool> visited(tasks_.size());
  std::vector<std::size_t> stack{from};
  while (!stack.empty()) {
    const std::size_t at = stack.back();
    stack.pop_back();
    if (tasks_[at].id == id) return true;
    if (visited[at]) continue;
    visited[at] = true;
    for (const std::string& dependency : tasks_[at].dependencies) {
      if (const auto next = place(dependency)) stack.push_back(*next);
    }
  }
  return false;
}

Status TaskGraph::add_dependency(std::string_view id, std::string_view dependency) {
  ANIMA_ASSIGN(const std::size_t task, place(id));
  ANIMA_ASSIGN(const std::size_t before, place(dependency));
  if (reaches(before, id)) {
    return fail(ErrorCode::kConflict, "'" + std::string(id) + "' after '" +
                                          std::string(dependency) +
                                          "' would create a circular dependency");
  }
  auto& dependencies = tasks_[task].dependencies;
  if (std::ranges::find(dependencies, dependency) == dependencies.end())
    dependencies.emplace_back(dependency);
  return {};
}

std::vector<std::string> TaskGraph::order() const {
  std::vector<std::string> order;
  std::vector<bool> done(tasks_.size());
  const auto is_ready = [&](const Task& task) {
    return std::ranges::all_of(task.dependencies,
                               [&](const std::string& d) { return done[*place(d)]; });
  };
  while (order.size() < tasks_.size()) {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (done[i] || !is_ready(tasks_[i])) continue;
      done[i] = true;
      order.push_back(tasks_[i].id);
      break;
    }
  }
  return order;
}

std::vector<std::string> TaskGraph::ready() const {
  std::vector<std::string> ids;
  for (const Task& task : tasks_) {
    if (task.status != TaskStatus::kPending) continue;
    const bool free = std::ranges::all_of(task.dependencies, [&](const std::string& dependency) {
      return find(dependency)->status == TaskStatus::kCompleted;
    });
    if (free) ids.push_back(task.id);
  }
  return ids;
}

Result<std::size_t> TaskGraph::require(std::string_view id, TaskStatus status) const {
  ANIMA_ASSIGN(const std::size_t at, place(id));
  if (tasks_[at].status != status) {
    return fail(ErrorCode::kConflict, "the task '" + std::string(id) + "' is " +
                                          std::string(to_string(tasks_[at].status)) + ", not " +
                                          std::string(to_string(status)));
  }
  return at;
}

Status TaskGraph::start(std::string_view id) {
  ANIMA_ASSIGN(const std::size_t at, require(id, TaskStatus::kPending));
  tasks_[at].status = TaskStatus::kInProgress;
  return {};
}

Status TaskGraph::complete(std::string_view id) {
  ANIMA_ASSIGN(const std::size_t at, require(id, TaskStatus::kInProgress));
  tasks_[at].status = TaskStatus::kCompleted;
  return {};
}

Status TaskGraph::put_back(std::string_view id) {
  ANIMA_ASSIGN(const std::size_t at, require(id, TaskStatus::kInProgress));
  tasks_[at].status = TaskStatus::kPending;
  return {};
}

Status TaskGraph::mark_failed(std::string_view id) {
  ANIMA_ASSIGN(const std::size_t at, place(id));
  tasks_[at].status = TaskStatus::kFailed;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (i != at && tasks_[i].status == TaskStatus::kPending && reaches(i, id))
      tasks_[i].status = TaskStatus::kSkipped;
  }
  return {};
}

GraphStatus TaskGraph::status() const {
  const auto any = [&](TaskStatus status) {
    return std::ranges::any_of(tasks_, [&](const Task& task) { return task.status == status; });
  };
  const auto completed = std::ranges::count(tasks_, TaskStatus::kCompleted, &Task::status);
  if (!tasks_.empty() && completed == static_cast<std::ptrdiff_t>(tasks_.size()))
    return GraphStatus::kCompleted;
  return any(TaskStatus::kFailed) ? GraphStatus::kFailed : GraphStatus::kInProgress;
}

Json TaskGraph::to_json() const {
  Json tasks = Json::array();
  Json edges = Json::array();
  for (const Task& task : tasks_) {
    tasks.push_back(Json::object({{"id", task.id},
                                  {"name", task.name},
                                  {"tool", task.tool},
                                  {"parameters", task.parameters},
                                  {"status", std::string(to_string(task.status))}}));
    for (const std::string& dependency : task.dependencies)
      edges.push_back(Json::array({dependency, task.id}));
  }
  Json order_list = Json::array();
  for (std::string& id : order()) order_list.push_back(std::move(id));
  return Json::object(
      {{"tasks", std::move(tasks)}, {"edges", std::move(edges)}, {"order", std::move(order_list)}});
}

}  // namespace anima::agent
