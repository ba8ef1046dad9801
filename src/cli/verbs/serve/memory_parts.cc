#include "cli/verbs/serve/memory_parts.h"

#include <string>
#include <utility>

#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/left_lines.h"
#include "memory/compartments/rule_relations.h"

namespace anima::cli {

Result<serve::MemoryParts> open_memory_parts(Context& context, MemoryDoor settings) {
  serve::MemoryParts parts;
  parts.gate = context.gate;
  parts.define_on_use = settings.define_on_use;
  const agent::Act writes = settings.readonly ? agent::Act::kReads : agent::Act::kWrites;
  parts.space = context.gate->space_for(settings.door, agent::Judged::kBefore, writes);
  kip::EngineOptions engine;
  engine.budget.cancelled = &interrupt_flag();
  if (settings.time_ms > 0) engine.budget.time_ms = settings.time_ms;
  engine.load_genesis = !settings.readonly;
  engine.derived = std::make_shared<memory::RuleRelations>(*parts.space, context.files);
  ANIMA_ASSIGN(parts.engine, kip::Engine::open(parts.space, std::move(engine)));
  ANIMA_ASSIGN(agent::HouseOptions house, house_options(context, *parts.space));
  house.agent = settings.door.subject;
  house.door = std::move(settings.door);
  house.judged = agent::Judged::kBefore;
  house.writes = writes;
  for (agent::OwnTool& tool : settings.own_tools) house.own_tools.push_back(std::move(tool));
  ANIMA_ASSIGN(House opened, open_house(context, std::move(house)));
  parts.house = std::move(opened.house);
  if (!settings.readonly) learn_what_was_left(context, *parts.house, parts.space);
  parts.why = std::make_unique<agent::SpaceWhy>(parts.space, context.files);
  ANIMA_ASSIGN(parts.asker, agent::SpaceAsker::open(parts.space, context.files));
  return parts;
}

}  // namespace anima::cli
