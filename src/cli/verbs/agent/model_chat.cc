// anima chat --llm, and anima agent context: what a model would be told.
#include "cli/verbs/agent/model_chat.h"

#include <fmt/format.h>

#include "agent/conversation/conversation_tape.h"
#include "agent/conversation/model_conversation.h"
#include "agent/conversation/recorded_calls.h"
#include "agent/conversation/unlearnt_lines.h"
#include "agent/mind/core_memory.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/model_access.h"
#include "cli/frame/options.h"
#include "cli/frame/sequence_number.h"
#include "cli/render/ask_view.h"
#include "cli/render/learnt_view.h"
#include "cli/render/table.h"
#include "cli/verbs/govern/consent.h"
#include "store/act.h"
#include "store/present.h"

namespace anima::cli {
namespace {

using agent::ModelTurn;
using agent::ModelTurnKind;

constexpr std::string_view kAutoModel = "auto";
constexpr std::string_view kModelChatHelp =
    "Say what you want. The space answers what it knows; the model answers the rest, and calls "
    "tools.\nWhat needs a person's consent is asked for here.\n"
    "  /rule TEXT   a rule that is always told, word for word\n"
    "  /memory      the core memory\n"
    "  /new         begins the session anew\n"
    "  /quit, or the end of the input, ends it\n";

govern::IncomingMessage terminal_message(const Context& context, const std::string& session) {
  govern::IncomingMessage message;
  message.channel = "terminal";
  message.sender = local_origin(context, "").author;
  message.session = session;
  return message;
}

// What a replay must know beside the turns.
Result<Json> conversation_setup(const Context& context, store::Space& space,
                                const llm::Model& model,
                                const agent::ModelConversationOptions& options) {
  ANIMA_ASSIGN(const store::Head head, space.log().head());
  return Json::object({{"model", agent::model_setup(model.config())},
                       {"max_steps", static_cast<std::uint64_t>(options.max_steps)},
                       {"summaries", options.summaries},
                       {"streamed", !context.json},
                       {"from", sequence_number(head.sequence)}});
}

class ModelChat {
 public:
  ModelChat(Context& context, LineReader& input, agent::GovernedHouse& house, llm::Model& model,
            agent::SpaceAsker& asker, agent::ConversationRecorder& recorder,
            const ModelChatOptions& options)
      : context_(context),
        input_(input),
        house_(house),
        model_(model),
        asker_(asker),
        recorder_(recorder),
        learn_(options.learn),
        unlearnt_(house.space(), random_),
        consent_(context, input, house.approvals(), house.ledger()),
        message_(terminal_message(context, options.session)),
        talk_(house, model,
              {.mode = options.mode,
               .asker = &asker,
               .origin = local_origin(context, "anima chat"),
               .sink = sink(),
               .stop = stop_.token(),
               .tape = &recorder}) {}

  int run() {
    if (input_.interactive() && !context_.json) context_.print("Say or ask something; /help.\n");
    for (;;) {
      context_.out.flush();
      const std::optional<std::string> said = consent_.next("you> ");
      if (!said || interrupted()) break;
      const std::string text(trim(*said));
      if (text.empty()) continue;
      if (text == "/quit" || text == "/exit") break;
      if (text.starts_with('/')) {
        if (const Status done = command(text); !done) exit_ = context_.fail(done.error());
        continue;
      }
      message_.content = text;
      // The conversation goes on: the same can be said again.
      if (const Status done = answer(); !done) exit_ = fail_of_model(context_, done.error());
      if (interrupted()) break;
    }
    if (interrupted()) return kInterrupted;
    if (const Status done = learn(); !done) exit_ = context_.fail(done.error());
    return exit_;
  }

 private:
  Status command(const std::string& text) {
    constexpr std::string_view kRule = "/rule ";
    if (text == "/help") {
      context_.print(kModelChatHelp);
    } else if (text == "/new") {
      ANIMA_TRY(talk_.clear(message_.session));
      context_.note("the session begins anew: nothing of it is told to the model any more");
    } else if (text == "/memory") {
      ANIMA_ASSIGN(const store::Snapshot now, house_.space().snapshot());
      ANIMA_ASSIGN(const auto blocks, agent::core_memory(now));
      for (const agent::CoreBlock& block : blocks)
        context_.print(fmt::format("{}:\n{}\n", block.name, block.text));
      if (blocks.empty()) context_.print("core memory is empty\n");
    } else if (text.starts_with(kRule)) {
      ANIMA_TRY(agent::add_to_core_block(house_.space(), local_origin(context_, "anima chat"),
                                         agent::kRulesBlock, text.substr(kRule.size()))
                    .map([](const agent::CoreBlock&) {}));
      context_.note("the rule holds from now on (anima agent memory show rules)");
    } else {
      context_.note(fmt::format("there is no command {}; /help", text));
    }
    return {};
  }

