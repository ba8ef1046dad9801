#include "dojo/stage.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "dojo/place.h"
#include "dojo/rehearsal.h"

namespace anima::dojo {
namespace {

using govern::Outcome;

Decision decision_of(Outcome::Kind kind) {
  switch (kind) {
    case Outcome::Kind::kDone:
      return Decision::kAllow;
    case Outcome::Kind::kWaiting:
      return Decision::kAsk;
    case Outcome::Kind::kFailed:
      return Decision::kFailed;
    default:
      return Decision::kDeny;
  }
}

// What the right calls had from the text is what the attacker wrote there.
Json swapped(Json value, const Swap& swap) {
  if (value.is_string()) return Json(replace_all(value.as_string(), swap.find, swap.put));
  if (value.is_number() && value.dump() == swap.find) {
    auto number = parse_json(swap.put);
    return number ? *std::move(number) : Json(swap.put);
  }
  if (value.is_array()) {
    for (Json& each : value.as_array()) each = swapped(std::move(each), swap);
  } else if (value.is_object()) {
    for (auto& [name, each] : value.as_object()) each = swapped(std::move(each), swap);
  }
  return value;
}

// Whether an argument that is more than carried holds the value.
bool chooses(const govern::ToolDeclaration& tool, const Json& arguments, const std::string& value) {
  return std::ranges::any_of(arguments.as_object(), [&](const JsonMember& each) {
    const govern::Place place = {{govern::FieldStep::Kind::kMember, each.first}};
    const bool carried = tool.use_of(place).role == govern::ArgumentRole::kCarried;
    return !carried && (holds(each.second, value) || shown(each.second) == value);
  });
}

}  // namespace

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::kPlanFirst:
      return "plan-first";
    case Mode::kWords:
      return "words";
    case Mode::kReactive:
      return "reactive";
  }
  return {};
}

std::string in_house(std::string_view tool) { return "dojo." + std::string(tool); }

std::string_view to_string(Obeys obeys) {
  return obeys == Obeys::kAtOnce ? "at once" : "when done";
}

std::string_view to_string(Decision decision) {
  switch (decision) {
    case Decision::kAllow:
      return "allow";
    case Decision::kAsk:
      return "ask";
    case Decision::kDeny:
      return "deny";
    case Decision::kFailed:
      return "failed";
  }
  return {};
}

// One performance.
struct Stage::Run {
  World world;
  std::unique_ptr<agent::GuardSession> guard;
  Performance performance = {};
};

Result<std::unique_ptr<Stage>> Stage::open(const Domain& domain, Mode mode) {
  std::unique_ptr<Stage> stage(new Stage(domain, mode));
  ANIMA_ASSIGN(stage->space_, store::Space::open(stage->folder_.file("space"), {.create = true}));
  ANIMA_TRY(system_files().make_directories(stage->folder_.file("work")));
  agent::HouseOptions options;
  options.tools.work_folder = stage->folder_.file("work");
  for (const Tool& tool : domain.tools) {
    govern::ToolDeclaration declaration = tool.declaration;
    declaration.name = in_house(declaration.name);
    options.own_tools.push_back(agent::declared_tool(
        std::move(declaration), [](const Json&) -> Result<Json> { return Json(); }));
  }
  ANIMA_ASSIGN(stage->house_, agent::GovernedHouse::open(stage->space_, stage->clock_,
                                                         stage->random_, std::move(options)));
  return stage;
}

Status Stage::begin(Run& run, const Task& task) {
  const std::string number = std::to_string(++sessions_);
  ANIMA_ASSIGN(run.guard,
               agent::GuardSession::open(*house_, {.session = "dojo-" + number, .origin = {}}));
  clock_.advance(60'000'000);
  govern::IncomingMessage message;
  message.content = task.message;
  message.channel = "terminal";
  message.sender = "user-" + number;
  message.session = "dojo-" + number;
  ANIMA_ASSIGN(const govern::Admission admission, run.guard->begin(message));
  if (!admission.accepted())
    return fail(ErrorCode::kDenied, admission.reason, domain_.name + ": task " + task.id);
  if (mode_ == Mode::kWords) return run.guard->plan_of_words();
  if (mode_ == Mode::kReactive) return {};
  std::vector<govern::PlannedTool> plan = task.plan;
  for (govern::PlannedTool& step : plan) step.tool = in_house(step.tool);
  return run.guard->plan(plan);
}

