// The vault: objects by their hash, snapshots, repositories with branches and tags, dependencies.
// Objects and snapshots stay as they are, so the state has a hash over them in the order in which
// they came, and they themselves are kept as additions. Source: governance_and_runtime 2.8.
// Thread-safety: one thread at a time.
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
  MessagePack additions() const override;
  void settle() override { fresh_.clear(); }
  Status add_back(const MessagePack& additions) override;
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
  // False: it was there.
  bool add(const Digest& id, Binary object);
  bool add(const Digest& id, const Snap& snap);

  // An object or a snapshot.
  struct Added {
    Digest id{};
    std::optional<Binary> object;
    std::optional<Snap> snap;
    ANIMA_FIELDS(ANIMA_FIELD(id) ANIMA_FIELD(object) ANIMA_FIELD(snap))
  };

  std::map<Digest, Binary> objects_;
  std::map<Digest, Snap> snaps_;
  Digest added_{};             // over all of them, one after the other
  std::vector<Digest> fresh_;  // those since settle()
  std::map<Digest, Repository> repositories_;
};

}  // namespace anima::world
