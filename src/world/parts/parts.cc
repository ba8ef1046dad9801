#include "world/parts/parts.h"

#include <algorithm>
#include <utility>

#include "base/json/message_pack_fields.h"

namespace anima::world {

Parts::Parts(MessageBus& bus, const std::uint64_t& tick) : bus_(bus), tick_(tick) {
  for (std::uint64_t part = 1; part <= bus_.parts(); ++part) news_[part] = {};
}

void Parts::settle(const AgentId& id, std::uint64_t number) {
  places_[id] = (number - 1) % bus_.parts() + 1;
}

std::uint64_t Parts::part_of(const AgentId& id) const { return places_.at(id); }

void Parts::tell(const Event& event) {
  for (auto& each : news_) each.second.events.push_back(event);
}

void Parts::deliver(const AgentId& to, std::string frame) {
  const auto place = places_.find(to);
  if (place != places_.end())
    news_.at(place->second).deliveries.push_back({to, {std::move(frame)}});
}

bool Parts::is_of_asker(const AgentId& id) const {
  const auto place = places_.find(id);
  return place != places_.end() && place->second == commanded_;
}

News Parts::take_news(std::uint64_t part) { return std::exchange(news_.at(part), {}); }

Result<std::string> Parts::command(std::uint64_t part, PartCommand command) {
  command.tick = tick_;
  command.news = take_news(part);
  commanded_ = part;
  return bus_.command(part, pack(command).encode());
}

template <typename T>
Result<T> Parts::ask(std::uint64_t part, PartOrder order) {
  PartCommand wanted;
  wanted.order = order;
  ANIMA_ASSIGN(const std::string bytes, command(part, std::move(wanted)));
  return unpack_bytes<T>(bytes);
}

Status Parts::spawn(const AgentId& id, Birth birth) {
  settle(id, birth.number);
  PartCommand wanted;
  wanted.order = PartOrder::kSpawn;
  wanted.birth = std::move(birth);
  const auto born = command(part_of(id), std::move(wanted));
  if (born) return {};
  places_.erase(id);
  return fail(born.error());
}

Result<std::uint64_t> Parts::turn(const AgentId& id) {
  PartCommand wanted;
  wanted.order = PartOrder::kTurn;
  wanted.agents = {id};
  ANIMA_ASSIGN(const std::string bytes, command(part_of(id), std::move(wanted)));
  ANIMA_ASSIGN(const TurnDone done, unpack_bytes<TurnDone>(bytes));
  return done.ticks_left;
}

Status Parts::observe(const std::vector<AgentId>& ids) {
  std::map<std::uint64_t, std::vector<AgentId>> by_part;
  for (const AgentId& id : ids) by_part[part_of(id)].push_back(id);
  for (auto& each : by_part) {
    PartCommand wanted;
    wanted.order = PartOrder::kObserve;
    wanted.agents = std::move(each.second);
    ANIMA_TRY(command(each.first, std::move(wanted)));
  }
  return {};
}

Status Parts::end_cycle() {
  for (std::uint64_t part = 1; part <= bus_.parts(); ++part) {
    PartCommand wanted;
    wanted.order = PartOrder::kEndCycle;
    ANIMA_TRY(command(part, std::move(wanted)));
  }
  return {};
}

Result<PartReport> Parts::report() {
  PartReport all;
  for (std::uint64_t part = 1; part <= bus_.parts(); ++part) {
    ANIMA_ASSIGN(PartReport one, ask<PartReport>(part, PartOrder::kReport));
    all.thinks += one.thinks;
    all.nops += one.nops;
    all.messages += one.messages;
    all.failures += one.failures;
    std::ranges::move(one.agents, std::back_inserter(all.agents));
  }
  std::ranges::sort(all.agents, {}, &AgentRecord::id);
  return all;
}

Result<PartSaved> Parts::save() {
  PartSaved all;
  for (std::uint64_t part = 1; part <= bus_.parts(); ++part) {
    ANIMA_ASSIGN(const PartSaved one, ask<PartSaved>(part, PartOrder::kSave));
    all.positions.insert(one.positions.begin(), one.positions.end());
  }
  return all;
}

Status Parts::begin_here() {
  for (std::uint64_t part = 1; part <= bus_.parts(); ++part) {
    if (!bus_.is_here(part)) continue;
    ANIMA_TRY(command(part, {}));
  }
  return {};
}

}  // namespace anima::world
