// anima checkpoint: a new base now, so that the next opening has nothing to read again.
#include <fmt/format.h>

#include "cli/frame/access.h"
#include "cli/frame/options.h"

namespace anima::cli {
namespace {

int run_checkpoint(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kCheckpoint);
  if (!space) return context.fail(space.error());
  const store::SpaceStats before = (*space)->stats();
  if (const Status made = (*space)->checkpoint(); !made) return context.fail(made.error());
  const store::SpaceStats after = (*space)->stats();
  const auto base = static_cast<std::uint64_t>(after.base_sequence);
  const std::uint64_t entries = base - static_cast<std::uint64_t>(before.base_sequence);
  if (context.json) {
    context.print_json(Json::object({{"space", context.space},
                                     {"base_sequence", base},
                                     {"base_bytes", after.base_bytes},
                                     {"entries", entries},
                                     {"rows", before.replay_rows},
                                     {"log_bytes", before.replay_bytes}}));
  } else if (entries == 0) {
    context.print(fmt::format("the base holds all {} entries already\n", base));
  } else {
    context.print(
        fmt::format("folded {} entries ({} rows, {} bytes of the log) into the base at entry {}\n",
                    entries, before.replay_rows, before.replay_bytes, base));
  }
  return kDone;
}

}  // namespace

extern const Verb kCheckpoint;
const Verb kCheckpoint{"checkpoint",
                       Group::kKeeping,
                       "folds what is new in the log into the base, for fast openings",
                       "[--json]",
                       "anima checkpoint",
                       run_checkpoint};

}  // namespace anima::cli
