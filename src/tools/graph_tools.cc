// kg_query, kg_mutate, memory_recall and similarity_search.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text/text.h"
#include "store/symbols.h"
#include "tools/detail/tool_base.h"
#include "tools/fact_labels.h"
#include "tools/graph.h"

namespace anima::tools {
namespace detail {
namespace {

using store::EntityId;
using store::Snapshot;

constexpr const char* kNoTopK = "`top_k` is a number from 1 to 100";

// How many are wanted.
bool read_top_k(const ToolInput& input, std::size_t& limit) {
  limit = 5;
  return number_parameter<std::size_t>(input, "top_k", 1, 100, limit);
}

void sort_once(std::vector<EntityId>& symbols) {
  std::sort(symbols.begin(), symbols.end());
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
}

class KgQuery final : public BuiltinTool {
 public:
  using BuiltinTool::BuiltinTool;

  Result<ToolOutput> run(const ToolInput& input, Workbench& bench) const override {
    const Snapshot& snapshot = bench.snapshot();
    const auto symbol = store::resolve_symbol(snapshot, parameter(input, "symbol"));
    if (!symbol) return failed(symbol.error().describe());
    const std::string way = parameter(input, "direction", "both");
    Direction direction = Direction::kBoth;
    if (way == "from") {
      direction = Direction::kFrom;
    } else if (way == "to") {
      direction = Direction::kTo;
    } else if (way != "both") {
      return failed(fmt::format("`direction` is from, to or both, not \"{}\"", way));
    }
    std::size_t limit = kDefaultLimit;
    if (!number_parameter<std::size_t>(input, "limit", 1, 10'000, limit)) {
      return failed("`limit` is a number from 1 to 10000");
    }
    return report(bench, *symbol, edges_of(snapshot, *symbol, direction, limit));
  }

 private:
  static constexpr std::size_t kDefaultLimit = 40;

  static ToolOutput report(Workbench& bench, EntityId symbol, const Edges& found) {
    ToolOutput output;
    output.symbols_involved.push_back(symbol);
    const std::string label = store::symbol_label(bench.snapshot(), symbol);
    if (found.edges.empty()) {
      output.result = fmt::format("Nothing is known about \"{}\".", label);
      return output;
    }
    output.result =
        fmt::format("{} fact{} about \"{}\":", found.total, found.total == 1 ? "" : "s", label);
    for (const Edge& edge : found.edges) {
      output.result += fmt::format("\n\"{}\" -> {} -> \"{}\"  [{:.2f}]", edge.subject,
                                   edge.predicate, edge.object, edge.confidence);
      output.symbols_involved.push_back(edge.triple.subject);
      if (edge.triple.object.is_entity()) {
        output.symbols_involved.push_back(edge.triple.object.as_entity());
      }
      const std::string superseded = bench.superseded(edge.triple);
      if (!superseded.empty()) {
        output.result += fmt::format("  (superseded: {})", superseded);
        continue;
      }
      output.findings.push_back({FindingKind::kTriple,
                                 edge.subject,
                                 edge.predicate,
                                 edge.object,
                                 {},
                                 edge.confidence,
                                 0,
                                 0});
    }
    if (found.total > found.edges.size()) {
      output.result += fmt::format("\n.. and {} more", found.total - found.edges.size());
    }
    sort_once(output.symbols_involved);
    return output;
  }
};

class KgMutate final : public BuiltinTool {
 public:
  using BuiltinTool::BuiltinTool;

