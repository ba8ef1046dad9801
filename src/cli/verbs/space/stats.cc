// anima stats: what a space holds and what it takes.
#include <fmt/format.h>

#include "agent/house/space_reads.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "store/space_place.h"

namespace anima::cli {
namespace {

int run_stats(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  const Json stats = agent::stats_json((*space)->stats());
  if (context.json) {
    Json json = Json::object({{"space", context.space}});
    if (store::is_shared_log(context.files, context.space))
      json.set("log", store::shown_log(context.files, context.space));
    for (const JsonMember& each : stats.as_object()) json.set(each.first, each.second);
    context.print_json(json);
    return kDone;
  }
  Table table({"what", "number"});
  table.align_right(1);
  for (const JsonMember& each : stats.as_object())
    table.add({each.first, std::to_string(each.second.as_integer())});
  context.print(table.render(context));
  return kDone;
}

}  // namespace

extern const Verb kStats;
const Verb kStats{"stats",    Group::kKeeping,      "what the space holds, and its size",
                  "[--json]", "anima stats --json", run_stats};

}  // namespace anima::cli
