#include "cli/verbs/agent/agent_repl.h"

#include <fmt/format.h>

#include "base/text/read_number.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/render/cycle_view.h"
#include "cli/render/table.h"
#include "store/act.h"

namespace anima::cli {
namespace {

constexpr std::string_view kAgentHelp =
    "  Enter, step          one cycle\n"
    "  run N                N cycles, or until no goal is active\n"
    "  goal TEXT            adds a goal\n"
    "  goals                the goals and how they stand\n"
    "  candidates           what the next cycle would choose from, with every term of the score\n"
    "  why                  why the next action, and why the last one\n"
    "  plan                 the plan of the goal that is worked on\n"
    "  veto N               candidate N is never offered again for this goal\n"
    "  veto TEXT            the shadow blocks every action that holds TEXT\n"
    "  set KEY VALUE        persona, grammar, healer, sage, guardian or explorer\n"
    "  psyche               persona, vetoes, archetypes\n"
    "  reflect, consolidate\n"
    "  help, quit\n";

class Repl {
 public:
  Repl(Context& context, agent::Agent& agent) : context_(context), agent_(agent) {}

  bool failed() const { return failed_; }

  // False ends the loop.
  bool obey(const std::string& line) {
    const std::string text(trim(line));
    const std::size_t blank = text.find_first_of(" \t");
    const std::string word = to_lower(text.substr(0, blank));
    const std::string rest(blank == std::string::npos ? "" : trim(text.substr(blank)));
    if (word == "quit" || word == "q" || word == "exit") return false;
    if (word.empty() || word == "step" || word == "s") {
      step(1);
    } else if (word == "run" || word == "r") {
      run(rest);
    } else if (word == "goal") {
      add_goal(rest);
    } else if (word == "goals" || word == "g") {
      goals();
    } else if (word == "candidates" || word == "c") {
      candidates();
    } else if (word == "why" || word == "w") {
      why();
    } else if (word == "plan" || word == "p") {
      plan();
    } else if (word == "veto" || word == "v") {
      veto(rest);
    } else if (word == "set") {
      set(rest);
    } else if (word == "psyche") {
      psyche();
    } else if (word == "reflect") {
      const auto reflection = agent_.reflect();
      reflection ? context_.print(reflection->summary() + "\n") : wrong(reflection.error());
    } else if (word == "consolidate") {
      const auto outcome = agent_.consolidate();
      outcome ? context_.print(fmt::format("{} episodes kept, {} entries let go\n",
                                           outcome->persisted, outcome->evicted))
              : wrong(outcome.error());
    } else if (word == "help" || word == "h" || word == "?") {
      context_.print(std::string(kAgentHelp));
    } else {
      wrong({ErrorCode::kInvalidArgument,
             fmt::format("there is no command \"{}\"", word),
             {},
             "help lists them"});
    }
    for (const std::string& warning : agent_.take_warnings()) context_.warn(warning);
    return true;
  }

 private:
  void wrong(const Error& error) {
    failed_ = true;
    context_.warn(error.describe());
  }

  void step(std::uint64_t cycles) {
    const auto end = agent_.run_until_complete(cycles, [&](const agent::CycleReport& report) {
      context_.print(show_cycle(context_, report));
      if (report.answer) context_.print(show_answer(context_, *report.answer));
      last_ = report;
      return !interrupted();
    });
    if (!end) return wrong(end.error());
    if (*end == agent::RunEnd::kDone) context_.print("No goal is active. Give one: goal TEXT\n");
  }

  void run(const std::string& rest) {
    const auto cycles = read_number<std::uint64_t>(rest).value_or(0);
    if (cycles == 0)
      return wrong({ErrorCode::kInvalidArgument, "run needs a number of cycles", {}, "run 5"});
    step(cycles);
  }

  void add_goal(const std::string& text) {
    const auto label = agent_.add_goal(text);
    if (!label) return wrong(label.error());
    context_.print(fmt::format("{}\n", *label));
  }

  void goals() {
    Table table({"status", "priority", "cycles", "goal"});
    table.align_right(1);
    table.align_right(2);
    for (const agent::Goal& goal : agent_.goals().all()) {
      table.add({std::string(agent::to_string(goal.status)), std::to_string(goal.priority),
                 std::to_string(goal.cycles_worked), goal.description});
    }
    context_.print(table.empty() ? "There is no goal. Give one: goal TEXT\n"
                                 : table.render(context_));
  }

  void candidates() {
    const auto next = agent_.deliberate();
    if (!next) return wrong(next.error());
    context_.print(fmt::format("Cycle {} would work on: {}\n", next->cycle, next->description));
    for (std::size_t i = 0; i < next->decision.candidates.size(); ++i) {
      const agent::Candidate& candidate = next->decision.candidates[i];
      context_.print(
          fmt::format("  {}. {} {}\n", i + 1, candidate.tool, agent::reasoning(candidate)));
    }
    if (next->decision.impasse) {
      context_.print("  impasse: " + next->decision.impasse_reason + "\n");
    }
  }

