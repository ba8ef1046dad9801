// The parts of a world as its kingdom sees them: who lives where, what each has not heard yet, and
// the commands of part_messages.h. What is told or delivered goes out with the next message to the
// part, so every part sees everything in the kingdom's order. The part of an agent follows from its
// number, so a world can go on in another number of parts. Thread-safety: one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "world/message_bus.h"
#include "world/parts/part_messages.h"

namespace anima::world {

class Parts {
 public:
  // `tick` is the world's.
  Parts(MessageBus& bus, const std::uint64_t& tick);

  // An agent is known from here on.
  void settle(const AgentId& id, std::uint64_t number);
  std::uint64_t part_of(const AgentId& id) const;
  const std::map<AgentId, std::uint64_t>& places() const { return places_; }

  void tell(const Event& event);
  void deliver(const AgentId& to, std::string frame);
  // For the part that is commanded just now: what it has to hear before an answer.
  News news_of_asker() { return take_news(commanded_); }
  bool is_of_asker(const AgentId& id) const;

  // Errors: those of AgentHost and of the bus.
  Status spawn(const AgentId& id, Birth birth);
  // -> the ticks that it has left.
  Result<std::uint64_t> turn(const AgentId& id);
  Status observe(const std::vector<AgentId>& ids);
  Status end_cycle();
  Result<PartReport> report();  // of all parts, agents by id
  Result<PartSaved> save();
  // Parts that are in this process begin, so that what they cannot read is known at once.
  Status begin_here();

 private:
  News take_news(std::uint64_t part);
  Result<std::string> command(std::uint64_t part, PartCommand command);
  template <typename T>
  Result<T> ask(std::uint64_t part, PartOrder order);

  MessageBus& bus_;
  const std::uint64_t& tick_;
  std::map<AgentId, std::uint64_t> places_;
  std::map<std::uint64_t, News> news_;
  std::uint64_t commanded_ = 0;
};

}  // namespace anima::world
