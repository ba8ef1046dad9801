// The store of a part in another process than the kingdom: the kingdom keeps its agents, in the
// same transaction as the rest of the world. So a part has no files, and one that is lost goes on
// anywhere. Thread-safety: one thread at a time.
#pragma once

#include <utility>

#include "world/message_bus.h"
#include "world/parts/part_messages.h"
#include "world/state_store.h"

namespace anima::world {

class RemoteState final : public AgentStore {
 public:
  explicit RemoteState(Commanded ask) : ask_(std::move(ask)) {}

  // What the kingdom does with it comes with the end of the cycle.
  Status begin() override;
  Status commit() override;
  void roll_back() override { in_batch_ = false; }
  bool in_batch() const override { return in_batch_; }
  // Errors: those of the bus and of the kingdom's store.
  Status save_agent(const Citizen& citizen, std::string_view sealed_key) override;
  Result<StoredAgent> load_agent(const AgentId& id) override;

 private:
  Result<PartAnswer> ask(const PartQuestion& question);

  Commanded ask_;
  bool in_batch_ = false;
};

// The kingdom's end of it: `store` has `seal`, what travels has link_seal().
class AgentKeeper {
 public:
  AgentKeeper(AgentStore& store, const SealKey& seal, std::string_view secret, Random& random)
      : store_(store), seal_(seal), link_(link_seal(secret)), random_(random) {}
  // Errors: kSyntax, kDenied (another key), those of the store.
  Status put(const AgentId& id, std::string_view kept);
  Result<std::string> get(const AgentId& id);

 private:
  AgentStore& store_;
  const SealKey seal_, link_;
  Random& random_;
};

}  // namespace anima::world
