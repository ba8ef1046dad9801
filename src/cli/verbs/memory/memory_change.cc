// anima remember, anima memory update and forget: memories with the facts that they state.
#include <fmt/format.h>

#include <optional>

#include "base/json/text_array.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/told_view.h"

namespace anima::cli {
namespace {

// "-" stands for what standard input holds.
Status read_text(Context& context, std::string& text) {
  if (text != "-") return {};
  ANIMA_ASSIGN(text, context.read_input("-", 1 << 20));
  return {};
}

int say_quarantined(Context& context, const memory::StoredMemory& stored) {
  if (context.json) {
    context.print_json(
        Json::object({{"id", stored.id}, {"quarantined", true}, {"reason", stored.reason}}));
  } else {
    context.print(fmt::format("quarantined as {}: {}\n", stored.id, stored.reason));
  }
  return kRefused;
}

int run_remember(Context& context, Arguments arguments) {
  std::string text, trust = "operator", source = "terminal";
  std::optional<std::string> speaker;
  Options options;
  options.positional("TEXT", text, "what to remember; - reads standard input").required();
  options.value("--trust LEVEL", trust, "how far whoever said it is trusted (default: operator)")
      .choices({"operator", "verified", "standard", "untrusted", "hostile"});
  options.value("--source TEXT", source, "where it comes from");
  options.value("--speaker NAME", speaker, "whose words they are, who says \"I\" (default: you)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (const Status read = read_text(context, text); !read) return context.fail(read.error());
  const auto name = memory::speaker_given(speaker);
  if (!name) return context.fail(name.error());
  const auto house = open_writing_house(context);
  if (!house) return context.fail(house.error());
  memory::NewMemory item;
  item.content = std::move(text);
  item.created_by = owner_of_memories(context).author;
  item.source = source;
  item.trust = *govern::parse_trust(trust);
  item.speaker = *name;
  const bool own = item.trust == govern::Trust::kOperator;
  const auto remembered = (*house)->remember(item, own ? item.created_by : std::string());
  if (!remembered) return context.fail(remembered.error());
  const memory::StoredMemory& stored = remembered->stored;
  if (stored.quarantined) return say_quarantined(context, stored);
  if (context.json) {
    Json json = Json::object({{"id", stored.id.empty() ? Json() : Json(stored.id)},
                              {"known_before", stored.known_before}});
    remembered->told.add_to(json);
    context.print_json(json);
    return kDone;
  }
  if (!stored.id.empty())
    context.print(stored.id + (stored.known_before ? " was known\n" : " remembered\n"));
  say_told(context, remembered->told);
  return kDone;
}

int run_update(Context& context, Arguments arguments) {
  std::string id, text;
  std::optional<std::string> speaker;
  Options options;
  options.positional("ID", id, "the memory").required();
  options.positional("TEXT", text, "what is remembered instead; - reads standard input").required();
  options.value("--speaker NAME", speaker, "whose words they are (default: as before)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (const Status read = read_text(context, text); !read) return context.fail(read.error());
  const auto name = memory::speaker_given(speaker);
  if (!name) return context.fail(name.error());
  const auto house = open_writing_house(context);
  if (!house) return context.fail(house.error());
  const agent::MemoryCaller caller = owner_of_memories(context);
  const auto changed = (*house)->memory_changes().update(id, text, caller, caller.author, *name);
  if (!changed) return context.fail(changed.error());
  if (changed->stored.quarantined) return say_quarantined(context, changed->stored);
  if (context.json) {
    Json json = Json::object({{"id", changed->stored.id}, {"unchanged", changed->unchanged}});
    json.set("taken_back", text_array(changed->facts));
    changed->told.add_to(json);
    context.print_json(json);
    return kDone;
  }
  if (changed->unchanged) {
    context.print(id + " has this text already\n");
    return kDone;
  }
  context.print(fmt::format("{} stands in the place of {}\n", changed->stored.id, id));
  for (const std::string& fact : changed->facts) context.print("  taken back " + fact + "\n");
  say_told(context, changed->told);
  return kDone;
}

int run_forget(Context& context, Arguments arguments) {
  std::optional<std::string> id, session;
  Options options;
  options.positional("ID", id, "the memory");
  options.value("--session ID", session, "all items of a session instead");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (id.has_value() == session.has_value())
    return context.usage_error("give either an ID or --session", "see --help");
  const auto house = open_writing_house(context);
  if (!house) return context.fail(house.error());
  std::size_t count = 1;
  std::vector<std::string> facts;
  if (id) {
    auto changed = (*house)->memory_changes().forget(*id, owner_of_memories(context));
    if (!changed) return context.fail(changed.error());
    facts = std::move(changed->facts);
  } else {
    const auto ended = (*house)->memory().end_session(*session);
    if (!ended) return context.fail(ended.error());
    count = *ended;
  }
  if (context.json) {
    context.print_json(Json::object(
        {{"forgotten", static_cast<std::uint64_t>(count)}, {"taken_back", text_array(facts)}}));
    return kDone;
  }
  context.print(fmt::format("forgot {}\n", id ? *id : fmt::format("{} items", count)));
  for (const std::string& fact : facts) context.print("  taken back " + fact + "\n");
  return kDone;
}

}  // namespace

extern const Verb kRemember;
extern const Verb kMemoryUpdate;
extern const Verb kMemoryForget;
const Verb kRemember{"remember",
                     Group::kKnowledge,
                     "remembers a text, and keeps what it states as facts",
                     "TEXT|- [--trust LEVEL] [--source TEXT] [--speaker NAME] [--json]",
                     "anima remember \"The phone of Tom Berger is 556\"\n"
                     "anima remember \"I live in Oslo\" --speaker Ann\n"
                     "anima remember - < note.txt",
                     run_remember};
const Verb kMemoryUpdate{"memory update",
                         Group::kKnowledge,
                         "puts a text in the place of a memory, and takes back what it stated",
                         "ID TEXT|- [--speaker NAME] [--json]",
                         "anima memory update doc_0123456789abcdef \"The gate is in the south\"",
                         run_update};
const Verb kMemoryForget{"memory forget",
                         Group::kKnowledge,
                         "withdraws a memory and what it stated, or all of a session",
                         "ID | --session ID [--json]",
                         "anima memory forget doc_0123456789abcdef",
                         run_forget};

}  // namespace anima::cli
