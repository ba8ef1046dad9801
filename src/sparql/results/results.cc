// The formats by name, and their boolean answers.
#include "sparql/results.h"

#include "sparql/results/text_writer.h"

namespace anima::sparql {
namespace {

struct FormatNames {
  ResultFormat format;
  std::string_view name, media_type;
};
constexpr FormatNames kFormatNames[] = {
    {ResultFormat::kJson, "json", "application/sparql-results+json"},
    {ResultFormat::kXml, "xml", "application/sparql-results+xml"},
    {ResultFormat::kCsv, "csv", "text/csv"},
    {ResultFormat::kTsv, "tsv", "text/tab-separated-values"},
    {ResultFormat::kTable, "table", "text/plain"},
};

}  // namespace

std::optional<ResultFormat> result_format_named(std::string_view name) {
  for (const FormatNames& it : kFormatNames) {
    if (it.name == name) return it.format;
  }
  return std::nullopt;
}

std::optional<ResultFormat> result_format_of_media_type(std::string_view media_type) {
  if (media_type == "application/json") return ResultFormat::kJson;
  if (media_type == "application/xml" || media_type == "text/xml") return ResultFormat::kXml;
  for (const FormatNames& it : kFormatNames) {
    if (it.media_type == media_type) return it.format;
  }
  return std::nullopt;
}

std::string_view media_type_of(ResultFormat format) {
  for (const FormatNames& it : kFormatNames) {
    if (it.format == format) return it.media_type;
  }
  return {};
}

std::unique_ptr<ResultWriter> ResultWriter::make(ResultFormat format, Out out) {
  switch (format) {
    case ResultFormat::kJson:
      return results::make_json_writer(std::move(out));
    case ResultFormat::kXml:
      return results::make_xml_writer(std::move(out));
    case ResultFormat::kCsv:
      return results::make_separated_writer(std::move(out), false);
    case ResultFormat::kTsv:
      return results::make_separated_writer(std::move(out), true);
    case ResultFormat::kTable:
      break;
  }
  return results::make_table_writer(std::move(out));
}

std::string boolean_result(ResultFormat format, bool answer) {
  const std::string word = answer ? "true" : "false";
  switch (format) {
    case ResultFormat::kJson:
      return "{\"head\":{},\"boolean\":" + word + "}\n";
    case ResultFormat::kXml:
      return "<?xml version=\"1.0\"?>\n<sparql xmlns=\"http://www.w3.org/2005/sparql-results#\">\n"
             "  <head/>\n  <boolean>" +
             word + "</boolean>\n</sparql>\n";
    default:
      return word + "\n";  // the recommendation has no form for it
  }
}

}  // namespace anima::sparql
