// anima run: an agent works on goals until they are done or its turns are used up, and says the
// answer, what is missing, or what waits for whom; with -v also each decision with its scores.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "agent/conversation/model_thought.h"
#include "agent/conversation/recorded_calls.h"
#include "agent/loop/run_campaign.h"
#include "agent/loop/run_retention.h"
#include "agent/telling/space_asker.h"
#include "base/json/text_array.h"
#include "base/text/shown_text.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/model_access.h"
#include "cli/frame/options.h"
#include "cli/frame/person.h"
#include "cli/render/ask_view.h"
#include "cli/render/cycle_view.h"
#include "cli/verbs/agent/run_upkeep.h"
#include "cli/verbs/tools/tool_forge.h"
#include "forge/impasse.h"
#include "memory/compartments/questions.h"
#include "tools/external.h"

namespace anima::cli {
namespace {

struct RunOptions {
  std::vector<std::string> words;
  std::vector<std::string> goals;
  std::vector<std::string> knowledge;
  std::uint64_t max_cycles = 10;
  std::optional<std::int64_t> priority;
  std::string criteria;
  std::string format = "text";
  std::string keep;  // a name for the run
  std::optional<std::string> model;
  bool fresh = false;
  bool verbose = false;
};

// What a run shows while it goes, and at its end, in one of three formats.
class Reporter {
 public:
  Reporter(Context& context, std::string format, bool verbose)
      : context_(context), format_(std::move(format)), verbose_(verbose) {}

  bool text() const { return format_ == "text"; }
  bool waits() const { return !waiting_.empty(); }
  bool decisions() const { return text() && verbose_; }
  void stream(const Json& event) {
    if (format_ == "stream-json") context_.print(event.dump() + "\n");
  }

  void cycle(const agent::CycleReport& report) {
    if (decisions()) context_.print(show_cycle(context_, report) + "\n");
    if (!report.success && report.result.starts_with(tools::kWaitsForApproval))
      waiting_.insert(report.result);
    for (const agent::AvoidedAction& each : report.set_aside) {
      if (std::ranges::find(aside_, each) == aside_.end()) aside_.push_back(each);
    }
    stream(report.to_json());
    if (report.answer) answers_.push_back(*report.answer);
    if (report.success && report.chosen().tool == agent::kModelThink) {
      model_answers_.push_back(report.result);
    }
    if (format_ == "json") cycles_.push_back(report.to_json());
  }

  // What a tool worked out that is there for nothing else.
  void made(const agent::CycleReport& report) {
    if (report.success) model_answers_.push_back(report.chosen().tool + ": " + report.result);
  }

  // Of a goal that failed: a tool that could be made for it.
  void lacks(const std::string& goal, const forge::Need& need) { needs_.emplace_back(goal, need); }
  const std::vector<std::pair<std::string, forge::Need>>& needs() const { return needs_; }

  // What earlier runs say of a plan, each thing once.
  void advice(const learn::PlanAdvice& advice) {
    for (const learn::PlanAdvice::Line& each : advice.warnings) {
      const std::string line = agent::describe(each);
      if (std::ranges::find(advice_, line) != advice_.end()) continue;
      advice_.push_back(line);
      if (text()) context_.note(line);
      stream(Json::object({{"type", "advice"}, {"warning", line}}));
    }
    for (const learn::PlanAdvice::Line& each : advice.hints) {
      if (decisions())
        context_.print("This plan worked out before: " + terminal_text(each.type) + "\n");
    }
  }

