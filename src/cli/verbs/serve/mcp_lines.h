// The lines of an MCP server: one message each on standard input, answers and nothing else on
// standard output. One thread reads, another one answers, so that a request can be taken back while
// it runs, a `ping` is answered at once, and the client can be asked something meanwhile.
// Thread-safety: serve() belongs to one thread; ask() is called by the handler.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/json/json.h"
#include "base/mutex.h"
#include "cli/frame/context.h"

namespace anima::cli {

struct McpHandler {
  std::function<std::optional<Json>(const Json&)> handle;
  // Whether a message does not wait for its turn: it is handled on the thread that reads.
  std::function<bool(const Json&)> overtakes;
};

class McpLines {
 public:
  explicit McpLines(Context& context,
                    std::chrono::milliseconds question_time = std::chrono::minutes(10));
  ~McpLines();
  McpLines(const McpLines&) = delete;
  McpLines& operator=(const McpLines&) = delete;

  // Until the input ends; gives the exit code.
  int serve(const McpHandler& handler);
  // Asks the client and waits for its answer; the requests that come meanwhile wait. Nothing when
  // it refuses or ends, takes back the request that is being answered, or does not answer in time.
  std::optional<Json> ask(std::string_view method, Json params);

 private:
  class Waiting;
  struct TooLong {
    std::optional<Json> id;
  };
  // A message that came, or what is known of one that is too long.
  using Line = std::variant<std::string, TooLong>;

  bool answer_all(const McpHandler& handler);
  bool answer(const McpHandler& handler, const Line& line);
  bool overtake(const McpHandler& handler, const std::string& line);
  bool write(const Json& message) ANIMA_EXCLUDES(writing_);

  Context& context_;
  const std::chrono::milliseconds question_time_;
  Mutex writing_;  // one message at a time
  std::unique_ptr<Waiting> waiting_;
  std::deque<Line> deferred_;
  std::int64_t asked_ = 0;
};

}  // namespace anima::cli
