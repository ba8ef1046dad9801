// anima ask: questions in plain words over what the space holds, without a model.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "agent/telling/space_asker.h"
#include "base/past_time.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/ask_view.h"
#include "language/times/times.h"
#include "memory/memory_item.h"

namespace anima::cli {
namespace {

struct AskArguments {
  std::optional<std::string> question, jsonl, now, language, as_of;
  std::optional<std::string> speaker;
  bool all = false, lexicon = false;
};

Result<ask::AskOptions> options_of(const AskArguments& arguments) {
  ask::AskOptions options;
  options.all = arguments.all;
  if (arguments.language) options.language = *arguments.language;
  ANIMA_TRY(ask::check_language(options.language));
  if (arguments.now) {
    ANIMA_ASSIGN(options.now, parse_timestamp(*arguments.now));
    options.offset_seconds = language::offset_of(*arguments.now);
  }
  if (arguments.as_of) {
    if (const auto sequence = parse_sequence(*arguments.as_of)) {
      options.as_of = Json(static_cast<std::int64_t>(*sequence));
    } else {
      ANIMA_ASSIGN(const std::string point, past_point(*arguments.as_of, SystemClock().now()));
      options.as_of = Json(point);
    }
  }
  return options;
}

// Every line is a question; those of one session are one conversation.
int answer_lines(Context& context, agent::SpaceAsker& asker, const AskArguments& arguments,
                 const ask::AskOptions& common) {
  const auto text = context.read_input(*arguments.jsonl);
  if (!text) return context.fail(text.error());
  std::map<std::string, ask::Conversation> sessions;
  std::size_t number = 0;
  bool all_read = true;
  for (const std::string_view line : split(*text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    const auto json = parse_json(line);
    const Json* question = json ? json->find("question") : nullptr;
    if (question == nullptr || !question->is_string()) {
      all_read = false;
      context.warn(fmt::format("line {} is no JSON object with a question", number));
      continue;
    }
    ask::AskOptions options = common;
    if (const Json* language = json->find("language"); language != nullptr && language->is_string())
      options.language = language->as_string();
    const Json* session = json->find("session");
    ask::Conversation* talk = nullptr;
    if (session != nullptr && session->is_string()) talk = &sessions[session->as_string()];
    const Json* id = json->find("id");
    const std::string name = id == nullptr ? "" : id->is_string() ? id->as_string() : id->dump();
    context.out.write(asker.ask(question->as_string(), options, talk).to_json(name).dump() + "\n");
  }
  return all_read ? kDone : kUsage;
}

int run_ask(Context& context, Arguments list) {
  AskArguments arguments;
  Options options;
  options.positional("QUESTION", arguments.question, "what is asked; with --lexicon a word");
  options.value("--jsonl FILE", arguments.jsonl,
                "one {\"id\",\"question\",\"session\"?,\"language\"?} a line, one answer a line; - "
                "for standard input");
  options.value("--now TIME", arguments.now, "the time that today, last week .. are told from");
  options.value("--lang L", arguments.language, "the language of the question (default en)");
  options.value("--as-of SEQ|TIME", arguments.as_of, "asks what was known then");
  options.value(
      "--speaker NAME", arguments.speaker,
      "who asks, \"I\" and \"my\": of texts only his count, and those of nobody (default: "
      "you, and all texts)");
  options.flag("--all", arguments.all, "also of more than 200 rows all");
  options.flag("--lexicon", arguments.lexicon, "shows what the words of the space mean");
  if (const auto exit = options.parse(context, list)) return *exit;
  if (!arguments.lexicon && !arguments.question && !arguments.jsonl)
    return context.usage_error("a question is needed", "anima ask \"list the services\"");
  auto common = options_of(arguments);
  if (!common) return context.fail(common.error());
  const auto name = memory::speaker_given(arguments.speaker);
  if (!name) return context.fail(name.error());
  common->own_texts = !name->empty();
  common->speaker = name->empty() ? local_origin(context, "").author : *name;
  auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  const auto asker = agent::SpaceAsker::open(*space, context.files);
  if (!asker) return context.fail(asker.error());
  if (arguments.lexicon) {
    const auto lines = (*asker)->lexicon(arguments.question.value_or(""), *common);
    if (!lines) return context.fail(lines.error());
    Json array = Json::array();
    for (const std::string& line : *lines) array.push_back(line);
    if (context.json) {
      context.print_json(Json::object({{"lexicon", std::move(array)}}));
    } else {
      for (const std::string& line : *lines) context.print(line + "\n");
    }
    return lines->empty() ? kMissing : kDone;
  }
  if (arguments.jsonl) return answer_lines(context, **asker, arguments, *common);
  const ask::Answer answer = (*asker)->ask(*arguments.question, *common);
  if (context.json) {
    context.print_json(answer.to_json());
  } else {
    show_answer(context, answer);
  }
  return exit_of(answer);
}

}  // namespace

extern const Verb kAsk;
const Verb kAsk{"ask",
                Group::kKnowledge,
                "answers a question in plain words from what the space holds",
                "QUESTION [--now TIME] [--lang L] [--as-of SEQ|TIME] [--speaker NAME] [--all] | "
                "--jsonl FILE | --lexicon [WORD]",
                "anima ask \"Which services run on borea?\"",
                run_ask};

}  // namespace anima::cli
