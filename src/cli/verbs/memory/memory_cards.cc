// anima memory cards, review: learning cards on their schedule.
#include <fmt/format.h>

#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "cli/render/text_lines.h"

namespace anima::cli {
namespace {

using memory::MemoryItem;

int run_cards(Context& context, Arguments arguments) {
  bool all = false;
  Options options;
  options.flag("--all", all, "those that are not due yet too");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto remembering = open_memory(context, Access::kRead);
  if (!remembering) return context.fail(remembering.error());
  const Timestamp now = (*remembering)->governance->clock.now();
  const auto due = (*remembering)->manager.due(all ? Timestamp{INT64_MAX} : now);
  if (!due) return context.fail(due.error());
  Json list = Json::array();
  Table table({"id", "due", "interval", "ease", "front"});
  for (const MemoryItem& item : *due) {
    list.push_back(item.card->to_json());
    table.add({item.id, format_timestamp(item.card->next), std::to_string(item.card->interval_days),
               fmt::format("{:.2f}", item.card->ease_hundredths / 100.0),
               first_line(item.card->front)});
  }
  if (context.json) {
    context.print_json(Json::object({{"cards", std::move(list)}}));
  } else if (table.empty()) {
    context.print("No card is due.\n");
  } else {
    context.print(table.render(context));
  }
  return kDone;
}

int run_review(Context& context, Arguments arguments) {
  std::string id;
  std::int64_t quality = -1;
  Options options;
  options.positional("ID", id, "the card").required();
  options.value("--quality Q", quality, "0 (no idea) to 5 (at once)").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
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

}  // namespace

extern const Verb kMemoryCards;
extern const Verb kMemoryReview;
const Verb kMemoryCards{"memory cards",     Group::kKnowledge,    "the learning cards that are due",
                        "[--all] [--json]", "anima memory cards", run_cards};
const Verb kMemoryReview{"memory review",
                         Group::kKnowledge,
                         "tells how well a card was remembered; sets its next date",
                         "ID --quality Q [--json]",
                         "anima memory review mem_3f2a --quality 4",
                         run_review};

}  // namespace anima::cli