  Result<ToolOutput> run(const ToolInput& input, Workbench& bench) const override {
    Proposal proposal(bench.trust());
    proposal.subject = trim(parameter(input, "subject"));
    proposal.predicate = trim(parameter(input, "predicate"));
    proposal.object = trim(parameter(input, "object"));
    if (!number_parameter<double>(input, "confidence", 0.0, 1.0, proposal.confidence)) {
      return failed("`confidence` is a number from 0 to 1");
    }
    const Snapshot& snapshot = bench.snapshot();
    ToolOutput output;
    for (std::string* label : {&proposal.subject, &proposal.predicate, &proposal.object}) {
      if (const Status good = store::check_label(*label); !good) {
        return failed(good.error().describe());
      }
      const bool relation = label == &proposal.predicate;
      const auto known =
          relation ? store::find_relation(snapshot, *label) : store::find_symbol(snapshot, *label);
      if (!known) continue;
      *label = store::symbol_label(snapshot, *known);
      output.symbols_involved.push_back(*known);
      // Made of a name that somebody less trusted brought, it is his word as well.
      if (const auto stated = fact_label(snapshot, *label))
        proposal.trust = std::min(proposal.trust, *stated);
    }
    sort_once(output.symbols_involved);
    output.result = fmt::format("Added \"{}\" -> {} -> \"{}\"  [{:.2f}]", proposal.subject,
                                proposal.predicate, proposal.object, proposal.confidence);
    output.findings.push_back(triple_finding(proposal));
    ANIMA_TRY(bench.propose(std::move(proposal)));
    return output;
  }
};

class MemoryRecall final : public BuiltinTool {
 public:
  using BuiltinTool::BuiltinTool;

  Result<ToolOutput> run(const ToolInput& input, Workbench& bench) const override {
    const Snapshot& snapshot = bench.snapshot();
    std::size_t limit = 0;
    if (!read_top_k(input, limit)) return failed(kNoTopK);
    const std::string wanted = parameter(input, "query_symbols");
    std::vector<EntityId> symbols;
    for (const std::string_view part : split(wanted, ',')) {
      if (const auto found = store::find_symbol(snapshot, part)) symbols.push_back(*found);
    }
    ToolOutput output;
    const auto episodes = bench.recall(symbols, limit);
    if (episodes.empty()) {
      output.result = fmt::format("No episode touches {}.", wanted);
      return output;
    }
    output.result = fmt::format("{} episode{}:", episodes.size(), episodes.size() == 1 ? "" : "s");
    for (const RecalledEpisode& episode : episodes) {
      output.result += fmt::format("\n{}: {} ({} symbols)", episode.label, episode.summary,
                                   episode.learned.size());
      output.symbols_involved.insert(output.symbols_involved.end(), episode.learned.begin(),
                                     episode.learned.end());
    }
    sort_once(output.symbols_involved);
    return output;
  }
};

// Two symbols resemble each other by the edges that they share, an edge to a much used neighbour
// counting little: cosine over (predicate, direction, neighbour), weighted by 1 / ln(1 + users).
class SimilaritySearch final : public BuiltinTool {
 public:
  using BuiltinTool::BuiltinTool;

  Result<ToolOutput> run(const ToolInput& input, Workbench& bench) const override {
    const Snapshot& snapshot = bench.snapshot();
    const auto symbol = store::resolve_symbol(snapshot, parameter(input, "symbol"));
    if (!symbol) return failed(symbol.error().describe());
    std::size_t limit = 0;
    if (!read_top_k(input, limit)) return failed(kNoTopK);
    return report(snapshot, *symbol, rank(snapshot, *symbol), limit);
  }

 private:
  static constexpr std::size_t kMaxEdges = 200;
  static constexpr std::size_t kMaxUsers = 2'000;  // a hub tells nothing about its users

  struct Match {
    EntityId entity;
    double score;
  };

  static std::vector<Match> rank(const Snapshot& snapshot, EntityId symbol) {
    std::map<EntityId, double> shared;
    double own = 0;
    const Edges around = edges_of(snapshot, symbol, Direction::kBoth, kMaxEdges);
    for (const Edge& edge : around.edges) {
      const bool outgoing = edge.triple.subject == symbol;
      store::Scratch scratch;
      std::span<const std::uint32_t> users;
      if (outgoing) {
        users = snapshot.subjects(edge.triple.predicate, edge.triple.object, scratch);
      } else {
        users = snapshot.objects(edge.triple.subject, edge.triple.predicate, scratch);
      }
      const double weight = 1.0 / std::log(2.0 + static_cast<double>(users.size()));
      own += weight * weight;
      if (users.size() > kMaxUsers) continue;
      for (const std::uint32_t code : users) {
        const store::Term user{code};
        if (user.is_entity() && user.as_entity() != symbol) {
          shared[user.as_entity()] += weight * weight;
        }
      }
    }
    // The other's length is estimated from its degree: reading all edges of all candidates is not
    // worth the third digit.
    std::vector<Match> matches;
    const double typical = own / static_cast<double>(std::max<std::size_t>(1, around.edges.size()));
    for (const auto& [entity, common] : shared) {
      if (is_bookkeeping(store::symbol_label(snapshot, entity))) continue;
      const double edges = static_cast<double>(degree(snapshot, entity));
      const double other = std::max(common, edges * typical);
      matches.push_back({entity, common / std::sqrt(std::max(own, common) * other)});
    }
    std::stable_sort(matches.begin(), matches.end(),
                     [](const Match& a, const Match& b) { return a.score > b.score; });
    return matches;
  }

