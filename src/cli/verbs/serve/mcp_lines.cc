#include "cli/verbs/serve/mcp_lines.h"

#include <unistd.h>

#include <condition_variable>
#include <thread>
#include <utility>

#include "cli/frame/interrupt.h"
#include "cli/terminal/bounded_lines.h"
#include "serve/mcp_protocol.h"
#include "serve/message_id.h"

namespace anima::cli {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t kMaxMessageBytes = std::size_t{16} << 20;
constexpr std::size_t kMostDeferred = 256;
constexpr std::size_t kMostOvertaking = 4096;  // bytes of a message that does not wait

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

}  // namespace

// Messages that were read and not answered yet, and which one is being answered. The reader waits
// when there are many.
class McpLines::Waiting {
 public:
  void put(Line line) ANIMA_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    while (!ended_ && (lines_.size() >= kMost || bytes_ >= kMostBytes)) changed_.wait(mutex_);
    bytes_ += size_of(line);
    lines_.push_back(std::move(line));
    changed_.notify_all();
  }
  void end() ANIMA_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  bool ended() ANIMA_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return ended_;
  }
  // Nothing: none will come any more.
  std::optional<Line> take() ANIMA_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    while (!ended_ && lines_.empty()) changed_.wait(mutex_);
    return first();
  }
  // Nothing: likewise, or the request that is answered was taken back, or it is too late.
  std::optional<Line> take_until(Steady::time_point limit) ANIMA_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    while (!ended_ && !taken_back_ && lines_.empty()) {
      if (changed_.wait_until(mutex_, limit) == std::cv_status::timeout) return std::nullopt;
    }
    return taken_back_ ? std::nullopt : first();
  }
  void answering(const Json* id) ANIMA_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    answered_ = id == nullptr ? Json() : *id;
    taken_back_ = false;
  }
  void take_back(const Json& id) ANIMA_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (answered_ != id) return;
    taken_back_ = true;
    changed_.notify_all();
  }

 private:
  static constexpr std::size_t kMost = 256;
  static constexpr std::size_t kMostBytes = 2 * kMaxMessageBytes;

  static std::size_t size_of(const Line& line) {
    const auto* text = std::get_if<std::string>(&line);
    return text == nullptr ? 0 : text->size();
  }
  std::optional<Line> first() ANIMA_REQUIRES(mutex_) {
    if (lines_.empty()) return std::nullopt;
    std::optional<Line> line = std::move(lines_.front());
    lines_.pop_front();
    bytes_ -= size_of(*line);
    changed_.notify_all();
    return line;
  }

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Line> lines_ ANIMA_GUARDED_BY(mutex_);
  std::size_t bytes_ ANIMA_GUARDED_BY(mutex_) = 0;
  Json answered_ ANIMA_GUARDED_BY(mutex_);  // the id
  bool taken_back_ ANIMA_GUARDED_BY(mutex_) = false;
  bool ended_ ANIMA_GUARDED_BY(mutex_) = false;
};

McpLines::McpLines(Context& context, std::chrono::milliseconds question_time)
    : context_(context), question_time_(question_time), waiting_(std::make_unique<Waiting>()) {}
McpLines::~McpLines() = default;

bool McpLines::write(const Json& message) {
  const MutexLock lock(writing_);
  context_.out.write(message.dump() + "\n");
  context_.out.flush();
  return context_.out.failure() == 0;
}

// False when an answer could not be written.
bool McpLines::answer(const McpHandler& handler, const Line& line) {
  if (const auto* too_long = std::get_if<TooLong>(&line))
    return write(serve::rpc_too_long(kMaxMessageBytes, too_long->id));
  JsonLimits limits;
  limits.max_bytes = kMaxMessageBytes;
  const auto message = parse_json(std::get<std::string>(line), limits);
  if (!message) return write(serve::rpc_parse_error(message.error().describe()));
  waiting_->answering(message->find("id"));
  const auto answer = handler.handle(*message);
  waiting_->answering(nullptr);
  return !answer || write(*answer);
}

// Answers them in their order; false when an answer could not be written.
bool McpLines::answer_all(const McpHandler& handler) {
  while (!interrupted()) {
    std::optional<Line> line;
    if (deferred_.empty()) {
      line = waiting_->take();
    } else {
      line = std::move(deferred_.front());
      deferred_.pop_front();
    }
    if (!line) return true;
    if (!answer(handler, *line)) return false;
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
  const auto limit = Steady::now() + question_time_;
  while (!interrupted()) {
    std::optional<Line> line = waiting_->take_until(limit);
    if (!line) return std::nullopt;
    const auto* text = std::get_if<std::string>(&*line);
    const auto message = text != nullptr ? parse_json(*text) : Result<Json>(Json());
    const Json* answered = message ? message->find("id") : nullptr;
    const bool ours =
        answered != nullptr && *answered == Json(id) && message->find("method") == nullptr;
    if (!ours) {
      deferred_.push_back(*std::move(line));
      if (deferred_.size() >= kMostDeferred) return std::nullopt;
      continue;
    }
    const Json* result = message->find("result");
    return result == nullptr ? std::nullopt : std::optional(*result);
  }
  return std::nullopt;
}

// Handles a message that does not wait for its turn; false for any other.
bool McpLines::overtake(const McpHandler& handler, const std::string& line) {
  if (line.size() > kMostOvertaking) return false;
  const bool possible = line.find("notifications/cancelled") != std::string::npos ||
                        line.find("ping") != std::string::npos;
  if (!possible) return false;
  const auto message = parse_json(line);
  if (!message || !handler.overtakes(*message)) return false;
  if (serve::is_mcp_cancellation(*message))
    waiting_->take_back(*message->find("params")->find("requestId"));
  const auto answer = handler.handle(*message);
  if (answer && !write(*answer)) waiting_->end();
  return true;
}

// This thread reads, another one answers.
int McpLines::serve(const McpHandler& handler) {
  std::optional<serve::MessageId> skipped;
  BoundedLines lines(
      STDIN_FILENO, kMaxMessageBytes,
      [] {
        while (!wait_for_input()) {
          if (interrupted()) return false;
        }
        return true;
      },
      [&skipped](std::string_view bytes) {
        if (!skipped) skipped.emplace();
        skipped->feed(bytes);
      });
  bool written = true;
  std::thread answers([&] {
    written = answer_all(handler);
    waiting_->end();
  });
  std::string line;
  for (auto got = lines.next(line); got != BoundedLines::Got::kEnd; got = lines.next(line)) {
    if (interrupted() || waiting_->ended()) break;
    if (got == BoundedLines::Got::kTooLong) {
      waiting_->put(TooLong{std::exchange(skipped, std::nullopt)->id()});
    } else if (!is_blank(line) && !overtake(handler, line)) {
      waiting_->put(std::move(line));
    }
  }
  waiting_->end();
  answers.join();
  if (!written || context_.out.failure() != 0) return kFailed;
  return interrupted() ? kInterrupted : kDone;
}

}  // namespace anima::cli
