#include "base/version.h"

#include <fmt/format.h>

#include "cli/frame/options.h"

namespace anima::cli {
namespace {

int run_version(Context& context, Arguments arguments) {
  Options options;
  options.without_config();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (context.json) {
    context.print_json(
        Json::object({{"name", "anima"}, {"version", version()}, {"compiler", compiler()}}));
  } else {
    context.print(fmt::format("anima {} ({})\n", version(), compiler()));
  }
  return kDone;
}

}  // namespace

extern const Verb kVersion;
const Verb kVersion{"version",  Group::kHelp,           "the version of this program",
                    "[--json]", "anima version --json", run_version};

}  // namespace anima::cli
