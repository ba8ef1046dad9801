// The portal: the gate to the web. Closed in epochs 0 to 2; in epoch 3 it lets GET and HEAD
// through, five a cycle for each agent, two more in each later epoch. What it lets through goes to
// the fetcher of the program that runs the world; without one, nothing is fetched.
// Source: governance_and_runtime 2.8. Thread-safety: one thread at a time.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "world/daemons/daemon.h"

namespace anima::world {

class Portal final : public Daemon {
 public:
  using Fetcher =
      std::function<Result<std::string>(const std::string& method, const std::string& url)>;
  Portal(Realm& realm, std::string_view secret) : Daemon(realm, System::kPortal, secret) {}
  void set_fetcher(Fetcher fetcher) { fetcher_ = std::move(fetcher); }
  void end_cycle() { requests_.clear(); }

  MessagePack state() const override;
  Status restore(const MessagePack& state) override;

 protected:
  Answer handle(const Request& request) override;

 private:
  Fetcher fetcher_;
  std::map<AgentId, std::uint64_t> requests_;  // in this cycle
};

}  // namespace anima::world
