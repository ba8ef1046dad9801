// Rows for people: columns as wide as their widest cell, by the columns that a terminal uses.
// Thread-safety: belongs to one thread.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"

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
  // characters are escaped.
  std::string render(const Context& context) const;

 private:
  std::vector<std::string> titles_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> right_;
};

}  // namespace anima::cli
