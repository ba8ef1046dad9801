// Escaping for the formats of results. Pure functions. O(length).
#pragma once

#include <string>
#include <string_view>

#include "sparql/ntriples.h"

namespace anima::sparql::results {

// The text in quotes, as RFC 8259 wants it.
void append_json(std::string& out, std::string_view text);
// A field of RFC 4180: in quotes where a comma, a quote or the end of a line is in it.
void append_csv(std::string& out, std::string_view text);
// A term as Turtle writes it, on one line: numbers and truths in their short form.
void append_tsv(std::string& out, const RdfTerm& term);

}  // namespace anima::sparql::results
