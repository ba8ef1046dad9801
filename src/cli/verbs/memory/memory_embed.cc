// anima memory embed: vectors of what may be recalled, from the server of [embeddings].
#include <fmt/format.h>

#include "base/json/text_array.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/model_access.h"
#include "cli/frame/options.h"
#include "cli/frame/vectors_access.h"
#include "cli/terminal/progress.h"

namespace anima::cli {
namespace {

Json report_json(const memory::EmbedReport& report, std::size_t size) {
  return Json::object({{"texts", static_cast<std::uint64_t>(report.texts)},
                       {"embedded", static_cast<std::uint64_t>(report.embedded)},
                       {"removed", static_cast<std::uint64_t>(report.removed)},
                       {"refused", static_cast<std::uint64_t>(report.refused)},
                       {"first_refused", text_array(report.first_refused)},
                       {"refusal", report.refusal},
                       {"vectors", static_cast<std::uint64_t>(size)},
                       {"stopped", report.stopped}});
}

int run_memory_embed(Context& context, Arguments arguments) {
  memory::EmbedRequest request;
  Options options;
  options.flag("--rebuild", request.rebuild, "all of them anew");
  options.epilogue(
      "The server is the one of [embeddings] in the configuration. It is sent what a prompt for a\n"
      "model may hold: nothing SENSITIVE, nothing that only some may read. What is embedded "
      "already\n"
      "is not sent again, so the same command goes on after a stop.");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto remembering = open_memory(context, Access::kWrite);
  if (!remembering) return context.fail(remembering.error());
  // Texts leave before anything is written.
  if (const Status let_in = context.gate->pass(door_of(context), agent::Act::kWrites); !let_in)
    return context.fail(let_in.error());
  memory::MemoryManager& manager = (*remembering)->manager;
  if (manager.vectors() == nullptr) {
    return context.fail({ErrorCode::kNotFound,
                         "no server of embeddings is configured",
                         {},
                         "set url and model in [embeddings], see docs/recall.md"});
  }
  const StopOnInterrupt interrupt;
  request.stop = interrupt.token();
  request.batch = static_cast<std::size_t>(context.config.integer("embeddings.batch"));
  std::unique_ptr<Progress> progress;
  request.progress = [&](std::size_t done, std::size_t all) {
    if (progress == nullptr) progress = std::make_unique<Progress>(context, "embed", "texts", all);
    progress->update(done);
  };
  const auto report =
      manager.vectors()->embed(manager, *(*remembering)->governance->space, request);
  if (progress != nullptr) progress->finish();
  if (!report) return context.fail(report.error());
  const std::size_t size = manager.vectors()->size();
  if (context.json) {
    context.print_json(report_json(*report, size));
  } else {
    context.print(fmt::format("embedded {} texts, took {} vectors out; {} of {} texts have one\n",
                              report->embedded, report->removed, size, report->texts));
  }
  if (report->refused > 0 && !context.json) {
    std::string names;
    for (const std::string& label : report->first_refused)
      names += (names.empty() ? "" : ", ") + quote_json(label);
    context.note(
        fmt::format("the server does not take {} of the texts, which are found by their "
                    "words alone: {}{} ({})",
                    report->refused, names,
                    report->refused > report->first_refused.size() ? " .." : "", report->refusal));
  }
  if (report->stopped && !context.json) context.note("stopped: the same command goes on");
  return report->stopped ? kInterrupted : kDone;
}

}  // namespace

extern const Verb kMemoryEmbed;
const Verb kMemoryEmbed{"memory embed",
                        Group::kKnowledge,
                        "makes vectors of what may be recalled, so that it is found by meaning too",
                        "[--rebuild] [--json]",
                        "anima memory embed",
                        run_memory_embed};

}  // namespace anima::cli
