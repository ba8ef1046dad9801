// anima tool undo: what commands of the shell changed in the work folder, and taking it back.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/shown_text.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"

namespace anima::cli {
namespace {

using tools::effects::Staged;

std::string_view state_of(const Staged& staged) {
  return staged.undone ? "undone" : staged.applied ? "applied" : "waiting";
}

int show_list(Context& context, const std::vector<Staged>& all) {
  Table table({"id", "when", "state", "what it changes"});
  Json list = Json::array();
  for (const Staged& staged : all) {
    table.add({staged.id.substr(0, 8), format_timestamp(staged.at), std::string(state_of(staged)),
               summary(staged.difference)});
    list.push_back(Json::object({{"id", staged.id},
                                 {"at", format_timestamp(staged.at)},
                                 {"state", state_of(staged)},
                                 {"summary", summary(staged.difference)}}));
  }
  if (context.json) {
    context.print_json(Json::object({{"commands", std::move(list)}}));
  } else {
    context.print(all.empty() ? "no command changed anything in the last day\n"
                              : table.render(context));
  }
  return kDone;
}

// The one whose id begins so; empty: the last that was applied.
Result<Staged> chosen(const std::vector<Staged>& all, const std::string& id) {
  const auto fits = [&](const Staged& staged) {
    return id.empty() ? staged.applied && !staged.undone : staged.id.starts_with(id);
  };
  const auto count = std::ranges::count_if(all, fits);
  if (count == 0) {
    return anima::fail(ErrorCode::kNotFound,
                       id.empty() ? "no command of the last day changed anything that is not undone"
                                  : "no command of the last day has this id",
                       id, "`anima tool undo --list` shows them");
  }
  if (count > 1 && !id.empty())
    return anima::fail(ErrorCode::kInvalidArgument, "several ids begin so", id, "give more of it");
  return *std::ranges::find_if(all, fits);
}

int run_tool_undo(Context& context, Arguments arguments) {
  std::string id;
  bool list = false;
  Options options;
  options.positional("ID", id, "of the command, or its beginning; without it the last one");
  options.flag("--list", list, "what commands of the last day changed");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  auto space = open_space(context, Access::kWrite);
  if (!space) return context.fail(space.error());
  const auto house = open_house(context);
  if (!house) return context.fail(house.error());
  const auto all = (*house)->staging().list();
  if (!all) return context.fail(all.error());
  if (list) return show_list(context, *all);
  const auto staged = chosen(*all, id);
  if (!staged) return context.fail(staged.error());
  if (const Status undone = (*house)->undo_command(staged->id, "terminal"); !undone)
    return context.fail(undone.error());
  if (context.json) {
    context.print_json(Json::object({{"id", staged->id}, {"undone", true}}));
  } else {
    context.print(
        fmt::format("undone: {} ({})\n", summary(staged->difference), staged->id.substr(0, 8)));
  }
  return kDone;
}

}  // namespace

extern const Verb kToolUndo;
const Verb kToolUndo{"tool undo",
                     Group::kActing,
                     "puts back what a command of the shell changed",
                     "[ID] [--list] [--json]",
                     "anima tool undo\nanima tool undo --list",
                     run_tool_undo};

}  // namespace anima::cli
