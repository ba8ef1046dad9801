// anima guard eval and train: measure the guardian on labelled texts, train the model of its second
// stage.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/crypto.h"
#include "base/files/file.h"
#include "base/files/output_file.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "cli/render/text_lines.h"
#include "cli/terminal/progress.h"
#include "govern/detect/evaluation.h"
#include "govern/detect/guardian.h"
#include "train/guardian_training.h"

namespace anima::cli {
namespace {

using govern::Guardian;
using govern::Trust;

void print_evaluation(Context& context, const govern::Evaluation& result) {
  context.print(fmt::format("{} attacks, {} ordinary texts, area under the curve {:.4f}\n",
                            result.attacks, result.ordinary, result.area_under_curve));
  for (const auto& [title, shares] :
       {std::pair{"flagged or blocked", result.held_up}, std::pair{"blocked", result.blocked}}) {
    context.print(fmt::format("{}: {:.1f} % of the attacks, {:.1f} % of the ordinary texts\n",
                              title, shares.attacks * 100, shares.ordinary * 100));
  }
  for (const auto& [rate, recall] : result.recall_at) {
    context.print(
        fmt::format("recall at {:.1f} % false positives: {:.1f} %\n", rate * 100, recall * 100));
  }
  for (const auto& [title, list] :
       {std::pair{"attacks that passed", &result.worst_misses},
        std::pair{"ordinary texts that were held up", &result.worst_alarms}}) {
    if (!list->empty()) context.print(fmt::format("{}:\n", title));
    for (const auto& miss : *list) {
      context.print(fmt::format("  {:.3g}  {}  {}\n", miss.risk_thousandths / 1000.0, miss.id,
                                quote_json(miss.text)));
    }
  }
}

Result<bool> is_held(const Json& object, const std::string& place) {
  const Json* held = object.find("held");
  if (held == nullptr) return false;
  if (held->is_bool()) return held->as_bool();
  return fail(ErrorCode::kInvalidArgument, "\"held\" is neither true nor false", place);
}

int run_eval(Context& context, Arguments arguments) {
  std::string file;
  std::optional<std::string> patterns;
  std::string model = "off";
  Options options;
  options
      .positional("FILE", file,
                  "one object {\"id\"?,\"text\",\"attack\":true|false,\"trust\"?} a line; - for "
                  "standard input")
      .required();
  options.value("--patterns FILE", patterns, "use these patterns instead of the shipped ones");
  options.value("--model on|off|FILE", model, kModelHelp);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  auto guardian = make_guardian(context, patterns, model);
  if (!guardian) return context.fail(guardian.error());
  const auto content = context.read_input(file);
  if (!content) return context.fail(content.error());
  std::vector<govern::LabelledText> texts;
  const Status status =
      for_each_text(*content, file, [&](const Json& object, const std::string& place) -> Status {
        ANIMA_ASSIGN(const bool attack, is_attack(object, place));
        ANIMA_ASSIGN(const Trust trust, trust_of(object, Trust::kUntrusted, place));
        const Json* id = object.find("id");
        texts.push_back({id == nullptr     ? place
                         : id->is_string() ? id->as_string()
                                           : id->dump(),
                         object.find("text")->as_string(), trust, attack});
        return {};
      });
  if (!status) return context.fail(status.error());
  const auto attacks = std::ranges::count(texts, true, &govern::LabelledText::attack);
  if (attacks == 0 || attacks == std::ssize(texts)) {
    return context.fail({ErrorCode::kInvalidArgument,
                         fmt::format("there are {} attacks and {} ordinary texts", attacks,
                                     std::ssize(texts) - attacks),
                         file, "rates are measured on both"});
  }
  const govern::Evaluation result = govern::evaluate(*guardian, texts);
  if (context.json) {
    context.print_json(result.to_json());
  } else {
    print_evaluation(context, result);
  }
  return kDone;
}

Result<std::string> author_of(const Json& object, const std::string& place) {
  const Json* author = object.find("author");
  if (author == nullptr) return std::string();
  if (author->is_string()) return author->as_string();
  return fail(ErrorCode::kInvalidArgument, "\"author\" is no text", place);
}

Result<std::vector<train::TrainingText>> read_training(Context& context,
                                                       const std::vector<std::string>& files) {
  ANIMA_ASSIGN(const Guardian guardian, make_guardian(context, {}));
  std::vector<train::TrainingText> texts;
  for (const std::string& file : files) {
    ANIMA_ASSIGN(const std::string content, context.read_input(file));
    ANIMA_TRY(
        for_each_text(content, file, [&](const Json& object, const std::string& place) -> Status {
          train::TrainingText text;
          text.text = object.find("text")->as_string();
          ANIMA_ASSIGN(text.attack, is_attack(object, place));
          ANIMA_ASSIGN(text.held, is_held(object, place));
          ANIMA_ASSIGN(text.author, author_of(object, place));
          text.readings = guardian.readings(text.text);
          texts.push_back(std::move(text));
          return {};
        }));
  }
  return texts;
}

Json estimates_json(const std::vector<train::TrainingEstimate>& estimates) {
  Json list = Json::array();
  for (const train::TrainingEstimate& estimate : estimates) {
    Json recall = Json::array();
    for (std::size_t i = 0; i < estimate.recall.size(); ++i) {
      recall.push_back(Json::object({{"fpr", estimate.kRates[i]}, {"recall", estimate.recall[i]}}));
    }
    list.push_back(Json::object({{"author", estimate.author},
                                 {"attacks", static_cast<std::int64_t>(estimate.attacks)},
                                 {"ordinary", static_cast<std::int64_t>(estimate.ordinary)},
                                 {"flagged", estimate.flagged},
                                 {"false_alarms", estimate.false_alarms},
                                 {"recall_at", std::move(recall)},
                                 {"auc", estimate.area_under_curve}}));
  }
  return list;
}

void print_estimates(Context& context, const std::vector<train::TrainingEstimate>& estimates,
                     bool held) {
  Table table({"left out", "attacks", "ordinary", "flagged", "false alarms",
               "recall at 1 / 5 / 10 %", "area"});
  for (std::size_t column = 1; column <= 6; ++column) table.align_right(column);
  for (const train::TrainingEstimate& estimate : estimates) {
    table.add({estimate.author.empty() ? (held ? "held back" : "a fifth in turn") : estimate.author,
               std::to_string(estimate.attacks), std::to_string(estimate.ordinary),
               fmt::format("{:.1f} %", 100 * estimate.flagged),
               fmt::format("{:.1f} %", 100 * estimate.false_alarms),
               fmt::format("{:.1f} / {:.1f} / {:.1f} %", 100 * estimate.recall[0],
                           100 * estimate.recall[1], 100 * estimate.recall[2]),
               fmt::format("{:.3f}", estimate.area_under_curve)});
  }
  context.print(table.render(context));
}

int run_train(Context& context, Arguments arguments) {
  std::vector<std::string> files;
  std::string output;
  train::TrainingOptions training;
  std::vector<train::TrainingEstimate> estimates;
  Options options;
  options
      .positional("FILE", files,
                  "one object {\"text\",\"attack\":true|false,\"author\"?,\"held\"?} a line; - for "
                  "input; each author is left out in turn to find the limits and to tell how the "
                  "model does on strangers' texts; what is held is never taught, for the same end")
      .input()
      .required();
  options.value("-o,--output MODEL", output, "the file that receives the model")
      .output()
      .required();
  options.value("--seed N", training.seed, "of the order of the texts (default: 1)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto texts = read_training(context, files);
  if (!texts) return context.fail(texts.error());
  // Opened first: nobody waits for a model that has no place.
  const auto file = OutputFile::open(context.files, output, 0644);
  if (!file) return context.fail(file.error());
  training.estimates = &estimates;
  std::optional<Progress> progress;
  training.progress = [&](std::size_t done, std::size_t models) {
    if (!progress) progress.emplace(context, "train", "models", models);
    progress->update(done);
  };
  const auto model = train::train_guardian(*texts, training);
  if (progress && model) progress->finish();
  progress.reset();
  if (!model) return context.fail(model.error());
  const std::string bytes = model->save();
  Status written = (*file)->append(bytes);
  if (written) written = (*file)->commit();
  if (!written) return context.fail(written.error());
  std::int64_t attacks = 0, ordinary = 0, held = 0;
  for (const train::TrainingText& text : *texts)
    ++(text.held ? held : text.attack ? attacks : ordinary);
  if (context.json) {
    context.print_json(Json::object({{"output", output},
                                     {"attacks", attacks},
                                     {"ordinary", ordinary},
                                     {"held", held},
                                     {"unseen", estimates_json(estimates)},
                                     {"bytes", static_cast<std::int64_t>(bytes.size())},
                                     {"sha256", to_hex(sha256(bytes))}}));
  } else {
    print_estimates(context, estimates, held != 0);
    context.print(fmt::format("learnt from {} attacks and {} ordinary texts, {} held back: {}\n",
                              attacks, ordinary, held, output));
  }
  return kDone;
}

}  // namespace

extern const Verb kGuardEval;
const Verb kGuardEval{"guard eval",
                      Group::kActing,
                      "measures the guardian on labelled texts",
                      "FILE [--patterns FILE] [--model on|off|FILE] [--json]",
                      "anima guard eval labelled.jsonl --json",
                      run_eval};

extern const Verb kGuardTrain;
const Verb kGuardTrain{"guard train",
                       Group::kActing,
                       "trains the model of the guardian's second stage",
                       "FILE... -o MODEL [--seed N] [--json]",
                       "anima guard train labelled.jsonl -o my.model",
                       run_train};

}  // namespace anima::cli
