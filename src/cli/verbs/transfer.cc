#include "cli/verbs/transfer.h"

#include <algorithm>

#include "base/file.h"

namespace anima::cli {
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

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
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

bool is_compartment_id(std::string_view id) {
  return !id.empty() && id.size() <= 64 && is_alphanumeric(id[0]) &&
         std::all_of(id.begin(), id.end(), [](char c) {
           return is_alphanumeric(c) || c == '.' || c == '_' || c == ':' || c == '-';
         });
}

std::string compartment_graph(std::string_view id) {
  return "urn:anima:compartment:" + std::string(id);
}

}  // namespace anima::cli
