#include "memory/formats/transfer.h"

#include <algorithm>
#include <array>

#include "base/files/file.h"
#include "base/text/byte_order_mark.h"
#include "base/text/text.h"
#include "memory/formats/import_formats.h"
#include "memory/names.h"
#include "sparql/rdf_export.h"

namespace anima::memory {
namespace {

struct FormatInfo {
  TransferFormat format;
  std::optional<sparql::RdfFormat> rdf;  // whose name and ending it has
  std::string_view own_name = {}, own_ending = {};
  bool writes = true;

  std::string_view name() const { return rdf ? sparql::rdf_format_info(*rdf).name : own_name; }
  std::string_view ending() const {
    return rdf ? sparql::rdf_format_info(*rdf).ending : own_ending;
  }
};

constexpr FormatInfo kFormats[] = {
    {TransferFormat::kNTriples, sparql::RdfFormat::kNTriples},
    {TransferFormat::kNQuads, sparql::RdfFormat::kNQuads},
    {TransferFormat::kTurtle, sparql::RdfFormat::kTurtle},
    {TransferFormat::kTriG, sparql::RdfFormat::kTriG},
    {TransferFormat::kRdfXml, sparql::RdfFormat::kRdfXml},
    {TransferFormat::kJsonLd, sparql::RdfFormat::kJsonLd},
    {TransferFormat::kTriplesJson, std::nullopt, "triples.json", ".json"},
    {TransferFormat::kCsv, std::nullopt, "csv", ".csv", false},
    {TransferFormat::kMcpMemory, std::nullopt, "mcp-memory", ".jsonl"},
};

const FormatInfo& info_of(TransferFormat format) {
  return *std::find_if(std::begin(kFormats), std::end(kFormats),
                       [format](const FormatInfo& info) { return info.format == format; });
}

TransferFormat transfer_format_of(sparql::RdfFormat format) {
  return std::find_if(std::begin(kFormats), std::end(kFormats),
                      [format](const FormatInfo& info) { return info.rdf == format; })
      ->format;
}

}  // namespace

std::string_view format_name(TransferFormat format) { return info_of(format).name(); }
bool can_export(TransferFormat format) { return info_of(format).writes; }

std::optional<sparql::RdfFormat> rdf_format(TransferFormat format) { return info_of(format).rdf; }

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const FormatInfo& info : kFormats) names.emplace_back(info.name());
  return names;
}

Result<TransferFormat> transfer_format(const std::optional<std::string>& name,
                                       std::string_view file, std::string_view bytes) {
  const std::string ending = to_lower(extension(file));
  const auto looked = sparql::sniff_rdf_format(without_byte_order_mark(bytes));
  if (!name && ending == ".json" && looked == sparql::RdfFormat::kJsonLd) {
    return TransferFormat::kJsonLd;
  }
  for (const FormatInfo& info : kFormats) {
    if (name ? *name == info.name() : ending == info.ending()) return info.format;
  }
  const auto rdf = name ? sparql::rdf_format_named(*name) : sparql::rdf_format_of_file(file);
  if (rdf) return transfer_format_of(*rdf);
  if (!name && looked) return transfer_format_of(*looked);
  return fail(ErrorCode::kInvalidArgument, "the name of the file does not say its format",
              std::string(file), "say it with --format");
}

Result<std::string> export_text(const store::Snapshot& snapshot, TransferFormat format) {
  if (const auto rdf = rdf_format(format)) return sparql::export_document(snapshot, *rdf);
  return format == TransferFormat::kMcpMemory ? write_mcp_memory(snapshot)
                                              : write_triples_json(snapshot);
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
