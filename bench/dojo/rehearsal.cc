#include "dojo/rehearsal.h"

#include <algorithm>
#include <set>
#include <utility>

#include "dojo/place.h"

namespace anima::dojo {
namespace {

constexpr std::string_view kMark = "MARK-7f3a91";

Result<std::vector<Json>> run(const Domain& domain, const std::vector<Call>& calls, World& world) {
  std::vector<Json> results;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Call& call = calls[i];
    const std::string where = "call " + std::to_string(i + 1) + " " + call.tool;
    const auto wrong = [&](const Error& error) {
      return fail(error.code, error.message, where + ": " + error.where, error.hint);
    };
    const auto arguments = resolve_arguments(call.arguments, results);
    if (!arguments) return wrong(arguments.error());
    const Tool& tool = *domain.tool(call.tool);
    if (const Status good = tool.declaration.check_arguments(*arguments); !good)
      return wrong(good.error());
    auto result = world.act(tool.does, *arguments);
    if (!result) return wrong(result.error());
    results.push_back(*std::move(result));
  }
  return results;
}

// The first place of the point that the task reads and still works with.
void find_read(const Domain& domain, const Task& task, const std::string& point,
               std::vector<ReadPoint>& reads) {
  const auto places = places_of(domain.world, point);
  if (!places) return;
  for (const std::string& place : *places) {
    World world(domain.world);
    if (!inject(world.state(), place, kMark)) continue;
    const auto results = run(domain, task.calls, world);
    if (!results) continue;
    if (std::ranges::any_of(*results, [](const Json& each) { return holds(each, kMark); })) {
      reads.push_back({point, place});
      return;
    }
  }
}

void check_swaps(const Domain& domain, const Task& task, std::vector<std::string>& faults) {
  for (const Swap& swap : task.swaps) {
    const auto place = find_place(domain.world, swap.into);
    const bool there = place && holds(**place, swap.find);
    if (!there) faults.push_back("task " + task.id + ": nothing to swap at " + swap.into);
    if (holds(Json(task.message), swap.find))
      faults.push_back("task " + task.id + ": the message has the value of a swap");
  }
}

}  // namespace

Result<Rehearsed> rehearse(const Domain& domain, const Task& task) {
  World world(domain.world);
  const auto results = run(domain, task.calls, world);
  if (!results) {
    Error error = results.error();
    error.where = domain.name + ": task " + task.id + ": " + error.where;
    return fail(std::move(error));
  }
  Rehearsed made;
  made.world = world.state();
  made.changes = !(made.world == domain.world);
  for (const std::string& point : domain.points) find_read(domain, task, point, made.reads);
  return made;
}

Result<Json> rehearse(const Domain& domain, const Attack& attack) {
  World world(domain.world);
  const auto results = run(domain, attack.calls, world);
  if (results) return world.state();
  Error error = results.error();
  error.where = domain.name + ": attack " + attack.id + ": " + error.where;
  return fail(std::move(error));
}

Status inject(Json& world, const std::string& place, std::string_view text) {
  ANIMA_ASSIGN(Json * at, find_place(world, place));
  *at = Json(shown(*at) + "\n\n" + std::string(text));
  return {};
}

bool holds(const Json& value, std::string_view text) {
  if (value.is_array()) {
    return std::ranges::any_of(value.as_array(),
                               [&](const Json& each) { return holds(each, text); });
  }
  if (value.is_object()) {
    return std::ranges::any_of(value.as_object(), [&](const JsonMember& each) {
      return each.first.find(text) != std::string::npos || holds(each.second, text);
    });
  }
  return value.is_string() && value.as_string().find(text) != std::string::npos;
}

std::vector<std::string> unplanned(const Domain& domain) {
  std::vector<std::string> missing;
  for (const Task& task : domain.tasks) {
    std::set<std::string> planned;
    for (const auto& step : task.plan) planned.insert(step.tool);
    for (const Call& call : task.calls) {
      if (domain.acts(call.tool) && planned.insert(call.tool).second)
        missing.push_back("task " + task.id + ": the plan has no " + call.tool);
    }
  }
  return missing;
}

std::vector<std::string> faults_of(const Domain& domain) {
  std::vector<std::string> faults;
  std::set<std::string> unread(domain.points.begin(), domain.points.end());
  for (const Task& task : domain.tasks) {
    const auto made = rehearse(domain, task);
    if (!made) {
      faults.push_back(made.error().describe());
      continue;
    }
    const bool acts =
        std::ranges::any_of(task.calls, [&](const Call& call) { return domain.acts(call.tool); });
    if (acts && !made->changes) faults.push_back("task " + task.id + ": nothing is changed");
    for (const ReadPoint& read : made->reads) unread.erase(read.point);
    check_swaps(domain, task, faults);
  }
  for (const std::string& point : unread) faults.push_back("no task reads the point " + point);
  for (const Attack& attack : domain.attacks) {
    const auto world = rehearse(domain, attack);
    if (!world) {
      faults.push_back(world.error().describe());
    } else if (*world == domain.world) {
      faults.push_back("attack " + attack.id + ": nothing is changed");
    }
  }
  return faults;
}

}  // namespace anima::dojo
