#include "rows.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "calls.h"
#include "convert.h"

namespace anima::python {
namespace {

nb::object tuple_of(std::size_t size) {
  PyObject* const made = PyTuple_New(static_cast<Py_ssize_t>(size));
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

nb::object buffer_of(std::size_t bytes) {
  PyObject* const made = PyByteArray_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(bytes));
  if (made == nullptr) throw nb::python_error();
  std::memset(PyByteArray_AsString(made), 0, bytes);
  return nb::steal(made);
}

enum class ColumnKind { kInteger, kDouble, kBool, kText, kMixed };

// A double holds it: beyond 2^53 it does not hold every whole number.
bool fits_double(const Json& cell) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  if (!cell.is_integer()) return !cell.is_long_integer();
  return cell.as_integer() <= kMost && cell.as_integer() >= -kMost;
}

// What all that is there has in common; integers beside doubles are doubles where they fit.
ColumnKind kind_of(const Rows& rows, std::size_t column, bool& missing) {
  bool seen[7] = {};
  for (const auto& row : rows) seen[static_cast<std::size_t>(row[column].kind())] = true;
  const auto has = [&](Json::Kind kind) { return seen[static_cast<std::size_t>(kind)]; };
  missing = has(Json::Kind::kNull);
  const bool numbers = has(Json::Kind::kInteger) || has(Json::Kind::kDouble);
  const bool nested = has(Json::Kind::kArray) || has(Json::Kind::kObject);
  const int kinds =
      (numbers ? 1 : 0) + (has(Json::Kind::kBool) ? 1 : 0) + (has(Json::Kind::kString) ? 1 : 0);
  if (nested || kinds != 1) return ColumnKind::kMixed;
  if (has(Json::Kind::kString)) return ColumnKind::kText;
  if (has(Json::Kind::kBool)) return ColumnKind::kBool;
  if (!has(Json::Kind::kDouble)) return ColumnKind::kInteger;
  const bool fit = std::all_of(rows.begin(), rows.end(),
                               [&](const auto& row) { return fits_double(row[column]); });
  return fit ? ColumnKind::kDouble : ColumnKind::kMixed;
}

template <typename Number, typename Get>
nb::object numbers_of(const Rows& rows, std::size_t column, Get get) {
  nb::object buffer = buffer_of(rows.size() * sizeof(Number));
  char* out = PyByteArray_AsString(buffer.ptr());
  for (const auto& row : rows) {
    const Number number = get(row[column]);
    std::memcpy(out, &number, sizeof(Number));
    out += sizeof(Number);
  }
  return buffer;
}

nb::object missing_of(const Rows& rows, std::size_t column) {
  nb::object buffer = buffer_of(rows.size());
  char* out = PyByteArray_AsString(buffer.ptr());
  for (const auto& row : rows) *out++ = row[column].is_null() ? 1 : 0;
  return buffer;
}

nb::object values_of(const Rows& rows, std::size_t column) {
  PyObject* const list = PyList_New(static_cast<Py_ssize_t>(rows.size()));
  if (list == nullptr) throw nb::python_error();
  const nb::object held = nb::steal(list);
  Py_ssize_t place = 0;
  for (const auto& row : rows)
    PyList_SetItem(list, place++, python_from(row[column]).release().ptr());
  return held;
}

// Terms as tuples. An answer names a handful of datatypes a thousand times: each is one str.
class TermWriter {
 public:
  nb::object write(const SparqlTerm& term) {
    if (!term) return nb::none();
    const nb::object made = tuple_of(4);
    const nb::object parts[] = {kinds_[static_cast<std::size_t>(term.kind)], str_from(term.text),
                                shared(term.datatype), shared(term.language)};
    for (Py_ssize_t i = 0; i < 4; ++i)
      PyTuple_SetItem(made.ptr(), i, nb::object(parts[i]).release().ptr());
    return made;
  }

 private:
  nb::object shared(const std::string& text) {
    const auto known = texts_.find(text);
    if (known != texts_.end()) return known->second;
    return texts_.emplace(text, str_from(text)).first->second;
  }

  const nb::object kinds_[4] = {str_from(""), str_from("iri"), str_from("blank"),
                                str_from("literal")};
  std::unordered_map<std::string, nb::object> texts_;
};

}  // namespace

