#include "agent/mind/scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "agent/mind/word_vectors.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "language/text/word_uses.h"
#include "language/text/words.h"
#include "tools/made_tools.h"

namespace anima::agent {
namespace {

constexpr double kRecency[] = {0.4, 0.2, 0.1};
constexpr double kNovelty = 0.15;
constexpr double kEpisodic = 0.20;
constexpr double kPressure = 0.15;
constexpr double kPressureAbove = 0.7;
constexpr double kRelated = 0.55;
constexpr double kTie = 1e-9;
constexpr double kImpasseScore = 0.15;
constexpr double kImpasseGap = 0.02;
constexpr std::uint64_t kWellKnown = 3;  // a symbol with this many outgoing triples needs no look

bool is_made(const tools::ToolInfo& tool) {
  return std::find(tool.capabilities.begin(), tool.capabilities.end(), tools::kMade) !=
         tool.capabilities.end();
}

// Has a step of its own where a goal calls for it.
bool is_usual(std::string_view tool) {
  static constexpr std::string_view kUsual[] = {
      "kg_query",          "kg_mutate",   "memory_recall", "reason",
      "similarity_search", "infer_rules", "gap_analysis",  "file_io",
      "http_fetch",        "shell_exec",  kModelThink};
  return std::find(std::begin(kUsual), std::end(kUsual), tool) != std::end(kUsual);
}

// Builds the candidates one tool after the other.
class Deliberation {
 public:
  Deliberation(const DecisionFacts& facts, const tools::ToolTable& table, const Psyche& psyche)
      : facts_(facts),
        table_(table),
        psyche_(psyche),
        words_(bag_of_words(facts.goal)),
        code_(is_code_question(facts.goal)),
        known_(!facts.knowledge.empty()) {}

  std::optional<std::string> related_name() {
    for (const tools::Tool* tool : table_.all()) {
      if (!is_usual(tool->info().name)) related(tool->info());
    }
    const auto best = std::max_element(
        found_.begin(), found_.end(),
        [](const Candidate& a, const Candidate& b) { return a.terms.base < b.terms.base; });
    return best == found_.end() ? std::nullopt : std::optional(best->tool);
  }

  std::vector<Candidate> candidates() {
    for (const tools::Tool* tool : table_.all()) consider(tool->info());
    if (found_.empty()) fall_back();
    return std::move(found_);
  }

 private:
  using Input = tools::ToolInput;

  void consider(const tools::ToolInfo& tool) {
    if (tool.name == "kg_query") return kg_query(tool);
    if (tool.name == "kg_mutate") return kg_mutate(tool);
    if (tool.name == "memory_recall") return memory_recall(tool);
    if (tool.name == "reason") return reason(tool);
    if (tool.name == "similarity_search") return similarity_search(tool);
    if (tool.name == "infer_rules") return infer_rules(tool);
    if (tool.name == "gap_analysis") return gap_analysis(tool);
    if (tool.name == kModelThink) return model_think(tool);
    related(tool);
  }

  bool used(std::string_view tool) const {
    return std::find(facts_.tool_history.begin(), facts_.tool_history.end(), tool) !=
           facts_.tool_history.end();
  }

  double sem(const tools::ToolInfo& tool) const { return goal_similarity(words_, tool, facts_); }

  void add(const tools::ToolInfo& tool, double base, Input input, std::string why,
           bool forgive_recency = false) {
    if (facts_.excluded.count(action_key(tool.name, input)) != 0) return;
    Candidate candidate{tool.name, std::move(input), std::move(why), {}, tool.danger};
    ScoreTerms& terms = candidate.terms;
    terms.base = base;
    terms.recency = forgive_recency ? 0.0 : recency_penalty(tool.name, facts_.tool_history);
    terms.novelty = used(tool.name) ? 0.0 : kNovelty;
    const auto& episodes = facts_.recalled_episodes;
    terms.episodic = std::any_of(episodes.begin(), episodes.end(),
                                 [&](const auto& text) { return names_tool(text, tool.name); })
                         ? kEpisodic
                         : 0.0;
    terms.pressure =
        tool.name == "memory_recall" && facts_.pressure > kPressureAbove ? kPressure : 0.0;
    terms.archetype = psyche_.archetype_bonus(tool.name);
    found_.push_back(std::move(candidate));
  }