  void finish(agent::Agent& agent, const std::vector<std::string>& labels, std::string_view end) {
    Json goals = Json::array();
    for (const std::string& label : labels) {
      const agent::Goal* goal = agent.goals().find(label);
      failed_ += goal->status == agent::GoalStatus::kFailed ? 1U : 0U;
      const std::string story = agent.synthesize_findings(label);
      goals.push_back(Json::object({{"goal", goal->description},
                                    {"status", agent::to_string(goal->status)},
                                    {"cycles", goal->cycles_worked},
                                    {"failure", goal->failure},
                                    {"answer", goal->answer.empty() ? Json() : Json(goal->answer)},
                                    {"report", story}}));
      if (text() && !answered(*goal)) show_goal(*goal, story);
    }
    if (text()) show_answers();
    for (const std::string& answer : model_answers_) {
      if (text()) context_.print(answer + "\n");
    }
    if (text()) show_waiting();
    if (text()) show_aside();
    if (text()) show_needs();
    for (const std::string& warning : agent.take_warnings()) context_.warn(warning);
    Json answers = Json::array();
    for (const memory::QuestionAnswer& answer : answers_) answers.push_back(answer_json(answer));
    Json result = Json::object({{"type", "result"},
                                {"end", end},
                                {"cycle", agent.cycle()},
                                {"goals", std::move(goals)},
                                {"answers", std::move(answers)},
                                {"waiting", waiting_json()}});
    if (!aside_.empty()) {
      Json aside = Json::array();
      for (const agent::AvoidedAction& each : aside_) aside.push_back(agent::to_json(each));
      result.set("set_aside", std::move(aside));
    }
    if (!advice_.empty()) {
      result.set("advice", text_array(advice_));
    }
    if (!needs_.empty()) {
      Json needs = Json::array();
      for (const auto& [goal, need] : needs_) needs.push_back(need.to_json());
      result.set("needs", std::move(needs));
    }
    if (format_ == "json") result.set("cycles", std::move(cycles_));
    result_ = std::move(result);
  }
  std::size_t failed() const { return failed_; }

  // What came of the run that went on where this one lacked something.
  void went_on(const Reporter& after) {
    if (!result_ || !after.result_) return;
    Json both = *after.result_;
    for (const char* list : {"goals", "answers", "cycles"}) {
      if (result_->find(list) == nullptr) continue;
      JsonArray joined = result_->find(list)->as_array();
      const JsonArray& later = both.find(list)->as_array();
      joined.insert(joined.end(), later.begin(), later.end());
      both.set(list, Json(std::move(joined)));
    }
    if (const Json* needs = result_->find("needs")) both.set("made", *needs);
    result_ = std::move(both);
  }
  // One document, whatever was gone through.
  void print_result() {
    if (!result_) return;
    if (format_ == "json") context_.print_json(*result_);
    stream(*result_);
  }

 private:
  static bool answered(const agent::Goal& goal) { return !goal.answer.empty(); }

  // What was found, and what it lacks. What was found for a goal that nothing serves is nothing.
  void show_goal(const agent::Goal& goal, const std::string& story) {
    const bool failed = goal.status == agent::GoalStatus::kFailed;
    const bool open = !failed && goal.status != agent::GoalStatus::kCompleted;
    if (!failed || goal.cycles_worked > 1) context_.print(story + "\n");
    if (failed) context_.print(fmt::format("Not done: {}.\n", goal.failure));
    if (open && waiting_.empty()) context_.print("Not done yet.\n");
  }

  void show_waiting() {
    for (const std::string& each : waiting_) context_.print("It " + each + "\n");
  }

  void show_aside() {
    for (const agent::AvoidedAction& each : aside_) {
      context_.print(fmt::format(
          "Not proposed: {}.\n  `anima learnings forget {} --shard owner` takes that back.\n",
          agent::describe(each), each.learning));
    }
  }

  void show_needs() {
    for (const auto& [goal, need] : needs_) {
      context_.print(fmt::format("A tool for this can be made: {}.\n  {}\n", need.name,
                                 terminal_text(command_that_makes(need))));
    }
  }

  Json waiting_json() const {
    Json list = Json::array();
    for (const std::string& each : waiting_) list.push_back(each);
    return list;
  }

  void show_answers() {
    for (const memory::QuestionAnswer& answer : answers_) {
      context_.print(show_answer(context_, answer));
      if (answer.next.empty()) continue;
      context_.print("\nYou can ask next:\n");
      for (const std::string& next : answer.next) {
        context_.print(fmt::format("  anima run {}\n", quote_json(next)));
      }
    }
  }

