#include "sleep/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text/text.h"
#include "base/text/xml_text.h"

namespace anima::sleep {
namespace {

constexpr std::size_t kItemsOnThePage = 40;  // of a phase and kind
constexpr double kWidth = 420, kHeight = 150, kLeft = 52, kBottom = 24, kTop = 10;

constexpr std::string_view kHead =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Sleep</title>"
    "<meta name=\"viewport\" content=\"width=device-width\"><style>\n"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:#222;background:#fff}\n"
    "h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2rem}\n"
    "table{border-collapse:collapse;margin:.5rem 0}td,th{padding:.2rem .8rem .2rem 0;"
    "text-align:left;vertical-align:top;border-bottom:1px solid #ddd}\n"
    ".plots{display:flex;flex-wrap:wrap;gap:1rem}figure{margin:0}figcaption{font-weight:600}\n"
    "svg{background:#fafafa}.bad{color:#a40000}.good{color:#156b2e}small{color:#666}\n"
    "details{margin:.3rem 0}summary{cursor:pointer}\n"
    "@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}svg{background:#222}"
    "td,th{border-color:#444}.bad{color:#ff8a80}.good{color:#8fd19e}small{color:#aaa}}\n"
    "</style></head><body>\n";

std::string escaped(std::string_view text) {
  std::string out;
  append_xml(out, visible_text(text), XmlPlace::kText);
  return out;
}

struct Line {
  std::string_view name, colour;
  std::function<double(const CycleRecord&)> value;
};

// A line over the cycles for each value, from 0 up; with one cycle a dot.
std::string plot(std::span<const CycleRecord> cycles, std::string_view title,
                 std::span<const Line> lines) {
  double most = 0;
  for (const Line& line : lines) {
    for (const CycleRecord& cycle : cycles) most = std::max(most, line.value(cycle));
  }
  if (most <= 0) most = 1;
  const double step =
      cycles.size() > 1 ? (kWidth - kLeft - 10) / static_cast<double>(cycles.size() - 1) : 0;
  const auto x = [&](std::size_t i) { return kLeft + step * static_cast<double>(i); };
  const auto y = [&](double value) {
    return kTop + (kHeight - kTop - kBottom) * (1 - value / most);
  };
  std::string svg = fmt::format(
      "<figure><figcaption>{}</figcaption><svg width=\"{}\" height=\"{}\" role=\"img\" "
      "aria-label=\"{}\">",
      title, kWidth, kHeight, title);
  for (const double share : {0.0, 0.5, 1.0}) {
    svg += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#bbb\" "
        "stroke-width=\".5\"/><text x=\"{3}\" y=\"{4:.1f}\" font-size=\"11\" "
        "text-anchor=\"end\" fill=\"#888\">{5:.6g}</text>",
        kLeft, kWidth - 10, y(share * most), kLeft - 5, y(share * most) + 4, share * most);
  }
  for (const Line& line : lines) {
    std::string points;
    for (std::size_t i = 0; i < cycles.size(); ++i)
      points += fmt::format("{:.1f},{:.1f} ", x(i), y(line.value(cycles[i])));
    svg += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>",
                       points, line.colour);
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>",
                       x(cycles.size() - 1), y(line.value(cycles.back())), line.colour);
  }
  svg += fmt::format(
      "<text x=\"{}\" y=\"{}\" font-size=\"11\" fill=\"#888\">cycle {}</text>"
      "<text x=\"{}\" y=\"{}\" font-size=\"11\" fill=\"#888\" text-anchor=\"end\">cycle {}</text>",
      kLeft, kHeight - 6, cycles.front().cycle, kWidth - 10, kHeight - 6, cycles.back().cycle);
  svg += "</svg><br><small>";
  for (const Line& line : lines)
    svg += fmt::format("<span style=\"color:{}\">&#9679;</span> {} ", line.colour, line.name);
  return svg + "</small></figure>\n";
}

std::size_t changes_in(const CycleRecord& record, int phase) {
  std::size_t sum = 0;
  for (const PhaseRecord& each : record.phases) sum += each.phase == phase ? each.changes : 0;
  return sum;
}

