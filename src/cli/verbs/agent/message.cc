// anima message: one message through guardian, planner, executor and memory.
#include "agent/house/governed_house.h"
#include "cli/frame/access.h"
#include "cli/frame/left_lines.h"
#include "cli/frame/options.h"
#include "cli/render/reply_view.h"

namespace anima::cli {
namespace {

int run_message(Context& context, Arguments arguments) {
  govern::IncomingMessage message;
  std::optional<std::string> source;
  std::optional<std::string> sender;
  bool events = false;
  bool no_text = false;
  message.channel = "terminal";
  Options options;
  options.positional("TEXT", message.content, "the message; - reads standard input").required();
  options.value("--channel C", message.channel, "where it comes from; it sets the trust")
      .choices({"terminal", "agent_key", "http", "mcp", "email", "file"});
  options.value("--trust LEVEL", source, "less trust than the channel has")
      .choices({"system", "operator", "verified", "standard", "untrusted", "hostile"});
  options.value("--sender NAME", sender, "who sent it, for rate and behaviour (default: you)");
  options.value("--session ID", message.session, "the session that remembers it");
  options.flag("--events", events, "each event of the bus as a line of JSON, as it happens");
  options.flag("--no-text-detection", no_text, "leave out the guardian's analysis of the text");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (message.content == "-") {
    auto text = context.read_input("-", 1 << 20);
    if (!text) return context.fail(text.error());
    message.content = std::move(*text);
  }
  auto space = open_space(context, Access::kAsItGoes);
  if (!space) return context.fail(space.error());
  auto settings = house_options(context, **space);
  if (!settings) return context.fail(settings.error());
  settings->gateway.text_detection = !no_text;
  const auto house = open_house(context, std::move(*settings));
  if (!house) return context.fail(house.error());
  learn_what_was_left(context, **house, *space);
  message.source = source;
  message.sender = sender.value_or(local_origin(context, "").author);
  return show_work(context, **house, events,
                   [&](agent::GovernedHouse& open) { return open.handle(message); });
}

}  // namespace

extern const Verb kMessage;
const Verb kMessage{
    "message",
    Group::kActing,
    "one message through guardian, planner, executor and memory",
    "TEXT|- [--channel C] [--trust LEVEL] [--sender NAME] [--session ID] [--events] [--json]",
    "anima message \"Schedule meeting with team\" --events\n"
    "anima message \"read notes.txt\" --channel http",
    run_message};

}  // namespace anima::cli
