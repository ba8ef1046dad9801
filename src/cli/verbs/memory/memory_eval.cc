// anima memory eval: how much of what answers a question memory finds, over a file of questions.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/clock.h"
#include "base/json/text_array.h"
#include "base/random.h"
#include "base/text/read_number.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "cli/terminal/progress.h"
#include "memory/recall/recall_context.h"
#include "memory/recall/recall_evaluation.h"

namespace anima::cli {
namespace {

constexpr std::size_t kMostMeasures = 16;

struct EvalRequest {
  std::string file, format;
  std::string k, budget;
  std::vector<std::string> without;
};

void declare_eval(Options& options, EvalRequest& request) {
  std::vector<std::string> steps;
  for (const memory::RecallStep& step : memory::kRecallSteps) steps.emplace_back(step.name);
  options.positional("FILE", request.file, "the texts and questions; - for standard input")
      .required();
  options
      .value("--format F", request.format,
             "locomo: the public file of conversations, locomo10.json; scenarios: an array or one "
             "object a line, {\"name\"?,\"memories\":[{\"id\",\"text\",..}],\"questions\":"
             "[{\"question\",\"evidence\":[ID..],\"type\"?,..}]} (docs/governance_memory.md)")
      .choices({"locomo", "scenarios"})
      .required();
  options.value("--k N[,N]", request.k,
                "so many texts are found for a question (default: 10, without --budget)");
  options.value("--budget TOKENS[,TOKENS]", request.budget,
                "count what stands whole in a prompt of so many tokens of four bytes");
  options
      .values("--without STEP", request.without,
              "leaves a step of the ranking out, so that its gain can be read (several times)")
      .choices(steps);
}

// "2000,8000".
std::optional<std::vector<std::size_t>> numbers_of(const std::string& text, std::size_t least,
                                                   std::size_t most) {
  std::vector<std::size_t> numbers;
  if (text.empty()) return numbers;
  for (const std::string_view part : split(text, ',')) {
    const auto number = read_number<std::size_t>(trim(part));
    if (!number || *number < least || *number > most || numbers.size() == kMostMeasures)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

void print_recall(Context& context, const memory::RecallEvaluation& result) {
  std::vector<std::string> heads = {"questions of type", "number"};
  for (const memory::RecallMeasure& measure : result.measures) heads.push_back(measure.name());
  Table table(heads);
  const auto row = [&](const std::string& type, std::size_t number, const auto& share_of) {
    std::vector<std::string> cells = {type, std::to_string(number)};
    for (const memory::RecallMeasure& measure : result.measures)
      cells.push_back(fmt::format("{:.1f} %", share_of(measure).mean() * 100));
    table.add(cells);
  };
  for (const auto& [type, number] : result.questions_by_type) {
    row(type, number, [&kind = type](const memory::RecallMeasure& measure) {
      return measure.by_type.find(kind)->second;
    });
  }
  row("all", result.questions, [](const memory::RecallMeasure& measure) { return measure.all; });
  const std::size_t absent =
      result.measures.empty() ? 0 : result.measures.front().kept_out.questions;
  if (absent > 0)
    row("kept out", absent, [](const memory::RecallMeasure& measure) { return measure.kept_out; });
  for (std::size_t column = 1; column < heads.size(); ++column) table.align_right(column);
  context.print(table.render(context));
  for (const memory::RecallMeasure& measure : result.measures) {
    if (measure.prompts > 0)
      context.print(fmt::format("prompts of at most {}: {:.0f} on average\n", measure.name(),
                                measure.tokens / static_cast<double>(measure.prompts)));
  }
  if (result.unanswerable > 0)
    context.print(
        fmt::format("abstention: {} questions without evidence, of which {} find nothing\n",
                    result.unanswerable, result.nothing_found));
  const auto note = [&](std::string_view what, std::size_t number) {
    if (number > 0) context.note(fmt::format("{}: {}", what, number));
  };
  note("quarantined texts, which count as missed", result.quarantined);
  note("texts that were not admitted, which count as missed", result.not_admitted);
  note("evidence that is no text of the file, left out", result.unknown_evidence);
}

Json eval_json(const memory::RecallEvaluation& result, const EvalRequest& request) {
  Json json = result.to_json();
  json.set("format", request.format);
  json.set("without", text_array(request.without));
  return json;
}

int run_memory_eval(Context& context, Arguments arguments) {
  EvalRequest request;
  Options options;
  declare_eval(options, request);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  memory::RecallOptions recall;
  const auto k = numbers_of(request.k, 1, 10'000);
  if (!k) return context.usage_error("--k is a number from 1 to 10000, or several with commas");
  const auto budget = numbers_of(request.budget, memory::kSmallestContext, 1'000'000'000);
  if (!budget) {
    return context.usage_error(fmt::format(
        "--budget is a number of at least {}, or several with commas", memory::kSmallestContext));
  }
  if (!k->empty() || !budget->empty()) recall.k = *k;
  recall.budget_tokens = *budget;
  for (const memory::RecallStep& step : memory::kRecallSteps) {
    if (std::ranges::find(request.without, step.name) != request.without.end())
      recall.steps.*step.on = false;
  }
  const auto content = context.read_input(request.file);
  if (!content) return context.fail(content.error());
  const auto scenarios = request.format == "locomo"
                             ? memory::read_locomo(*content, request.file)
                             : memory::read_scenarios(*content, request.file);
  if (!scenarios) return context.fail(scenarios.error());
  const auto guardian = make_guardian(context, std::nullopt);
  if (!guardian) return context.fail(guardian.error());
  std::optional<Progress> progress;
  recall.progress = [&](std::size_t done, std::size_t all) {
    if (!progress) progress.emplace(context, "evaluate", "scenarios and questions", all);
    progress->update(done);
    return !interrupted();
  };
  SystemClock clock;
  SystemRandom random;
  const auto result = memory::evaluate_recall(*scenarios, *guardian, clock, random, recall);
  if (progress && result) progress->finish();
  progress.reset();
  if (!result) return context.fail(result.error());
  if (context.json) {
    context.print_json(eval_json(*result, request));
  } else {
    print_recall(context, *result);
  }
  return kDone;
}

}  // namespace

extern const Verb kMemoryEval;
const Verb kMemoryEval{
    "memory eval",
    Group::kKnowledge,
    "how much of what answers a question memory finds",
    "--format locomo|scenarios FILE [--k N[,N]] [--budget TOKENS[,TOKENS]] [--without STEP]... "
    "[--json]",
    "anima memory eval --format locomo locomo10.json --k 10,20 --budget 2000,8000\n"
    "anima memory eval --format scenarios examples/memory/harbour.jsonl",
    run_memory_eval};

}  // namespace anima::cli