  // What was stated, as facts: by the model, or by rules where it fails.
  Status learn() {
    const std::vector<agent::SpokenLine>& lines = talk_.spoken();
    if (!learn_ || lines.empty()) return {};
    Json record = Json::object();
    auto found = agent::facts_by_model(model_, lines, stop_.token());
    if (interrupted()) return {};
    Json by_model = Json::object();
    if (found) {
      Json list = Json::array();
      for (const agent::FoundFact& fact : *found) list.push_back(fact.to_json());
      by_model.set("found", std::move(list));
    } else {
      context_.note("facts are taken by rules, for the model failed: " + found.error().describe());
      by_model.set("error", to_string(found.error().code));
      SystemClock clock;
      found = agent::facts_by_rules(asker_, lines, store::present(house_.space(), clock));
    }
    record.set("by_model", std::move(by_model));
    const store::ActScope act("learning", store::ActKind::kOwn);
    const auto keep = [&]() -> Result<std::vector<agent::LearntFact>> {
      ANIMA_ASSIGN(auto kept,
                   agent::keep_facts(house_, message_.session, lines, *found, talk_.recalled()));
      ANIMA_TRY(unlearnt_.learnt(local_origin(context_, "anima chat"), left_));
      return kept;
    };
    ANIMA_ASSIGN(const auto learnt, store::as_whole_act(house_.space(), keep));
    Json kept = Json::array();
    for (const agent::LearntFact& each : learnt) kept.push_back(each.to_json());
    record.set("facts", std::move(kept));
    show_learnt(context_, learnt);
    return recorder_.learnt(record);
  }

  llm::StreamSink sink() {
    if (context_.json) return {};
    return [this](const llm::StreamEvent& event) {
      using Kind = llm::StreamEvent::Kind;
      if (event.kind == Kind::kText) context_.out.write(event.text);
      if (event.kind == Kind::kToolCall) {
        context_.out.write(context_.paint(Paint::kDim, fmt::format("[{}]\n", event.text)));
      }
      if (event.kind == Kind::kRestart) {
        context_.out.write("\n");
        context_.note("the answer broke off and begins anew");
      }
      context_.out.flush();
      told_ = event.kind == Kind::kText;
    };
  }

  Status answer() {
    const store::ActScope act("chat line", store::ActKind::kOwn);
    exit_ = kDone;
    told_ = false;
    ANIMA_ASSIGN(ModelTurn turn, talk_.say(message_));
    if (talk_.recall_note() != noted_) {
      noted_ = talk_.recall_note();
      if (!noted_.empty()) context_.warn(noted_);
    }
    while (turn.kind == ModelTurnKind::kWaiting) {
      if (!context_.json) context_.print(turn.text + "\n");
      ANIMA_ASSIGN(const bool granted, consent_.ask(turn.approval_id));
      ANIMA_ASSIGN(turn, talk_.go_on(granted));
    }
    ANIMA_TRY(keep_lines());
    show(turn);
    return {};
  }

  // What was said, until it is learnt from at the end, or by whoever uses the space next.
  Status keep_lines() {
    const std::vector<agent::SpokenLine>& lines = talk_.spoken();
    SystemClock clock;
    while (learn_ && left_.size() < lines.size()) {
      ANIMA_ASSIGN(std::string id,
                   unlearnt_.add(local_origin(context_, "anima chat"), message_.session,
                                 lines[left_.size()], store::present(house_.space(), clock)));
      left_.push_back(std::move(id));
    }
    return {};
  }