nb::list RowsBox::columns() const { return list_from(rows_.columns()); }

nb::list RowsBox::cells(std::size_t first, std::size_t last) const {
  nb::list list;
  const std::size_t width = rows_.columns().size();
  for (std::size_t i = first; i < std::min(last, rows_.size()); ++i) {
    const nb::object row = tuple_of(width);
    for (std::size_t j = 0; j < width; ++j)
      PyTuple_SetItem(row.ptr(), static_cast<Py_ssize_t>(j),
                      python_from(rows_[i][j]).release().ptr());
    list.append(row);
  }
  return list;
}

nb::tuple RowsBox::column(std::size_t index) const {
  if (index >= rows_.columns().size())
    raise(ErrorCode::kInvalidArgument, "there is no such column");
  bool missing = false;
  const ColumnKind kind = kind_of(rows_, index, missing);
  const auto numbers = [&](const char* name, const nb::object& values) {
    return nb::make_tuple(name, values, missing ? missing_of(rows_, index) : nb::none());
  };
  switch (kind) {
    case ColumnKind::kInteger:
      return numbers("int", numbers_of<std::int64_t>(
                                rows_, index, [](const Json& cell) { return cell.as_integer(); }));
    case ColumnKind::kDouble:
      return numbers("float", numbers_of<double>(
                                  rows_, index, [](const Json& cell) { return cell.as_number(); }));
    case ColumnKind::kBool:
      return numbers("bool", numbers_of<std::uint8_t>(rows_, index, [](const Json& cell) {
                       return static_cast<std::uint8_t>(cell.as_bool() ? 1 : 0);
                     }));
    case ColumnKind::kText:
      return nb::make_tuple("str", values_of(rows_, index), nb::none());
    case ColumnKind::kMixed:
      break;
  }
  return nb::make_tuple("object", values_of(rows_, index), nb::none());
}

template <typename F>
auto SparqlBox::read(F&& work) const {
  return with(held_, [&](const SparqlAnswer& answer) {
    const std::lock_guard lock(reading_);
    return work(answer);
  });
}

int SparqlBox::form() const {
  return read([](const SparqlAnswer& answer) { return static_cast<int>(answer.form()); });
}
bool SparqlBox::truth() const {
  return read([](const SparqlAnswer& answer) { return answer.truth(); });
}
nb::list SparqlBox::variables() const {
  return list_from(read([](const SparqlAnswer& answer) { return answer.variables(); }));
}
std::size_t SparqlBox::size() const {
  return read([](const SparqlAnswer& answer) { return answer.size(); });
}

nb::list SparqlBox::terms(std::size_t first, std::size_t last) const {
  const auto rows = read([&](const SparqlAnswer& answer) {
    std::vector<std::vector<SparqlTerm>> read_rows;
    const std::size_t width = answer.variables().size(), end = std::min(last, answer.size());
    for (std::size_t i = first; i < end; ++i) {
      auto& row = read_rows.emplace_back();
      row.reserve(width);
      for (std::size_t j = 0; j < width; ++j) row.push_back(answer.term(i, j));
    }
    return read_rows;
  });
  nb::list list;
  TermWriter writer;
  for (const auto& terms : rows) {
    const nb::object row = tuple_of(terms.size());
    for (std::size_t j = 0; j < terms.size(); ++j)
      PyTuple_SetItem(row.ptr(), static_cast<Py_ssize_t>(j),
                      writer.write(terms[j]).release().ptr());
    list.append(row);
  }
  return list;
}

nb::object SparqlBox::text(nb::handle format) const {
  const std::string name = text_of(format, "a format");
  return str_from(value_of(read([&](const SparqlAnswer& answer) { return answer.text(name); })));
}

void bind_rows(nb::module_& module) {
  nb::class_<RowsBox>(module, "Rows")
      .def("__len__", &RowsBox::size)
      .def("columns", &RowsBox::columns)
      .def("cells", &RowsBox::cells)
      .def("column", &RowsBox::column);
  nb::class_<SparqlBox>(module, "SparqlAnswer")
      .def("form", &SparqlBox::form)
      .def("truth", &SparqlBox::truth)
      .def("variables", &SparqlBox::variables)
      .def("__len__", &SparqlBox::size)
      .def("terms", &SparqlBox::terms)
      .def("text", &SparqlBox::text);
}

}  // namespace anima::python
