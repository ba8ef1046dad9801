// anima world show: looks at a world without touching it, also while it runs.
#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "base/files/output_file.h"
#include "cli/frame/context.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/render/world_view.h"
#include "world/outside/observer.h"

namespace anima::cli {
namespace {

constexpr std::chrono::milliseconds kLookEvery(100);

void print_event(Context& context, const world::Event& event) {
  const Json json = world::to_json(event);
  if (context.json) {
    context.print(json.dump() + "\n");
    return;
  }
  const Json* payload = json.find("payload");
  context.print(fmt::format("{:>7}  {:<7}  {}  {}\n", event.timestamp,
                            world::to_string(event.system),
                            context.paint(Paint::kBold, world::event_name(event.kind)),
                            payload == nullptr ? std::string() : payload->dump()));
}

int follow(Context& context, world::Observer& observer) {
  while (!interrupted()) {
    const Status read = observer.follow([&](const world::Event& event) -> Status {
      if (interrupted()) return fail(ErrorCode::kCancelled, "stopped");
      print_event(context, event);
      return {};
    });
    if (!read && !interrupted()) return context.fail(read.error());
    context.out.flush();
    if (context.out.failure() != 0) return kDone;  // nobody reads any more
    std::this_thread::sleep_for(kLookEvery);
  }
  return kInterrupted;
}

int show(Context& context, world::Observer& observer, const std::optional<std::string>& report) {
  const auto view = observer.look();
  if (!view) return context.fail(view.error());
  if (context.json) {
    context.print_json(world_json(view->records, view->seed));
  } else if (view->records.empty()) {
    context.print(fmt::format("No cycle has ended yet. The seed is {}.\n", view->seed));
  } else {
    context.print(world_text(view->records, view->seed));
  }
  if (!report) return kDone;
  if (Status written =
          write_output(context.files, *report, world::report_page(view->records, view->seed));
      !written)
    return context.fail(written.error());
  context.note("wrote " + *report);
  return kDone;
}

int run_world_show(Context& context, Arguments arguments) {
  std::string folder;
  std::optional<std::string> database, report;
  bool events = false;
  Options options;
  options.value("--at FOLDER", folder, "the folder of the world").required();
  options.value("--database URL", database, "the PostgreSQL that keeps its state");
  options.value("--report FILE", report, "writes the report, one HTML file").output();
  options.flag("--follow", events, "the events of the cycle that runs, as they come, until Ctrl-C")
      .excludes("--report");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto observer = world::Observer::open(
      context.files, folder, database.value_or(context.config.text("world.database")));
  if (!observer) return context.fail(observer.error());
  return events ? follow(context, **observer) : show(context, **observer, report);
}

}  // namespace

extern const Verb kWorldShow;
const Verb kWorldShow{"world show",
                      Group::kActing,
                      "looks at a world without touching it, also while it runs",
                      "--at FOLDER [--database URL] [--report FILE] [--follow] [--json]",
                      "anima world show --at town\n"
                      "anima world show --at town --follow",
                      run_world_show};

}  // namespace anima::cli