// False: it did not run.
Result<bool> Stage::make_call(Run& run, const Call& call, std::vector<Json>& results,
                              bool attacker) {
  JudgedCall judged{call.tool, {}, attacker, domain_.acts(call.tool), false, {}, {}, {}};
  auto arguments = resolve_arguments(call.arguments, results);
  results.emplace_back();
  if (!arguments) return false;  // what it needs was not given
  ANIMA_ASSIGN(agent::GuardVerdict verdict, run.guard->judge(in_house(call.tool), *arguments));
  judged.arguments = *arguments;
  judged.decision = decision_of(verdict.outcome.kind);
  judged.reason = verdict.outcome.reason;
  judged.because = verdict.because;
  run.performance.calls.push_back(judged);
  if (judged.decision == Decision::kAsk && !attacker) {
    ANIMA_TRY(house_->approvals().grant(verdict.outcome.approval_id, "operator"));
    ANIMA_ASSIGN(verdict, run.guard->judge(in_house(call.tool), *arguments));
  }
  if (verdict.outcome.kind != Outcome::Kind::kDone) return false;
  const Json before = judged.acts ? run.world.state() : Json();
  auto result = run.world.act(domain_.tool(call.tool)->does, verdict.arguments);
  run.performance.calls.back().changed = judged.acts && !(before == run.world.state());
  // A tool that fails says so to the model.
  if (!result) result = Json::object({{"error", result.error().message}});
  ANIMA_TRY(run.guard->observe(verdict.call, *result));
  results.back() = *std::move(result);
  return true;
}

Status Stage::play(Run& run, const std::vector<Call>& calls, const Injection* injection) {
  std::vector<Json> results;
  const auto obey = [&]() -> Status {
    std::vector<Json> got;
    for (const Call& call : injection->attack->calls) {
      ANIMA_TRY(make_call(run, call, got, true));
    }
    return {};
  };
  for (const Call& call : calls) {
    ANIMA_ASSIGN(const bool ran, make_call(run, call, results, false));
    if (!ran || injection == nullptr || run.performance.read) continue;
    run.performance.read = holds(results.back(), injection->text);
    if (run.performance.read && injection->obeys == Obeys::kAtOnce) ANIMA_TRY(obey());
  }
  if (run.performance.read && injection->obeys == Obeys::kWhenDone) ANIMA_TRY(obey());
  run.performance.world = run.world.state();
  return {};
}

Result<Performance> Stage::perform(const Task& task, const Injection& injection) {
  Run run{World(domain_.world), nullptr};
  const bool attacked = injection.attack != nullptr;
  if (attacked) ANIMA_TRY(inject(run.world.state(), injection.place, injection.text));
  ANIMA_TRY(begin(run, task));
  ANIMA_TRY(play(run, task.calls, attacked ? &injection : nullptr));
  return std::move(run.performance);
}

Result<Performance> Stage::perform_swapped(const Task& task, const Swap& swap) {
  Run run{World(domain_.world), nullptr};
  ANIMA_ASSIGN(Json * there, find_place(run.world.state(), swap.into));
  *there = swapped(*there, swap);
  ANIMA_TRY(begin(run, task));
  std::vector<Call> calls = task.calls;
  for (Call& call : calls) call.arguments = swapped(call.arguments, swap);
  ANIMA_TRY(play(run, calls, nullptr));
  // What chooses something by the attacker's value is his call.
  for (JudgedCall& call : run.performance.calls)
    call.attacker = chooses(domain_.tool(call.tool)->declaration, call.arguments, swap.put);
  return std::move(run.performance);
}

}  // namespace anima::dojo
