// The oracle: what is known in the world, with verdicts of others and the citations between
// entries. Entry 0 is the genesis text, accurate by definition. Source: governance_and_runtime 2.8.
// Thread-safety: one thread at a time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "world/daemons/daemon.h"

namespace anima::world {

struct Verdict {
  double value = 0;   // 1, 0.5, 0.3 or 0
  double weight = 0;  // the reputation of who gave it, and a little so that new agents count
  ANIMA_FIELDS(ANIMA_FIELD(value) ANIMA_FIELD(weight))
};
struct Entry {
  std::string title;
  std::vector<std::string> bodies;  // by version, from 1
  AgentId author{};
  bool reviewed = false;  // by peers: published once two approve
  bool published = true;
  double accuracy = 0;
  std::map<AgentId, Verdict> verdicts;
  std::vector<Digest> cites;
  ANIMA_FIELDS(ANIMA_FIELD(title) ANIMA_FIELD(bodies) ANIMA_FIELD(author) ANIMA_FIELD(reviewed)
                   ANIMA_FIELD(published) ANIMA_FIELD(accuracy) ANIMA_FIELD(verdicts)
                       ANIMA_FIELD(cites))
};

class Oracle final : public Daemon {
 public:
  Oracle(Realm& realm, std::string_view secret) : Daemon(realm, System::kOracle, secret) {}
  void found();  // entry 0
  const std::map<Digest, Entry>& entries() const { return entries_; }

  MessagePack state() const override;
  Status restore(const MessagePack& state) override;

 protected:
  Answer handle(const Request& request) override;

 private:
  Answer publish(const Request& request);
  Answer update(const Request& request);
  Answer query(const Request& request);
  Answer verify_entry(const Request& request);
  Answer get(const Request& request);
  Answer cite(const Request& request);

  std::map<Digest, Entry> entries_;
};

}  // namespace anima::world
