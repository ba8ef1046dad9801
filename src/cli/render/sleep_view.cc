#include "cli/render/sleep_view.h"

#include <fmt/format.h>

#include "cli/render/table.h"

namespace anima::cli {
namespace {

constexpr std::size_t kShownItems = 5;

void show_items(Context& context, const sleep::PhaseRecord& phase, bool changed, bool all) {
  std::size_t shown = 0, hidden = 0;
  for (const sleep::Item& item : phase.items) {
    if (item.changed != changed) continue;
    if (!all && shown == kShownItems) {
      ++hidden;
      continue;
    }
    ++shown;
    context.print(fmt::format("   {} {}: {}\n     {}\n", changed ? "*" : "-", item.what, item.about,
                              item.reason));
  }
  if (hidden > 0) context.print(fmt::format("   and {} more (--all shows them)\n", hidden));
}

}  // namespace

void show_metrics(Context& context, const sleep::Metrics& before, const sleep::Metrics& after) {
  const bool two = before.sequence != after.sequence;
  Table table(two ? std::vector<std::string>{"metric", "target", "before", "after", ""}
                  : std::vector<std::string>{"metric", "target", "now", ""});
  for (const sleep::MetricRow& row : sleep::metric_rows(before, after)) {
    const std::string met = row.met ? "ok" : "out of target";
    if (two) {
      table.add({row.name, row.target, row.before, row.after, met});
    } else {
      table.add({row.name, row.target, row.after, met});
    }
  }
  context.print(table.render(context));
  context.print(fmt::format("{} concepts, {} links, {} events not consolidated yet\n",
                            after.concepts, after.links, after.waiting_events));
}

void show_cycle(Context& context, const sleep::CycleRecord& record, bool all) {
  if (record.cycle == 0) {
    context.print("nothing to do: nothing changed since the last cycle\n");
    return;
  }
  context.print(fmt::format("cycle {}{}: {}, {} changes{}\n", record.cycle,
                            record.dry_run ? " (rehearsed, nothing was written)" : "",
                            record.status, record.changes(),
                            record.resumed ? ", resumed after an interruption" : ""));
  if (!record.model.name.empty()) {
    const sleep::ModelRecord& model = record.model;
    context.print(fmt::format("model {}: {} calls, {} tokens, {} proposals, {} taken{}\n",
                              model.name, model.calls, model.tokens, model.proposed, model.taken,
                              model.failure.empty() ? "" : "; then without it"));
  }
  for (const sleep::PhaseRecord& phase : record.phases) {
    if (phase.changes == 0 && phase.left == 0) continue;
    context.print(fmt::format("{} {}: {} changed, {} left alone, {} ms\n", phase.phase,
                              sleep::phase_name(phase.phase), phase.changes, phase.left,
                              phase.milliseconds));
    show_items(context, phase, true, all);
    show_items(context, phase, false, all);
  }
  show_metrics(context, record.before, record.after);
  if (record.status == "partial")
    context.print("a bound was reached, or only some phases ran: the next cycle goes on\n");
}

void show_cycles(Context& context, const std::vector<sleep::CycleRecord>& records) {
  if (records.empty()) {
    context.print("no cycle of sleep yet\n");
    return;
  }
  Table table({"cycle", "ended", "status", "changes", "entries", "concepts", "links"});
  for (const sleep::CycleRecord& record : records) {
    std::string entries;
    for (const auto& [first, last] : record.entries)
      entries += fmt::format("{}{}..{}", entries.empty() ? "" : " ",
                             static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last));
    table.add({std::to_string(record.cycle), format_timestamp(record.ended).substr(0, 19) + "Z",
               record.status, std::to_string(record.changes()), entries,
               std::to_string(record.after.concepts), std::to_string(record.after.links)});
  }
  for (const std::size_t column : {0u, 3u, 5u, 6u}) table.align_right(column);
  context.print(table.render(context));
}

}  // namespace anima::cli
