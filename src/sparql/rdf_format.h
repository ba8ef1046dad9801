// The formats of RDF: their names, endings and media types.
//
// Thread-safety: pure. Sources: the media type registrations of the recommendations "RDF 1.1
// Turtle", "TriG", "N-Triples", "N-Quads", "XML Syntax" (2014) and "JSON-LD 1.1" (2020).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace anima::sparql {

enum class RdfFormat : std::uint8_t { kNTriples, kNQuads, kTurtle, kTriG, kRdfXml, kJsonLd };

struct RdfFormatInfo {
  RdfFormat format;
  std::string_view name;        // of --format: "turtle"
  std::string_view ending;      // of files: ".ttl"
  std::string_view media_type;  // "text/turtle"
  bool graphs;                  // it can name graphs
  std::string_view w3c;         // behind http://www.w3.org/ns/formats/: "Turtle"
};

std::span<const RdfFormatInfo> rdf_formats();
const RdfFormatInfo& rdf_format_info(RdfFormat format);

// By name ("turtle"; short forms such as "ttl" too).
std::optional<RdfFormat> rdf_format_named(std::string_view name);
// By the file's ending, in any case; also .owl, .rdfs, .n3 without what Turtle has not, .jsonld.
std::optional<RdfFormat> rdf_format_of_file(std::string_view file);
// By media type, parameters ignored; also older ones such as application/x-turtle.
std::optional<RdfFormat> rdf_format_of_media_type(std::string_view media_type);
// By what the first bytes look like; nullopt when they could be anything. Text that could be both
// N-Triples and Turtle is Turtle, which holds it. O(bytes looked at: at most 64 KiB).
std::optional<RdfFormat> sniff_rdf_format(std::string_view bytes);

}  // namespace anima::sparql
