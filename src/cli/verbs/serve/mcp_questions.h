// What a server asks its client (elicitation, sampling), while other messages come and go: each
// question has an id of its own, and waits for its answer for a limited time.
//
// Thread-safety: every function from any thread. Errors: a question without an answer has none.
// Source: MCP 2025-11-25, Timeouts: what is not waited for any longer is taken back.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "base/mutex.h"

namespace anima::cli {

class McpQuestions {
 public:
  // Sends a message; false: it cannot be sent. Called from any thread.
  using Send = std::function<bool(const Json&)>;

  McpQuestions(Send send, std::chrono::milliseconds limit)
      : send_(std::move(send)), limit_(limit) {}

  // Waits for the client's result. Nothing when it refuses, does not answer in time, or will not
  // (end()), and when `stop` asks for that.
  std::optional<Json> ask(std::string_view method, Json params, const std::stop_token& stop)
      ANIMA_EXCLUDES(mutex_);
  // False: the message is no answer to what is asked.
  bool answered(const Json& message) ANIMA_EXCLUDES(mutex_);
  // The client answers nothing any more.
  void end() ANIMA_EXCLUDES(mutex_);

 private:
  struct Question {
    bool over = false;
    bool heard = false;  // it is over because the client answered
    std::optional<Json> result = {};
  };
  void give_up(const std::string& id) ANIMA_EXCLUDES(mutex_);
  Question wait_for(const std::string& id) ANIMA_EXCLUDES(mutex_);

  const Send send_;
  const std::chrono::milliseconds limit_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, Question> asked_ ANIMA_GUARDED_BY(mutex_);  // by id
  std::int64_t last_ ANIMA_GUARDED_BY(mutex_) = 0;
  bool ended_ ANIMA_GUARDED_BY(mutex_) = false;
};

}  // namespace anima::cli
