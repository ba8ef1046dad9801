// The portal: the gate to the web. Closed in epochs 0 to 2; in epoch 3 it lets GET and HEAD
// through, five a cycle for each agent, two more in each later epoch. It lets through what goes to
// a host that the world may read: none, unless its owner names it. What was fetched is kept
// (outside/outside.h), so that a world that goes on or is run again reads the same pages.
//
// A page is content of a stranger: the answer says trust "untrusted", and what the guardian makes
// of it (govern/detect/guardian.h); a page that it blocks is withheld. Redirections are not
// followed: an agent may ask for where they lead, by the same rules. Source:
// governance_and_runtime 2.8, row 159. Thread-safety: one thread at a time.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "govern/detect/guardian.h"
#include "world/daemons/daemon.h"
#include "world/outside/outside.h"
#include "world/outside/web_page.h"

namespace anima::world {

// Whether a host is one of these: "example.org", or "*.example.org" for all below it.
bool is_listed(std::string_view host, const std::vector<std::string>& hosts);

class Portal final : public Daemon {
 public:
  Portal(Realm& realm, std::string_view secret) : Daemon(realm, System::kPortal, secret) {}
  // The way to the web, and the hosts at its end. `outside` may be null: then nothing is kept.
  void open(PageFetcher fetcher, std::vector<std::string> hosts, Outside* outside) {
    fetcher_ = std::move(fetcher);
    hosts_ = std::move(hosts);
    outside_ = outside;
  }
  void end_cycle() { requests_.clear(); }
  // An error after which the world must not go on.
  const Status& stopped() const { return stopped_; }

  MessagePack state() const override;
  Status restore(const MessagePack& state) override;

 protected:
  Answer handle(const Request& request) override;

 private:
  Answer fetch(const std::string& method, const std::string& url);
  Answer screened(const std::string& method, const std::string& url, const Json& page);

  PageFetcher fetcher_;
  std::vector<std::string> hosts_;
  Outside* outside_ = nullptr;
  std::optional<govern::Guardian> guardian_;   // made for the first page
  Status stopped_;                             // a recording that does not fit
  std::map<AgentId, std::uint64_t> requests_;  // in this cycle
};

}  // namespace anima::world
