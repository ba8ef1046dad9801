// gap_analysis: what is missing around a goal.
//
// Three kinds of gap: dead ends (fewer than two edges; severity 0.9 at one hop or nearer, else
// 0.7 / depth), predicates that more than half of the first five neighbours hold and the goal does
// not (0.8 x share), and predicates that more than 60 % of its type's other members hold and the
// goal does not (0.75 x share). Coverage is the share of analysed symbols with two edges or more.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "store/symbols.h"
#include "tools/detail/tool_base.h"
#include "tools/graph.h"

namespace anima::tools::detail {
namespace {

using store::EntityId;
using store::Snapshot;

constexpr std::size_t kMaxGapDepth = 2;
constexpr std::size_t kMaxAnalysed = 200;
constexpr std::size_t kMaxEdges = 64;
constexpr std::size_t kNeighbours = 5;
constexpr std::size_t kMembers = 50;

struct Gap {
  EntityId symbol;
  std::string text;
  double severity;
};

class Analyst {
 public:
  Analyst(const Snapshot& snapshot, EntityId goal) : snapshot_(snapshot), goal_(goal) {}

  std::vector<Gap> gaps() {
    walk();
    const std::set<std::string> held = predicates_of(goal_);
    compare(held, neighbours_, 0.5, 0.8, "is near");
    compare(held, members_of_type(), 0.6, 0.75, "is of its type");
    std::stable_sort(gaps_.begin(), gaps_.end(),
                     [](const Gap& a, const Gap& b) { return a.severity > b.severity; });
    return std::move(gaps_);
  }

  double coverage() const {
    return analysed_ == 0 ? 0.0
                          : static_cast<double>(well_connected_) / static_cast<double>(analysed_);
  }
  std::size_t analysed() const { return analysed_; }

 private:
  void walk() {
    std::set<EntityId> seen{goal_};
    std::vector<std::pair<EntityId, std::size_t>> queue{{goal_, 0}};
    for (std::size_t i = 0; i < queue.size() && analysed_ < kMaxAnalysed; ++i) {
      const auto [symbol, depth] = queue[i];
      ++analysed_;
      const std::uint64_t edges = degree(snapshot_, symbol);
      if (edges >= 2) {
        ++well_connected_;
      } else {
        const double severity = depth <= 1 ? 0.9 : 0.7 / static_cast<double>(depth);
        gaps_.push_back({symbol,
                         edges == 0 ? std::string("nothing is connected to it")
                                    : std::string("a single fact touches it"),
                         severity});
      }
      if (depth == kMaxGapDepth) continue;
      for (const Edge& edge : edges_of(snapshot_, symbol, Direction::kBoth, kMaxEdges).edges) {
        const EntityId other = edge.triple.subject == symbol && edge.triple.object.is_entity()
                                   ? edge.triple.object.as_entity()
                                   : edge.triple.subject;
        if (!seen.insert(other).second) continue;
        if (depth == 0 && neighbours_.size() < kNeighbours) neighbours_.push_back(other);
        queue.emplace_back(other, depth + 1);
      }
    }
  }

  std::set<std::string> predicates_of(EntityId symbol) const {
    std::set<std::string> names;
    for (const Edge& edge : edges_of(snapshot_, symbol, Direction::kFrom, kMaxEdges).edges) {
      names.insert(edge.predicate);
    }
    return names;
  }

  std::vector<EntityId> members_of_type() const {
    std::vector<EntityId> members;
    for (const Edge& edge : edges_of(snapshot_, goal_, Direction::kFrom, kMaxEdges).edges) {
      const bool type = edge.predicate == "is-a" || edge.predicate == "has_type" ||
                        edge.predicate == "has-type" || edge.predicate == "instance-of";
      if (!type) continue;
      store::Scratch scratch;
      for (const std::uint32_t code :
           snapshot_.subjects(edge.triple.predicate, edge.triple.object, scratch)) {
        const EntityId member{code};
        if (member != goal_ && members.size() < kMembers) members.push_back(member);
      }
    }
    return members;
  }

  void compare(const std::set<std::string>& held, const std::vector<EntityId>& others, double above,
               double weight, std::string_view who) {
    if (others.size() < 2) return;
    std::map<std::string, std::size_t> counts;
    for (const EntityId other : others) {
      for (const std::string& name : predicates_of(other)) ++counts[name];
    }
    for (const auto& [name, count] : counts) {
      const double share = static_cast<double>(count) / static_cast<double>(others.size());
      if (share <= above || held.count(name) != 0) continue;
      gaps_.push_back(
          {goal_,
           fmt::format("no fact says {}, though {:.0f}% of what {} do", name, share * 100, who),
           weight * share});
    }
  }

  const Snapshot& snapshot_;
  EntityId goal_;
  std::vector<EntityId> neighbours_;
  std::vector<Gap> gaps_;
  std::size_t analysed_ = 0;
  std::size_t well_connected_ = 0;
};

class GapAnalysis final : public BuiltinTool {
 public:
  using BuiltinTool::BuiltinTool;

  Result<ToolOutput> run(const ToolInput& input, Workbench& bench) const override {
    const Snapshot& snapshot = bench.snapshot();
    const auto goal = store::resolve_symbol(snapshot, parameter(input, "goal"));
    if (!goal) return failed(goal.error().describe());
    std::size_t limit = 10;
    if (!number_parameter<std::size_t>(input, "max_gaps", 1, 1000, limit)) {
      return failed("`max_gaps` is a number from 1 to 1000");
    }
    Analyst analyst(snapshot, *goal);
    const std::vector<Gap> gaps = analyst.gaps();
    ToolOutput output;
    output.result =
        fmt::format("{} gap{} around \"{}\"; coverage {:.0f}% of {} symbols", gaps.size(),
                    gaps.size() == 1 ? "" : "s", store::symbol_label(snapshot, *goal),
                    analyst.coverage() * 100, analyst.analysed());
    output.symbols_involved.push_back(*goal);
    for (std::size_t i = 0; i < gaps.size() && i < limit; ++i) {
      const std::string label = store::symbol_label(snapshot, gaps[i].symbol);
      output.result += fmt::format("\n[{:.2f}] {}: {}", gaps[i].severity, label, gaps[i].text);
      output.symbols_involved.push_back(gaps[i].symbol);
      output.findings.push_back(
          {FindingKind::kGap, label, {}, {}, gaps[i].text, gaps[i].severity, 0, 0});
    }
    std::sort(output.symbols_involved.begin(), output.symbols_involved.end());
    output.symbols_involved.erase(
        std::unique(output.symbols_involved.begin(), output.symbols_involved.end()),
        output.symbols_involved.end());
    return output;
  }
};

}  // namespace

std::unique_ptr<Tool> make_gap_analysis() {
  return std::make_unique<GapAnalysis>(
      ToolInfo{"gap_analysis",
               "Finds what is missing around a goal.",
               {{"goal", true, "a label or a number"}, {"max_gaps", false, "how many (10)"}},
               Danger::kSafe,
               {"ReadGraph"},
               {"gap", "gaps", "missing", "incomplete", "unknown", "lack", "lacking", "analysis",
                "coverage", "holes"}});
}

}  // namespace anima::tools::detail
