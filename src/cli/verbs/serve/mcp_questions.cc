#include "cli/verbs/serve/mcp_questions.h"

#include <utility>

namespace anima::cli {
namespace {

Json taken_back(const std::string& id) {
  return Json::object({{"jsonrpc", "2.0"},
                       {"method", "notifications/cancelled"},
                       {"params", Json::object({{"requestId", id},
                                                {"reason", "it is not waited for any longer"}})}});
}

}  // namespace

std::optional<Json> McpQuestions::ask(std::string_view method, Json params,
                                      const std::stop_token& stop) {
  if (stop.stop_requested()) return std::nullopt;
  std::string id;
  {
    const MutexLock lock(mutex_);
    if (ended_) return std::nullopt;
    id = "anima-" + std::to_string(++last_);
    asked_.emplace(id, Question{});
  }
  // Without the lock: the function may be called at once.
  const std::stop_callback stopped(stop, [this, &id] { give_up(id); });
  if (!send_(Json::object({{"jsonrpc", "2.0"},
                           {"id", id},
                           {"method", std::string(method)},
                           {"params", std::move(params)}})))
    end();
  Question question = wait_for(id);
  if (!question.heard) send_(taken_back(id));
  return std::move(question.result);
}

McpQuestions::Question McpQuestions::wait_for(const std::string& id) {
  const auto end = std::chrono::steady_clock::now() + limit_;
  const MutexLock lock(mutex_);
  const auto at = asked_.find(id);
  while (!at->second.over && !ended_) {
    if (changed_.wait_until(mutex_, end) == std::cv_status::timeout) break;
  }
  Question question = std::move(at->second);
  asked_.erase(at);
  return question;
}

void McpQuestions::give_up(const std::string& id) {
  const MutexLock lock(mutex_);
  const auto at = asked_.find(id);
  if (at == asked_.end()) return;
  at->second.over = true;
  changed_.notify_all();
}

bool McpQuestions::answered(const Json& message) {
  const Json* id = message.find("id");
  if (id == nullptr || !id->is_string() || message.find("method") != nullptr) return false;
  const MutexLock lock(mutex_);
  const auto at = asked_.find(id->as_string());
  if (at == asked_.end()) return false;
  Question& question = at->second;
  if (!question.over) {
    if (const Json* result = message.find("result")) question.result = *result;
    question.over = question.heard = true;
  }
  changed_.notify_all();
  return true;
}

void McpQuestions::end() {
  const MutexLock lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

}  // namespace anima::cli
