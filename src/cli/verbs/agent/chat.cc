// anima chat (also anima agent chat): a conversation that needs no model. Each line goes through
// the guardian, the planner and the executor; what asks for no task is answered from the graph.
// With --llm a language model answers what the space does not (model_chat.h).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/conversation/conversation.h"
#include "agent/conversation/unlearnt_lines.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/render/ask_view.h"
#include "cli/render/cycle_view.h"
#include "cli/render/learnt_view.h"
#include "cli/terminal/line_reader.h"
#include "cli/verbs/agent/after_conversation.h"
#include "cli/verbs/agent/model_chat.h"
#include "cli/verbs/agent/run_upkeep.h"
#include "cli/verbs/govern/consent.h"
#include "store/act.h"
#include "store/present.h"
#include "tools/user_tool.h"

namespace anima::cli {
namespace {

using agent::ReplyKind;
using agent::Turn;
using agent::TurnKind;

constexpr std::string_view kChatHelp =
    "Say what to do or ask about what the graph knows, one line at a time:\n"
    "  read FILE             write \"TEXT\" to FILE    delete FILE      run COMMAND\n"
    "  remember TEXT         search WORDS            show calendar    schedule MEETING with WHO\n"
    "  What orbits the Sun?  tell me about Mars\n"
    "What needs a person's consent is asked for here. /quit or the end of the input ends it.\n";

struct ChatOptions {
  std::string session = "chat";
  std::vector<std::string> knowledge;
  std::uint64_t max_cycles = 10;
  bool events = false;
  bool forget = false;  // no facts are learnt
  std::optional<std::string> model;
  std::optional<std::string> mode;
};

class Chat {
 public:
  Chat(Context& context, LineReader& input, agent::GovernedHouse& house, agent::Agent& agent,
       agent::SpaceAsker& asker, const ChatOptions& options)
      : context_(context),
        input_(input),
        house_(house),
        asker_(asker),
        learn_(!options.forget),
        unlearnt_(house.space(), random_),
        conversation_(house, agent,
                      {.asker = &asker,
                       .max_cycles = options.max_cycles,
                       .seen = [this](const agent::CycleReport& report) { event(report); },
                       .stopped = [] { return interrupted(); }}),
        consent_(context, input, house.approvals(), house.ledger()),
        events_(options.events) {
    message_.channel = "terminal";
    message_.sender = local_origin(context, "").author;
    message_.session = options.session;
    if (options.forget) house.learn_nothing_said();
    if (!events_) return;
    listening_ = house.events().subscribe("*", [this](const bus::Event& event) {
      line(Json::object({{"type", "event"}, {"event", event.type}, {"payload", event.payload}}));
    });
  }

  int run() {
    if (input_.interactive() && !context_.json) context_.print("Say or ask something; /help.\n");
    for (;;) {
      context_.out.flush();
      const std::optional<std::string> said = consent_.next("you> ");
      if (!said || interrupted()) break;
      const std::string text(trim(*said));
      if (text.empty()) continue;
      if (text == "/quit" || text == "/exit") break;
      if (text == "/help") {
        context_.print(kChatHelp);
        continue;
      }
      if (text.starts_with('/')) {
        context_.note(fmt::format("there is no command {}; /help", text));
        continue;
      }
      if (const Status done = answer(text); !done) return context_.fail(done.error());
      if (interrupted()) break;
    }
    return interrupted() ? kInterrupted : failed_ ? kFailed : kDone;
  }

 private:
  // What was stated in the words of the space, and was no task. It is kept before the answer is
  // shown; who is stopped before it was learnt from leaves it to whoever uses the space next.
  Status keep_line(const Turn& turn, const std::string& text) {
    SystemClock clock;
    const bool stated = turn.kind == TurnKind::kUnknown || turn.kind == TurnKind::kFindings;
    if (!learn_ || !stated) return {};
    return unlearnt_
        .add(local_origin(context_, "anima chat"), message_.session,
             {++turns_, text, message_.sender, govern::Trust::kOperator},
             store::present(house_.space(), clock))
        .map([](const std::string&) {});
  }
  Status learn() {
    if (!learn_) return {};
    ANIMA_ASSIGN(const auto learnt, agent::learn_left_lines(house_, asker_, unlearnt_,
                                                            local_origin(context_, "anima chat")));
    show_learnt(context_, learnt);
    return {};
  }

