// anima memory review: what was told and is asked back, with its answers; and how well a learning
// card was remembered.
#include <fmt/format.h>

#include <optional>

#include "agent/telling/told_facts.h"
#include "base/clock.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/told_view.h"

namespace anima::cli {
namespace {

int list_questions(Context& context) {
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  SystemClock clock;
  agent::LastFacts last;
  const auto open = agent::ToldFacts(*space, context.files, clock, last).questions();
  if (!open) return context.fail(open.error());
  if (context.json) {
    Json list = Json::array();
    for (const agent::OpenQuestion& one : *open) list.push_back(one.to_json());
    context.print_json(Json::object({{"questions", std::move(list)}}));
    return kDone;
  }
  if (open->empty()) context.print("Nothing is asked.\n");
  for (const agent::OpenQuestion& one : *open) {
    context.print(fmt::format("{}  {}\n  {}\n", one.id,
                              one.text.empty() ? "(its words cannot be read any more)" : one.text,
                              one.question.text()));
  }
  return kDone;
}

int answer_question(Context& context, const std::string& id, const std::string& answer) {
  const auto house = open_writing_house(context);
  if (!house) return context.fail(house.error());
  const auto told = (*house)->memory_changes().answer(id, answer, owner_of_memories(context));
  if (!told) return context.fail(told.error());
  if (context.json) {
    Json json = Json::object({{"id", id}});
    told->add_to(json);
    context.print_json(json);
    return kDone;
  }
  context.print(told->dropped ? id + " is dropped; nothing was noted\n"
                              : id + (told->question.empty() ? " is answered\n" : " asks again\n"));
  say_told(context, *told);
  return kDone;
}

int review_card(Context& context, const std::string& id, std::int64_t quality) {
  if (quality < 0 || quality > 5) return context.usage_error("--quality is 0 to 5");
  const auto remembering = open_memory(context, Access::kWrite);
  if (!remembering) return context.fail(remembering.error());
  const auto card = (*remembering)->manager.review(id, static_cast<int>(quality));
  if (!card) return context.fail(card.error());
  if (context.json) {
    context.print_json(card->to_json());
  } else {
    context.print(
        fmt::format("next in {} days, on {}\n", card->interval_days, format_timestamp(card->next)));
  }
  return kDone;
}

int run_review(Context& context, Arguments arguments) {
  std::optional<std::string> id, answer;
  std::optional<std::int64_t> quality;
  Options options;
  options.positional("ID", id, "the question, or the card");
  options.positional("ANSWER", answer, "yes, no, or one of the question's choices");
  options.value("--quality Q", quality, "of a card: 0 (no idea) to 5 (at once)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (!id) {
    if (quality) return context.usage_error("--quality is of a card", "name the card");
    return list_questions(context);
  }
  if (answer.has_value() == quality.has_value())
    return context.usage_error("give an answer to a question, or --quality to a card",
                               "anima memory review lists the questions");
  return answer ? answer_question(context, *id, *answer) : review_card(context, *id, *quality);
}

}  // namespace

extern const Verb kMemoryReview;
const Verb kMemoryReview{"memory review",
                         Group::kKnowledge,
                         "what was told and is asked back, and its answers; how well a card was "
                         "remembered",
                         "[ID yes|no|CHOICE | CARD --quality Q] [--json]",
                         "anima memory review\n"
                         "anima memory review ask_0123456789ab yes\n"
                         "anima memory review mem_3f2a --quality 4",
                         run_review};

}  // namespace anima::cli
