#include "world/parts/agent_host.h"

#include <algorithm>

#include "base/json/message_pack_fields.h"
#include "world/learning.h"
#include "world/parts/remote_state.h"
#include "world/world.h"

namespace anima::world {

namespace {

// The mind of the kingdom, that alone knows models and their keys.
class KingdomMind final : public Mind {
 public:
  explicit KingdomMind(Commanded ask) : ask_(std::move(ask)) {}

  Result<std::string> think(const ThinkRequest& request) override {
    const Citizen& citizen = request.citizen;
    PartThought thought;
    thought.agent = {citizen.id(), {}, citizen.memory, citizen.goals, citizen.state};
    if (request.goal != nullptr) thought.goal = request.goal->id;
    thought.plan_wanted = request.plan_wanted;
    thought.tier = static_cast<std::uint64_t>(request.tier);
    PartQuestion question;
    question.need = PartNeed::kThink;
    question.bytes.bytes = pack(thought).encode();
    ANIMA_ASSIGN(const std::string bytes, ask_(pack(question).encode()));
    ANIMA_ASSIGN(PartAnswer answer, unpack_bytes<PartAnswer>(bytes));
    return answer.bytes ? std::move(answer.bytes->bytes) : std::string();
  }

 private:
  Commanded ask_;
};

}  // namespace

AgentHost::AgentHost(AgentHostOptions options)
    : options_(std::move(options)), kingdom_mind_(std::make_unique<KingdomMind>(options_.ask)) {
  for (std::size_t number = 0; number < kSystems; ++number) {
    const auto system = static_cast<System>(number);
    daemons_.emplace(system, system_identity(system, options_.secret));
  }
}

Result<std::string> AgentHost::command(std::string_view bytes) {
  ANIMA_ASSIGN(PartCommand command, unpack_bytes<PartCommand>(bytes));
  tick_ = command.tick;
  lost_ = {};
  if (command.order == PartOrder::kBegin) {
    ANIMA_TRY(begin(command));
  } else if (runtime_ == nullptr) {
    return fail(ErrorCode::kConflict, "this part of the world has not begun");
  }
  hear(std::move(command.news));
  return carry_out(command);
}

Status AgentHost::begin(const PartCommand& command) {
  runtime_.reset();
  events_ = std::make_unique<EventBus>(command.lamport);
  counted_ = {};
  Surroundings around;
  around.post = [this](System system, const std::string& frame) -> std::optional<std::string> {
    auto answer = post(system, frame);
    if (answer) return *std::move(answer);
    lost_ = fail(answer.error());
    return std::nullopt;
  };
  around.daemon = [this](System system) { return daemons_.at(system).id; };
  around.introduce = [](const PublicKey&) {};  // the kingdom knows the keys of all that are born
  around.keys = [this](const AgentId& id) -> std::optional<PublicKey> {
    const auto found =
        std::ranges::find_if(daemons_, [&](const auto& daemon) { return daemon.second.id == id; });
    if (found == daemons_.end()) return std::nullopt;
    return found->second.key.public_key;
  };
  around.bus = events_.get();
  around.mind = command.thinks ? options_.mind : kingdom_mind_.get();
  around.store = options_.store;
  around.now = &tick_;
  around.seal = options_.seal;
  around.random = options_.random;
  around.warn = [this](const std::string& text) {
    if (options_.warn) options_.warn(text);
  };
  runtime_ = std::make_unique<Runtime>(std::move(around));
  for (const auto& [id, position] : command.resident) {
    ANIMA_ASSIGN(Citizen citizen, runtime_->load(id));
    runtime_->adopt(std::move(citizen), position);
  }
  return {};
}

void AgentHost::hear(News news) {
  for (const Delivery& each : news.deliveries) runtime_->receive(each.to, each.frame.bytes);
  for (Event& event : news.events) events_->restore(std::move(event));
}

Result<std::optional<std::string>> AgentHost::post(System system, const std::string& frame) {
  PartQuestion question;
  question.system = system;
  question.bytes.bytes = frame;
  ANIMA_ASSIGN(const std::string bytes, options_.ask(pack(question).encode()));
  ANIMA_ASSIGN(PartAnswer answer, unpack_bytes<PartAnswer>(bytes));
  hear(std::move(answer.news));
  if (!answer.bytes) return std::optional<std::string>();
  return std::optional(std::move(answer.bytes->bytes));
}

Result<std::string> AgentHost::carry_out(const PartCommand& command) {
  switch (command.order) {
    case PartOrder::kBegin:
    case PartOrder::kHear:
      break;
    case PartOrder::kSpawn: {
      if (!command.birth) return fail(ErrorCode::kSyntax, "nobody is named to be born");
      const Birth& birth = *command.birth;
      const auto spawned =
          runtime_->spawn(agent_identity(birth.number, options_.secret), birth.genome, birth.fund);
      ANIMA_TRY(lost_);
      if (!spawned) return fail(spawned.error());
      break;
    }
    case PartOrder::kTurn:
      if (command.agents.size() != 1) return fail(ErrorCode::kSyntax, "a turn is of one agent");
      return turn(command.agents.front());
    case PartOrder::kObserve:
      for (const AgentId& id : command.agents) runtime_->observe(id);
      break;
    case PartOrder::kEndCycle:
      for (const AgentId& id : runtime_->agents()) runtime_->end_cycle(id);
      break;
    case PartOrder::kReport:
      return report();
    case PartOrder::kSave:
      return save();
  }
  return std::string();
}

Result<std::string> AgentHost::turn(const AgentId& id) {
  ++turns_;
  const auto done = runtime_->tick(id);
  ANIMA_TRY(lost_);
  // It may have fallen asleep, or have no ticks left: then nothing was done.
  if (!done && done.error().code != ErrorCode::kConflict &&
      done.error().code != ErrorCode::kLimitExceeded)
    return fail(done.error());
  return pack(TurnDone{runtime_->find(id)->state.tick_budget}).encode();
}

std::string AgentHost::report() const {
  const RuntimeCounts& now = runtime_->counts();
  PartReport report{now.thinks - counted_.thinks,
                    now.nops - counted_.nops,
                    now.messages - counted_.messages,
                    now.failures - counted_.failures,
                    {}};
  for (const AgentId& id : runtime_->agents()) report.agents.push_back(record_of(id));
  return pack(report).encode();
}

Result<std::string> AgentHost::save() {
  PartSaved saved;
  for (const AgentId& id : runtime_->agents()) {
    ANIMA_TRY(runtime_->flush_memory(id));
    saved.positions[id] = runtime_->position(id);
  }
  counted_ = runtime_->counts();
  events_->drop_read();
  return pack(saved).encode();
}

AgentRecord AgentHost::record_of(const AgentId& id) const {
  const Citizen& citizen = *runtime_->find(id);
  AgentRecord record;
  record.id = id;
  record.goals = citizen.goals.live().size();
  record.completed = citizen.state.goals_completed;
  record.abandoned = citizen.state.goals_abandoned;
  const auto mean = [](double sum, std::size_t count) {
    return count == 0 ? 0.0 : sum / static_cast<double>(count);
  };
  double confidence = 0, trusted = 0, competence = 0;
  for (const Belief& belief : citizen.memory.beliefs)
    confidence += static_cast<double>(belief.confidence);
  for (const auto& peer : citizen.memory.peer_model) {
    trusted += trust(peer.second, tick_);
    competence += static_cast<double>(peer.second.competence);
  }
  record.beliefs = citizen.memory.beliefs.size();
  record.peers = citizen.memory.peer_model.size();
  record.belief_confidence = mean(confidence, record.beliefs);
  record.trust = mean(trusted, record.peers);
  record.competence = mean(competence, record.peers);
  return record;
}

Result<PartLife> live_as_part(NatsBusOptions options, Mind& mind, Random& random) {
  const std::string secret = options.secret;
  const auto warn = options.warn;
  ANIMA_ASSIGN(const std::unique_ptr<PartLink> link, PartLink::open(std::move(options)));
  const Commanded ask = [&link](std::string_view bytes) { return link->ask(bytes); };
  RemoteState store(ask);
  AgentHost host({secret, ask, &mind, &store, link_seal(secret), &random, warn});
  ANIMA_TRY(link->serve([&host](std::string_view bytes) { return host.command(bytes); }));
  return PartLife{link->counts(), host.turns()};
}

}  // namespace anima::world