  void kg_query(const tools::ToolInfo& tool) {
    const double base = code_ ? (known_ ? 0.7 : 0.85) : (known_ ? 0.4 : 0.8);
    if (facts_.unexplored_code_child) {
      return add(
          tool, base, {{"symbol", *facts_.unexplored_code_child}},
          fmt::format("Look into \"{}\", a part not looked at yet.", *facts_.unexplored_code_child),
          true);
    }
    std::string target = facts_.goal_label;
    if (facts_.question && !facts_.question->subject.empty()) target = facts_.question->subject;
    if (!facts_.mentions.empty()) target = facts_.mentions.front();
    for (const InferredSymbol& symbol : facts_.inferences) {
      if (symbol.outgoing < kWellKnown) {
        target = symbol.label;
        break;
      }
    }
    add(tool, base, {{"symbol", target}},
        known_ ? fmt::format("See what else the graph says about \"{}\".", target)
               : fmt::format("Nothing is known about the goal yet: ask the graph about \"{}\".",
                             target));
  }

  void kg_mutate(const tools::ToolInfo& tool) {
    if (!known_) return;
    for (const InferredSymbol& symbol : facts_.inferences) {
      if (symbol.connected) continue;
      return add(
          tool, 0.7,
          {{"subject", facts_.goal_label},
           {"predicate", std::string(kConcerns)},
           {"object", symbol.label},
           {"confidence", "0.7"}},
          fmt::format("\"{}\" belongs to the goal but is not connected to it yet.", symbol.label));
    }
  }

  void memory_recall(const tools::ToolInfo& tool) {
    if (facts_.recalled_episodes.empty()) return;
    add(tool, 0.55, {{"query_symbols", join(facts_.recalled_symbols, ",")}},
        "Earlier episodes touch this goal.");
  }

  void reason(const tools::ToolInfo& tool) {
    if (!known_) return;
    const KnownTriple& triple = facts_.knowledge.front();
    const auto quoted = [](const std::string& label) { return quote_json(label); };
    add(tool, 0.5,
        {{"expression", fmt::format("bind({}, bind({}, {}))", quoted(triple.subject),
                                    quoted(triple.predicate), quoted(triple.object))}},
        "Put what is known in its simplest form.");
  }

  void similarity_search(const tools::ToolInfo& tool) {
    if (facts_.inferences.empty()) return;
    add(tool, code_ ? 0.25 : 0.55, {{"symbol", facts_.inferences.front().label}},
        fmt::format("Find what resembles \"{}\".", facts_.inferences.front().label));
  }

  void infer_rules(const tools::ToolInfo& tool) {
    if (!known_ && !facts_.question) return;
    Input input;
    std::string why = "Let the rules draw what follows from the facts.";
    if (facts_.question) {
      input["query"] = facts_.question->query;
      why = fmt::format("The rules can answer this: ask them {}.", facts_.question->query);
    }
    const double base =
        facts_.unexplored_code_child
            ? 0.1
            : std::clamp(0.7 * sem(tool) + (used(tool.name) ? 0.0 : 0.1), 0.35, 0.75);
    add(tool, base, std::move(input), std::move(why));
  }

  void gap_analysis(const tools::ToolInfo& tool) {
    const auto queries =
        std::count(facts_.tool_history.begin(), facts_.tool_history.end(), "kg_query");
    const double base = facts_.unexplored_code_child
                            ? 0.1
                            : std::clamp(0.7 * sem(tool) + (queries >= 2 ? 0.1 : 0.0), 0.30, 0.75);
    const std::string goal =
        facts_.knowledge.empty() ? facts_.goal_label : facts_.knowledge.front().subject;
    add(tool, base, {{"goal", goal}}, "See what is missing around the goal.");
  }

