#include "cli/render/world_view.h"

#include <fmt/format.h>

namespace anima::cli {

std::string world_text(const std::vector<world::CycleRecord>& records, std::uint64_t seed) {
  const world::CycleRecord& last = records.back();
  std::string text =
      fmt::format("{:<9} {:<13} {:<8} {:>7} {:>10} {:>6} {:>6} {:>5} {:>5}\n", "agent", "role",
                  "status", "balance", "reputation", "done", "live", "peers", "trust");
  for (const world::AgentRecord& agent : last.agents)
    text += fmt::format("{:<9} {:<13} {:<8} {:>7} {:>10.3f} {:>6} {:>6} {:>5} {:>5.2f}\n",
                        world::alias(agent.id), world::to_string(agent.role),
                        world::to_string(agent.status), agent.balance, agent.reputation,
                        agent.completed, agent.goals, agent.peers, agent.trust);
  const auto told = [&](const char* name) {
    const auto found = last.told.find(name);
    return found == last.told.end() ? std::uint64_t{0} : found->second;
  };
  text += fmt::format(
      "\nthe last cycle  {} events, {} messages; bounties: {} posted, {} claimed, {} paid, {} "
      "refused\nepoch           {}\naccounts        {} of a supply of {}\nworld hash      {}\nseed "
      "           {}\n",
      last.events, last.messages, told("bounties posted"), told("bounties claimed"),
      told("bounties paid"), told("bounties refused"), world::epoch_name(last.epoch), last.sum,
      last.supply, to_hex(last.world_hash), seed);
  return text;
}

Json world_json(const std::vector<world::CycleRecord>& records, std::uint64_t seed) {
  Json cycles = Json::array();
  for (const world::CycleRecord& record : records) cycles.push_back(world::to_json(record));
  return Json::object(
      {{"seed", seed},
       {"world_hash", records.empty() ? Json() : Json(to_hex(records.back().world_hash))},
       {"cycles", std::move(cycles)}});
}

}  // namespace anima::cli
