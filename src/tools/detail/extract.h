// Statements found in the text of files: tables, sentences, program sources. All of it is read as
// data, by fixed patterns; nothing is asked of a model. Thread-safety: pure functions. Linear in
// the text. Source: learning_and_psyche 2.10 (csv_ingest, text_ingest, code_ingest).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace anima::tools::detail {

struct Statement {
  std::string subject, predicate, object;
  double confidence = 1.0;
  bool operator==(const Statement&) const = default;
};

// Rows of a table as RFC 4180 has them: quotes, doubled quotes, line breaks inside quotes.
// Errors: kSyntax with the line (a quote that is not closed).
Result<std::vector<std::vector<std::string>>> read_csv(std::string_view text, char delimiter);
// "spo": subject, predicate, object and perhaps confidence in each row, a head row of these names
// is left out. "entity": the first row names the attributes, the first column the entity. Errors:
// those of read_csv; kInvalidArgument (another format, a row that is too short).
Result<std::vector<Statement>> statements_of_csv(std::string_view text, std::string_view format,
                                                 char delimiter);

// "A cat is a mammal." -> cat is-a mammal. The patterns: is a, is part of, has a, contains, causes,
// is similar to. At most `max_sentences` are read.
std::vector<Statement> statements_of_text(std::string_view text, std::size_t max_sentences);

// What a source file imports and defines, as code:* statements about `file`; the language by the
// file's ending. Empty for other endings.
std::vector<Statement> statements_of_code(std::string_view file, std::string_view text);
bool is_source_file(std::string_view name);

}  // namespace anima::tools::detail
