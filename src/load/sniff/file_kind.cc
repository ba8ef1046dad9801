#include "load/sniff/file_kind.h"

#include <algorithm>
#include <array>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/byte_order_mark.h"
#include "base/text/text.h"
#include "sparql/rdf_format.h"

namespace anima::load {
namespace {

constexpr std::size_t kLookedAt = 64 * 1024;

struct Ending {
  std::string_view ending;
  FileKind kind;
};
constexpr std::array<Ending, 14> kEndings = {{{".csv", FileKind::kTable},
                                              {".tsv", FileKind::kTable},
                                              {".tab", FileKind::kTable},
                                              {".psv", FileKind::kTable},
                                              {".json", FileKind::kJson},
                                              {".geojson", FileKind::kJson},
                                              {".jsonl", FileKind::kJsonLines},
                                              {".ndjson", FileKind::kJsonLines},
                                              {".db", FileKind::kSqlite},
                                              {".sqlite", FileKind::kSqlite},
                                              {".sqlite3", FileKind::kSqlite},
                                              {".md", FileKind::kMarkdown},
                                              {".markdown", FileKind::kMarkdown},
                                              {".txt", FileKind::kText}}};

// The first whole object of an array or of lines, as far as it lies in what is looked at.
Json first_object(std::string_view text) {
  const std::size_t open = text.find('{');
  if (open == std::string_view::npos) return {};
  std::size_t depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      auto json = parse_json(text.substr(open, at - open + 1));
      return json ? std::move(*json) : Json();
    }
  }
  return {};
}

bool is_object_line(std::string_view line) {
  line = trim(line);
  return line.starts_with('{') && line.ends_with('}') && parse_json(line).has_value();
}

FileKind json_kind(std::string_view text, FileKind by_ending) {
  const Json first = first_object(text);
  if (text.starts_with('[')) {
    const bool triples = first.find("subject") && first.find("predicate") && first.find("object");
    return triples ? FileKind::kTriplesJson : FileKind::kJson;
  }
  const std::size_t end = text.find('\n');
  const bool lines = by_ending == FileKind::kJsonLines ||
                     (end != std::string_view::npos && is_object_line(text.substr(0, end)) &&
                      trim(text.substr(end)).starts_with('{'));
  if (!lines) return FileKind::kJson;
  const Json* type = first.find("type");
  const bool entity = type != nullptr && type->as_string() == "entity" && first.find("entityType");
  const bool relation =
      type != nullptr && type->as_string() == "relation" && first.find("relationType");
  return entity || relation ? FileKind::kMcpMemory : FileKind::kJsonLines;
}

// A text in which most lines have tabs is a table.
bool looks_like_table(std::string_view text) {
  std::size_t lines = 0, tabbed = 0;
  for (const std::string_view line : split(text, '\n')) {
    if (trim(line).empty()) continue;
    ++lines;
    tabbed += line.find('\t') != std::string_view::npos ? 1 : 0;
  }
  return lines > 1 && tabbed * 10 >= lines * 9;
}

// Whether a JSON text brings its context along; with the address of one it is data like any other.
bool has_own_context(std::string_view text) {
  constexpr std::string_view kContext = "\"@context\"";
  const std::size_t at = text.find(kContext);
  if (at == std::string_view::npos) return false;
  const std::string_view rest = trim(text.substr(at + kContext.size()));
  const std::string_view value = trim(rest.substr(rest.starts_with(':') ? 1 : 0));
  return value.starts_with('{') || value.starts_with('[');
}

}  // namespace

std::optional<sparql::RdfFormat> rdf_kind(std::string_view file, std::string_view bytes) {
  if (const auto format = sparql::rdf_format_of_file(file)) return format;
  const std::string ending = to_lower(extension(file));
  const bool may_be_json_ld = ending == ".json";
  if (!may_be_json_ld && ending != ".xml" && !ending.empty()) return std::nullopt;
  const auto format = sparql::sniff_rdf_format(without_byte_order_mark(bytes.substr(0, kLookedAt)));
  if (!format || *format == sparql::RdfFormat::kRdfXml) return format;
  if (*format != sparql::RdfFormat::kJsonLd) return ending.empty() ? format : std::nullopt;
  return has_own_context(bytes.substr(0, kLookedAt)) ? format : std::nullopt;
}

bool has_known_ending(std::string_view file) {
  const std::string ending = to_lower(extension(file));
  const auto has = [&](const Ending& each) { return ending == each.ending; };
  return std::ranges::any_of(kEndings, has) || rdf_kind(file, {}).has_value();
}

FileKind file_kind(std::string_view file, std::string_view bytes) {
  bytes = bytes.substr(0, kLookedAt);
  if (bytes.starts_with(std::string_view("SQLite format 3\0", 16))) return FileKind::kSqlite;
  if (rdf_kind(file, bytes)) return FileKind::kRdf;
  const std::string ending = to_lower(extension(file));
  FileKind kind = FileKind::kTable;
  bool known = false;
  for (const Ending& each : kEndings) {
    if (ending != each.ending) continue;
    kind = each.kind;
    known = true;
  }
  const std::string_view text = trim(without_byte_order_mark(bytes));
  const bool may_be_json = !known || kind == FileKind::kJson || kind == FileKind::kJsonLines;
  if (may_be_json && (text.starts_with('{') || text.starts_with('['))) return json_kind(text, kind);
  if (kind == FileKind::kText && looks_like_table(text)) return FileKind::kTable;
  return kind;
}

}  // namespace anima::load
