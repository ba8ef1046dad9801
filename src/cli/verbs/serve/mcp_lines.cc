#include "cli/verbs/serve/mcp_lines.h"

#include <unistd.h>

#include <utility>

#include "cli/frame/exit_code.h"
#include "cli/frame/interrupt.h"
#include "cli/terminal/bounded_lines.h"
#include "serve/mcp_progress.h"
#include "serve/mcp_protocol.h"
#include "serve/message_id.h"

namespace anima::cli {
namespace {

constexpr std::size_t kMaxMessageBytes = std::size_t{16} << 20;
constexpr std::chrono::milliseconds kLook{100};  // for an interrupt, when the input has ended

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

bool is_request(const Json& message) {
  return message.is_array() || (message.find("id") != nullptr && message.find("method") != nullptr);
}

Json cancellation_of(const Json& id) {
  return Json::object({{"jsonrpc", "2.0"},
                       {"method", "notifications/cancelled"},
                       {"params", Json::object({{"requestId", id}})}});
}

Json too_much(const Json& message) {
  return serve::rpc_error(message.find("id"), serve::kServerBusy,
                          "too many requests wait: make it again when some of them are answered");
}

}  // namespace

McpLines::McpLines(Stream& out, McpLinesOptions options)
    : out_(out),
      options_(options),
      queue_(options.waiting),
      questions_([this](const Json& message) { return write(message); }, options.question_time) {}

// False when it cannot be written: nothing is worth doing any more.
bool McpLines::write(const Json& message) {
  {
    const MutexLock lock(writing_);
    out_.write(message.dump() + "\n");
    out_.flush();
    if (out_.failure() == 0) return true;
  }
  unread_ = true;
  queue_.drop();
  questions_.end();
  return false;
}

void McpLines::answer_at_once(const McpHandler& handler, const Json& message) {
  if (const auto answer = handler.handle(message)) write(*answer);
}

// On the thread that reads.
void McpLines::receive(const McpHandler& handler, const std::string& line) {
  JsonLimits limits;
  limits.max_bytes = kMaxMessageBytes;
  auto message = parse_json(line, limits);
  if (!message) {
    write(serve::rpc_parse_error(message.error().describe()));
  } else if (questions_.answered(*message)) {
    return;
  } else if (serve::is_mcp_cancellation(*message)) {
    if (!queue_.take_back(*message->find("params")->find("requestId")))
      answer_at_once(handler, *message);
  } else if (!is_request(*message) || serve::overtakes_mcp(*message)) {
    answer_at_once(handler, *message);
  } else if (const serve::Needs needs = handler.needs(*message);
             !queue_.put(*message, line.size(), needs)) {
    write(too_much(*message));
  }
}

void McpLines::answer(const McpHandler& handler, const Json& message) {
  auto progress =
      serve::McpProgress::of(message, options_.progress, [this](const Json& told) { write(told); });
  const auto answer = handler.handle(message);
  progress.reset();
  if (answer) write(*answer);
}

// What waits for this one begins behind its answer.
void McpLines::work(const McpHandler& handler) {
  while (const auto given = queue_.take()) {
    if (interrupted()) {
      queue_.drop();
    } else {
      answer(handler, given->message);
    }
    queue_.done(given->place);
  }
}

void McpLines::read(const McpHandler& handler) {
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
  std::string line;
  for (auto got = lines.next(line); got != BoundedLines::Got::kEnd; got = lines.next(line)) {
    if (interrupted() || unread_) return;
    if (got == BoundedLines::Got::kTooLong) {
      write(serve::rpc_too_long(kMaxMessageBytes, std::exchange(skipped, std::nullopt)->id()));
    } else if (!is_blank(line)) {
      receive(handler, line);
    }
  }
}

// The input has ended, or the program is interrupted, which may come later, too.
void McpLines::finish(const McpHandler& handler) {
  queue_.end();
  questions_.end();
  while (!interrupted() && !queue_.finished_within(kLook)) {
  }
  if (!interrupted()) return;
  queue_.drop();
  for (const Json& id : queue_.running()) answer_at_once(handler, cancellation_of(id));
}

int McpLines::serve(const McpHandler& handler) {
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < kWorkers; ++i) workers.emplace_back([&] { work(handler); });
  read(handler);
  finish(handler);
  for (std::thread& each : workers) each.join();
  if (out_.failure() != 0) return kFailed;
  return interrupted() ? kInterrupted : kDone;
}

}  // namespace anima::cli