  Context& context_;
  std::string format_;
  bool verbose_;
  std::set<std::string> waiting_;            // calls that wait for a person, as the tool said it
  std::vector<agent::AvoidedAction> aside_;  // what the owner refused often
  std::vector<std::pair<std::string, forge::Need>> needs_;  // by goal
  std::vector<std::string> advice_;                         // of earlier runs
  Json cycles_ = Json::array();
  std::size_t failed_ = 0;      // goals
  std::optional<Json> result_;  // nothing where the run did not come to its end
  std::vector<memory::QuestionAnswer> answers_;
  std::vector<std::string> model_answers_;
};

std::string join_words(const std::vector<std::string>& words) { return join(words, " "); }

void show_askable(Context& context, const std::vector<std::string>& examples) {
  if (examples.empty()) return;
  context.print("What can be asked:\n");
  for (const std::string& example : examples) context.print("  " + example + "?\n");
}

// A question that no loaded compartment understands is no goal: the person is told what is.
std::optional<int> not_understood(Context& context, agent::Agent& agent, const Reporter& reporter,
                                  const std::string& goal) {
  const std::vector<std::string> examples = agent.askable();
  if (examples.empty() || agent.understand(goal) || !memory::looks_like_question(goal)) {
    return std::nullopt;
  }
  if (reporter.text()) {
    context.print(fmt::format("I do not understand \"{}\".\n", goal));
    show_askable(context, examples);
  } else {
    const Json result = Json::object({{"type", "result"},
                                      {"end", "not_understood"},
                                      {"goal", goal},
                                      {"askable", text_array(examples)}});
    context.print(result.dump() + "\n");
  }
  return kMissing;
}

// A question that the space answers in its own words is no goal: nothing is kept of it.
std::optional<int> answered_at_once(Context& context, const RunOptions& options,
                                    const std::vector<std::string>& wanted, agent::Agent& agent,
                                    const std::shared_ptr<store::Space>& space,
                                    const Reporter& reporter) {
  if (wanted.size() != 1 || !options.criteria.empty() || agent.understand(wanted.front()))
    return std::nullopt;
  const auto asker = agent::SpaceAsker::open(space, context.files);
  if (!asker) return context.fail(asker.error());
  const ask::Answer answer = (*asker)->ask(wanted.front());
  const bool refused = answer.status == ask::AnswerStatus::kNotUnderstood;
  if (refused && options.model) return std::nullopt;  // the model may know
  if (refused &&
      (answer.reason == "not_a_question" || !memory::looks_like_question(wanted.front())))
    return std::nullopt;
  if (reporter.text()) {
    show_answer(context, answer);
    if (refused) show_askable(context, agent.askable());
  } else {
    const Json result = Json::object({{"type", "result"},
                                      {"end", refused ? "not_understood" : "answered"},
                                      {"goal", wanted.front()},
                                      {"answer", answer.to_json()}});
    context.print(result.dump() + "\n");
  }
  return exit_of(answer);
}

// What is asked for now goes before what earlier runs left open.
std::uint8_t priority_of_new_goals(const agent::GoalList& goals, const RunOptions& options) {
  std::uint64_t priority = agent::kDefaultPriority;
  if (options.priority) {
    priority = static_cast<std::uint64_t>(std::max<std::int64_t>(*options.priority, 0));
  } else if (const auto open = goals.active(); !open.empty()) {
    priority = std::max<std::uint64_t>(priority, open.front()->priority + 1U);
  }
  return static_cast<std::uint8_t>(std::min<std::uint64_t>(priority, 255));
}

bool any_open(const agent::GoalList& goals, const std::vector<std::string>& labels) {
  return std::any_of(labels.begin(), labels.end(), [&](const std::string& label) {
    const agent::Goal* goal = goals.find(label);
    return goal->status != agent::GoalStatus::kCompleted &&
           goal->status != agent::GoalStatus::kFailed;
  });
}

// Adds the goals and tells of them; `labels` receives what they are called. An exit code when one
// cannot be taken on.
std::optional<int> add_goals(Context& context, const RunOptions& options,
                             const std::vector<std::string>& wanted, agent::Agent& agent,
                             Reporter& reporter, std::vector<std::string>& labels) {
  const std::uint8_t priority = priority_of_new_goals(agent.goals(), options);
  for (const std::string& goal : wanted) {
    if (!options.model) {
      if (const auto exit = not_understood(context, agent, reporter, goal)) return exit;
    }
    const auto label = agent.add_goal(goal, priority, options.criteria);
    if (!label) return context.fail(label.error());
    labels.push_back(*label);
    if (reporter.decisions()) {
      const auto question = agent.understand(goal);
      context.print(fmt::format(
          "Goal: {}{}\n\n", goal,
          question ? fmt::format("\n      understood as {}", question->query) : std::string()));
    }
    reporter.stream(Json::object({{"type", "goal"}, {"goal", goal}, {"label", *label}}));
  }
  return std::nullopt;
}

// The run's name, and what agent.keep says of older ones.
Status keep(Context& context, const RunOptions& options, store::Space& space,
            const agent::Agent& agent) {
  if (!options.keep.empty()) {
    ANIMA_TRY(
        agent::keep_run(space, local_origin(context, "anima run"), agent.run(), options.keep));
  }
  prune_old_runs(context, space);
  return {};
}

// A name that is taken is told before the work, not after it.
Status check_name(const RunOptions& options, store::Space& space) {
  if (options.keep.empty()) return {};
  ANIMA_ASSIGN(const std::vector<agent::KeptRun> kept, agent::kept_runs(space));
  for (const agent::KeptRun& each : kept) {
    if (each.name != options.keep) continue;
    return anima::fail(ErrorCode::kAlreadyExists, "another run has this name", options.keep,
                       fmt::format("`anima replay --release {}` takes it back", options.keep));
  }
  return {};
}

// What the loop asks a language model with.
struct LoopModel {
  std::unique_ptr<agent::RecordedCalls> calls;
  std::unique_ptr<ModelAccess> access;
  std::unique_ptr<agent::SpaceAsker> asker;
  StopOnInterrupt stop;
};

// Errors: those of the model's configuration.
Result<std::unique_ptr<LoopModel>> add_model(Context& context, const std::string& name,
                                             agent::GovernedHouse& house,
                                             const std::shared_ptr<store::Space>& space,
                                             agent::Agent& agent) {
  auto loop = std::make_unique<LoopModel>();
  const store::Origin origin = local_origin(context, "anima run");
  // Each run has a session of its own: it begins with nothing told.
  const std::string session = "run-" + fresh_conversation_id();
  loop->calls = std::make_unique<agent::RecordedCalls>(*space, origin, session);
  ANIMA_ASSIGN(loop->access, open_models(context, {}, loop->calls.get()));
  ANIMA_ASSIGN(llm::Model* const model, named_model(*loop->access->models, name));
  ANIMA_ASSIGN(loop->asker, agent::SpaceAsker::open(space, context.files));
  agent.tools().add(agent::make_model_thought(
      house, *model,
      {loop->asker.get(), origin, session, [stop = &loop->stop] { return stop->token(); }}));
  return loop;
}

// Runs teach the next ones: what cannot be kept of that is a warning, and nothing else.
class Lessons {
 public:
  Lessons(Context& context, agent::GovernedHouse& house, Reporter& reporter)
      : context_(context), reporter_(reporter), campaign_(own(house), fresh_run()) {}

