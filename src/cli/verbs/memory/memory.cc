// anima recall, and anima memory: add, search, context, show, verify.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/json/text_array.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/memory_view.h"
#include "cli/render/table.h"
#include "cli/render/text_lines.h"
#include "memory/lost_memories.h"
#include "memory/recall/recall_context.h"
#include "store/present.h"

namespace anima::cli {
namespace {

using memory::MemoryItem;

const std::vector<std::string> kTrustNames = {"system",   "operator",  "verified",
                                              "standard", "untrusted", "hostile"};

std::string audience(const memory::StoredMemory& stored) {
  std::string text(memory::to_string(stored.partition));
  if (!stored.readers.empty()) text += ", of these " + join(stored.readers, ", ");
  return text;
}

int say_stored(Context& context, const memory::StoredMemory& stored) {
  if (context.json) {
    Json json = Json::object({{"id", stored.id},
                              {"quarantined", stored.quarantined},
                              {"known_before", stored.known_before},
                              {"raised", stored.raised},
                              {"narrowed", stored.narrowed},
                              {"partition", std::string(memory::to_string(stored.partition))}});
    json.set("readers", text_array(stored.readers));
    if (stored.quarantined) json.set("reason", stored.reason);
    context.print_json(json);
  } else if (stored.quarantined) {
    context.print(fmt::format("quarantined as {}: {}\n", stored.id, stored.reason));
  } else {
    context.print(fmt::format("{} {}\n", stored.id,
                              stored.raised         ? "was known, and is yours now"
                              : stored.known_before ? "was known"
                                                    : "stored"));
    if (stored.known_before) context.print("  read by " + audience(stored) + "\n");
    if (stored.narrowed) {
      context.note(
          "what was said of it before stays in the history of the space, for whoever could read "
          "it then");
    }
  }
  return stored.quarantined ? kRefused : kDone;
}

int run_add(Context& context, Arguments arguments) {
  std::string text;
  std::optional<std::string> back;
  std::string kind = "knowledge";
  std::string type = "FACT";
  std::string partition = "PUBLIC";
  std::string trust = "operator";
  std::string source = "terminal";
  std::string session;
  std::vector<std::string> readers;
  double confidence = 1.0;
  Options options;
  options.positional("TEXT", text, "what to remember; - reads standard input").required();
  options.value("--card BACK", back, "a learning card: TEXT is its front");
  options.value("--kind KIND", kind, "session, learning or knowledge")
      .choices({"session", "learning", "knowledge"});
  options.value("--type TYPE", type, "what it is")
      .choices({"FACT", "PREFERENCE", "PATTERN", "CONTEXT", "DECISION"});
  options.value("--partition P", partition, "who may read it")
      .choices({"PUBLIC", "INTERNAL", "SENSITIVE"});
  options.values("--reader AGENT", readers,
                 "only this agent of the partition's, and you (several times)");
  options.value("--trust LEVEL", trust, "how far its source is trusted (at most your own)")
      .choices(kTrustNames);
  options.value("--source TEXT", source, "where it comes from");
  options.value("--session ID", session, "the session of a session item");
  options.value("--confidence C", confidence, "0 to 1");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (kind == "learning" && !back)
    return context.usage_error("a learning item is a card", "give its answer with --card");
  const auto remembering = open_memory(context, Access::kWrite);
  if (!remembering) return context.fail(remembering.error());
  const auto content = text == "-" ? context.read_input("-") : Result<std::string>(text);
  if (!content) return context.fail(content.error());
  memory::NewMemory item;
  item.content = *content;
  item.kind = *memory::parse_item_kind(kind);
  item.type = *memory::parse_item_type(type);
  item.partition = *memory::parse_partition(partition);
  item.created_by = (*remembering)->governance->person.name;
  item.source = source;
  item.session = session;
  item.readers = readers;
  item.confidence = confidence;
  item.trust = govern::lowest(*govern::parse_trust(trust), govern::Trust::kOperator);
  const auto stored = back ? (*remembering)->manager.add_card(*content, *back, item)
                           : (*remembering)->manager.store(item);
  return stored ? say_stored(context, *stored) : context.fail(stored.error());
}

int run_memory_search(Context& context, Arguments arguments) {
  std::string text;
  std::optional<std::string> speaker;
  std::string as = "operator";
  std::uint64_t limit = 10;
  Options options;
  options.positional("TEXT", text, "words to look for").required();
  options.value("--limit N", limit, "how many at most");
  options.value("--as AGENT", as, "what this agent may see");
  options.value("--speaker NAME", speaker,
                "only what this person said, and what nobody in particular did");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto name = memory::speaker_given(speaker);
  if (!name) return context.fail(name.error());
  const auto remembering = open_memory(context, Access::kWrite);
  if (!remembering) return context.fail(remembering.error());
  const auto hits = (*remembering)->manager.search(text, as, limit, *name);
  if (!hits) return context.fail(hits.error());
  const auto unreadable = memory::unreadable_memories(*(*remembering)->governance->space, as);
  if (!unreadable) return context.fail(unreadable.error());
  const Timestamp now =
      store::present(*(*remembering)->governance->space, (*remembering)->governance->clock);
  Json list = Json::array();
  Table table({"score", "id", "kind", "trust", "content"});
  for (const memory::MemoryHit& hit : *hits) {
    Json json = hit.item.to_json(now);
    json.set("score", hit.score);
    list.push_back(std::move(json));
    table.add({fmt::format("{:.3f}", hit.score), hit.item.id,
               std::string(memory::to_string(hit.item.kind)),
               std::string(govern::trust_name(hit.item.trust)), content_line(hit.item)});
  }
  if (context.json) {
    context.print_json(
        Json::object({{"hits", std::move(list)}, {"unreadable", unreadable_ids(*unreadable)}}));
  } else if (table.empty()) {
    context.print("Nothing that fits is remembered.\n");
  } else {
    context.print(table.render(context));
  }
  note_unreadable(context, *unreadable);
  return kDone;
}

// In the order of the score.
Table reasons_table(const memory::RecalledContext& recalled) {
  Table table(
      {"rank", "score", "words", "session", "participant", "date", "traits", "meaning", "item"});
  std::vector<const memory::ContextItem*> items;
  for (const memory::ContextItem& item : recalled.items) items.push_back(&item);
  std::ranges::sort(items, {}, [](const memory::ContextItem* item) { return item->rank; });
  const auto number = [](double value) { return fmt::format("{:.2f}", value); };
  for (const memory::ContextItem* item : items) {
    const memory::RecallReason& reason = item->reason;
    table.add({std::to_string(item->rank + 1), number(item->score), number(reason.words),
               number(reason.session), number(reason.participant), number(reason.date),
               number(reason.traits), number(reason.meaning), first_line(item->content)});
  }
  for (std::size_t column = 0; column < 8; ++column) table.align_right(column);
  return table;
}

int run_context(Context& context, Arguments arguments) {
  std::string question;
  std::optional<std::string> speaker;
  memory::ContextOptions wanted;
  bool no_facts = false;
  bool why = false;
  Options options;
  options.positional("QUESTION", question, "what the prompt is about").required();
  options.value("--budget N", wanted.budget_tokens, "tokens of four bytes, at most (default 1500)");
  options.value("--as AGENT", wanted.reader,
                "whose memories (default planner: nothing SENSITIVE; operator: all)");
  options.flag("--no-facts", no_facts, "remembered texts alone, nothing of the graph");
  options.flag("--sessions", wanted.sessions, "earlier exchanges too");
  options.value("--speaker NAME", speaker,
                "only what this person said and told, and what nobody in particular did");
  options.value("--me NAME", wanted.asker,
                "who \"I\" is among those who speak (default: the speaker, else user, me)");
  options.flag("--why", why, "why each item is in: what its score is the sum of");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (wanted.budget_tokens < memory::kSmallestContext) {
    return context.usage_error(
        fmt::format("--budget is at least {} tokens", memory::kSmallestContext));
  }
  wanted.facts = !no_facts;
  auto name = memory::speaker_given(speaker);
  if (!name) return context.fail(name.error());
  wanted.speaker = *std::move(name);
  const auto remembering = open_memory(context, Access::kWrite);
  if (!remembering) return context.fail(remembering.error());
  const auto now = (*remembering)->governance->space->snapshot();
  if (!now) return context.fail(now.error());
  const auto recalled = memory::recall_context((*remembering)->manager, *now, question, wanted);
  if (!recalled) return context.fail(recalled.error());
  if (context.json) {
    context.print_json(recalled->to_json(why));
  } else {
    context.print(recalled->text);
    if (why) context.print(reasons_table(*recalled).render(context));
    context.note(fmt::format("{} tokens; calls made from this: anima tool run .. --trust {}",
                             recalled->tokens(), govern::trust_name(recalled->label)));
    if (!recalled->note.empty()) context.warn(recalled->note);
    if (recalled->withheld != 0 && wanted.reader != "operator") {
      context.note(fmt::format("{} not for {}; --as operator puts them in", recalled->withheld,
                               wanted.reader));
    }
  }
  return kDone;
}

int show_one(Context& context, Remembering& remembering, const std::string& id,
             const std::string& as) {
  const auto item = remembering.manager.read(id, as);
  if (!item) return context.fail(item.error());
  if (!*item) {
    return context.fail({ErrorCode::kNotFound,
                         "there is no memory '" + id + "' for " + as,
                         {},
                         "`anima memory show` lists what is there"});
  }
  const Timestamp now =
      store::present(*remembering.governance->space, remembering.governance->clock);
  if (context.json) {
    context.print_json((*item)->to_json(now));
    return kDone;
  }
  const MemoryItem& found = **item;
  context.print(fmt::format(
      "{} ({}, {}, {})\n  trust       {}\n  confidence  {:.3g} (stored {:.3g})\n  created     {} "
      "by "
      "{}, from {}\n  accessed    {} times, last {}\n",
      found.id, memory::to_string(found.kind), memory::to_string(found.type),
      memory::to_string(found.partition), govern::trust_name(found.trust), found.confidence_at(now),
      found.confidence, format_timestamp(found.created_at), found.created_by, found.source,
      found.access_count, format_timestamp(found.last_accessed)));
  if (found.said_at)
    context.print("  said        " + format_timestamp(*found.said_at) + ", in the first text\n");
  if (!found.speaker.empty()) context.print("  speaker     " + found.speaker + "\n");
  if (!found.readers.empty()) context.print("  readers     " + join(found.readers, ", ") + "\n");
  if (found.verified_at) context.print("  verified    by " + found.verified_by + "\n");
  context.print(found.content + "\n");
  return kDone;
}

int run_memory_show(Context& context, Arguments arguments) {
  std::optional<std::string> id;
  std::string as = "operator";
  std::optional<std::string> kind;
  std::optional<std::string> speaker;
  Options options;
  options.positional("ID", id, "one memory; without it, all of them");
  options.value("--speaker NAME", speaker,
                "only what this person said, and what nobody in particular did");
  options.value("--as AGENT", as, "what this agent may see");
  options.value("--kind KIND", kind, "only these").choices({"session", "learning", "knowledge"});
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto name = memory::speaker_given(speaker);
  if (!name) return context.fail(name.error());
  const auto remembering = open_memory(context, id ? Access::kWrite : Access::kRead);
  if (!remembering) return context.fail(remembering.error());
  if (id) return show_one(context, **remembering, *id, as);
  const auto items =
      (*remembering)->manager.list(as, kind ? memory::parse_item_kind(*kind) : std::nullopt, *name);
  if (!items) return context.fail(items.error());
  const Timestamp now =
      store::present(*(*remembering)->governance->space, (*remembering)->governance->clock);
  Json list = Json::array();
  Table table({"id", "kind", "type", "trust", "confidence", "content"});
  for (const MemoryItem& item : *items) {
    list.push_back(item.to_json(now));
    table.add({item.id, std::string(memory::to_string(item.kind)),
               std::string(memory::to_string(item.type)),
               std::string(govern::trust_name(item.trust)),
               fmt::format("{:.3g}", item.confidence_at(now)), content_line(item)});
  }
  if (context.json) {
    context.print_json(
        Json::object({{"items", std::move(list)}, {"unreadable", unreadable_ids(*items)}}));
  } else if (table.empty()) {
    context.print("Nothing is remembered yet. Add something: anima memory add TEXT\n");
  } else {
    context.print(table.render(context));
  }
  note_unreadable(context, *items);
  return kDone;
}

int run_memory_verify(Context& context, Arguments arguments) {
  std::string id;
  std::string as;
  Options options;
  options.positional("ID", id, "the memory").required();
  options.value("--as ROLE", as, "who verifies it")
      .required()
      .choices({"arbiter", "overseer", "guardian"});
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto remembering = open_memory(context, Access::kWrite);
  if (!remembering) return context.fail(remembering.error());
  const Status verified = (*remembering)->manager.verify(id, as);
  if (!verified) return context.fail(verified.error());
  if (context.json) {
    context.print_json(Json::object({{"id", id}, {"verified_by", as}}));
  } else {
    context.print(fmt::format("{} is verified: its confidence decays half as fast\n", id));
  }
  return kDone;
}

}  // namespace

extern const Verb kMemoryAdd;
extern const Verb kMemorySearch;
extern const Verb kMemoryContext;
extern const Verb kRecall;
extern const Verb kMemoryShow;
extern const Verb kMemoryVerify;
const Verb kMemoryAdd{"memory add",
                      Group::kKnowledge,
                      "remembers a text, or a learning card",
                      "TEXT|- [--card BACK] [--kind K] [--type T] [--partition P] [--reader "
                      "AGENT]... [--trust LEVEL] "
                      "[--source TEXT] [--session ID] [--confidence C] [--json]",
                      "anima memory add \"Tides follow the moon\" --source almanac\n"
                      "anima memory add \"capital of Peru\" --card Lima\n"
                      "anima memory add \"team: ada@example.org\" --reader executor",
                      run_add};
const Verb kMemorySearch{"memory search",
                         Group::kKnowledge,
                         "finds remembered texts by their words",
                         "TEXT [--limit N] [--as AGENT] [--speaker NAME] [--json]",
                         "anima memory search \"moon tides\"",
                         run_memory_search};
constexpr const char* kContextSummary =
    "what memory and graph hold on a question, for a prompt, each text behind its label";
constexpr const char* kContextUsage =
    "QUESTION [--budget N] [--as AGENT] [--speaker NAME] [--me NAME] [--no-facts] [--sessions] "
    "[--why] [--json]";
const Verb kMemoryContext{"memory context",
                          Group::kKnowledge,
                          kContextSummary,
                          kContextUsage,
                          "anima memory context \"when is the tide high?\" --budget 800\n"
                          "anima memory context \"what is the gate's code?\" --as operator\n"
                          "anima memory context \"what did Ada say last week?\" --why",
                          run_context};
const Verb kRecall{"recall",
                   Group::kKnowledge,
                   "what everything remembered holds on a question, as memory context",
                   kContextUsage,
                   "anima recall \"what did Ada say last week?\"",
                   run_context};
const Verb kMemoryShow{"memory show",
                       Group::kKnowledge,
                       "one memory with its provenance, or all of them",
                       "[ID] [--as AGENT] [--kind K] [--speaker NAME] [--json]",
                       "anima memory show",
                       run_memory_show};
const Verb kMemoryVerify{"memory verify",
                         Group::kKnowledge,
                         "confirms a memory, so that its confidence decays half as fast",
                         "ID --as arbiter|overseer|guardian [--json]",
                         "anima memory verify doc_0123456789abcdef --as guardian",
                         run_memory_verify};
}  // namespace anima::cli
