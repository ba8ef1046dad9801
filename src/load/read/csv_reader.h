// Records of separated values: RFC 4180, and the ways in which files of the world differ from it
// (any delimiter, single quotes, no header, blank lines, blanks around cells, too few cells in a
// row).
//
// A quote begins a quoted cell only at its start; a doubled one inside stands for itself; line ends
// inside belong to the cell. Errors: kSyntax with the row (a quote that is not closed, text behind
// a closing quote, more cells than there are columns). Thread-safety: one thread. O(bytes).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "load/read/table.h"
#include "load/sniff/encoding.h"

namespace anima::load {

struct CsvDialect {
  char delimiter = ',';
  char quote = '"';
  bool header = true;
  std::uint64_t rows_before = 0;  // lines above the text: comments
  bool comments = false;          // a line that begins with a hash is one
};

struct CsvRecord {
  std::vector<std::string_view> fields;
  std::vector<bool> quoted;       // as long as `fields`
  std::deque<std::string> owned;  // of fields with doubled quotes
};

class CsvRecords {
 public:
  CsvRecords(std::string_view text, const CsvDialect& dialect);
  // False at the end; blank lines and comments are passed over, but counted. Errors: kSyntax
  // without a place.
  Result<bool> next(CsvRecord& record);
  std::uint64_t row() const { return row_; }  // of the record read last, from 1
  std::size_t position() const { return at_; }

 private:
  Status quoted(CsvRecord& record);
  void plain(CsvRecord& record);
  bool at_line_end() const {
    return at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r');
  }
  void pass_line_end();

  std::string_view text_;
  CsvDialect dialect_;
  bool ends_[256] = {};  // bytes that end a plain field
  std::size_t at_ = 0;
  std::uint64_t row_ = 0;
};

// What is not given is found out from the text.
struct CsvWishes {
  std::optional<char> delimiter;
  std::optional<bool> header;
};

CsvDialect sniff_csv(std::string_view text, const CsvWishes& wishes);

// The bytes are kept mapped as long as the table lives. Errors: those of files and of decode_text;
// kInvalidArgument (there is no row).
Result<std::unique_ptr<SourceTable>> open_csv(FileSystem& files, const std::string& file,
                                              const CsvWishes& wishes);
// The same of bytes that are there already, for standard input and tests.
Result<std::unique_ptr<SourceTable>> csv_of(std::string bytes, const std::string& file,
                                            const CsvWishes& wishes);

}  // namespace anima::load
