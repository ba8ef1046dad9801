// What the writers of results share: text that is handed on in pieces, and how wide a table is.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sparql/results.h"

namespace anima::sparql::results {

class TextWriter : public ResultWriter {
 public:
  explicit TextWriter(Out out) : out_(std::move(out)) {}

 protected:
  static constexpr std::size_t kPiece = 64 << 10;
  // Hands on what there is once it is a piece, or at the end.
  Status pass(bool all) {
    if (text_.empty() || (!all && text_.size() < kPiece)) return {};
    const Status status = out_(text_);
    text_.clear();
    return status;
  }
  std::string text_;

 private:
  Out out_;
};

std::unique_ptr<ResultWriter> make_json_writer(ResultWriter::Out out);
std::unique_ptr<ResultWriter> make_xml_writer(ResultWriter::Out out);
std::unique_ptr<ResultWriter> make_separated_writer(ResultWriter::Out out, bool tabs);
std::unique_ptr<ResultWriter> make_table_writer(ResultWriter::Out out);

}  // namespace anima::sparql::results
