// Rows and SparqlAnswer for Python: cells as tuples, a slice at a time, and columns as buffers that
// NumPy and Arrow take as they are.
#pragma once

#include <nanobind/nanobind.h>

#include <mutex>

#include "anima/answers.h"
#include "anima/sparql.h"
#include "held.h"

namespace anima::python {

namespace nb = nanobind;

class RowsBox {
 public:
  explicit RowsBox(Rows rows) : rows_(std::move(rows)) {}
  std::size_t size() const { return rows_.size(); }
  nb::list columns() const;
  // Rows first .. last-1, a tuple each.
  nb::list cells(std::size_t first, std::size_t last) const;
  // (kind, values, missing): "int" and "float" are a bytearray of 64-bit numbers, "bool" one of
  // bytes, "str" and "object" a list. `missing` is a bytearray with 1 where there is no number, or
  // None. A column of texts may hold None.
  nb::tuple column(std::size_t index) const;

 private:
  Rows rows_;
};

// An answer is read by one thread at a time.
class SparqlBox {
 public:
  SparqlBox(SparqlAnswer answer, Folder folder) : held_(std::move(answer), std::move(folder)) {}
  int form() const;
  bool truth() const;
  nb::list variables() const;
  std::size_t size() const;
  // A tuple (kind, text, datatype, language), all str, for each term, None where there is none.
  nb::list terms(std::size_t first, std::size_t last) const;
  nb::object text(nb::handle format) const;

 private:
  template <typename F>
  auto read(F&& work) const;
  Held<SparqlAnswer> held_;
  mutable std::mutex reading_;
};

void bind_rows(nb::module_& module);

}  // namespace anima::python
