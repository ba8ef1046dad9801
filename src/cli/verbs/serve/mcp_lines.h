// The lines of an MCP server: one message each on standard input, answers and nothing else on
// standard output, whole lines in any order.
//
// One thread reads, and never waits for a request: it takes answers to what was asked of the
// client, answers a `ping` and takes requests back at once, and refuses what is too long, no
// message, or too much. kWorkers threads run the requests, those side by side that may
// (McpHandler::needs). When the input ends, what came is answered; when the program is interrupted,
// what waits is dropped and what runs is taken back. Thread-safety: serve() belongs to one thread;
// ask() is called by handlers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/json/json.h"
#include "base/mutex.h"
#include "cli/frame/stream.h"
#include "cli/verbs/serve/mcp_questions.h"
#include "cli/verbs/serve/mcp_queue.h"
#include "serve/turn_line.h"

namespace anima::cli {

// The functions are called from any thread.
struct McpHandler {
  // Nothing: the message is not answered.
  std::function<std::optional<Json>(const Json&)> handle;
  std::function<serve::Needs(const Json&)> needs;
};

struct McpLinesOptions {
  std::chrono::milliseconds question_time = std::chrono::minutes(10);
  std::chrono::milliseconds progress = std::chrono::seconds(1);
  McpQueue::Limits waiting = {};
};

class McpLines {
 public:
  static constexpr std::size_t kWorkers = 4;

  // `out` outlives it, and is written by nobody else meanwhile.
  explicit McpLines(Stream& out, McpLinesOptions options = {});
  McpLines(const McpLines&) = delete;
  McpLines& operator=(const McpLines&) = delete;

  // Until the input ends; gives the exit code.
  int serve(const McpHandler& handler);
  // Asks the client (McpQuestions::ask).
  std::optional<Json> ask(std::string_view method, Json params, const std::stop_token& stop) {
    return questions_.ask(method, std::move(params), stop);
  }

 private:
  void read(const McpHandler& handler);
  void receive(const McpHandler& handler, const std::string& line);
  void answer_at_once(const McpHandler& handler, const Json& message);
  void work(const McpHandler& handler);
  void answer(const McpHandler& handler, const Json& message);
  void finish(const McpHandler& handler);
  bool write(const Json& message) ANIMA_EXCLUDES(writing_);

  Stream& out_;
  const McpLinesOptions options_;
  Mutex writing_;                     // a message as a whole, to out_
  std::atomic<bool> unread_ = false;  // answers cannot be written
  McpQueue queue_;
  McpQuestions questions_;
};

}  // namespace anima::cli
