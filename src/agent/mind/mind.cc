#include "agent/mind/detail/mind.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/text/text.h"
#include "language/text/word_uses.h"
#include "language/text/words.h"
#include "memory/contradiction.h"
#include "memory/memory_manager.h"
#include "memory/names.h"
#include "store/symbols.h"
#include "tools/graph.h"

namespace anima::agent::detail {
namespace {

using store::EntityId;

constexpr std::size_t kLongestMention = 4;   // words
constexpr std::size_t kShortestMention = 3;  // characters
constexpr std::size_t kEdgesPerSymbol = 12;
constexpr std::size_t kMaxKnowledge = 60;
constexpr std::size_t kActivated = 5;
constexpr double kWeakest = 0.1;
constexpr std::size_t kMaxSources = 16;
constexpr std::size_t kMaxNeighbours = 256;

bool is_stop_word(std::string_view folded) {
  return language::words_used_as("mention_nothing").contains(folded);
}

// The symbols that a goal starts from: itself, what its findings taught, what its episodes taught.
std::vector<EntityId> sources_of(const store::Snapshot& snapshot, const Goal& goal,
                                 const std::vector<tools::RecalledEpisode>& episodes) {
  std::vector<EntityId> sources;
  if (goal.symbol != EntityId::kNone) sources.push_back(goal.symbol);
  for (const std::string& label : goal.known) {
    if (const auto known = store::find_symbol(snapshot, label)) sources.push_back(*known);
  }
  for (const auto& episode : episodes) {
    sources.insert(sources.end(), episode.learned.begin(), episode.learned.end());
  }
  std::vector<EntityId> once;
  for (const EntityId source : sources) {
    if (std::find(once.begin(), once.end(), source) == once.end()) once.push_back(source);
  }
  if (once.size() > kMaxSources) once.resize(kMaxSources);
  return once;
}

bool joined(const store::Snapshot& snapshot, EntityId a, EntityId b) {
  store::Pattern there, back;
  there.subject = a;
  there.object = store::Term::entity(b);
  back.subject = b;
  back.object = store::Term::entity(a);
  return snapshot.count(there) + snapshot.count(back) > 0;
}

}  // namespace

std::vector<std::string> mentioned_labels(const store::Snapshot& snapshot, std::string_view text) {
  const std::vector<language::PlainWord> words = language::plain_words(text);
  std::vector<std::string> labels;
  for (std::size_t at = 0; at < words.size();) {
    std::size_t taken = 0;
    for (std::size_t length = std::min(kLongestMention, words.size() - at); length > 0; --length) {
      const std::size_t from = words[at].begin;
      const language::PlainWord& last = words[at + length - 1];
      const std::string_view run = text.substr(from, last.begin + last.written.size() - from);
      if (count_code_points(run) < kShortestMention || is_stop_word(fold_case(run))) continue;
      const auto found = store::find_symbol(snapshot, run);
      if (!found || tools::is_bookkeeping(store::symbol_label(snapshot, *found))) continue;
      const EntityId type = snapshot.type_of(*found);
      if (type == store::kConceptType || type == store::kPropositionType) continue;
      const std::string label = store::symbol_label(snapshot, *found);
      if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
      taken = length;
      break;
    }
    at += std::max<std::size_t>(1, taken);
  }
  return labels;
}

namespace {

// What somebody stated, without the books that the program keeps.
store::Snapshot knowledge_of(const store::Snapshot& snapshot) {
  std::vector<store::GraphId> graphs = snapshot.graphs();
  for (const std::string_view name : {memory::kMemoryGraph, memory::kAgentGraph,
                                      memory::kQuarantineGraph, memory::kCompartmentsGraph}) {
    if (const auto graph = snapshot.find_graph(name)) std::erase(graphs, *graph);
  }
  return snapshot.in_graphs(graphs);
}

}  // namespace

std::vector<std::string> unknown_words(const store::Snapshot& all, std::string_view text) {
  const store::Snapshot snapshot = knowledge_of(all);
  const language::WordSet& idle_words = language::words_used_as("idle_in_questions");
  std::vector<std::string> unknown;
  for (const auto& [written, begin, folded, unbroken] :
       language::plain_words(text, language::FoldStrength::kCase)) {
    if (idle_words.contains(folded) || is_stop_word(folded) ||
        count_code_points(written) < kShortestMention)
      continue;
    if (store::find_symbol(snapshot, written) || store::find_relation(snapshot, written)) continue;
    const std::string shown(written);
    store::TextQuery query;
    query.text = shown;
    query.prefix = false;
    query.fuzzy = false;
    if (!snapshot.search(query).empty() ||
        std::find(unknown.begin(), unknown.end(), shown) != unknown.end())
      continue;
    unknown.push_back(shown);
  }
  return unknown;
}

Orientation orient(const store::Snapshot& snapshot, const Goal& goal,
                   const std::vector<tools::RecalledEpisode>& episodes, bool activate) {
  Orientation result;
  const std::vector<EntityId> sources = sources_of(snapshot, goal, episodes);
  std::map<EntityId, double> activation;
  const memory::Contradictions contradictions(snapshot);
  for (const EntityId source : sources) {
    const auto around = tools::edges_of(snapshot, source, tools::Direction::kBoth, kMaxNeighbours);
    std::size_t taken = 0;
    for (const tools::Edge& edge : around.edges) {
      if (!contradictions.superseded(edge.triple).empty()) continue;
      if (taken < kEdgesPerSymbol && result.knowledge.size() < kMaxKnowledge) {
        KnownTriple triple{edge.subject, edge.predicate, edge.object, edge.confidence};
        const auto& known = result.knowledge;
        if (std::find(known.begin(), known.end(), triple) == known.end()) {
          result.knowledge.push_back(std::move(triple));
          ++taken;
        }
      }
      if (!activate || !edge.triple.object.is_entity()) continue;
      const EntityId object = edge.triple.object.as_entity();
      const EntityId other = edge.triple.subject == source ? object : edge.triple.subject;
      if (std::find(sources.begin(), sources.end(), other) != sources.end()) continue;
      double& level = activation[other];
      level = std::max(level, edge.confidence);
    }
  }
  std::vector<std::pair<EntityId, double>> ranked(activation.begin(), activation.end());
  std::erase_if(ranked, [](const auto& each) { return each.second < kWeakest; });
  const auto stronger = [](const auto& a, const auto& b) { return a.second > b.second; };
  std::stable_sort(ranked.begin(), ranked.end(), stronger);
  for (std::size_t i = 0; i < ranked.size() && i < kActivated; ++i) {
    const EntityId entity = ranked[i].first;
    result.inferences.push_back({store::symbol_label(snapshot, entity), ranked[i].second,
                                 tools::out_degree(snapshot, entity),
                                 joined(snapshot, goal.symbol, entity)});
  }
  return result;
}

namespace {

// What is a goal's own, what is one step from that, and how connected a symbol is. The last two are
// read when first asked for: most entries are about a goal itself.
class Surroundings {
 public:
  Surroundings(const store::Snapshot& snapshot, const std::vector<const Goal*>& goals)
      : snapshot_(snapshot) {
    for (const Goal* goal : goals) {
      own_.insert(goal->symbol);
      for (const std::string& label : goal->known) {
        if (const auto known = store::find_symbol(snapshot, label)) own_.insert(*known);
      }
    }
  }

