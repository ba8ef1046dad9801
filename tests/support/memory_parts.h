// What a server of a space works with, as `anima serve` puts it together.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/files/file.h"
#include "serve/memory_parts.h"

namespace anima::test {

// Null: there is no house, because the approvers are not those that are known.
inline std::shared_ptr<serve::MemoryParts> memory_parts(const std::shared_ptr<agent::Gate>& gate,
                                                        bool readonly,
                                                        const std::string& work_folder) {
  const agent::DoorCall door{"http", "server", "http", govern::Trust::kUntrusted};
  const agent::Act writes = readonly ? agent::Act::kReads : agent::Act::kWrites;
  auto parts = std::make_shared<serve::MemoryParts>();
  parts->gate = gate;
  parts->space = gate->space_for(door, agent::Judged::kBefore, writes);
  kip::EngineOptions engine;
  engine.load_genesis = !readonly;
  parts->engine = kip::Engine::open(parts->space, engine).value();
  agent::HouseOptions settings;
  settings.agent = "http";
  settings.door = door;
  settings.judged = agent::Judged::kBefore;
  settings.writes = writes;
  settings.tools.work_folder = work_folder;
  auto house = agent::GovernedHouse::open(gate, std::move(settings));
  if (!house) return nullptr;
  parts->house = *std::move(house);
  parts->why = std::make_unique<agent::SpaceWhy>(parts->space, system_files());
  parts->asker = agent::SpaceAsker::open(parts->space, system_files()).value();
  return parts;
}

}  // namespace anima::test