std::string plots(std::span<const CycleRecord> cycles) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  const Line size[] = {
      {"concepts", "#1f5fa8", [&](const CycleRecord& it) { return number(it.after.concepts); }},
      {"links", "#c26a1b", [&](const CycleRecord& it) { return number(it.after.links); }}};
  const Line backlog[] = {
      {"orphans", "#1f5fa8", [&](const CycleRecord& it) { return number(it.after.orphans); }},
      {"unsorted", "#c26a1b", [&](const CycleRecord& it) { return number(it.after.unsorted); }},
      {"stale events", "#8b3fa0",
       [&](const CycleRecord& it) { return number(it.after.stale_events); }}};
  const Line confidence[] = {{"average confidence of the links", "#156b2e",
                              [](const CycleRecord& it) { return it.after.average_confidence(); }}};
  const Line duplicates[] = {
      {"merged", "#1f5fa8",
       [](const CycleRecord& it) { return static_cast<double>(changes_in(it, 6)); }},
      {"all changes", "#c26a1b",
       [](const CycleRecord& it) { return static_cast<double>(it.changes()); }}};
  const Line health[] = {
      {"domains with 5 to 100 members, of all", "#156b2e", [&](const CycleRecord& it) {
         return it.after.domains == 0
                    ? 1.0
                    : number(it.after.domains_in_range) / number(it.after.domains);
       }}};
  return "<div class=\"plots\">\n" + plot(cycles, "Size", size) + plot(cycles, "Backlog", backlog) +
         plot(cycles, "Confidence", confidence) +
         plot(cycles, "Duplicates and changes", duplicates) +
         plot(cycles, "Health of the domains", health) + "</div>\n";
}

std::string metrics_table(const CycleRecord& record) {
  std::string html =
      "<table><tr><th>Metric</th><th>Target</th><th>Before</th><th>After</th><th></th></tr>\n";
  for (const MetricRow& row : metric_rows(record.before, record.after))
    html += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"{}\">{}</td></tr>\n",
        escaped(row.name), escaped(row.target), escaped(row.before), escaped(row.after),
        row.met ? "good" : "bad", row.met ? "within its target" : "out of its target");
  return html + "</table>\n";
}

std::string items_of(const PhaseRecord& phase, bool changed) {
  std::string rows;
  std::size_t shown = 0;
  for (const Item& item : phase.items) {
    if (item.changed != changed || shown == kItemsOnThePage) continue;
    ++shown;
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(item.what),
                        escaped(item.about), escaped(item.reason));
  }
  const std::size_t all = changed ? phase.changes : phase.left;
  if (rows.empty()) return {};
  return fmt::format(
      "<details{}><summary>{} {}</summary><table>{}</table>{}</details>\n", changed ? "" : " open",
      all, changed ? "changed" : "left alone, with the reason", rows,
      all > shown ? fmt::format("<small>the first {} are shown</small>", shown) : "");
}

std::string newest_cycle_of(const CycleRecord& record) {
  std::string html =
      fmt::format("<h2>Cycle {}</h2>\n<p>{}, {} changes, started {} ({}){}.</p>\n", record.cycle,
                  escaped(record.status), record.changes(), format_timestamp(record.started),
                  escaped(record.trigger), record.resumed ? ", resumed after an interruption" : "");
  html += metrics_table(record);
  for (const PhaseRecord& phase : record.phases) {
    if (phase.changes == 0 && phase.left == 0) continue;
    html += fmt::format("<h3>{} {} <small>{} ms</small></h3>\n", phase.phase,
                        phase_name(phase.phase), phase.milliseconds);
    html += items_of(phase, true) + items_of(phase, false);
  }
  return html;
}

}  // namespace

std::string report_page(std::span<const CycleRecord> cycles) {
  std::string html(kHead);
  html += "<h1>What happened during sleep</h1>\n";
  if (cycles.empty()) return html + "<p>No cycle yet.</p>\n</body></html>\n";
  const CycleRecord& last = cycles.back();
  html += fmt::format(
      "<p>{} cycles, the last one on {}. Take one back with <code>anima sleep undo "
      "{}</code>.</p>\n",
      cycles.size(), format_timestamp(last.ended), last.cycle);
  html += plots(cycles) + newest_cycle_of(last);
  html +=
      "<h2>All cycles</h2>\n<table><tr><th>Cycle</th><th>Ended</th><th>Status</th>"
      "<th>Changes</th><th>Concepts</th><th>Links</th></tr>\n";
  for (auto it = cycles.rbegin(); it != cycles.rend(); ++it)
    html +=
        fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                    it->cycle, format_timestamp(it->ended), escaped(it->status), it->changes(),
                    it->after.concepts, it->after.links);
  return html + "</table>\n</body></html>\n";
}

}  // namespace anima::sleep
