// The sessions of MCP over HTTP: a server of the protocol for each client that said `initialize`.
//
// A session belongs to the caller that began it, with the rights that his token had then; for
// anybody else, and with other rights, it is not there. Bounded: of one caller, and of all; the one
// that was silent for longest gives way, and one that is silent for long ends. Thread-safety:
// SessionBook from any thread; of a session what its McpServer says. Ownership: parts and clock
// outlive it.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "serve/http/message.h"
#include "serve/http/outlet.h"
#include "serve/mcp.h"
#include "serve/memory_parts.h"

namespace anima::serve::mcp_http {

struct SessionOptions {
  std::string version = "0.1.0";
  bool readonly = false;
  std::size_t most = 256, most_of_caller = 16;
  std::chrono::milliseconds silence{30 * 60'000};  // after which a session ends
};

class Session {
 public:
  Session(MemoryParts& parts, const http::Caller& caller, const SessionOptions& options);

  bool is_of(const http::Caller& caller) const;
  McpServer& server() { return server_; }
  // The stream of the server's own messages; false: there is one already.
  bool open_stream(std::shared_ptr<http::Outlet> outlet);
  bool has_stream();
  void end();

 private:
  friend class SessionBook;
  friend class InUse;
  const http::Caller caller_;
  McpMemory memory_;
  McpServer server_;
  std::mutex mutex_;
  std::shared_ptr<http::Outlet> stream_;
  std::atomic<int> running_{0};
  std::atomic<std::int64_t> used_{0};  // when, by the monotonic clock
};

// A session that a request works with: it does not end meanwhile.
class InUse {
 public:
  InUse() = default;
  InUse(std::shared_ptr<Session> session, Clock& clock);
  ~InUse();
  InUse(InUse&& other) noexcept = default;
  InUse& operator=(InUse&&) = delete;
  explicit operator bool() const { return session_ != nullptr; }
  Session* operator->() const { return session_.get(); }

 private:
  std::shared_ptr<Session> session_;
  Clock* clock_ = nullptr;
};

class SessionBook {
 public:
  SessionBook(MemoryParts& parts, SessionOptions options) : parts_(parts), options_(options) {}

  // A new one, which is nowhere yet.
  std::shared_ptr<Session> make(const http::Caller& caller);
  // Its id; empty when there is no room, because all work.
  std::string add(std::shared_ptr<Session> session);
  InUse find(const std::string& id, const http::Caller& caller);
  bool remove(const std::string& id, const http::Caller& caller);
  // For requests of the era without sessions: one for each caller.
  InUse of_caller(const http::Caller& caller);
  std::size_t count();

 private:
  using Sessions = std::map<std::string, std::shared_ptr<Session>>;
  bool is_idle(Session& session) const;
  bool make_room(const std::string& caller);

  MemoryParts& parts_;
  const SessionOptions options_;
  std::mutex mutex_;
  Sessions sessions_, of_callers_;
};

}  // namespace anima::serve::mcp_http
