#include "sparql/rdf_format.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/files/file.h"
#include "base/text/text.h"

namespace anima::sparql {
namespace {

constexpr std::array<RdfFormatInfo, 6> kRdfFormats = {{
    {RdfFormat::kNTriples, "ntriples", ".nt", "application/n-triples", false, "N-Triples"},
    {RdfFormat::kNQuads, "nquads", ".nq", "application/n-quads", true, "N-Quads"},
    {RdfFormat::kTurtle, "turtle", ".ttl", "text/turtle", false, "Turtle"},
    {RdfFormat::kTriG, "trig", ".trig", "application/trig", true, "TriG"},
    {RdfFormat::kRdfXml, "rdfxml", ".rdf", "application/rdf+xml", false, "RDF_XML"},
    {RdfFormat::kJsonLd, "jsonld", ".jsonld", "application/ld+json", true, "JSON-LD"},
}};

struct OtherName {
  std::string_view name;
  RdfFormat format;
};
// Short and official names, endings and media types beside the first ones.
constexpr OtherName kOtherNames[] = {
    {"nt", RdfFormat::kNTriples},
    {"n-triples", RdfFormat::kNTriples},
    {".ntriples", RdfFormat::kNTriples},
    {"nq", RdfFormat::kNQuads},
    {"n-quads", RdfFormat::kNQuads},
    {".nquads", RdfFormat::kNQuads},
    {"ttl", RdfFormat::kTurtle},
    {".turtle", RdfFormat::kTurtle},
    {".n3", RdfFormat::kTurtle},
    {"application/x-turtle", RdfFormat::kTurtle},
    {"application/turtle", RdfFormat::kTurtle},
    {"text/plain", RdfFormat::kNTriples},
    {"text/n3", RdfFormat::kTurtle},
    {"application/x-trig", RdfFormat::kTriG},
    {"text/x-nquads", RdfFormat::kNQuads},
    {"xml", RdfFormat::kRdfXml},
    {"rdf/xml", RdfFormat::kRdfXml},
    {".owl", RdfFormat::kRdfXml},
    {".rdfs", RdfFormat::kRdfXml},
    {".rdfxml", RdfFormat::kRdfXml},
    {"application/xml", RdfFormat::kRdfXml},
    {"text/xml", RdfFormat::kRdfXml},
    {"json-ld", RdfFormat::kJsonLd},
    {"application/json", RdfFormat::kJsonLd},
};

std::optional<RdfFormat> other_name(std::string_view name) {
  for (const OtherName& each : kOtherNames) {
    if (each.name == name) return each.format;
  }
  return std::nullopt;
}

constexpr std::size_t kSniffed = 64 * 1024;

// Behind white space and comments.
std::string_view without_comments(std::string_view text) {
  for (;;) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin);
    if (text[0] != '#') return text;
    text.remove_prefix(std::min(text.find_first_of("\r\n"), text.size()));
  }
}

bool begins_word(std::string_view text, std::string_view word) {
  return text.size() > word.size() &&
         equals_ignoring_ascii_case(text.substr(0, word.size()), word) &&
         std::string_view(" \t\r\n<").find(text[word.size()]) != std::string_view::npos;
}

}  // namespace

std::span<const RdfFormatInfo> rdf_formats() { return kRdfFormats; }

const RdfFormatInfo& rdf_format_info(RdfFormat format) {
  return kRdfFormats[static_cast<std::size_t>(format)];
}

std::optional<RdfFormat> rdf_format_named(std::string_view name) {
  for (const RdfFormatInfo& info : kRdfFormats) {
    if (info.name == name) return info.format;
  }
  const bool media_type = name.find('/') != std::string_view::npos && name != "rdf/xml";
  if (name.starts_with('.') || media_type) return std::nullopt;
  return other_name(name);
}

std::optional<RdfFormat> rdf_format_of_file(std::string_view file) {
  const std::string ending = to_lower(extension(file));
  if (ending.empty()) return std::nullopt;
  for (const RdfFormatInfo& info : kRdfFormats) {
    if (info.ending == ending) return info.format;
  }
  return other_name(ending);
}

std::optional<RdfFormat> rdf_format_of_media_type(std::string_view media_type) {
  const std::string type = to_lower(trim(media_type.substr(0, media_type.find(';'))));
  for (const RdfFormatInfo& info : kRdfFormats) {
    if (info.media_type == type) return info.format;
  }
  if (type.find('/') == std::string::npos || type == "rdf/xml") return std::nullopt;
  return other_name(type);
}

std::optional<RdfFormat> sniff_rdf_format(std::string_view bytes) {
  const std::string_view text = without_comments(bytes.substr(0, kSniffed));
  if (text.empty()) return std::nullopt;
  if (text.starts_with("<?xml") || text.starts_with("<rdf:RDF") || text.starts_with("<!DOCTYPE") ||
      text.starts_with("<!--")) {
    return text.find("http://www.w3.org/1999/02/22-rdf-syntax-ns#") != std::string_view::npos
               ? std::optional(RdfFormat::kRdfXml)
               : std::nullopt;
  }
  if (text[0] == '{' || text[0] == '[') {
    const bool json_ld = text.find("\"@") != std::string_view::npos;
    if (json_ld) return RdfFormat::kJsonLd;
  }
  const bool directive = text.starts_with("@prefix") || text.starts_with("@base") ||
                         begins_word(text, "prefix") || begins_word(text, "base");
  const bool terms = text[0] == '<' || text.starts_with("_:");
  if (!directive && !terms) return std::nullopt;
  // A brace outside of IRIs and strings is TriG's.
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '\\') {
      ++at;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == '<') {
      at = std::min(text.find_first_of(">\n", at), text.size() - 1);
    } else if (!quoted && c == '#') {
      at = std::min(text.find('\n', at), text.size() - 1);
    } else if (!quoted && c == '{') {
      return RdfFormat::kTriG;
    }
  }
  return RdfFormat::kTurtle;
}

}  // namespace anima::sparql
