#include "memory/transfer.h"

#include <algorithm>
#include <array>

#include "base/file.h"
#include "memory/import_formats.h"
#include "memory/names.h"
#include "sparql/rdf_export.h"

namespace anima::memory {
namespace {

struct FormatInfo {
  TransferFormat format;
  std::string_view name;
  std::string_view ending;
  bool reads;
  bool writes;
};

constexpr FormatInfo kFormats[] = {
    {TransferFormat::kNTriples, "ntriples", ".nt", true, true},
    {TransferFormat::kNQuads, "nquads", ".nq", false, true},
    {TransferFormat::kTriplesJson, "triples.json", ".json", true, true},
    {TransferFormat::kCsv, "csv", ".csv", true, false},
    {TransferFormat::kMcpMemory, "mcp-memory", ".jsonl", true, true},
};

const FormatInfo& info_of(TransferFormat format) {
  return *std::find_if(std::begin(kFormats), std::end(kFormats),
                       [format](const FormatInfo& info) { return info.format == format; });
}

}  // namespace

std::string_view format_name(TransferFormat format) { return info_of(format).name; }
bool can_import(TransferFormat format) { return info_of(format).reads; }
bool can_export(TransferFormat format) { return info_of(format).writes; }

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const FormatInfo& info : kFormats) names.emplace_back(info.name);
  return names;
}

Result<TransferFormat> transfer_format(const std::optional<std::string>& name,
                                       std::string_view file) {
  const std::string_view ending = extension(file);
  for (const FormatInfo& info : kFormats) {
    if (name ? *name == info.name : ending == info.ending) return info.format;
  }
  return fail(ErrorCode::kInvalidArgument, "the name of the file does not say its format",
              std::string(file), "say it with --format");
}

std::string export_text(const store::Snapshot& snapshot, TransferFormat format) {
  switch (format) {
    case TransferFormat::kNQuads:
      return sparql::export_rdf(snapshot, sparql::RdfFormat::kNQuads);
    case TransferFormat::kTriplesJson:
      return write_triples_json(snapshot);
    case TransferFormat::kMcpMemory:
      return write_mcp_memory(snapshot);
    case TransferFormat::kNTriples:
    case TransferFormat::kCsv:
      break;
  }
  return sparql::export_rdf(snapshot, sparql::RdfFormat::kNTriples);
}

Result<store::Snapshot> of_compartment(const store::Snapshot& snapshot,
                                       std::string_view compartment) {
  const auto graph = snapshot.find_graph(compartment_graph(compartment));
  if (!graph)
    return fail(ErrorCode::kNotFound, "there is no such compartment", std::string(compartment));
  const std::array<store::GraphId, 1> only{*graph};
  return snapshot.in_graphs(only);
}

}  // namespace anima::memory