  void before(agent::Agent& agent, const std::vector<std::string>& labels) {
    for (const std::string& label : labels) {
      const auto plan = agent.plan_for(label);
      if (!plan) continue;
      const auto advice = campaign_.advise(*agent.goals().find(label), *plan);
      if (advice) {
        reporter_.advice(*advice);
      } else {
        told(anima::fail(advice.error()));
      }
    }
  }
  void cycle(const agent::CycleReport& report) { told(campaign_.cycle(report)); }
  void after(const agent::Agent& agent, const std::vector<std::string>& labels) {
    for (const std::string& label : labels) told(campaign_.ended(*agent.goals().find(label)));
  }

 private:
  static std::string fresh_run() { return "run-" + fresh_conversation_id(); }
  agent::OwnLearnings* own(agent::GovernedHouse& house) {
    const auto own = house.learnings();
    if (!own) told(anima::fail(own.error()));
    return own ? *own : nullptr;
  }
  void told(const Status& status) {
    if (!status && !warned_) context_.warn("nothing is learnt: " + status.error().describe());
    warned_ = warned_ || !status;
  }

  Context& context_;
  Reporter& reporter_;
  bool warned_ = false;
  agent::RunCampaign campaign_;
};

// What goals that failed lack. Nobody is kept from the end of a run by it.
void note_needs(Context& context, agent::GovernedHouse& house, const agent::Agent& agent,
                const std::vector<std::string>& labels, Reporter& reporter) {
  if (context.config.text("forge.on_impasse") == "off") return;
  forge::Impasse impasse;
  impasse.mode = "/" + context.config.text("forge.mode");
  for (const agent::ShadowPattern& pattern : agent.psyche().shadow.veto_patterns)
    impasse.vetoes.insert(impasse.vetoes.end(), pattern.triggers.begin(), pattern.triggers.end());
  for (const govern::ToolDeclaration& each : house.tools_of_others().declarations()) {
    if (house.tools_of_others().is_sealed(each.name)) impasse.made.push_back(each.name);
  }
  for (const std::string& label : labels) {
    const agent::Goal* goal = agent.goals().find(label);
    if (goal->status != agent::GoalStatus::kFailed) continue;
    impasse.goal = goal->description;
    impasse.why = goal->failure;
    const auto need = forge::need_of_impasse(impasse);
    if (!need) context.warn("what the goal lacks is not known: " + need.error().describe());
    if (need && *need) reporter.lacks(goal->description, **need);
  }
}

int work(Context& context, const RunOptions& options, const std::vector<std::string>& wanted,
         Reporter& reporter) {
  auto workshop = open_workshop(context, Access::kWrite, "anima run");
  if (!workshop) return context.fail(workshop.error());
  if (const Status free = check_name(options, *workshop->space); !free)
    return context.fail(free.error());
  for (const std::string& path : options.knowledge) {
    if (Status added = add_knowledge(context, *workshop, path); !added) {
      return context.fail(added.error());
    }
  }
  const auto house = open_house(context);
  if (!house) return context.fail(house.error());
  agent::AgentConfig config;
  config.fresh = options.fresh;
  config.origin = local_origin(context, "anima run");
  auto agent = (*house)->start_agent(*workshop->compartments, context.files, std::move(config));
  if (!agent) return context.fail(agent.error());
  Person person(context);
  (*agent)->tools().add(tools::make_user_interact(person.asker()));
  std::unique_ptr<LoopModel> model;
  if (options.model) {
    auto added = add_model(context, *options.model, **house, workshop->space, **agent);
    if (!added) return fail_of_model(context, added.error());
    model = std::move(*added);
  }
  for (const std::string& warning : (*agent)->take_warnings()) context.warn(warning);

  if (const auto exit =
          answered_at_once(context, options, wanted, **agent, workshop->space, reporter)) {
    if (!options.keep.empty()) context.note("it was answered at once: there is no run to keep");
    return *exit;
  }
  std::vector<std::string> labels;
  if (const auto exit = add_goals(context, options, wanted, **agent, reporter, labels))
    return *exit;
  Lessons lessons(context, **house, reporter);
  lessons.before(**agent, labels);
  bool stopped = false;
  const auto end = (*agent)->run_until_complete(options.max_cycles, [&](const auto& report) {
    reporter.cycle(report);
    lessons.cycle(report);
    if ((*house)->tools_of_others().is_sealed(report.chosen().tool)) reporter.made(report);
    stopped = interrupted();
    // A model would be asked the same again before anybody could say yes.
    const bool waits = model != nullptr && reporter.waits();
    return !stopped && !waits && any_open((*agent)->goals(), labels);
  });
  if (!end) return context.fail(end.error());
  const bool turns = *end == agent::RunEnd::kMaxCycles;
  if (const Status kept = keep(context, options, *workshop->space, **agent); !kept)
    return context.fail(kept.error());
  lessons.after(**agent, labels);
  note_needs(context, **house, **agent, labels, reporter);
  reporter.finish(**agent, labels, stopped ? "interrupted" : turns ? "max_cycles_reached" : "done");
  if (stopped) return kInterrupted;
  const auto done = [&](const std::string& label) {
    return (*agent)->goals().find(label)->status == agent::GoalStatus::kCompleted;
  };
  if (reporter.waits() && !std::ranges::all_of(labels, done)) return kWaitsForApproval;
  if (turns) {
    context.note(
        fmt::format("stopped after {} turns; go on with: anima agent resume", options.max_cycles));
    return kBudget;
  }
  for (const std::string& label : labels) {
    const agent::Goal* goal = (*agent)->goals().find(label);
    if (goal->status == agent::GoalStatus::kFailed) {
      context.note(fmt::format("the goal failed: {}", goal->failure));
      return kFailed;
    }
  }
  return kDone;
}

// Makes what was lacking, where the owner wants that, and works on the goals that lacked it.
int work_with_new_tools(Context& context, RunOptions options, Reporter& before) {
  std::vector<std::string> goals;
  for (const auto& [goal, need] : before.needs()) {
    const auto report = make_from_template(context, need, "anima run");
    if (!report) return context.fail(report.error());
    if (!report->success) {
      return context.fail(
          report->error.value_or(Error{ErrorCode::kInternal, "it was not made", {}, {}}));
    }
    context.note(fmt::format("{} was made, {}", need.name, report->tool->generator));
    goals.push_back(need.name + " " + goal);
  }
  if (!options.keep.empty()) {
    options.keep += "-made";
    context.note("what goes on with it is kept as " + options.keep);
  }
  Reporter reporter(context, options.format, options.verbose);
  const int exit = work(context, options, goals, reporter);
  before.went_on(reporter);
  if (exit != kDone) return exit;
  return before.failed() > goals.size() ? static_cast<int>(kFailed) : static_cast<int>(kDone);
}

int run_run(Context& context, Arguments arguments) {
  RunOptions given;
  Options options;
  options.positional("GOAL...", given.words, "what to do; the words are one goal");
  options.values("--goal G", given.goals, "a goal (repeat for more)");
  options.value("--max-cycles N", given.max_cycles, "turns at most (10)");
  options.value("--priority N", given.priority,
                "of the goals, 0 to 255 (128, or just above what is open already)");
  options.value("--criteria TEXT", given.criteria, "words that say when a goal is reached");
  options.values("--knowledge PATH", given.knowledge,
                 "a compartment's folder or a triples.json to work with");
  options.value("--keep NAME", given.keep, "keep the run's record under a name, to replay it");
  options.value("--llm NAME", given.model,
                "a language model of the configuration that the agent may ask; auto takes one");
  options.flag("--fresh", given.fresh, "do not go on where the last run stopped");
  options.flag("-v,--verbose", given.verbose, "each decision with every candidate and its scores");
  options.value("--output-format F", given.format, "text, json or stream-json (one event a line)")
      .choices({"text", "json", "stream-json"});
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (context.json && given.format == "text") given.format = "json";
  std::vector<std::string> goals = given.goals;
  if (!given.words.empty()) goals.insert(goals.begin(), join_words(given.words));
  if (goals.empty()) return context.usage_error("a goal is missing", "anima run \"...\"");
  if (given.max_cycles == 0) return context.usage_error("--max-cycles must be 1 or more");
  Reporter reporter(context, given.format, given.verbose);
  int exit = work(context, given, goals, reporter);
  const bool make = context.config.text("forge.on_impasse") == "make";
  if (make && exit != kInterrupted && !reporter.needs().empty())
    exit = work_with_new_tools(context, given, reporter);
  reporter.print_result();
  return exit;
}

}  // namespace

extern const Verb kRun;
const Verb kRun{"run",
                Group::kActing,
                "works on goals, says the answer, what is missing or what waits",
                "GOAL... [--goal G]... [-v] [--max-cycles N] [--knowledge PATH]... [--keep NAME] "
                "[--llm NAME] [--fresh] [--output-format F]",
                "anima run \"Which installed packages stop working when libssl3 is removed?\"\n"
                "anima run --llm local \"Write a haiku about Oslo into haiku.txt\"",
                run_run};

}  // namespace anima::cli
