// Results of SELECT and ASK in the formats of the recommendations, and as a table for people.
//
// A writer takes the variables, then row by row, and hands finished text on in pieces of about
// 64 KiB, so that an answer of any size takes no memory; only the table keeps its rows, to know how
// wide they are. Media types and file extensions choose a format. Errors: those of `out`, which end
// the writing. Thread-safety: a writer belongs to one thread. Complexity: O(bytes written).
// Source: SPARQL 1.1 Query Results JSON Format; SPARQL Query Results XML Format (Second Edition);
// SPARQL 1.1 Query Results CSV and TSV Formats.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sparql/ntriples.h"

namespace anima::sparql {

enum class ResultFormat : std::uint8_t { kJson, kXml, kCsv, kTsv, kTable };

// "json", "xml", "csv", "tsv", "table".
std::optional<ResultFormat> result_format_named(std::string_view name);
// The format of a media type, without parameters: "application/sparql-results+json", "text/csv".
std::optional<ResultFormat> result_format_of_media_type(std::string_view media_type);
std::string_view media_type_of(ResultFormat format);

class ResultWriter {
 public:
  // Takes the next piece of the text.
  using Out = std::function<Status(std::string_view)>;
  static std::unique_ptr<ResultWriter> make(ResultFormat format, Out out);
  virtual ~ResultWriter() = default;

  // Once, before the rows.
  virtual Status begin(std::span<const std::string> variables) = 0;
  // One cell a variable; null: unbound. The terms are read at once.
  virtual Status row(std::span<const RdfTerm* const> cells) = 0;
  virtual Status end() = 0;
};

// The answer of ASK.
std::string boolean_result(ResultFormat format, bool answer);

}  // namespace anima::sparql
