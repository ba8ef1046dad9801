// anima message: one message through guardian, planner, executor and memory.
#include <fmt/format.h>

#include "agent/memory_tools.h"
#include "agent/message_path.h"
#include "cli/acting_tools.h"
#include "cli/options.h"

namespace anima::cli {
namespace {

using agent::Reply;
using agent::ReplyKind;

// Everything that a message meets, over one space.
struct House {
  House(std::unique_ptr<Governance> opened, govern::PatternSet patterns,
        std::unique_ptr<govern::Policy> rules, tools::ExternalOptions external_settings,
        govern::GatewayOptions gateway_settings)
      : governance(std::move(opened)),
        guardian(std::move(patterns)),
        policy(std::move(rules)),
        gateway(guardian, governance->ledger, events, governance->clock, governance->random,
                gateway_settings),
        line(governance->ledger),
        memory(*governance->space, governance->ledger, guardian, events, governance->clock,
               governance->random),
        external(governance->clock, governance->random, std::move(external_settings)),
        tools(memory, external, "executor"),
        executor(permissions(), tools, governance->ledger, line, events, governance->clock,
                 governance->random, settings()),
        path(gateway, executor, memory, events, governance->clock) {}

  static govern::PermissionTable permissions() {
    govern::PermissionTable table = govern::PermissionTable::of_the_source();
    tools::add_external_policies(table);
    agent::MemoryTools::add_policies(table);
    return table;
  }
  govern::ExecutorOptions settings() {
    govern::ExecutorOptions options;
    options.approvals = &governance->approvals;
    options.policy = policy.get();
    return options;
  }

  std::unique_ptr<Governance> governance;
  bus::EventBus events;
  govern::Guardian guardian;
  std::unique_ptr<govern::Policy> policy;
  govern::Gateway gateway;
  govern::StopSwitch line;
  memory::MemoryManager memory;
  tools::ExternalTools external;
  agent::MemoryTools tools;
  govern::Executor executor;
  agent::MessagePath path;
};

Result<std::unique_ptr<House>> open_house(Context& context, bool text_detection) {
  ANIMA_ASSIGN(auto governance, open_governance(context, Access::kCreate));
  ANIMA_ASSIGN(auto patterns, govern::PatternSet::shipped());
  ANIMA_ASSIGN(auto policy, govern::Policy::shipped());
  tools::ExternalOptions external = external_options(context, *governance->space);
  govern::GatewayOptions gateway;
  gateway.text_detection = text_detection;
  return std::make_unique<House>(std::move(governance), std::move(patterns), std::move(policy),
                                 std::move(external), gateway);
}

int exit_of(ReplyKind kind) {
  switch (kind) {
    case ReplyKind::kAnswered:
      return kDone;
    case ReplyKind::kWaiting:
      return kWaitsForApproval;
    case ReplyKind::kBlocked:
    case ReplyKind::kDenied:
      return kRefused;
    case ReplyKind::kClarify:
    case ReplyKind::kFailed:
      return kFailed;
  }
  return kFailed;
}

void print_reply(Context& context, const Reply& reply) {
  context.print(reply.text + "\n");
  for (const std::string& option : reply.options) context.print("  for example: " + option + "\n");
  if (reply.kind == ReplyKind::kWaiting) {
    context.note(
        fmt::format("it waits for an approval\n  anima approve grant {}   then the same "
                    "message again",
                    reply.approval_id.substr(0, 8)));
  } else if (!reply.audit_id.empty()) {
    context.note("anima why-denied " + reply.audit_id.substr(0, 8));
  }
}

int run_message(Context& context, Arguments arguments) {
  govern::IncomingMessage message;
  std::optional<std::string> source;
  bool events = false;
  bool no_text = false;
  message.channel = "terminal";
  Options options;
  options.positional("TEXT", message.content, "the message; - reads standard input").required();
  options.value("--channel C", message.channel, "where it comes from; it sets the trust")
      .choices({"terminal", "agent_key", "http", "mcp", "email", "file"});
  options.value("--trust LEVEL", source, "less trust than the channel has")
      .choices({"system", "operator", "verified", "standard", "untrusted", "hostile"});
  options.value("--session ID", message.session, "the session that remembers it");
  options.flag("--events", events, "each event of the bus as a line of JSON, as it happens");
  options.flag("--no-text-detection", no_text, "leave out the guardian's analysis of the text");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (message.content == "-") {
    auto text = context.read_input("-", 1 << 20);
    if (!text) return context.fail(text.error());
    message.content = std::move(*text);
  }
  const auto house = open_house(context, !no_text);
  if (!house) return context.fail(house.error());
  message.source = source;
  message.sender = (*house)->governance->person.name;
  const auto most = govern::channel_trust(message.channel).value_or(govern::Trust::kUntrusted);
  const auto claimed = source ? govern::parse_trust(*source).value_or(most) : most;
  (*house)->tools.stored_as = govern::lowest(most, claimed);
  bus::Subscription listening;
  if (events) {
    listening = (*house)->events.subscribe("*", [&](const bus::Event& event) {
      context.print(Json::object({{"event", event.type}, {"payload", event.payload}}).dump() +
                    "\n");
    });
  }
  const auto reply = (*house)->path.handle(message);
  if (!reply) return context.fail(reply.error());
  if (context.json) {
    context.print_json(reply->to_json());
  } else if (!events) {
    print_reply(context, *reply);
  }
  return exit_of(reply->kind);
}

}  // namespace

extern const Verb kMessage;
const Verb kMessage{"message",
                    Group::kActing,
                    "one message through guardian, planner, executor and memory",
                    "TEXT|- [--channel C] [--trust LEVEL] [--session ID] [--events] [--json]",
                    "anima message \"Schedule meeting with team\" --events\n"
                    "anima message \"read notes.txt\" --channel http",
                    run_message};

}  // namespace anima::cli
