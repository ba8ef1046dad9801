// anima stats: what a space holds and what it takes.
#include <fmt/format.h>

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
  const store::SpaceStats stats = (*space)->stats();
  const std::pair<const char*, std::uint64_t> rows[] = {
      {"entries", stats.entries},
      {"concepts", stats.concepts},
      {"propositions", stats.propositions},
      {"assertions", stats.assertions},
      {"literals", stats.literals},
      {"graphs", stats.graphs},
      {"log_bytes", stats.log_bytes},
      {"base_bytes", stats.base_bytes},
      {"heap_bytes", stats.heap_bytes},
      {"base_sequence", static_cast<std::uint64_t>(stats.base_sequence)}};
  if (context.json) {
    Json json = Json::object({{"space", context.space}});
    if (store::is_shared_log(context.files, context.space))
      json.set("log", store::shown_log(context.files, context.space));
    for (const auto& [name, value] : rows) json.set(name, value);
    context.print_json(json);
    return kDone;
  }
  Table table({"what", "number"});
  table.align_right(1);
  for (const auto& [name, value] : rows) table.add({name, std::to_string(value)});
  context.print(table.render(context));
  return kDone;
}

}  // namespace

extern const Verb kStats;
const Verb kStats{"stats",    Group::kKeeping,      "what the space holds, and its size",
                  "[--json]", "anima stats --json", run_stats};

}  // namespace anima::cli
