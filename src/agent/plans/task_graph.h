// TaskGraph: the tasks of a plan and what each waits for. A cycle or an unknown dependency is
// refused and leaves the graph unchanged. Orders are deterministic: Kahn's algorithm, ties by
// insertion. Thread-safety: one thread at a time. Source: governance specification 1.6, table rows
// 42-50.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"

namespace anima::agent {

enum class TaskStatus : std::uint8_t { kPending, kInProgress, kCompleted, kFailed, kSkipped };
enum class GraphStatus : std::uint8_t { kInProgress, kCompleted, kFailed };
std::string_view to_string(TaskStatus status);
std::string_view to_string(GraphStatus status);

struct Task {
  std::string id;
  std::string name = {};
  std::string tool = {};  // empty: nothing to call (a thought or a conversation)
  Json parameters = Json::object();
  TaskStatus status = TaskStatus::kPending;
  std::vector<std::string> dependencies = {};  // ids
};

class TaskGraph {
 public:
  // Errors: kAlreadyExists, kNotFound (unknown dependency), kConflict (a task that waits for
  // itself).
  Status add(Task task);
  // Makes `id` wait for `dependency`. Errors: kNotFound; kConflict "would create a circular
  // dependency".
  Status add_dependency(std::string_view id, std::string_view dependency);

  const std::vector<Task>& tasks() const { return tasks_; }  // in insertion order
  const Task* find(std::string_view id) const;
  std::vector<std::string> order() const;  // every task after what it waits for
  std::vector<std::string> ready() const;  // pending, everything before it completed

  Status start(std::string_view id);
  Status complete(std::string_view id);
  // It did not run yet after all, and is pending again.
  Status put_back(std::string_view id);
  // The task fails and everything that waits for it, directly or not, is skipped.
  Status mark_failed(std::string_view id);
  GraphStatus status() const;

  Json to_json() const;  // {"tasks":[...],"edges":[["1","2"],...],"order":[...]}

 private:
  Result<std::size_t> place(std::string_view id) const;
  Result<std::size_t> require(std::string_view id, TaskStatus status) const;
  bool reaches(std::size_t from, std::string_view id) const;
  std::vector<Task> tasks_;
};

}  // namespace anima::agent
