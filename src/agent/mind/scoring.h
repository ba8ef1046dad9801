// Decide: which tool next, with every term of its score visible.
//
//   total = max(0, base - recency + novelty + episodic + pressure + archetype)
//
// Pure: everything that a decision rests on is in DecisionFacts, so the same facts give the same
// choice, whatever the order of the candidates. Ties within 1e-9 go to the less dangerous tool,
// then to the first by name. Source: learning_and_psyche 2.11. Thread-safety: plain functions.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/mind/psyche.h"
#include "tools/tool.h"

namespace anima::agent {

struct ScoreTerms {
  double base = 0;
  double recency = 0;  // a penalty: 0.4, 0.2, 0.1 or 0
  double novelty = 0;
  double episodic = 0;
  double pressure = 0;
  double archetype = 0;
  double total() const;
};

struct Candidate {
  std::string tool;
  tools::ToolInput input;
  std::string why;
  ScoreTerms terms;
  tools::Danger danger = tools::Danger::kSafe;
  bool planned = false;  // the next step of the goal's plan, which goes before the best score
};

// `<why> [score=0.98: base=0.80 recency=-0.00 novelty=+0.15 episodic=+0.00 pressure=+0.00
// archetype=+0.030]`: the printed parts add up to the score unless it was floored at 0.
std::string reasoning(const Candidate& candidate);

struct KnownTriple {
  std::string subject, predicate, object;
  double confidence = 1.0;
  bool operator==(const KnownTriple&) const = default;
};

struct InferredSymbol {
  std::string label;
  double confidence = 0;
  std::uint64_t outgoing = 0;  // triples that start at it
  bool connected = false;      // a triple joins it and the goal already
};

// A question in the words of a loaded compartment, which its rules can answer.
struct AnswerableQuestion {
  std::string query;               // the Datalog atom to ask
  std::string subject;             // the symbol that the question is about; may be empty
  std::vector<std::string> words;  // of the pattern that matched
};

// What the goal's own text names that an external tool could be given.
struct ExternalArguments {
  std::optional<std::string> path, url, command;
};
ExternalArguments external_arguments(std::string_view goal_text);

struct DecisionFacts {
  std::string goal;  // its description
  std::string goal_label;
  std::vector<std::string> mentions;   // labels that the goal's text names and nobody looked at yet
  std::optional<std::string> named;    // the first label that it names, looked at or not
  std::vector<KnownTriple> knowledge;  // about the goal, without the agent's own bookkeeping
  std::vector<InferredSymbol> inferences;
  std::vector<std::string> recalled_episodes;  // their texts
  std::vector<std::string> recalled_symbols;   // labels to recall with
  double pressure = 0;
  std::vector<std::string> tool_history;  // tools decided for this goal, oldest first
  std::set<std::string> excluded;         // action_key() of vetoed actions
  std::optional<AnswerableQuestion> question;
  std::optional<std::string> unexplored_code_child;
  std::vector<std::string> plan;  // tools of the plan's open steps, the next one first
};

// What a cycle writes of a goal and a symbol that belongs to it: a statement of the agent's books,
// never of the domain.
inline constexpr std::string_view kConcerns = "agent:concerns";

// The tool by which the loop asks a language model (model_thought.h).
inline constexpr std::string_view kModelThink = "model_think";

// Identifies (tool, input) for one goal.
std::string action_key(std::string_view tool, const tools::ToolInput& input);

// Whether a text names a tool, as a word of its own.
bool names_tool(std::string_view text, std::string_view tool);

// The goal's words against the tool's concept words: [0, 1], 0.5 = unrelated.
double goal_similarity(const std::vector<std::string>& goal_words, const tools::ToolInfo& tool,
                       const DecisionFacts& facts);

// Whole words only ("mode" is not "mod").
bool is_code_question(std::string_view goal);

struct Decision {
  // The plan's next step that there is something to do for, then best first; never empty.
  std::vector<Candidate> candidates;
  // Without a planned one: the best is below 0.15, or the first two are within 0.02.
  bool impasse = false;
  std::string impasse_reason;
};

// The recency penalty of a tool: by the place of its latest use in the history.
double recency_penalty(std::string_view tool, std::span<const std::string> history);

// The tool, beside those that plans have steps for anyway, that the goal sounds most like work for.
std::optional<std::string> related_tool(const DecisionFacts& facts, const tools::ToolTable& tools);

// Orders candidates that are scored already: the first open step of the plan that is among them,
// then the best first; says whether they are an impasse. Whoever acts, on tools or in a world,
// chooses by this. Requires at least one candidate.
Decision rank(std::vector<Candidate> candidates, const std::vector<std::string>& plan);

Decision decide(const DecisionFacts& facts, const tools::ToolTable& tools, const Psyche& psyche);

}  // namespace anima::agent
