// Where agents live: a part of a world. It does what the kingdom commands (part_messages.h), with a
// runtime and the events of the world as they are told to it. All that it knows follows from its
// last kBegin, what is kept of its agents, and the commands since. Thread-safety: one thread at a
// time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "world/message_bus.h"
#include "world/parts/part_messages.h"
#include "world/runtime.h"

namespace anima::world {

struct AgentHostOptions {
  std::string secret;    // of the world
  Commanded ask;         // the kingdom
  Mind* mind = nullptr;  // where the kingdom does not think for all
  AgentStore* store = nullptr;
  SealKey seal{};  // of the keys in the store
  Random* random = nullptr;
  std::function<void(const std::string&)> warn = {};
};

class AgentHost {
 public:
  explicit AgentHost(AgentHostOptions options);
  // A command of the kingdom and what came of it. Errors: kSyntax (no command), those of Runtime.
  Result<std::string> command(std::string_view bytes);
  std::uint64_t turns() const { return turns_; }

 private:
  Status begin(const PartCommand& command);
  void hear(News news);
  Result<std::string> carry_out(const PartCommand& command);
  Result<std::string> turn(const AgentId& id);
  std::string report() const;
  Result<std::string> save();
  Result<std::optional<std::string>> post(System system, const std::string& frame);
  AgentRecord record_of(const AgentId& id) const;

  AgentHostOptions options_;
  std::map<System, Identity> daemons_;
  std::unique_ptr<Mind> kingdom_mind_;
  std::uint64_t tick_ = 0;
  std::unique_ptr<EventBus> events_;
  std::unique_ptr<Runtime> runtime_;
  RuntimeCounts counted_;  // at the last kSave
  Status lost_;            // of a question that had no answer
  std::uint64_t turns_ = 0;
};

}  // namespace anima::world
