#include "cli/verbs/serve/mcp_lines.h"

#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "cli/frame/interrupt.h"
#include "cli/terminal/bounded_lines.h"
#include "serve/mcp.h"

namespace anima::cli {
namespace {

constexpr std::size_t kMaxMessageBytes = std::size_t{16} << 20;
constexpr std::size_t kMostDeferred = 256;

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

}  // namespace

// Messages that were read and not answered yet. The reader waits when there are many.
class McpLines::Waiting {
 public:
  // Nothing: a message of which more came than is read.
  void put(std::optional<std::string> line) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [this] { return ended_ || (lines_.size() < kMost && bytes_ < kMostBytes); });
    bytes_ += line ? line->size() : 0;
    lines_.push_back(std::move(line));
    changed_.notify_all();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  bool ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  // False when none will come any more.
  bool take(std::optional<std::string>* line) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || !lines_.empty(); });
    if (lines_.empty()) return false;
    *line = std::move(lines_.front());
    lines_.pop_front();
    bytes_ -= *line ? (*line)->size() : 0;
    changed_.notify_all();
    return true;
  }

 private:
  static constexpr std::size_t kMost = 256;
  static constexpr std::size_t kMostBytes = 2 * kMaxMessageBytes;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::optional<std::string>> lines_;
  std::size_t bytes_ = 0;
  bool ended_ = false;
};

McpLines::McpLines(Context& context) : context_(context), waiting_(std::make_unique<Waiting>()) {}
McpLines::~McpLines() = default;

bool McpLines::write(const Json& message) {
  context_.out.write(message.dump() + "\n");
  context_.out.flush();
  return context_.out.failure() == 0;
}

// False when an answer could not be written.
bool McpLines::answer(const McpHandler& handler, const std::optional<std::string>& line) {
  if (!line) return write(serve::McpServer::too_long(kMaxMessageBytes));
  JsonLimits limits;
  limits.max_bytes = kMaxMessageBytes;
  const auto message = parse_json(*line, limits);
  if (!message) return write(serve::McpServer::parse_error(message.error().describe()));
  const auto answer = handler.handle(*message);
  return !answer || write(*answer);
}

// Answers them in their order; false when an answer could not be written.
bool McpLines::answer_all(const McpHandler& handler) {
  std::optional<std::string> line;
  while (!interrupted()) {
    if (!deferred_.empty()) {
      line = std::move(deferred_.front());
      deferred_.pop_front();
    } else if (!waiting_->take(&line)) {
      return true;
    }
    if (!answer(handler, line)) return false;
  }
  return true;
}

std::optional<Json> McpLines::ask(std::string_view method, Json params) {
  const std::string id = "anima-" + std::to_string(++asked_);
  if (!write(Json::object({{"jsonrpc", "2.0"},
                           {"id", id},
                           {"method", std::string(method)},
                           {"params", std::move(params)}})))
    return std::nullopt;
  std::optional<std::string> line;
  while (!interrupted() && waiting_->take(&line)) {
    const auto message = line ? parse_json(*line) : Result<Json>(Json());
    const Json* answered = message ? message->find("id") : nullptr;
    const bool ours =
        answered != nullptr && *answered == Json(id) && message->find("method") == nullptr;
    if (!ours) {
      deferred_.push_back(std::move(line));
      if (deferred_.size() >= kMostDeferred) return std::nullopt;
      continue;
    }
    const Json* result = message->find("result");
    return result == nullptr ? std::nullopt : std::optional(*result);
  }
  return std::nullopt;
}

// This thread reads, another one answers.
int McpLines::serve(const McpHandler& handler) {
  BoundedLines lines(STDIN_FILENO, kMaxMessageBytes, [] {
    while (!wait_for_input()) {
      if (interrupted()) return false;
    }
    return true;
  });
  // A request may be taken back while it runs: such a message does not wait for its turn.
  const auto cancels = [&](const std::string& line) {
    constexpr std::size_t kMostBytes = 4096;
    if (line.size() > kMostBytes || line.find("notifications/cancelled") == std::string::npos)
      return false;
    const auto message = parse_json(line);
    if (!message || !handler.is_cancellation(*message)) return false;
    handler.handle(*message);
    return true;
  };
  bool written = true;
  std::thread answers([&] {
    written = answer_all(handler);
    waiting_->end();
  });
  std::string line;
  for (auto got = lines.next(line); got != BoundedLines::Got::kEnd; got = lines.next(line)) {
    if (interrupted() || waiting_->ended()) break;
    if (got == BoundedLines::Got::kTooLong) {
      waiting_->put(std::nullopt);
    } else if (!is_blank(line) && !cancels(line)) {
      waiting_->put(std::move(line));
    }
  }
  waiting_->end();
  answers.join();
  if (!written) return kFailed;
  return interrupted() ? kInterrupted : kDone;
}

}  // namespace anima::cli