  void line(const Json& json) { context_.print(json.dump() + "\n"); }
  void event(const agent::CycleReport& report) {
    if (events_) line(report.to_json());
  }

  Status answer(const std::string& text) {
    const store::ActScope act("chat line", store::ActKind::kOwn);
    message_.content = text;
    ANIMA_ASSIGN(Turn turn, conversation_.say(message_));
    // Each task may wait for consent of its own; the message is said again after each, and goes on
    // from there.
    while (turn.reply.kind == ReplyKind::kWaiting) {
      ANIMA_ASSIGN(const bool granted, consent(turn));
      if (const Status learnt = house_.learn_answers(); !learnt)
        context_.warn("the answer was not learnt from: " + learnt.error().describe());
      if (!granted) return house_.plans().close(turn.reply.plan_id);
      ANIMA_ASSIGN(turn, conversation_.say(message_));
    }
    ANIMA_TRY(keep_line(turn, text));
    show(turn);
    context_.out.flush();
    note_failure(turn);
    if (const Status closed = house_.delivered(turn.reply); !closed)
      context_.warn("said again, the line is answered again: " + closed.error().describe());
    if (const Status learnt = learn(); !learnt)
      context_.warn("what was said is not learnt from yet: " + learnt.error().describe());
    return {};
  }

  // Whoever reads no answers learns by the exit code that a line could not be recorded, and so was
  // not done.
  void note_failure(const Turn& turn) {
    const agent::Reply& reply = turn.reply;
    const bool withheld = reply.kind == ReplyKind::kBusy ||
                          (reply.kind == ReplyKind::kFailed && reply.audit_id.empty());
    const bool tried = turn.kind == TurnKind::kReply && !reply.tasks.empty();
    if (tried && withheld && !input_.interactive()) failed_ = true;
  }

  // Asks for consent to the call that waits.
  Result<bool> consent(const Turn& turn) {
    show(turn);
    return consent_.ask(turn.reply.approval_id);
  }

  void show(const Turn& turn) {
    if (context_.json) {
      Json json = turn.to_json();
      if (turn.answer) json.set("answer", answer_json(*turn.answer));
      if (turn.asked) json.set("asked", turn.asked->to_json());
      return line(json);
    }
    if (events_) return line(turn.to_json());
    if (turn.answer) {
      context_.print(show_answer(context_, *turn.answer));
      for (const std::string& next : turn.answer->next) {
        context_.print("  you can ask next: " + next + "\n");
      }
      return;
    }
    if (turn.asked && turn.text == turn.asked->text) {
      show_answer(context_, *turn.asked);
    } else {
      context_.print(turn.text + "\n");
    }
    for (const std::string& each : turn.can_ask) {
      const bool shown =
          turn.asked && std::ranges::find(turn.asked->next, each) != turn.asked->next.end();
      if (!shown) context_.print("  for example: " + each + "\n");
    }
    if (turn.kind == TurnKind::kReply && !turn.reply.audit_id.empty() &&
        turn.reply.kind != ReplyKind::kWaiting) {
      context_.note("anima why-denied " + turn.reply.audit_id.substr(0, 8));
    }
  }