  void why() {
    const auto next = agent_.deliberate();
    if (next) {
      context_.print(fmt::format("Next: {} because {}\n", next->chosen().tool,
                                 agent::reasoning(next->chosen())));
      if (next->decision.candidates.size() > 1) {
        const agent::Candidate& second = next->decision.candidates[1];
        context_.print(
            fmt::format("Not {}: it scores {:.2f}\n", second.tool, second.terms.total()));
      }
    }
    if (last_) {
      context_.print(fmt::format("Last: cycle {}, {}: {}\n", last_->cycle, last_->chosen().tool,
                                 last_->progress.reason.empty() ? agent::reasoning(last_->chosen())
                                                                : last_->progress.reason));
    }
    if (!next && !last_) wrong(next.error());
  }

  void plan() {
    const auto next = agent_.deliberate();
    if (!next) return wrong(next.error());
    const auto plan = agent_.plan_for(next->goal);
    if (!plan) return wrong(plan.error());
    context_.print(plan->strategy + "\n");
    for (const agent::PlanStep& step : plan->steps) {
      context_.print(fmt::format("  {:<10} {:<18} {}\n", agent::to_string(step.status), step.tool,
                                 step.rationale));
    }
  }

  void veto(const std::string& text) {
    if (text.empty()) {
      return wrong({ErrorCode::kInvalidArgument,
                    "veto needs a candidate's number or a text",
                    {},
                    "candidates lists them"});
    }
    if (const auto place = read_number<std::size_t>(text)) return veto_candidate(*place);
    agent::Psyche changed = agent_.psyche();
    changed.shadow.veto_patterns.push_back(
        {fmt::format("person: {}", text), {text}, 1.0, "a person vetoed it"});
    if (Status done = agent_.set_psyche(std::move(changed)); !done) return wrong(done.error());
    context_.print(fmt::format("The shadow blocks every action with \"{}\".\n", text));
  }

  void veto_candidate(std::size_t place) {
    const auto next = agent_.deliberate();
    if (!next) return wrong(next.error());
    if (place == 0 || place > next->decision.candidates.size()) {
      return wrong({ErrorCode::kNotFound,
                    fmt::format("there is no candidate {}", place),
                    {},
                    "candidates lists them"});
    }
    const agent::Candidate& candidate = next->decision.candidates[place - 1];
    if (Status done = agent_.forbid(next->goal, candidate.tool, candidate.input); !done) {
      return wrong(done.error());
    }
    context_.print(
        fmt::format("{} with this input is not offered again for this goal.\n", candidate.tool));
  }

  void set(const std::string& rest) {
    const std::size_t blank = rest.find_first_of(" \t");
    const std::string key = to_lower(rest.substr(0, blank));
    const std::string value(blank == std::string::npos ? "" : trim(rest.substr(blank)));
    agent::Psyche changed = agent_.psyche();
    const double weight = read_number<double>(value).value_or(-1);
    const bool number = weight >= 0 && weight <= 1;
    bool known = !value.empty();
    if (key == "persona") {
      changed.persona.name = value;
    } else if (key == "grammar") {
      changed.persona.grammar_preference = value;
    } else {
      known = false;
      for (const agent::Archetype archetype : agent::kArchetypes) {
        if (key != agent::to_string(archetype) || !number) continue;
        changed.archetypes.of(archetype) = weight;
        known = true;
      }
    }
    if (!known) {
      return wrong({ErrorCode::kInvalidArgument,
                    "set needs persona or grammar and a text, or an archetype and 0 to 1",
                    {},
                    "set sage 0.8"});
    }
    if (Status done = agent_.set_psyche(std::move(changed)); !done) return wrong(done.error());
    psyche();
  }

  void psyche() {
    const agent::Psyche& psyche = agent_.psyche();
    context_.print(fmt::format(
        "{} ({}); healer {:.2f}, sage {:.2f}, guardian {:.2f}, explorer {:.2f}; individuation "
        "{:.2f}\n",
        psyche.persona.name, psyche.persona.grammar_preference, psyche.archetypes.healer,
        psyche.archetypes.sage, psyche.archetypes.guardian, psyche.archetypes.explorer,
        psyche.self_integration.individuation_level));
    for (const agent::ShadowPattern& pattern : psyche.shadow.veto_patterns) {
      context_.print(fmt::format("  veto {}: {}\n", pattern.name, join(pattern.triggers, ", ")));
    }
  }

  Context& context_;
  agent::Agent& agent_;
  std::optional<agent::CycleReport> last_;
  bool failed_ = false;
};

}  // namespace

int run_agent_repl(Context& context, agent::Agent& agent, LineReader& input) {
  Repl repl(context, agent);
  if (input.interactive()) context.print("Enter takes one cycle, help lists the commands.\n");
  for (;;) {
    context.out.flush();
    const auto line = input.next(fmt::format("agent {}> ", agent.cycle()));
    if (!line || interrupted()) break;
    const store::ActScope act("agent command", store::ActKind::kOwn);
    if (!repl.obey(*line)) break;
  }
  if (interrupted()) return kInterrupted;
  return repl.failed() && !input.interactive() ? kFailed : kDone;
}

}  // namespace anima::cli
