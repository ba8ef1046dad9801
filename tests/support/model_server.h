// A scripted language model: a real HTTP server on this machine, in a thread, whose answers and
// faults a test writes byte by byte. One request a connection; answers are given in their order, or
// made from the request. Thread-safety: from any thread.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "base/text/text.h"

namespace anima::test {

struct ServerAnswer {
  struct Step {
    std::string bytes;
    int wait_ms = 0;  // before they are sent
  };
  enum class End { kClose, kReset, kHang };
  std::vector<Step> steps;
  End end = End::kClose;
};

inline ServerAnswer http_answer(int status, std::string_view type, std::string_view body,
                                std::string_view more_headers = {}) {
  std::string text = "HTTP/1.1 " + std::to_string(status) + " Status\r\ncontent-type: ";
  text.append(type).append("\r\ncontent-length: ").append(std::to_string(body.size()));
  text.append("\r\nconnection: close\r\n").append(more_headers).append("\r\n").append(body);
  return {{{std::move(text), 0}}, ServerAnswer::End::kClose};
}
inline ServerAnswer json_answer(const Json& body, int status = 200,
                                std::string_view more_headers = {}) {
  return http_answer(status, "application/json", body.dump(), more_headers);
}
// What each event of the stream says is a piece of its own; the connection's end is the stream's.
inline ServerAnswer stream_answer(const std::vector<std::string>& events) {
  ServerAnswer answer{
      {{"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n", 0}},
      ServerAnswer::End::kClose};
  for (const std::string& event : events) answer.steps.push_back({event + "\n\n", 0});
  return answer;
}

// A whole answer of chat completions.
inline Json chat_reply(std::string_view text) {
  return Json::object(
      {{"id", "chatcmpl-1"},
       {"model", "scripted-1"},
       {"choices", Json::array({Json::object(
                       {{"index", 0},
                        {"finish_reason", "stop"},
                        {"message", Json::object({{"role", "assistant"}, {"content", text}})}})})},
       {"usage", Json::object({{"prompt_tokens", 12}, {"completion_tokens", 5}})}});
}

struct ServerRequest {
  std::string head;  // request line and headers, as they came
  std::string body;

  std::string header(std::string_view name) const {
    for (const std::string_view line : split(head, '\n')) {
      const std::size_t colon = line.find(':');
      if (colon != std::string_view::npos &&
          equals_ignoring_ascii_case(line.substr(0, colon), name))
        return std::string(trim(line.substr(colon + 1)));
    }
    return {};
  }
  std::string path() const {
    const std::size_t from = head.find(' ') + 1;
    return head.substr(from, head.find(' ', from) - from);
  }
  Json json() const {
    const auto json = parse_json(body);
    return json ? *json : Json();
  }
};

class ModelServer {
 public:
  using Script = std::function<ServerAnswer(const ServerRequest&)>;

  ModelServer() {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, any, size) != 0 || ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, any, &size) != 0)
      std::abort();
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~ModelServer() {
    stop_ = true;
    thread_.join();
    ::close(listener_);
  }
  ModelServer(const ModelServer&) = delete;
  ModelServer& operator=(const ModelServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1"; }
  void answer(ServerAnswer answer) {
    const std::lock_guard lock(mutex_);
    answers_.push_back(std::move(answer));
  }
  // For every request that finds no answer waiting.
  void otherwise(Script script) {
    const std::lock_guard lock(mutex_);
    script_ = std::move(script);
  }
  std::vector<ServerRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  std::size_t count() const { return requests().size(); }

 private:
  static constexpr int kStepMs = 10;

  void serve() {
    while (!stop_) {
      pollfd waiting{listener_, POLLIN, 0};
      if (::poll(&waiting, 1, kStepMs) <= 0) continue;
      const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      ServerRequest request;
      if (read_request(connection, request)) give(connection, next_answer(request));
      ::close(connection);
    }
  }

  bool read_request(int connection, ServerRequest& request) {
    std::string bytes;
    char buffer[65'536];
    for (;;) {
      const std::size_t end = bytes.find("\r\n\r\n");
      if (end != std::string::npos) {
        request.head = bytes.substr(0, end);
        request.body = bytes.substr(end + 4);
        const std::string length = request.header("content-length");
        if (request.body.size() >= (length.empty() ? 0 : std::stoul(length))) return true;
      }
      pollfd waiting{connection, POLLIN, 0};
      if (stop_) return false;
      if (::poll(&waiting, 1, kStepMs) <= 0) continue;
      const ssize_t got = ::recv(connection, buffer, sizeof buffer, 0);
      if (got <= 0) return false;
      bytes.append(buffer, static_cast<std::size_t>(got));
    }
  }

  ServerAnswer next_answer(const ServerRequest& request) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    if (answers_.empty()) {
      return script_ ? script_(request)
                     : json_answer(Json::object({{"error", "the script is at its end"}}), 400);
    }
    ServerAnswer answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }

  void give(int connection, const ServerAnswer& answer) {
    for (const ServerAnswer::Step& step : answer.steps) {
      for (int waited = 0; waited < step.wait_ms && !stop_ && !closed(connection);
           waited += kStepMs)
        std::this_thread::sleep_for(std::chrono::milliseconds(kStepMs));
      if (!send_all(connection, step.bytes)) return;
    }
    if (answer.end == ServerAnswer::End::kHang) {
      while (!stop_ && !closed(connection))
        std::this_thread::sleep_for(std::chrono::milliseconds(kStepMs));
    } else if (answer.end == ServerAnswer::End::kReset) {
      const linger now{1, 0};
      ::setsockopt(connection, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
  }

  static bool closed(int connection) {
    pollfd waiting{connection, POLLIN, 0};
    char byte = 0;
    return ::poll(&waiting, 1, 0) > 0 && ::recv(connection, &byte, 1, MSG_PEEK) <= 0;
  }

  bool send_all(int connection, std::string_view bytes) {
    while (!bytes.empty() && !stop_) {
      pollfd waiting{connection, POLLOUT, 0};
      if (::poll(&waiting, 1, kStepMs) <= 0) continue;
      const ssize_t sent =
          ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;
  std::deque<ServerAnswer> answers_;
  Script script_;
  std::vector<ServerRequest> requests_;
  std::thread thread_;
};

}  // namespace anima::test
