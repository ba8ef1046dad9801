// anima memory cards: learning cards on their schedule.
#include <fmt/format.h>

#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "cli/render/text_lines.h"
#include "store/present.h"

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
  const Timestamp now =
      store::present(*(*remembering)->governance->space, (*remembering)->governance->clock);
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

}  // namespace

extern const Verb kMemoryCards;
const Verb kMemoryCards{"memory cards",     Group::kKnowledge,    "the learning cards that are due",
                        "[--all] [--json]", "anima memory cards", run_cards};

}  // namespace anima::cli
