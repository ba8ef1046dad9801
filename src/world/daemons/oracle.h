// The oracle: what is known in the world, with verdicts of others and the citations between
// entries. Entry 0 is the genesis text, accurate by definition. In a world all of it is knowledge
// in a space (knowledge.h), which is the truth: read when the world goes on, written when a cycle
// ends; what is asked meanwhile is answered from memory. Source: governance_and_runtime 2.8.
// Thread-safety: one thread at a time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "world/daemons/daemon.h"
#include "world/daemons/knowledge.h"

namespace anima::world {

inline constexpr std::size_t kMaxEntryBytes = std::size_t{4} << 20;  // all versions of one

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
  const Entries& entries() const { return entries_; }
  // The space of the entries, before found() or restore(); it outlives the oracle.
  void use(Knowledge& knowledge) { knowledge_ = &knowledge; }
  // Writes what changed into the space. Errors: those of the space.
  Status keep();

  MessagePack state() const override;
  MessagePack kept() const override;
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

  Status restore_from_space(std::uint64_t position, const Digest& hash);

  Entries entries_;
  Knowledge* knowledge_ = nullptr;
  Knowledge::Changes changes_;  // that are not in the space yet
  std::uint64_t position_ = 0;  // of the space when it was last written
};

}  // namespace anima::world
