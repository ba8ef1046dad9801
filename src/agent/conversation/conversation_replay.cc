#include "agent/conversation/conversation_replay.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "agent/conversation/conversation_facts.h"
#include "agent/conversation/detail/message_json.h"
#include "agent/conversation/model_conversation.h"
#include "agent/conversation/recorded_calls.h"
#include "agent/conversation/session_floor.h"
#include "agent/detail/json_difference.h"
#include "agent/json_fields.h"
#include "llm/model.h"
#include "llm/waiter.h"

namespace anima::agent {
namespace {

class ConversationRepeater {
 public:
  ConversationRepeater(const RecordedConversation& conversation,
                       std::vector<llm::Exchange> exchanges, Random& random)
      : conversation_(conversation), random_(random), playing_(std::move(exchanges)) {}

  Status open(HouseOptions options, ConversationHistory history) {
    ANIMA_ASSIGN(llm::ModelConfig config,
                 model_from_setup(member_of(conversation_.setup, "model")));
    model_ = llm::make_model(std::move(config), {playing_, clock_, random_, waiter_, {}, {}});
    store::SpaceOptions made;
    made.clock = std::shared_ptr<Clock>(std::shared_ptr<void>(), &clock_);
    ANIMA_ASSIGN(space_, store::Space::in_memory(made));
    ANIMA_ASSIGN(house_, GovernedHouse::open(space_, clock_, random_, std::move(options)));
    ModelConversationOptions talking;
    talking.max_steps = count_of(conversation_.setup, "max_steps", talking.max_steps);
    talking.summaries = flag_of(conversation_.setup, "summaries");
    talking.tape = &player_;
    // An answer that is streamed then is asked for as a stream now.
    if (flag_of(conversation_.setup, "streamed")) talking.sink = [](const llm::StreamEvent&) {};
    talk_ = std::make_unique<ModelConversation>(*house_, *model_, std::move(talking));
    talk_->restore(conversation_.session, std::move(history));
    return {};
  }

  // Where the turn differs; empty: nowhere.
  Result<std::string> repeat(const Json& turn) {
    ANIMA_TRY(player_.load(turn));
    if (flag_of(turn, "anew")) talk_->restore(conversation_.session, {});
    const govern::Trust floor = detail::trust_from(member_of(turn, "start"), "floor");
    ANIMA_TRY(reset_session_floor(*space_, {}, conversation_.session));
    ANIMA_TRY(
        lower_session_floor(*space_, {}, conversation_.session, floor).map([](govern::Trust) {}));
    const Result<ModelTurn> said = say();
    const Json* then = player_.recorded_end().find("turn");
    const bool failed_then = then != nullptr && then->find("error") != nullptr;
    if (!said && !failed_then) return said.error().describe();
    const std::string difference =
        detail::first_difference(&player_.recorded_end(), &player_.repeated_end(), "");
    // The error names the place more exactly than the ends do.
    return !difference.empty() && !said ? said.error().describe() : difference;
  }

  Result<std::string> repeat_facts(const Json& learnt) {
    const auto found = facts_by_model(*model_, talk_->spoken());
    Json now = Json::object();
    if (found) {
      Json list = Json::array();
      for (const FoundFact& fact : *found) list.push_back(fact.to_json());
      now.set("found", std::move(list));
    } else {
      now.set("error", to_string(found.error().code));
    }
    const Json* then = learnt.find("by_model");
    if (then == nullptr) return std::string();  // no model was asked
    const std::string difference = detail::first_difference(then, &now, "facts");
    return !difference.empty() && !found ? found.error().describe() : difference;
  }

  std::size_t left() const { return playing_.left(); }

 private:
  static const Json& member_of(const Json& json, std::string_view key) {
    static const Json kNothing = Json::object();
    const Json* found = json.find(key);
    return found == nullptr ? kNothing : *found;
  }

  Result<ModelTurn> say() {
    ANIMA_ASSIGN(ModelTurn turn, talk_->say(player_.message()));
    while (turn.kind == ModelTurnKind::kWaiting) {
      ANIMA_ASSIGN(const bool granted, player_.next_consent());
      ANIMA_ASSIGN(turn, talk_->go_on(granted));
    }
    return turn;
  }

  const RecordedConversation& conversation_;
  Random& random_;
  ManualClock clock_;
  llm::NoWaiter waiter_;
  llm::PlayingTransport playing_;
  std::unique_ptr<llm::Model> model_;
  std::shared_ptr<store::Space> space_;
  std::unique_ptr<GovernedHouse> house_;
  ConversationPlayer player_;
  std::unique_ptr<ModelConversation> talk_;
};

}  // namespace

Result<ConversationReplay> replay_conversation(
    store::Space& space, const RecordedConversation& conversation, HouseOptions house,
    Random& random, const std::function<bool(std::uint64_t turn)>& seen) {
  ConversationReplay report;
  report.conversation = conversation;
  ANIMA_ASSIGN(std::vector<llm::Exchange> exchanges, calls_of_conversation(space, conversation.id));
  const std::size_t calls = exchanges.size();
  ConversationRepeater repeater(conversation, std::move(exchanges), random);
  const store::Sequence before{count_of(conversation.setup, "from")};
  ANIMA_ASSIGN(ConversationHistory history, read_history(space, conversation.session, before));
  ANIMA_TRY(repeater.open(std::move(house), std::move(history)));
  for (const RecordedTurn& turn : conversation.turns) {
    const std::uint64_t number = report.repeated + 1;
    ANIMA_ASSIGN(report.difference, repeater.repeat(turn.record));
    if (!report.difference.empty()) {
      report.turn = number;
      report.entry = turn.entry;
      break;
    }
    ++report.repeated;
    if (seen && !seen(number)) break;
  }
  if (report.identical() && report.repeated == conversation.turns.size() && conversation.learnt) {
    ANIMA_ASSIGN(report.difference, repeater.repeat_facts(conversation.learnt->record));
    if (!report.difference.empty()) {
      report.turn = 0;
      report.entry = conversation.learnt->entry;
    }
  }
  report.left = repeater.left();
  report.calls = calls - report.left;
  return report;
}

}  // namespace anima::agent
