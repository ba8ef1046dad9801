// anima import: knowledge from files, all of them or nothing, in one log entry.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "base/text/byte_order_mark.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/terminal/progress.h"
#include "govern/trust.h"
#include "memory/compartments/compartment.h"
#include "memory/formats/import_formats.h"
#include "memory/formats/rdf_files.h"
#include "memory/formats/transfer.h"
#include "memory/formats/triples_json.h"
#include "memory/names.h"
#include "sparql/rdf_import.h"

namespace anima::cli {
namespace {

using memory::compartment_graph;
using memory::format_name;
using memory::format_names;
using memory::is_compartment_id;
using memory::transfer_format;
using memory::TransferFormat;
using store::Transaction;

const std::vector<std::string> kLevels = {"operator", "verified", "standard", "untrusted",
                                          "hostile"};
constexpr std::uint64_t kWorthABase = 20'000;  // statements

struct ImportRequest {
  std::vector<std::string> files;
  std::optional<std::string> format;
  std::optional<std::string> base;
  std::optional<std::string> compartment;
  std::string trust = "untrusted";
  std::optional<std::string> source;
  bool dry_run = false;
};

struct FileReport {
  std::string file;
  TransferFormat format = TransferFormat::kNTriples;
  std::uint64_t statements = 0;
};

// The bytes of one input: mapped where that is possible.
struct Input {
  std::string file;
  TransferFormat format = TransferFormat::kNTriples;
  std::unique_ptr<MappedFile> mapped;
  std::string read;
  std::string_view text() const {
    return without_byte_order_mark(mapped != nullptr ? mapped->bytes() : std::string_view(read));
  }
};

Result<std::vector<Input>> open_inputs(Context& context, const ImportRequest& request) {
  std::vector<Input> inputs;
  for (const std::string& file : request.files) {
    Input input;
    input.file = file;
    const auto info = file == "-" ? Result<FileInfo>(FileInfo{FileInfo::Kind::kOther, 0, {}, 0})
                                  : context.files.info(file);
    if (!info) return fail(info.error());
    if (info->kind == FileInfo::Kind::kFile) {
      ANIMA_ASSIGN(input.mapped, context.files.map(file));
    } else {
      ANIMA_ASSIGN(input.read, context.read_input(file));
    }
    ANIMA_ASSIGN(input.format, transfer_format(request.format, file, input.text()));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

// Loads the files into one transaction.
class Import {
 public:
  Import(Context& context, const ImportRequest& request, const std::vector<Input>& inputs)
      : request_(request), inputs_(inputs), progress_(context, "import", "bytes", total(inputs)) {}

  Status run(Transaction& transaction) {
    store::GraphId graph = store::GraphId::kDefault;
    if (request_.compartment) graph = transaction.graph(compartment_graph(*request_.compartment));
    const std::uint64_t entry = static_cast<std::uint64_t>(transaction.view().sequence());
    // Blank nodes are told apart by the log entry and the file that brought them.
    const auto scope = [&](std::size_t file) { return fmt::format("i{}f{}", entry, file); };
    std::optional<sparql::RdfImporter> rdf;
    reports_.clear();
    done_ = 0;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Input& input = inputs_[i];
      reports_.push_back({input.file, input.format, 0});
      if (memory::rdf_format(input.format)) {
        if (!rdf) {
          sparql::RdfImportOptions options;
          options.graph = graph;
          rdf.emplace(transaction, std::move(options));
        }
        rdf->next_file(scope(i));
        ANIMA_ASSIGN(reports_.back().statements, read_rdf(input, *rdf));
      } else {
        ANIMA_ASSIGN(reports_.back().statements, read_small(input, transaction, graph));
      }
      done_ += input.text().size();
      progress_.update(done_);
    }
    if (rdf) ANIMA_TRY(rdf->finish());
    progress_.finish();
    return {};
  }

  const std::vector<FileReport>& reports() const { return reports_; }
  std::uint64_t statements() const {
    std::uint64_t all = 0;
    for (const FileReport& file : reports_) all += file.statements;
    return all;
  }

 private:
  static std::uint64_t total(const std::vector<Input>& inputs) {
    std::uint64_t bytes = 0;
    for (const Input& input : inputs) bytes += input.text().size();
    return bytes;
  }

  Result<std::uint64_t> read_rdf(const Input& input, sparql::RdfImporter& importer) {
    memory::RdfFile file;
    file.file = input.file;
    file.text = input.text();
    file.format = *memory::rdf_format(input.format);
    file.base_iri = request_.base ? *request_.base : memory::base_iri_of_file(input.file);
    file.takes_graphs = !request_.compartment;
    file.progress = [this](std::uint64_t bytes) {
      progress_.update(done_ + bytes);
      return !interrupted();
    };
    auto statements = memory::load_rdf(importer, file);
    if (!statements && statements.error().code == ErrorCode::kCancelled) {
      return fail(ErrorCode::kCancelled, "interrupted; nothing was imported");
    }
    return statements;
  }

  Result<std::uint64_t> read_small(const Input& input, Transaction& transaction,
                                   store::GraphId graph) {
    switch (input.format) {
      case TransferFormat::kTriplesJson: {
        ANIMA_ASSIGN(const auto load,
                     memory::load_triples_json(transaction, input.text(), input.file, graph));
        return load.triples + load.duplicates;
      }
      case TransferFormat::kCsv: {
        ANIMA_ASSIGN(const auto load,
                     memory::load_csv(transaction, input.text(), input.file, graph));
        return load.links;
      }
      default: {
        ANIMA_ASSIGN(const auto load,
                     memory::load_mcp_memory(transaction, input.text(), input.file, graph));
        return load.concepts + load.links;
      }
    }
  }

  const ImportRequest& request_;
  const std::vector<Input>& inputs_;
  Progress progress_;
  std::vector<FileReport> reports_;
  std::uint64_t done_ = 0;
};

void report(Context& context, const ImportRequest& request, const std::vector<FileReport>& files,
            const store::Receipt& receipt) {
  const auto sequence = static_cast<std::uint64_t>(receipt.sequence);
  if (context.json) {
    Json list = Json::array();
    for (const FileReport& file : files) {
      list.push_back(Json::object({{"file", file.file},
                                   {"format", format_name(file.format)},
                                   {"statements", file.statements}}));
    }
    Json json = Json::object({{"files", std::move(list)}, {"dry_run", request.dry_run}});
    if (!request.dry_run) {
      json.set("changed", receipt.changed);
      json.set("sequence", sequence);
    }
    context.print_json(json);
    return;
  }
  for (const FileReport& file : files) {
    context.print(fmt::format("{}: {} statements ({})\n", file.file, file.statements,
                              format_name(file.format)));
  }
  if (request.dry_run) {
    context.print("all of it can be imported; nothing was written\n");
  } else if (receipt.changed) {
    context.print(fmt::format("written as log entry {}\n", sequence));
  } else {
    context.print("the space knew all of this already\n");
  }
}

int run_import(Context& context, Arguments arguments) {
  ImportRequest request;
  Options options;
  options.positional("FILE", request.files, "files to read; - is standard input").required();
  options.value("--format F", request.format, "instead of what the file's name or content says")
      .choices(format_names());
  options.value("--base IRI", request.base,
                "what relative IRIs are resolved against (default: the file's own place)");
  options.value("--compartment ID", request.compartment, "into this compartment's graph");
  options
      .value("--trust LEVEL", request.trust, "how far the files are trusted (default: untrusted)")
      .choices(kLevels);
  options.value("--source TEXT", request.source,
                "where this comes from (default: the files' names)");
  options.flag("--dry-run", request.dry_run, "reads and checks everything, writes nothing");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (request.compartment && !is_compartment_id(*request.compartment)) {
    return context.usage_error("this is no id of a compartment",
                               "a letter or digit, then up to 63 of letters, digits and . _ : -");
  }
  const auto inputs = open_inputs(context, request);
  if (!inputs) return context.fail(inputs.error());
  const auto space = open_space(context, request.dry_run ? Access::kRead : Access::kWrite);
  if (!space) return context.fail(space.error());
  store::Origin origin =
      local_origin(context, request.source ? *request.source : join(request.files, ", "));
  origin.trust = *govern::parse_trust(request.trust);
  Import import(context, request, *inputs);
  store::Receipt receipt;
  receipt.changed = false;
  if (request.dry_run) {
    const auto now = (*space)->snapshot();
    if (!now) return context.fail(now.error());
    const auto branch = (*space)->what_if(*now);
    const Status status = import.run(branch->transaction());
    if (!status) return context.fail(status.error());
  } else {
    const auto written =
        (*space)->write(origin, [&](Transaction& transaction) { return import.run(transaction); });
    if (!written) return context.fail(written.error());
    receipt = *written;
  }
  report(context, request, import.reports(), receipt);
  // What was written is safe; a base spares the next one who opens the space from replaying it.
  if (receipt.changed && import.statements() >= kWorthABase) {
    context.out.flush();
    if (const Status made = (*space)->checkpoint(); !made) context.warn(made.error().describe());
  }
  return kDone;
}

}  // namespace

extern const Verb kImport;
const Verb kImport{
    "import",
    Group::kKnowledge,
    "reads knowledge from files, all or nothing",
    "FILE... [--format F] [--base IRI] [--compartment ID] [--trust LEVEL] [--source TEXT] "
    "[--dry-run]",
    "anima import facts.ttl graphs.nq --trust standard",
    run_import};

}  // namespace anima::cli
