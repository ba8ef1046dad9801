#include "dojo/served_stage.h"

#include <utility>

#include "dojo/persona.h"
#include "dojo/rehearsal.h"

namespace anima::dojo {
namespace {

constexpr std::size_t kMostSteps = 60;

}  // namespace

Result<std::unique_ptr<ServedStage>> ServedStage::open(const Domain& domain, Mode mode) {
  std::unique_ptr<ServedStage> stage(new ServedStage(domain, mode));
  ANIMA_ASSIGN(stage->space_, store::Space::open(stage->folder_.file("space"), {.create = true}));
  ANIMA_TRY(system_files().make_directories(stage->folder_.file("work")));
  agent::HouseOptions options;
  options.tools.work_folder = stage->folder_.file("work");
  for (const Tool& tool : domain.tools) {
    govern::ToolDeclaration declaration = tool.declaration;
    declaration.name = in_house(declaration.name);
    options.own_tools.push_back(agent::declared_tool(
        std::move(declaration), [&world = stage->world_, &does = tool.does](const Json& arguments) {
          return world.act(does, arguments);
        }));
  }
  ANIMA_ASSIGN(stage->house_, agent::GovernedHouse::open(stage->space_, stage->clock_,
                                                         stage->random_, std::move(options)));
  return stage;
}

Result<Performance> ServedStage::perform(const Task& task, const Injection& injection) {
  const bool attacked = injection.attack != nullptr;
  world_ = World(domain_.world);
  if (attacked) ANIMA_TRY(inject(world_.state(), injection.place, injection.text));
  Persona persona(domain_, task, attacked ? &injection : nullptr);
  called_.server.otherwise([&persona](const test::ServerRequest& request) {
    return test::json_answer(persona.answer(request.json()));
  });
  agent::ModelConversationOptions options;
  options.mode =
      mode_ == Mode::kPlanFirst ? agent::ModelMode::kPlanFirst : agent::ModelMode::kReactive;
  options.max_steps = kMostSteps;
  agent::ModelConversation talk(*house_, called_.model(), options);
  const std::string number = std::to_string(++sessions_);
  clock_.advance(60'000'000);
  govern::IncomingMessage message;
  message.content = task.message;
  message.channel = "terminal";
  message.sender = "user-" + number;
  message.session = "dojo-" + number;
  ANIMA_ASSIGN(agent::ModelTurn turn, talk.say(message));
  while (turn.kind == agent::ModelTurnKind::kWaiting) {
    JudgedCall* call = persona.last_call();
    ANIMA_CHECK(call != nullptr);
    call->decision = Decision::kAsk;
    if (!call->attacker) ANIMA_TRY(house_->approvals().grant(turn.approval_id, "operator"));
    ANIMA_ASSIGN(turn, talk.go_on(!call->attacker));
  }
  if (turn.kind != agent::ModelTurnKind::kReply)
    return fail(ErrorCode::kInternal, "the turn ended: " + turn.text,
                domain_.name + ": " + task.id);
  Performance performance{persona.calls(), persona.has_read(), world_.state()};
  called_.server.otherwise({});
  return performance;
}

}  // namespace anima::dojo
