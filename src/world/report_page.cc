// The report of a world: one HTML file with its plots in it, that asks nothing of the network.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "world/world.h"

namespace anima::world {
namespace {

constexpr double kPlotWidth = 460, kPlotHeight = 190, kPlotLeft = 52, kPlotBottom = 24,
                 kPlotTop = 10;
constexpr std::string_view kColours[] = {"#1f5fa8", "#c26a1b", "#156b2e", "#8b3fa0",
                                         "#a40000", "#00767a", "#8a6d00", "#555555"};

constexpr std::string_view kPageHead =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>World</title>"
    "<meta name=\"viewport\" content=\"width=device-width\"><style>\n"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;"
    "color:#222;background:#fff}\nh1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2rem}\n"
    "table{border-collapse:collapse}td,th{padding:.2rem .8rem .2rem 0;text-align:left;"
    "border-bottom:1px solid #ddd}\n.plots{display:flex;flex-wrap:wrap;gap:1rem}figure{margin:0}"
    "figcaption{font-weight:600}svg{background:#fafafa}small{color:#666}code{font-size:.85em;"
    "word-break:break-all}\n@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}"
    "svg{background:#222}td,th{border-color:#444}small{color:#aaa}}\n</style></head><body>\n";

struct Curve {
  std::string name;
  std::vector<double> values;  // one a cycle
};

std::string plot(std::string_view title, std::uint64_t first, const std::vector<Curve>& curves) {
  double most = 0, least = 0;
  std::size_t length = 1;
  for (const Curve& curve : curves) {
    for (const double value : curve.values) {
      most = std::max(most, value);
      least = std::min(least, value);
    }
    length = std::max(length, curve.values.size());
  }
  if (most <= least) most = least + 1;
  const double step =
      length > 1 ? (kPlotWidth - kPlotLeft - 10) / static_cast<double>(length - 1) : 0;
  const auto y = [&](double value) {
    return kPlotTop + (kPlotHeight - kPlotTop - kPlotBottom) * (most - value) / (most - least);
  };
  std::string svg = fmt::format(
      "<figure><figcaption>{0}</figcaption><svg width=\"{1}\" height=\"{2}\" role=\"img\" "
      "aria-label=\"{0}\">",
      title, kPlotWidth, kPlotHeight);
  for (const double share : {0.0, 0.5, 1.0}) {
    const double value = least + share * (most - least);
    svg += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#bbb\" "
        "stroke-width=\".5\"/><text x=\"{3}\" y=\"{4:.1f}\" font-size=\"11\" text-anchor=\"end\" "
        "fill=\"#888\">{5:.4g}</text>",
        kPlotLeft, kPlotWidth - 10, y(value), kPlotLeft - 5, y(value) + 4, value);
  }
  std::string legend;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::string_view colour = kColours[i % std::size(kColours)];
    std::string points;
    for (std::size_t at = 0; at < curves[i].values.size(); ++at)
      points += fmt::format("{:.1f},{:.1f} ", kPlotLeft + step * static_cast<double>(at),
                            y(curves[i].values[at]));
    svg += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"/>",
                       points, colour);
    legend += fmt::format("<span style=\"color:{}\">&#9679;</span> {} ", colour, curves[i].name);
  }
  svg += fmt::format(
      "<text x=\"{}\" y=\"{}\" font-size=\"11\" fill=\"#888\">cycle {}</text>"
      "<text x=\"{}\" y=\"{}\" font-size=\"11\" fill=\"#888\" text-anchor=\"end\">cycle {}</text>"
      "</svg><br><small>{}</small></figure>\n",
      kPlotLeft, kPlotHeight - 6, first, kPlotWidth - 10, kPlotHeight - 6, first + length - 1,
      legend);
  return svg;
}

constexpr std::size_t kMostCurves = 16;