  double relevance(const std::vector<EntityId>& symbols) {
    const auto any_of = [&](const std::set<EntityId>& set) {
      return std::any_of(symbols.begin(), symbols.end(),
                         [&](EntityId symbol) { return set.count(symbol) != 0; });
    };
    if (any_of(own_)) return 1.0;
    return any_of(near()) ? 0.8 : 0.0;
  }

  double degree(EntityId symbol) {
    const auto [found, fresh] = degrees_.try_emplace(symbol, 0.0);
    if (fresh) found->second = static_cast<double>(tools::degree(snapshot_, symbol));
    return found->second;
  }

 private:
  const std::set<EntityId>& near() {
    if (near_) return *near_;
    near_.emplace();
    for (const EntityId symbol : own_) {
      for (const auto& edge :
           tools::edges_of(snapshot_, symbol, tools::Direction::kBoth, kMaxNeighbours).edges) {
        near_->insert(edge.triple.subject);
        if (edge.triple.object.is_entity()) near_->insert(edge.triple.object.as_entity());
      }
    }
    return *near_;
  }

  store::Snapshot snapshot_;
  std::set<EntityId> own_;
  std::optional<std::set<EntityId>> near_;
  std::map<EntityId, double> degrees_;
};

}  // namespace

GraphView graph_view(const store::Snapshot& snapshot, const std::vector<const Goal*>& goals) {
  const auto around = std::make_shared<Surroundings>(snapshot, goals);
  GraphView view;
  view.goal_relevance = [around](const std::vector<EntityId>& symbols) {
    return around->relevance(symbols);
  };
  view.mean_degree = [around](const std::vector<EntityId>& symbols) {
    double sum = 0;
    for (const EntityId symbol : symbols) sum += around->degree(symbol);
    return symbols.empty() ? 0.0 : sum / static_cast<double>(symbols.size());
  };
  return view;
}

}  // namespace anima::agent::detail
