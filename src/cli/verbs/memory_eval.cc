// anima memory eval: how much of what answers a question memory finds, over a file of questions.
#include <fmt/format.h>

#include <optional>

#include "base/clock.h"
#include "base/random.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/frame/progress.h"
#include "cli/render/table.h"
#include "memory/recall_context.h"
#include "memory/recall_evaluation.h"

namespace anima::cli {
namespace {

void print_recall(Context& context, const memory::RecallEvaluation& result) {
  Table table({"questions of type", "number", "evidence found"});
  const auto add = [&](const std::string& type, const memory::RecallShare& share) {
    table.add({type, std::to_string(share.questions), fmt::format("{:.1f} %", share.mean() * 100)});
  };
  for (const auto& [type, share] : result.by_type) add(type, share);
  add("all", result.all);
  table.align_right(1);
  table.align_right(2);
  context.print(table.render(context));
  if (result.mean_tokens > 0)
    context.print(fmt::format("prompts of {:.0f} tokens on average\n", result.mean_tokens));
  const auto note = [&](std::string_view what, std::size_t number) {
    if (number > 0) context.note(fmt::format("{}: {}", what, number));
  };
  note("quarantined texts, which count as missed", result.quarantined);
  note("questions without evidence, left out", result.unanswerable);
  note("evidence that is no text of the file, left out", result.unknown_evidence);
}

int run_memory_eval(Context& context, Arguments arguments) {
  std::string file;
  std::string format;
  std::int64_t k = 10;
  std::optional<std::int64_t> budget;
  Options options;
  options.positional("FILE", file, "the texts and questions; - for standard input").required();
  options
      .value("--format F", format,
             "locomo: the public file of conversations, locomo10.json; scenarios: an array or one "
             "object a line, {\"name\"?,\"memories\":[{\"id\",\"text\",\"source\"?,\"trust\"?}],"
             "\"questions\":[{\"question\",\"evidence\":[ID..],\"type\"?}]}")
      .choices({"locomo", "scenarios"})
      .required();
  options.value("--k N", k, "so many texts are found for a question (default: 10)");
  options.value("--budget TOKENS", budget,
                "count what stands whole in a prompt of so many tokens of four bytes");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (k < 1 || k > 10'000) return context.usage_error("--k is a number from 1 to 10000");
  constexpr auto kLeast = static_cast<std::int64_t>(memory::kSmallestContext);
  if (budget && (*budget < kLeast || *budget > 1'000'000'000))
    return context.usage_error(fmt::format("--budget is a number of at least {}", kLeast));
  const auto content = context.read_input(file);
  if (!content) return context.fail(content.error());
  const auto scenarios = format == "locomo" ? memory::read_locomo(*content, file)
                                            : memory::read_scenarios(*content, file);
  if (!scenarios) return context.fail(scenarios.error());
  const auto guardian = make_guardian(context, std::nullopt);
  if (!guardian) return context.fail(guardian.error());
  memory::RecallOptions recall;
  recall.k = static_cast<std::size_t>(k);
  if (budget) recall.budget_tokens = static_cast<std::size_t>(*budget);
  std::optional<Progress> progress;
  recall.progress = [&](std::size_t done, std::size_t all) {
    if (!progress) progress.emplace(context, "evaluate", "texts and questions", all);
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
    Json json = result->to_json();
    json.set("format", format);
    json.set("k", k);
    if (budget) {
      json.set("budget", *budget);
      json.set("mean_tokens", result->mean_tokens);
    }
    context.print_json(json);
  } else {
    print_recall(context, *result);
  }
  return kDone;
}

}  // namespace

extern const Verb kMemoryEval;
const Verb kMemoryEval{"memory eval",
                       Group::kKnowledge,
                       "how much of what answers a question memory finds",
                       "--format locomo|scenarios FILE [--k N] [--budget TOKENS] [--json]",
                       "anima memory eval --format locomo locomo10.json --k 10\n"
                       "anima memory eval --format scenarios examples/memory/harbour.jsonl",
                       run_memory_eval};

}  // namespace anima::cli
