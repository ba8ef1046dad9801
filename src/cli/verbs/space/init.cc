// anima init: a new space.
#include <fmt/format.h>

#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "kip/engine.h"

namespace anima::cli {
namespace {

int run_init(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const bool there = file_exists(context.files, join_path(context.space, "log.db"));
  const auto space = open_space(context, Access::kCreate);
  if (!space) return context.fail(space.error());
  if (const auto engine = kip::Engine::open(*space); !engine) return context.fail(engine.error());
  const auto now = (*space)->snapshot();
  if (!now) return context.fail(now.error());
  const store::Sequence head = now->sequence();
  if (context.json) {
    context.print_json(Json::object({{"space", context.space},
                                     {"created", !there},
                                     {"sequence", static_cast<std::uint64_t>(head)}}));
  } else if (there) {
    context.print(fmt::format("a space is in {} already; its log has {} entries\n", context.space,
                              static_cast<std::uint64_t>(head)));
  } else {
    context.print(fmt::format("made a space in {}\n", context.space));
  }
  if (const std::string open = open_to_others(context.files, context.space); !open.empty())
    context.note(open + "\n");
  return kDone;
}

}  // namespace

extern const Verb kInit;
const Verb kInit{
    "init",  Group::kKnowledge, "makes a new space", "[--space DIR]", "anima init --space ./memory",
    run_init};

}  // namespace anima::cli