  // What the loaded rules answer exactly needs no guess.
  void model_think(const tools::ToolInfo& tool) {
    if (facts_.question) return;
    add(tool, used(tool.name) ? 0.45 : 0.65, {{"goal", facts_.goal}},
        "A language model may answer it from what is known and what tools bring.");
  }

  // Every other tool, also one that was made later. External tools are offered only with an
  // argument that stands in the goal itself.
  void related(const tools::ToolInfo& tool) {
    const ExternalArguments given = external_arguments(facts_.goal);
    Input input;
    if (tool.name == "file_io") {
      if (!given.path) return;
      input = {{"action", "read"}, {"path", *given.path}};
    } else if (tool.name == "http_fetch") {
      if (!given.url) return;
      input = {{"url", *given.url}};
    } else if (tool.name == "shell_exec") {
      if (!given.command) return;
      input = {{"command", *given.command}};
    } else if (tool.name == "csv_ingest" || tool.name == "code_ingest") {
      if (!given.path) return;
      input = {{"path", *given.path}};
    } else if (tool.name == "text_ingest") {
      if (!given.path) return;
      input = {{"text", "file:" + *given.path}};
    } else if (tool.name == "user_interact") {
      input = {{"question", facts_.goal}};
    } else if (tool.name == "doc_gen") {
      if (!facts_.named) return;
      input = {{"target", *facts_.named}};
    } else {
      for (const tools::ToolParameter& parameter : tool.parameters) {
        if (parameter.required) input[parameter.name] = facts_.goal;
      }
      if (is_made(tool) && given.path) input["path"] = *given.path;
    }
    const double likeness = is_made(tool) && names_tool(facts_.goal, tool.name) ? 1.0 : sem(tool);
    if (likeness <= kRelated) return;
    add(tool, 0.75 * likeness, std::move(input), "The goal sounds like work for this tool.");
  }

  void fall_back() {
    const tools::Tool* tool = table_.find("kg_query");
    const tools::Danger danger = tool == nullptr ? tools::Danger::kSafe : tool->info().danger;
    Candidate candidate{
        "kg_query", {{"symbol", facts_.goal_label}}, "Nothing better is left to try.", {}, danger};
    candidate.terms.archetype = psyche_.archetype_bonus("kg_query");
    found_.push_back(std::move(candidate));
  }

  const DecisionFacts& facts_;
  const tools::ToolTable& table_;
  const Psyche& psyche_;
  std::vector<std::string> words_;
  bool code_;
  bool known_;
  std::vector<Candidate> found_;
};

// Scores are compared in steps of kTie, which keeps the order strict.
bool better(const Candidate& a, const Candidate& b) {
  const long long left = std::llround(a.terms.total() / kTie);
  const long long right = std::llround(b.terms.total() / kTie);
  if (left != right) return left > right;
  if (a.danger != b.danger) return a.danger < b.danger;
  return a.tool < b.tool;
}

// The plan decides among what there is something to do for; scores decide where it is silent.
bool follow_plan(const std::vector<std::string>& steps, std::vector<Candidate>& candidates) {
  for (const std::string& step : steps) {
    const auto next = std::find_if(candidates.begin(), candidates.end(),
                                   [&](const Candidate& each) { return each.tool == step; });
    if (next == candidates.end()) continue;
    next->planned = true;
    std::rotate(candidates.begin(), next, next + 1);
    return true;
  }
  return false;
}

}  // namespace

double ScoreTerms::total() const {
  return std::max(0.0, base - recency + novelty + episodic + pressure + archetype);
}

std::string reasoning(const Candidate& candidate) {
  const ScoreTerms& terms = candidate.terms;
  return fmt::format(
      "{} [score={:.2f}: base={:.2f} recency=-{:.2f} novelty=+{:.2f} episodic=+{:.2f} "
      "pressure=+{:.2f} archetype={:+.3f}]",
      candidate.why, terms.total(), terms.base, terms.recency, terms.novelty, terms.episodic,
      terms.pressure, terms.archetype);
}

double recency_penalty(std::string_view tool, std::span<const std::string> history) {
  for (std::size_t back = 0; back < std::size(kRecency) && back < history.size(); ++back) {
    if (history[history.size() - 1 - back] == tool) return kRecency[back];
  }
  return 0.0;
}

std::string action_key(std::string_view tool, const tools::ToolInput& input) {
  return describe_action(tool, input).description;
}

bool names_tool(std::string_view text, std::string_view tool) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (std::size_t at = text.find(tool); at != std::string_view::npos;
       at = text.find(tool, at + 1)) {
    const bool starts = at == 0 || !is_part(text[at - 1]);
    const std::size_t end = at + tool.size();
    if (starts && (end == text.size() || !is_part(text[end]))) return true;
  }
  return false;
}