  static ToolOutput report(const Snapshot& snapshot, EntityId symbol,
                           const std::vector<Match>& matches, std::size_t limit) {
    ToolOutput output;
    output.symbols_involved.push_back(symbol);
    const std::string label = store::symbol_label(snapshot, symbol);
    if (matches.empty()) {
      output.result = fmt::format("Nothing resembles \"{}\".", label);
      return output;
    }
    output.result = fmt::format("What resembles \"{}\":", label);
    for (std::size_t i = 0; i < matches.size() && i < limit; ++i) {
      const std::string other = store::symbol_label(snapshot, matches[i].entity);
      output.result += fmt::format("\n{}. \"{}\" / sym:{} (similarity: {:.2f})", i + 1, other,
                                   static_cast<std::uint32_t>(matches[i].entity), matches[i].score);
      output.symbols_involved.push_back(matches[i].entity);
      output.findings.push_back(
          {FindingKind::kSimilar, label, {}, other, {}, matches[i].score, 0, 0});
    }
    sort_once(output.symbols_involved);
    return output;
  }
};

}  // namespace

std::unique_ptr<Tool> make_kg_query() {
  return std::make_unique<KgQuery>(
      ToolInfo{"kg_query",
               "Lists the facts that start or end at a symbol.",
               {{"symbol", true, "a label or a number"},
                {"direction", false, "from, to or both (both)"},
                {"limit", false, "how many facts to list (40)"}},
               Danger::kSafe,
               {"ReadGraph"},
               {"find", "query", "look", "lookup", "what", "know", "known", "fact", "facts",
                "about", "graph", "knowledge", "list", "show", "search"}});
}

std::unique_ptr<Tool> make_kg_mutate() {
  return std::make_unique<KgMutate>(ToolInfo{"kg_mutate",
                                             "Adds one fact to the graph.",
                                             {{"subject", true, "a label; made when new"},
                                              {"predicate", true, "a label; made when new"},
                                              {"object", true, "a label; made when new"},
                                              {"confidence", false, "0 to 1 (1.0)"}},
                                             Danger::kCautious,
                                             {"WriteGraph"},
                                             {"add", "create", "connect", "record", "write",
                                              "remember", "store", "link", "relate", "assert"}});
}

std::unique_ptr<Tool> make_memory_recall() {
  return std::make_unique<MemoryRecall>(
      ToolInfo{"memory_recall",
               "Recalls earlier episodes about symbols.",
               {{"query_symbols", true, "labels, separated by commas"},
                {"top_k", false, "how many episodes (5)"}},
               Danger::kSafe,
               {"ReadMemory"},
               {"remember", "recall", "memory", "earlier", "before", "past", "episode", "episodes",
                "previous", "experience", "history"}});
}

std::unique_ptr<Tool> make_similarity_search() {
  return std::make_unique<SimilaritySearch>(
      ToolInfo{"similarity_search",
               "Ranks what shares most facts with a symbol.",
               {{"symbol", true, "a label or a number"}, {"top_k", false, "how many (5)"}},
               Danger::kSafe,
               {"ReadGraph"},
               {"similar", "like", "resemble", "resembles", "analogous", "related", "near", "alike",
                "compare", "same", "kind"}});
}

}  // namespace detail

void add_graph_tools(ToolTable& table) {
  table.add(detail::make_kg_query());
  table.add(detail::make_kg_mutate());
  table.add(detail::make_memory_recall());
  table.add(detail::make_reason());
  table.add(detail::make_similarity_search());
  table.add(detail::make_infer_rules());
  table.add(detail::make_gap_analysis());
}

}  // namespace anima::tools
