// What the kingdom of a world and the parts of its agents say to each other (message_bus.h): the
// bodies of commands, questions and answers, as MessagePack. Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "world/citizen.h"
#include "world/event_bus.h"
#include "world/records.h"
#include "world/types.h"

namespace anima::world {

// On the wire, never renumber.
enum class PartOrder : std::uint8_t {
  kBegin,     // forget all; these agents live here, loaded from where they are kept
  kHear,      // the news alone
  kSpawn,     // an agent is born -> nothing, or why not
  kTurn,      // an agent acts -> TurnDone
  kObserve,   // agents without a turn hear what happened
  kEndCycle,  // of all
  kReport,    // -> PartReport
  kSave,      // agents are put where they are kept -> positions
};

struct Delivery {
  AgentId to{};
  Binary frame;
  ANIMA_FIELDS(ANIMA_FIELD(to) ANIMA_FIELD(frame))
};
// What a part has not heard yet. It is heard before anything else of the message.
struct News {
  std::vector<Delivery> deliveries;
  std::vector<Event> events;
  ANIMA_FIELDS(ANIMA_FIELD(deliveries) ANIMA_FIELD(events))
};
struct Birth {
  std::uint64_t number = 0;  // of all agents that were ever born
  Genome genome;
  std::uint64_t fund = 0;
  ANIMA_FIELDS(ANIMA_FIELD(number) ANIMA_FIELD(genome) ANIMA_FIELD(fund))
};
struct PartCommand {
  PartOrder order = PartOrder::kHear;
  std::uint64_t tick = 0;
  News news;
  std::uint64_t lamport = 0;                  // kBegin: of the last event that happened
  std::map<AgentId, std::uint64_t> resident;  // kBegin: and the last event that each has heard
  bool thinks = true;                         // kBegin: with its own mind, not with the kingdom's
  std::vector<AgentId> agents;                // kTurn: one; kObserve
  std::optional<Birth> birth;                 // kSpawn
  ANIMA_FIELDS(ANIMA_FIELD(order) ANIMA_FIELD(tick) ANIMA_FIELD(news) ANIMA_FIELD(lamport)
                   ANIMA_FIELD(resident) ANIMA_FIELD(thinks) ANIMA_FIELD(agents) ANIMA_FIELD(birth))
};

struct TurnDone {
  std::uint64_t ticks_left = 0;
  ANIMA_FIELDS(ANIMA_FIELD(ticks_left))
};
struct PartReport {
  std::uint64_t thinks = 0, nops = 0, messages = 0, failures = 0;  // since the last kSave
  std::vector<AgentRecord> agents;                                 // what the part knows of them
  ANIMA_FIELDS(ANIMA_FIELD(thinks) ANIMA_FIELD(nops) ANIMA_FIELD(messages) ANIMA_FIELD(failures)
                   ANIMA_FIELD(agents))
};
struct PartSaved {
  std::map<AgentId, std::uint64_t> positions;  // as in kBegin
  ANIMA_FIELDS(ANIMA_FIELD(positions))
};

enum class PartNeed : std::uint8_t {
  kPost,   // a frame for a daemon -> its answer's frame
  kPut,    // an agent is kept; for parts elsewhere
  kGet,    // an agent as it was kept
  kThink,  // of the kingdom's mind, for an agent -> what it answers
};
struct PartQuestion {
  PartNeed need = PartNeed::kPost;
  System system = System::kNexus;  // kPost
  AgentId agent{};                 // kGet
  Binary bytes;                    // kPost: the frame; kPut: KeptAgent; kThink: PartThought
  ANIMA_FIELDS(ANIMA_FIELD(need) ANIMA_FIELD(system) ANIMA_FIELD(agent) ANIMA_FIELD(bytes))
};
struct PartAnswer {
  News news;
  std::optional<Binary> bytes;  // kPost: a frame, or nothing; kGet: KeptAgent; kThink: its answer
  ANIMA_FIELDS(ANIMA_FIELD(news) ANIMA_FIELD(bytes))
};

// An agent on its way between a part and the kingdom. Its key is sealed (link_seal()).
struct KeptAgent {
  AgentId id{};
  Binary sealed_key;
  AgentMemory memory;
  GoalStack goals;
  RuntimeState state;
  ANIMA_FIELDS(ANIMA_FIELD(id) ANIMA_FIELD(sealed_key) ANIMA_FIELD(memory) ANIMA_FIELD(goals)
                   ANIMA_FIELD(state))
};

// A ThinkRequest on its way; the agent's key stays where it is.
struct PartThought {
  KeptAgent agent;
  std::optional<Digest> goal;
  bool plan_wanted = false;
  std::uint64_t tier = 0;
  ANIMA_FIELDS(ANIMA_FIELD(agent) ANIMA_FIELD(goal) ANIMA_FIELD(plan_wanted) ANIMA_FIELD(tier))
};

// The key and id of the agent that was born as this one of a world.
Identity agent_identity(std::uint64_t number, std::string_view secret);
// What seals agents' keys between the processes of a world.
SealKey link_seal(std::string_view secret);

}  // namespace anima::world
