#include "serve/mcp_http/sessions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/crypto.h"

namespace anima::serve::mcp_http {
namespace {

McpOptions options_of(MemoryParts& parts, const http::Caller& caller, const SessionOptions& options,
                      McpMemory& memory) {
  McpOptions mcp;
  mcp.version = options.version;
  mcp.origin.author = caller.name;
  mcp.origin.source = "mcp";
  mcp.origin.trust = caller.trust;
  mcp.readonly = options.readonly || !caller.may_write;
  mcp.define_on_use = parts.define_on_use;
  mcp.memory = &memory;
  mcp.asker = parts.asker.get();
  mcp.transport = "tcp";
  return mcp;
}

}  // namespace

Session::Session(MemoryParts& parts, const http::Caller& caller, const SessionOptions& options)
    : caller_(caller),
      memory_(*parts.house, *parts.why,
              {.trust = caller.trust,
               .author = caller.name,
               .source = "mcp",
               .readonly = options.readonly || !caller.may_write,
               .subject = caller.name,
               .since = caller.since}),
      server_(parts.engine, options_of(parts, caller, options, memory_)) {}

bool Session::is_of(const http::Caller& caller) const { return caller == caller_; }

bool Session::open_stream(std::shared_ptr<http::Outlet> outlet) {
  const std::lock_guard lock(mutex_);
  if (stream_ != nullptr && !stream_->is_over()) return false;
  stream_ = std::move(outlet);
  return true;
}

bool Session::has_stream() {
  const std::lock_guard lock(mutex_);
  return stream_ != nullptr && !stream_->is_over();
}

void Session::end() {
  const std::lock_guard lock(mutex_);
  if (stream_ != nullptr) stream_->end();
}

InUse::InUse(std::shared_ptr<Session> session, Clock& clock)
    : session_(std::move(session)), clock_(&clock) {
  if (session_ == nullptr) return;
  ++session_->running_;
  session_->used_ = clock_->monotonic_nanoseconds();
}

InUse::~InUse() {
  if (session_ == nullptr) return;
  session_->used_ = clock_->monotonic_nanoseconds();
  --session_->running_;
}

std::shared_ptr<Session> SessionBook::make(const http::Caller& caller) {
  return std::make_shared<Session>(parts_, caller, options_);
}

// A stream that is open is no silence.
bool SessionBook::is_idle(Session& session) const {
  const std::int64_t silent =
      (parts_.gate->clock().monotonic_nanoseconds() - session.used_) / 1'000'000;
  return session.running_ == 0 && silent >= options_.silence.count() && !session.has_stream();
}

// With the lock. What was silent for long ends; then, where that is not enough, what was silent for
// longest of who wants one more, and of all.
bool SessionBook::make_room(const std::string& caller) {
  for (auto at = sessions_.begin(); at != sessions_.end();) {
    if (!is_idle(*at->second)) {
      ++at;
      continue;
    }
    at->second->end();
    at = sessions_.erase(at);
  }
  const auto drop_oldest = [&](bool own_alone) {
    auto oldest = sessions_.end();
    for (auto at = sessions_.begin(); at != sessions_.end(); ++at) {
      const Session& each = *at->second;
      if (each.running_ > 0 || (own_alone && each.caller_.name != caller)) continue;
      if (oldest == sessions_.end() || each.used_ < oldest->second->used_) oldest = at;
    }
    if (oldest == sessions_.end()) return false;
    oldest->second->end();
    sessions_.erase(oldest);
    return true;
  };
  const auto own = static_cast<std::size_t>(std::ranges::count_if(
      sessions_, [&](const auto& each) { return each.second->caller_.name == caller; }));
  if (own >= options_.most_of_caller && !drop_oldest(true)) return false;
  return sessions_.size() < options_.most || drop_oldest(false);
}

std::string SessionBook::add(std::shared_ptr<Session> session) {
  std::array<std::uint8_t, 16> bytes{};
  parts_.gate->random().fill(bytes);
  std::string id = to_hex(bytes);
  const std::lock_guard lock(mutex_);
  if (!make_room(session->caller_.name)) return {};
  session->used_ = parts_.gate->clock().monotonic_nanoseconds();
  sessions_.emplace(id, std::move(session));
  return id;
}

InUse SessionBook::find(const std::string& id, const http::Caller& caller) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end() || !found->second->is_of(caller)) return {};
  const std::shared_ptr<Session> session = found->second;
  if (is_idle(*session)) {
    sessions_.erase(found);
    return {};
  }
  return {session, parts_.gate->clock()};
}

bool SessionBook::remove(const std::string& id, const http::Caller& caller) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end() || !found->second->is_of(caller)) return false;
  found->second->end();
  sessions_.erase(found);
  return true;
}

InUse SessionBook::of_caller(const http::Caller& caller) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Session>& session = of_callers_[caller.name];
  if (session == nullptr || !session->is_of(caller)) session = make(caller);
  const std::shared_ptr<Session> wanted = session;
  if (of_callers_.size() > options_.most)
    std::erase_if(of_callers_, [&](const auto& each) { return each.first != caller.name; });
  return {wanted, parts_.gate->clock()};
}

std::size_t SessionBook::count() {
  const std::lock_guard lock(mutex_);
  return sessions_.size();
}

}  // namespace anima::serve::mcp_http
