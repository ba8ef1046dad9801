// anima export: what the space says, as a file that reads back; sorted, so that equal knowledge
// gives equal files.
#include <fmt/format.h>

#include <optional>

#include "base/clock.h"
#include "base/files/output_file.h"
#include "base/past_time.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "memory/formats/transfer.h"

namespace anima::cli {
namespace {

using memory::can_export;
using memory::format_name;
using memory::format_names;
using memory::transfer_format;
using memory::TransferFormat;

Result<store::Snapshot> chosen_snapshot(const Context& context, store::Space& space,
                                        const std::optional<std::string>& compartment) {
  ANIMA_ASSIGN(store::Snapshot snapshot, space_snapshot(context, space));
  if (!compartment) return snapshot;
  return memory::of_compartment(snapshot, *compartment);
}

int run_export(Context& context, Arguments arguments) {
  std::optional<std::string> format_given;
  std::optional<std::string> compartment;
  std::optional<std::string> as_of;
  std::optional<std::string> output;
  Options options;
  options
      .value("--format F", format_given, "default: what the name of the output says, else ntriples")
      .choices(format_names());
  options.value("--compartment ID", compartment, "only what this compartment says");
  options.value("--as-of SEQ|TIME", as_of, "what the space said then");
  options
      .value("-o,--output FILE", output,
             "instead of standard output, readable by you alone; replaced whole or not at all")
      .output();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (as_of) {
    const auto point = past_point(*as_of, SystemClock().now());
    if (!point) return context.fail(point.error());
    context.as_of = *point;
  }
  TransferFormat format = TransferFormat::kNTriples;
  if (format_given || (output && !extension(*output).empty())) {
    const auto found = transfer_format(format_given, output ? *output : "");
    if (!found) return context.usage_error(found.error().message, found.error().hint);
    format = *found;
  }
  if (!can_export(format)) {
    return context.usage_error(fmt::format("{} can be read, but not written", format_name(format)));
  }
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  const auto snapshot = chosen_snapshot(context, **space, compartment);
  if (!snapshot) return context.fail(snapshot.error());
  const auto text = memory::export_text(*snapshot, format);
  if (!text) return context.fail(text.error());
  if (!output || *output == "-") {
    context.print(*text);
    return kDone;
  }
  if (const Status written = write_output(context.files, *output, *text); !written) {
    return context.fail(written.error());
  }
  if (context.json) {
    context.print_json(
        Json::object({{"file", *output},
                      {"format", format_name(format)},
                      {"bytes", text->size()},
                      {"sequence", static_cast<std::uint64_t>(snapshot->sequence())}}));
  } else {
    context.note(fmt::format("wrote {} bytes to {}", text->size(), *output));
  }
  return kDone;
}

}  // namespace

extern const Verb kExport;
const Verb kExport{"export",
                   Group::kKnowledge,
                   "writes what the space says, sorted",
                   "[--format F] [--compartment ID] [--as-of SEQ|TIME] [-o FILE]",
                   "anima export -o everything.nt",
                   run_export,
                   true};

}  // namespace anima::cli
