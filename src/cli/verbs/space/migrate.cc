// anima migrate: the log in the form that this version writes, or back.
#include <fmt/format.h>

#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "store/backup.h"

namespace anima::cli {
namespace {

int run_migrate(Context& context, Arguments arguments) {
  std::int64_t to = 0;
  Options options;
  options.value("--to VERSION", to, "this schema version instead of the newest: the way back");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (const Status let_in = pass_door(context, agent::Act::kWrites); !let_in)
    return context.fail(let_in.error());
  SystemClock clock;
  const auto report = store::migrate_space(context.space, to, clock, context.files);
  if (!report) return context.fail(report.error());
  if (context.json) {
    context.print_json(
        Json::object({{"from", report->from}, {"to", report->to}, {"backup", report->backup}}));
  } else if (report->from == report->to) {
    context.print(fmt::format("the log has schema version {} already\n", report->to));
  } else {
    context.print(fmt::format("migrated the log from schema version {} to {}\nbackup: {}\n",
                              report->from, report->to, report->backup));
  }
  return kDone;
}

}  // namespace

extern const Verb kMigrate;
const Verb kMigrate{
    "migrate",        Group::kKeeping, "brings the log to this version's form, after a backup",
    "[--to VERSION]", "anima migrate", run_migrate};

}  // namespace anima::cli
