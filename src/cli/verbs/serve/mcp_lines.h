// The lines of an MCP server: one message each on standard input, answers and nothing else on
// standard output. One thread reads, another one answers, so that a request can be taken back while
// it runs, and so that the client can be asked something meanwhile. Thread-safety: serve() belongs
// to one thread; ask() is called by the handler.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "cli/frame/context.h"

namespace anima::cli {

struct McpHandler {
  std::function<std::optional<Json>(const Json&)> handle;
  // Whether a message takes a request back: such a one does not wait for its turn.
  std::function<bool(const Json&)> is_cancellation;
};

class McpLines {
 public:
  explicit McpLines(Context& context);
  ~McpLines();
  McpLines(const McpLines&) = delete;
  McpLines& operator=(const McpLines&) = delete;

  // Until the input ends; gives the exit code.
  int serve(const McpHandler& handler);
  // Asks the client and waits for its answer; the requests that come meanwhile wait. Nothing when
  // it refuses or ends.
  std::optional<Json> ask(std::string_view method, Json params);

 private:
  class Waiting;
  bool answer_all(const McpHandler& handler);
  bool answer(const McpHandler& handler, const std::optional<std::string>& line);
  bool write(const Json& message);

  Context& context_;
  std::unique_ptr<Waiting> waiting_;
  std::deque<std::optional<std::string>> deferred_;
  std::int64_t asked_ = 0;
};

}  // namespace anima::cli
