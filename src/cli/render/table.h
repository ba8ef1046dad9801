// Rows for people and programs, in the form that the context asks for (TableForm).
//
// As text, columns are as wide as their widest cell, by the columns that a terminal uses. Where
// that is wider than the terminal, the widest are cut with an ellipsis; where even that does not
// fit, each row is written expanded, a line a cell. Nothing is cut where there is no terminal. CSV
// follows RFC 4180; TSV escapes tab, line end and backslash with a backslash. Thread-safety:
// belongs to one thread.
#pragma once

#include <string>
#include <vector>

#include "cli/frame/context.h"

namespace anima::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> titles) : titles_(std::move(titles)) {}
  // Requires as many cells as there are titles.
  void add(std::vector<std::string> cells);
  // Columns of numbers read better aligned to the right.
  void align_right(std::size_t column) { right_.push_back(column); }
  bool empty() const { return rows_.empty(); }
  // The titles (bold where there is colour) and the rows, each with its line end. Control
  // characters are escaped for people.
  std::string render(const Context& context) const;

 private:
  std::vector<std::size_t> natural_widths() const;
  std::string text(const Context& context, const std::vector<std::size_t>& widths) const;
  std::string expanded(const Context& context) const;
  std::string separated(char separator) const;
  std::string markdown() const;

  std::vector<std::string> titles_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> right_;
};

}  // namespace anima::cli
