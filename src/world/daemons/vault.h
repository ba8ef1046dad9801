// The vault: objects by their hash, snapshots, repositories with branches and tags, dependencies.
// Source: governance_and_runtime 2.8. Thread-safety: one thread at a time.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "world/daemons/daemon.h"

namespace anima::world {

inline constexpr std::size_t kMaxObjectBytes = 1'000'000;

struct Snap {
  std::optional<Digest> parent;
  Digest root{};
  AgentId author{};
  std::string message;
  std::uint64_t tick = 0;
  ANIMA_FIELDS(ANIMA_FIELD(parent) ANIMA_FIELD(root) ANIMA_FIELD(author) ANIMA_FIELD(message)
                   ANIMA_FIELD(tick))
};
struct Repository {
  std::string name;
  AgentId owner{};
  std::string access_policy = "public";
  std::map<std::string, Digest> chains;
  std::map<std::string, Digest> tags;
  std::vector<Digest> depends_on;
  ANIMA_FIELDS(ANIMA_FIELD(name) ANIMA_FIELD(owner) ANIMA_FIELD(access_policy) ANIMA_FIELD(chains)
                   ANIMA_FIELD(tags) ANIMA_FIELD(depends_on))
};

class Vault final : public Daemon {
 public:
  Vault(Realm& realm, std::string_view secret) : Daemon(realm, System::kVault, secret) {}

  const Snap* snap(const Digest& id) const;
  const std::string* object(const Digest& id) const;

  MessagePack state() const override;
  Status restore(const MessagePack& state) override;

 protected:
  Answer handle(const Request& request) override;

 private:
  Answer put(const Request& request);
  Answer create_snap(const Request& request);
  Answer merge(const Request& request);
  Answer create_repository(const Request& request);
  Answer move_chain(const Request& request, bool create);
  Answer tag(const Request& request);
  Answer depend(const Request& request);
  Answer registry(const Request& request);
  Or<Repository*> own(const Digest& id, const AgentId& sender);

  std::map<Digest, Binary> objects_;
  std::map<Digest, Snap> snaps_;
  std::map<Digest, Repository> repositories_;
};

}  // namespace anima::world