double goal_similarity(const std::vector<std::string>& goal_words, const tools::ToolInfo& tool,
                       const DecisionFacts& facts) {
  std::vector<std::string> profile;
  for (const std::string& word : tool.concepts) profile.push_back(to_lower(word));
  if (tool.name == "infer_rules" && facts.question) {
    for (const std::string& word : facts.question->words) profile.push_back(to_lower(word));
  }
  std::sort(profile.begin(), profile.end());
  profile.erase(std::unique(profile.begin(), profile.end()), profile.end());
  return similarity(goal_words, profile);
}

bool is_code_question(std::string_view goal) {
  return std::ranges::any_of(language::folded_words(goal), [](const std::string& word) {
    return language::words_used_as("name_code").contains(word);
  });
}

ExternalArguments external_arguments(std::string_view goal_text) {
  ExternalArguments given;
  std::size_t at = 0;
  while (at < goal_text.size()) {
    const std::size_t end = std::min(goal_text.find_first_of(" \t\n", at), goal_text.size());
    std::string_view word = goal_text.substr(at, end - at);
    while (!word.empty() && std::string_view("\"'(<,;").find(word.front()) != word.npos) {
      word.remove_prefix(1);
    }
    while (!word.empty() && std::string_view("\"')>,;.?!").find(word.back()) != word.npos) {
      word.remove_suffix(1);
    }
    const bool url = word.starts_with("http://") || word.starts_with("https://");
    if (url && word.size() > word.find("//") + 2 && !given.url) given.url = std::string(word);
    const bool path = word.size() > 1 && (word.starts_with("/") || word.starts_with("./") ||
                                          word.starts_with("../") || word.starts_with("~/"));
    if (path && !given.path) given.path = std::string(word);
    at = end + 1;
  }
  const std::size_t open = goal_text.find('`');
  const std::size_t close = open == std::string_view::npos ? open : goal_text.find('`', open + 1);
  if (close != std::string_view::npos && close > open + 1) {
    given.command = std::string(goal_text.substr(open + 1, close - open - 1));
  }
  return given;
}

std::optional<std::string> related_tool(const DecisionFacts& facts, const tools::ToolTable& tools) {
  return Deliberation(facts, tools, Psyche()).related_name();
}

Decision decide(const DecisionFacts& facts, const tools::ToolTable& tools, const Psyche& psyche) {
  return rank(Deliberation(facts, tools, psyche).candidates(), facts.plan);
}

Decision rank(std::vector<Candidate> candidates, const std::vector<std::string>& plan) {
  Decision decision;
  decision.candidates = std::move(candidates);
  std::sort(decision.candidates.begin(), decision.candidates.end(), better);
  if (follow_plan(plan, decision.candidates)) return decision;
  const double best = decision.candidates.front().terms.total();
  if (best < kImpasseScore) {
    decision.impasse = true;
    decision.impasse_reason = fmt::format("the best score is {:.2f}", best);
  } else if (decision.candidates.size() > 1) {
    const double next = decision.candidates[1].terms.total();
    if (best - next <= kImpasseGap) {
      decision.impasse = true;
      decision.impasse_reason =
          fmt::format("{} and {} are {:.3f} apart", decision.candidates[0].tool,
                      decision.candidates[1].tool, best - next);
    }
  }
  return decision;
}

}  // namespace anima::agent
