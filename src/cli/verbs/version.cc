#include "base/version.h"

#include <fmt/format.h>

#include "base/postgres/postgres_address.h"
#include "bus/jetstream.h"
#include "cli/frame/options.h"
#include "llm/http.h"
#include "tools/external.h"

namespace anima::cli {
namespace {

// What this machine has of the parts that are found or loaded when they are used.
Json features() {
  const auto helper = [](std::string_view name) { return !tools::find_helper(name).empty(); };
  return Json::object({{"models", llm::http_is_there().has_value()},
                       {"postgresql", postgres_is_there().has_value()},
                       {"nats", bus::nats_is_there().has_value()},
                       {"fetch", helper("anima-fetch")},
                       {"forge", helper("anima-inspect")},
                       {"world_programs", helper("anima-machine")}});
}

Json build() {
  Json json =
      Json::object({{"compiler", compiler()}, {"type", build_type()}, {"processor", processor()}});
  if (!commit().empty()) json.set("commit", commit());
  return json;
}

int run_version(Context& context, Arguments arguments) {
  Options options;
  options.without_config();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (context.json) {
    context.print_json(Json::object(
        {{"name", "anima"}, {"version", version()}, {"build", build()}, {"features", features()}}));
  } else {
    context.print(fmt::format("anima {} ({})\n", version(), compiler()));
  }
  return kDone;
}

}  // namespace

extern const Verb kVersion;
const Verb kVersion{"version",
                    Group::kHelp,
                    "the version of this program, its build and what it finds here",
                    "[--json]",
                    "anima version --json",
                    run_version};

}  // namespace anima::cli