std::vector<Curve> by_agent(const std::vector<CycleRecord>& records,
                            const std::function<double(const AgentRecord&)>& value) {
  std::vector<Curve> curves;
  for (const AgentRecord& agent : records.back().agents) {
    if (curves.size() == kMostCurves) break;
    Curve curve{alias(agent.id), {}};
    for (const CycleRecord& record : records) {
      const auto found = std::find_if(record.agents.begin(), record.agents.end(),
                                      [&](const AgentRecord& each) { return each.id == agent.id; });
      curve.values.push_back(found == record.agents.end() ? 0.0 : value(*found));
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

Curve of_world(const std::vector<CycleRecord>& records, std::string name,
               const std::function<double(const CycleRecord&)>& value) {
  Curve curve{std::move(name), {}};
  for (const CycleRecord& record : records) curve.values.push_back(value(record));
  return curve;
}

std::vector<Curve> told(const std::vector<CycleRecord>& records,
                        std::initializer_list<const char*> names) {
  std::vector<Curve> curves;
  for (const char* name : names) {
    curves.push_back(of_world(records, name, [name](const CycleRecord& record) {
      const auto found = record.told.find(name);
      return found == record.told.end() ? 0.0 : static_cast<double>(found->second);
    }));
  }
  return curves;
}

double as_real(std::uint64_t value) { return static_cast<double>(value); }

std::string agents_table(const CycleRecord& record) {
  std::string html =
      "<table><tr><th>Agent</th><th>Role</th><th>Status</th><th>Balance</th><th>Reputation</th>"
      "<th>Goals</th><th>done</th><th>given up</th><th>Beliefs</th><th>Peers</th><th>Trust</th>"
      "</tr>\n";
  for (const AgentRecord& agent : record.agents)
    html += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.3f}</td><td>{}</td><td>{}</td>"
        "<td>{}</td><td>{}</td><td>{}</td><td>{:.2f}</td></tr>\n",
        alias(agent.id), to_string(agent.role), to_string(agent.status), agent.balance,
        agent.reputation, agent.goals, agent.completed, agent.abandoned, agent.beliefs, agent.peers,
        agent.trust);
  return html + "</table>\n";
}

}  // namespace

std::string report_page(const std::vector<CycleRecord>& records, std::uint64_t seed) {
  std::string html(kPageHead);
  html += "<h1>A world of agents</h1>\n";
  if (records.empty()) return html + "<p>No cycle has ended yet.</p></body></html>\n";
  const CycleRecord& last = records.back();
  const std::uint64_t first = records.front().cycle;
  html += fmt::format(
      "<p>Seed {}, {} cycles, {} agents, epoch {}. The accounts sum to {} of {}.<br>World hash "
      "<code>{}</code></p>\n",
      seed, records.size(), last.agents.size(), epoch_name(last.epoch), last.sum, last.supply,
      to_hex(last.world_hash));
  html += "<h2>Over time</h2>\n<div class=\"plots\">\n";
  html += plot("Balances", first, by_agent(records, [](const AgentRecord& agent) {
                 return static_cast<double>(agent.balance);
               }));
  html += plot("Reputation", first,
               by_agent(records, [](const AgentRecord& agent) { return agent.reputation; }));
  html +=
      plot("Goals completed", first,
           by_agent(records, [](const AgentRecord& agent) { return as_real(agent.completed); }));
  html += plot("Live goals", first,
               by_agent(records, [](const AgentRecord& agent) { return as_real(agent.goals); }));
  html += plot("Peers: mean trust in others", first,
               by_agent(records, [](const AgentRecord& agent) { return agent.trust; }));
  html += plot("Peers: mean competence seen in others", first,
               by_agent(records, [](const AgentRecord& agent) { return agent.competence; }));
  html += plot("Beliefs: mean confidence", first,
               by_agent(records, [](const AgentRecord& agent) { return agent.belief_confidence; }));
  html += plot(
      "Bounties a cycle", first,
      told(records, {"bounties posted", "bounties claimed", "bounties paid", "bounties refused"}));
  html +=
      plot("Work a cycle", first,
           told(records, {"snapshots", "programs run", "entries published", "entries verified"}));
  html += plot("Sum of all accounts", first,
               {of_world(records, "sum",
                         [](const CycleRecord& record) { return static_cast<double>(record.sum); }),
                of_world(records, "treasury", [](const CycleRecord& record) {
                  return static_cast<double>(record.treasury);
                })});
  html += "</div>\n<h2>Agents at the end</h2>\n" + agents_table(last);
  return html + "</body></html>\n";
}

Json to_json(const CycleRecord& record) {
  Json told = Json::object();
  for (const auto& each : record.told) told.set(each.first, each.second);
  Json agents = Json::array();
  for (const AgentRecord& agent : record.agents)
    agents.push_back(Json::object({{"id", to_hex(agent.id)},
                                   {"role", to_string(agent.role)},
                                   {"status", to_string(agent.status)},
                                   {"balance", agent.balance},
                                   {"reputation", agent.reputation},
                                   {"goals", agent.goals},
                                   {"completed", agent.completed},
                                   {"abandoned", agent.abandoned},
                                   {"beliefs", agent.beliefs},
                                   {"belief_confidence", agent.belief_confidence},
                                   {"peers", agent.peers},
                                   {"trust", agent.trust},
                                   {"competence", agent.competence}}));
  return Json::object({{"cycle", record.cycle},
                       {"world_hash", to_hex(record.world_hash)},
                       {"epoch", epoch_name(record.epoch)},
                       {"sum", record.sum},
                       {"supply", record.supply},
                       {"treasury", record.treasury},
                       {"events", record.events},
                       {"messages", record.messages},
                       {"thinks", record.thinks},
                       {"nops", record.nops},
                       {"failures", record.failures},
                       {"told", std::move(told)},
                       {"agents", std::move(agents)}});
}

}  // namespace anima::world
