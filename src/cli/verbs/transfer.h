// What import and export have in common: the formats, and the graph of a compartment.
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace anima::cli {

enum class TransferFormat : std::uint8_t { kNTriples, kNQuads, kTriplesJson, kCsv, kMcpMemory };

std::string_view format_name(TransferFormat format);  // "ntriples", ...
std::vector<std::string> format_names();
bool can_import(TransferFormat format);
bool can_export(TransferFormat format);
// By its name, else by the file's ending. Errors: kInvalidArgument.
Result<TransferFormat> transfer_format(const std::optional<std::string>& name,
                                       std::string_view file);

bool is_compartment_id(std::string_view id);  // learning_and_psyche.md 2.3
std::string compartment_graph(std::string_view id);

}  // namespace anima::cli