  Context& context_;
  LineReader& input_;
  agent::GovernedHouse& house_;
  agent::SpaceAsker& asker_;
  bool learn_;
  SystemRandom random_;
  agent::UnlearntLines unlearnt_;
  std::size_t turns_ = 0;
  agent::Conversation conversation_;
  ConsentPrompt consent_;
  bool events_;
  bool failed_ = false;  // a line
  govern::IncomingMessage message_;
  bus::Subscription listening_;
};

agent::ModelMode mode_of(const ChatOptions& options) {
  return options.mode.value_or("") == "reactive" ? agent::ModelMode::kReactive
                                                 : agent::ModelMode::kPlanFirst;
}

int chat(Context& context, const ChatOptions& options) {
  auto workshop = open_workshop(context, Access::kAsItGoes, "anima chat");
  if (!workshop) return context.fail(workshop.error());
  for (const std::string& path : options.knowledge) {
    if (Status added = add_knowledge(context, *workshop, path); !added) {
      return context.fail(added.error());
    }
  }
  const auto house = open_house(context);
  if (!house) return context.fail(house.error());
  if (options.model) {
    LineReader input(history_file(context.files, "chat_history"));
    const int exit =
        model_chat(context, input, **house, workshop->space,
                   {*options.model, options.session, !options.forget, mode_of(options)});
    sleep_after_conversation(context, workshop->space);
    return exit;
  }
  agent::AgentConfig config;
  config.origin = local_origin(context, "anima chat");
  // What the agent does on its own has the agent's trust, not the person's.
  const auto agent =
      (*house)->start_agent(*workshop->compartments, context.files, std::move(config));
  if (!agent) return context.fail(agent.error());
  LineReader input(history_file(context.files, "chat_history"));
  (*agent)->tools().add(tools::make_user_interact([&](const std::string& question) {
    context.note(question);
    return input.next("answer> ");
  }));
  for (const std::string& warning : (*agent)->take_warnings()) context.warn(warning);
  const auto asker = agent::SpaceAsker::open(workshop->space, context.files);
  if (!asker) return context.fail(asker.error());
  const int exit = Chat(context, input, **house, **agent, **asker, options).run();
  prune_old_runs(context, *workshop->space);
  sleep_after_conversation(context, workshop->space);
  return exit;
}

int run_chat(Context& context, Arguments arguments) {
  ChatOptions given;
  Options options;
  options.value("--session ID", given.session, "the session that remembers it (chat)");
  options.value("--max-cycles N", given.max_cycles, "turns of the agent for one line (10)");
  options.values("--knowledge PATH", given.knowledge,
                 "a compartment's folder or a triples.json to talk about");
  options.flag("--events", given.events,
               "each event of the bus and each cycle as a line of JSON, as it happens");
  options.value("--llm NAME", given.model,
                "with a language model of the configuration; auto takes one by tier and budget");
  options.flag("--no-learn", given.forget, "no facts are learnt of what you stated");
  options
      .value(
          "--mode plan-first|reactive", given.mode,
          "with --llm: your words alone say which tools may act (plan-first), or only the values "
          "are judged")
      .choices({"plan-first", "reactive"});
  options.epilogue(
      "From a pipe, each line is said; the line after a question for consent answers it when it is "
      "y, n or \"n because REASON\". A line \"no, because REASON\" refuses what was done last; "
      "what "
      "is refused three times alike is proposed no more (anima learnings). With --json each turn "
      "is one line of JSON.");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (given.max_cycles == 0) return context.usage_error("--max-cycles must be 1 or more");
  if (given.model && given.events)
    return context.usage_error("--events tells of the agent's cycles, and --llm has none");
  if (given.mode && !given.model)
    return context.usage_error("--mode is for a language model", "give --llm NAME, too");
  return chat(context, given);
}

constexpr std::string_view kChatUsage =
    "[--llm NAME [--mode MODE]] [--no-learn] [--session ID] [--knowledge PATH]... [--max-cycles N] "
    "[--events] "
    "[--json]";

}  // namespace

extern const Verb kChat, kAgentChat;
const Verb kChat{
    "chat",
    Group::kActing,
    "a conversation: tasks are carried out, questions answered from the graph",
    kChatUsage,
    "anima chat\necho \"tell me about Mars\" | anima chat --json\nanima chat --llm local",
    run_chat};
const Verb kAgentChat{"agent chat", Group::kActing,     "the same as anima chat",
                      kChatUsage,   "anima agent chat", run_chat};

}  // namespace anima::cli