  void show(const ModelTurn& turn) {
    if (context_.json) {
      Json json = turn.to_json();
      if (turn.asked) json.set("asked", turn.asked->to_json());
      context_.print(json.dump() + "\n");
      return;
    }
    if (turn.asked) {
      show_answer(context_, *turn.asked);
    } else if (turn.kind == ModelTurnKind::kReply && told_) {
      context_.print("\n");  // it was shown while it came
    } else {
      context_.print(turn.text + "\n");
    }
    for (const ModelTurn::Call& call : turn.calls) {
      if (call.outcome.kind != govern::Outcome::Kind::kDenied || call.outcome.audit_id.empty())
        continue;
      context_.note(fmt::format("{} was refused: {} (anima why-denied {})", call.tool,
                                call.outcome.reason, call.outcome.audit_id.substr(0, 8)));
    }
  }

  Context& context_;
  LineReader& input_;
  agent::GovernedHouse& house_;
  llm::Model& model_;
  agent::SpaceAsker& asker_;
  agent::ConversationRecorder& recorder_;
  bool learn_;
  SystemRandom random_;
  agent::UnlearntLines unlearnt_;
  std::vector<std::string> left_;  // of what was said here, by their ids
  ConsentPrompt consent_;
  govern::IncomingMessage message_;
  StopOnInterrupt stop_;
  agent::ModelConversation talk_;
  bool told_ = false;
  std::string noted_;  // what memory could not do, said once
  int exit_ = kDone;
};

// --- agent context -------------------------------------------------------------------------------

void show_context(Context& context, const agent::ModelContext& told) {
  if (context.json) {
    context.print_json(told.to_json());
    return;
  }
  Table table({"part", "tokens", "trust", "source", "reason"});
  table.align_right(1);
  for (const agent::PromptPart& part : told.parts) {
    table.add({part.included ? part.section : "(" + part.section + ")",
               std::to_string(part.tokens()), std::string(govern::trust_name(part.trust)),
               part.source, part.reason});
  }
  context.print(table.render(context));
  context.print(fmt::format("{} of {} tokens; what the model writes then is trusted as {}\n",
                            told.used, told.budget, govern::trust_name(told.label())));
  for (const agent::PromptPart& part : told.parts) {
    if (part.included) context.print(fmt::format("\n--- {}\n{}\n", part.section, part.text()));
  }
}

int run_agent_context(Context& context, Arguments arguments) {
  std::string text;
  ModelChatOptions given{std::string(kAutoModel), "chat"};
  Options options;
  options.positional("TEXT", text, "what would be said").required();
  options.value("--llm NAME", given.model, "the model that would be told it (auto)");
  options.value("--session ID", given.session, "the session (chat)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto access = open_models(context);
  if (!access) return context.fail(access.error());
  const auto model = named_model(*(*access)->models, given.model);
  if (!model) return fail_of_model(context, model.error());
  auto space = open_space(context, Access::kAsItGoes);
  if (!space) return context.fail(space.error());
  const auto house = open_house(context);
  if (!house) return context.fail(house.error());
  const auto asker = agent::SpaceAsker::open(*space, context.files);
  if (!asker) return context.fail(asker.error());
  agent::ModelConversation talk(**house, **model, {.asker = asker->get()});
  govern::IncomingMessage message = terminal_message(context, given.session);
  message.content = text;
  const auto told = talk.context(message);
  if (!told) return context.fail(told.error());
  show_context(context, *told);
  return kDone;
}

}  // namespace

int model_chat(Context& context, LineReader& input, agent::GovernedHouse& house,
               std::shared_ptr<store::Space> space, const ModelChatOptions& options) {
  const store::Origin origin = local_origin(context, "anima chat");
  const std::string conversation = fresh_conversation_id();
  agent::RecordedCalls calls(*space, origin, options.session, conversation);
  const auto access = open_models(context, {}, &calls);
  if (!access) return context.fail(access.error());
  const auto model = named_model(*(*access)->models, options.model);
  if (!model) return fail_of_model(context, model.error());
  const auto asker = agent::SpaceAsker::open(space, context.files);
  if (!asker) return context.fail(asker.error());
  auto setup = conversation_setup(context, *space, **model, {});
  if (!setup) return context.fail(setup.error());
  agent::ConversationRecorder recorder(*space, origin, options.session, conversation,
                                       *std::move(setup));
  return ModelChat(context, input, house, **model, **asker, recorder, options).run();
}

extern const Verb kAgentContext;
const Verb kAgentContext{"agent context",
                         Group::kActing,
                         "what a language model would be told, part by part, with the reasons",
                         "TEXT [--llm NAME] [--session ID] [--json]",
                         "anima agent context \"When is the tide high?\" --llm local",
                         run_agent_context};

}  // namespace anima::cli
