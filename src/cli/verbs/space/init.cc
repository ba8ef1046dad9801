// anima init: a new space.
#include <fmt/format.h>

#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "kip/engine.h"
#include "store/space_place.h"

namespace anima::cli {
namespace {

int run_init(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const bool there = space_is_there(context);
  const bool shared = store::is_shared_log(context.files, context.space);
  const std::string log = store::shown_log(context.files, context.space);
  const auto space = open_space(context, Access::kCreate);
  if (!space) return context.fail(space.error());
  if (const auto engine = kip::Engine::open(*space); !engine) return context.fail(engine.error());
  const auto now = (*space)->snapshot();
  if (!now) return context.fail(now.error());
  const store::Sequence head = now->sequence();
  if (context.json) {
    Json json = Json::object({{"space", context.space},
                              {"created", !there},
                              {"sequence", static_cast<std::uint64_t>(head)}});
    if (shared) json.set("log", log);
    context.print_json(json);
  } else if (there) {
    context.print(fmt::format("a space is in {} already; its log has {} entries\n", log,
                              static_cast<std::uint64_t>(head)));
  } else {
    context.print(fmt::format("made a space in {}\n", log));
  }
  if (shared) context.note("what this machine keeps of it is in " + context.space);
  if (const std::string open = open_to_others(context.files, context.space); !open.empty())
    context.note(open + "\n");
  return kDone;
}

}  // namespace

extern const Verb kInit;
const Verb kInit{"init",
                 Group::kKnowledge,
                 "makes a new space",
                 "[--space DIR|ADDRESS]",
                 "anima init --space ./memory",
                 run_init};

}  // namespace anima::cli
