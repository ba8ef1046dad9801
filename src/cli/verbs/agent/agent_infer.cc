// anima agent infer: what the built-in rules derive, written through the executor, or only shown.
#include <fmt/format.h>

#include "agent/findings/doc_tool.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/verbs/tools/tool_bench.h"

namespace anima::cli {
namespace {

using govern::Outcome;

void show_facts(Context& context, const std::vector<tools::Proposal>& facts,
                store::Sequence entry) {
  Json list = Json::array();
  const bool written = entry != store::Sequence::kNone;
  for (const tools::Proposal& fact : facts) {
    list.push_back(
        Json::object({{"subject", fact.subject},
                      {"predicate", fact.predicate},
                      {"object", fact.object},
                      {"confidence", fact.confidence},
                      {"rule", fact.rule},
                      {"entry", written ? Json(static_cast<std::uint64_t>(entry)) : Json()}}));
    if (context.json) continue;
    context.print(fmt::format("  \"{}\" -> {} -> \"{}\"  [{:.2f}] {}\n", fact.subject,
                              fact.predicate, fact.object, fact.confidence, fact.rule));
  }
  if (context.json) return context.print_json(list);
  if (written) {
    context.print(fmt::format("written as entry {}\n", static_cast<std::uint64_t>(entry)));
  }
}

int only_show(Context& context, const tools::ToolInput& input) {
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  const auto snapshot = space_snapshot(context, **space);
  if (!snapshot) return context.fail(snapshot.error());
  ToolBench bench(*snapshot);
  const auto output = call_tool(kInferRules, input, bench);
  if (!output) return context.fail(output.error());
  if (!context.json) context.print(output->result + "\n");
  show_facts(context, bench.proposals, store::Sequence::kNone);
  return kDone;
}

// Refused, waiting or failed: nothing was written.
int not_done(Context& context, const Outcome& outcome, const std::optional<Error>& failure) {
  if (outcome.kind == Outcome::Kind::kFailed) {
    return context.fail(failure ? *failure : Error{ErrorCode::kInternal, outcome.reason, {}, {}});
  }
  const bool waits = outcome.kind == Outcome::Kind::kWaiting;
  const Error error{ErrorCode::kDenied,
                    fmt::format("{}: {}", to_string(outcome.kind), outcome.reason),
                    {},
                    waits ? "anima approve grant " + outcome.approval_id.substr(0, 8)
                          : "anima why-denied " + outcome.audit_id.substr(0, 8)};
  context.fail(error);
  return waits ? kWaitsForApproval : outcome.kind == Outcome::Kind::kBusy ? kTryAgain : kRefused;
}

// It writes to the graph and reaches nothing else.
agent::OwnTool inference(std::function<Result<Json>()> run) {
  tools::ToolTable table;
  agent::add_inside_tools(table);
  return {table.find(kInferRules)->info(),
          {.tool = std::string(kInferRules), .tier = govern::Tier::kWriteSafe, .agents = {"*"}},
          [run = std::move(run)](const Json&) { return run(); }};
}

int write(Context& context, const tools::ToolInput& input) {
  auto workshop = open_workshop(context, Access::kWrite, "anima agent infer");
  if (!workshop) return context.fail(workshop.error());
  agent::AgentConfig config;
  config.origin = local_origin(context, "anima agent infer");
  const auto agent = agent::Agent::create(*workshop->space, *workshop->compartments, context.files,
                                          std::move(config));
  if (!agent) return context.fail(agent.error());
  agent::Performed done;
  auto settings = house_options(context, *workshop->space);
  if (!settings) return context.fail(settings.error());
  settings->own_tools.push_back(inference([&]() -> Result<Json> {
    ANIMA_ASSIGN(done, (*agent)->perform(std::string(kInferRules), input));
    if (done.success) return done.to_json();
    return fail(done.vetoed_by.empty() ? ErrorCode::kInvalidArgument : ErrorCode::kDenied,
                done.result);
  }));
  const auto house = open_house(context, std::move(*settings));
  if (!house) return context.fail(house.error());
  // The person at the terminal asks.
  govern::CallRequest request;
  request.tool = kInferRules;
  request.agent = "terminal";
  request.trust = govern::Trust::kOperator;
  for (const auto& [name, value] : input) request.arguments.set(name, value);
  const Outcome outcome = (*house)->call(request);
  for (const std::string& warning : (*agent)->take_warnings()) context.warn(warning);
  if (outcome.kind != Outcome::Kind::kDone) return not_done(context, outcome, (*house)->failure());
  if (!context.json) context.print(done.result + "\n");
  show_facts(context, done.written, done.sequence);
  return kDone;
}

int run_infer(Context& context, Arguments arguments) {
  std::uint64_t iterations = 5;
  double confidence = 0.1;
  bool dry = false;
  Options options;
  options.value("--max-iterations N", iterations, "passes at most, 1 to 100 (5)");
  options.value("--min-confidence C", confidence, "of what is derived, 0 to 1 (0.1)");
  options.flag("--dry-run", dry, "show what would be derived and write nothing");
  options.epilogue(
      "Each fact is written with its confidence and a provenance record (rule, antecedents), after "
      "the executor, the what-if and the vetoes of the shadow. What compartments' rules derive is "
      "never stored: ask it with anima run, anima why or anima datalog run --space.");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const tools::ToolInput input = {{"max_iterations", std::to_string(iterations)},
                                  {"min_confidence", fmt::format("{}", confidence)}};
  return dry ? only_show(context, input) : write(context, input);
}

}  // namespace

extern const Verb kAgentInfer;
const Verb kAgentInfer{"agent infer",
                       Group::kActing,
                       "writes what the built-in rules derive, with its provenance",
                       "[--max-iterations N] [--min-confidence C] [--dry-run]",
                       "anima agent infer --dry-run\nanima agent infer --min-confidence 0.5",
                       run_infer,
                       true};

}  // namespace anima::cli
