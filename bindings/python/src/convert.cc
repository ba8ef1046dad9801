#include "convert.h"

#include <cmath>

#include "errors.h"

namespace anima::python {
namespace {

constexpr int kMaxDepth = 64;  // of a value in a space (store::SpaceOptions::max_nesting)

[[noreturn]] void refuse(const std::string& message, ErrorText hint = {}) {
  raise(ErrorCode::kInvalidArgument, message, {}, std::move(hint));
}

// `what`: what it is to be, "a question is a str".
[[noreturn]] void refuse_type(nb::handle value, const char* what) {
  const std::string name = nb::type_name(value.type()).c_str();
  raise_type("this is of the type " + name, what);
}

nb::object checked(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

Json integer_from(nb::handle value) {
  const nb::object index = checked(PyNumber_Index(value.ptr()));
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0) refuse("an integer is beyond 64 bits", "a str keeps all of its digits");
  if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return static_cast<std::int64_t>(number);
}

Json value_from(nb::handle value, int depth);

Json object_from(nb::handle dict, int depth) {
  JsonObject members;
  members.reserve(static_cast<std::size_t>(PyDict_Size(dict.ptr())));
  PyObject *key = nullptr, *item = nullptr;
  Py_ssize_t place = 0;
  while (PyDict_Next(dict.ptr(), &place, &key, &item) != 0) {
    const nb::object held_key = nb::borrow(key), held = nb::borrow(item);  // __index__ may run code
    if (PyUnicode_Check(key) == 0) refuse_type(held_key, "the keys of a JSON object are str");
    members.emplace_back(text_of(held_key, "a key"), value_from(held, depth + 1));
  }
  return Json(std::move(members));
}

template <Py_ssize_t (*Size)(PyObject*), PyObject* (*Item)(PyObject*, Py_ssize_t)>
Json array_from(nb::handle items, int depth) {
  JsonArray array;
  array.reserve(static_cast<std::size_t>(Size(items.ptr())));
  for (Py_ssize_t i = 0; i < Size(items.ptr()); ++i)
    array.push_back(value_from(nb::borrow(Item(items.ptr(), i)), depth + 1));
  return Json(std::move(array));
}

Json value_from(nb::handle value, int depth) {
  PyObject* const it = value.ptr();
  if (depth > kMaxDepth)
    raise(ErrorCode::kLimitExceeded, "a value nests deeper than 64 levels", {},
          "does it hold itself?");
  if (it == Py_None) return {};
  if (PyBool_Check(it)) return it == Py_True;
  if (PyUnicode_Check(it)) return text_of(value, "a text");
  if (PyLong_Check(it)) return integer_from(value);
  if (PyFloat_Check(it)) {
    const double number = PyFloat_AsDouble(it);
    if (!std::isfinite(number))
      refuse("JSON has no NaN and no infinity", "None says that it is unknown");
    return number;
  }
  if (PyDict_Check(it)) return object_from(value, depth);
  if (PyList_Check(it)) return array_from<PyList_Size, PyList_GetItem>(value, depth);
  if (PyTuple_Check(it)) return array_from<PyTuple_Size, PyTuple_GetItem>(value, depth);
  // A number or an array of NumPy, also of a kind that Python has no type for (float32, bool_).
  if (nb::hasattr(value, "dtype") && nb::hasattr(value, "tolist"))
    return value_from(value.attr("tolist")(), depth + 1);
  if (PyIndex_Check(it) != 0) return integer_from(value);
  if (PyMapping_Check(it) != 0 && nb::hasattr(value, "keys")) {
    const nb::object dict = checked(PyDict_New());
    if (PyDict_Update(dict.ptr(), it) != 0) throw nb::python_error();
    return object_from(dict, depth);
  }
  refuse_type(value,
              "a JSON value is None, bool, int, float, str, list, tuple, a mapping, or of NumPy");
}

}  // namespace

std::string text_of(nb::handle value, const char* what) {
  if (PyUnicode_Check(value.ptr()) == 0)
    refuse_type(value, (std::string(what) + " is a str").c_str());
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    refuse(std::string(what) + " is no Unicode text: it has a lone surrogate",
           "decode bytes with errors=\"replace\"");
  }
  return std::string(bytes, static_cast<std::size_t>(size));
}

std::optional<std::string> text_if_any(nb::handle value, const char* what) {
  return value.is_none() ? std::nullopt : std::optional(text_of(value, what));
}

std::vector<std::string> texts_of(nb::handle values, const char* what) {
  std::vector<std::string> texts;
  const std::string wanted = std::string(what) + " is a list of str";
  if (PyUnicode_Check(values.ptr()) != 0) refuse_type(values, wanted.c_str());
  const nb::object items = nb::steal(PySequence_List(values.ptr()));
  if (!items.is_valid()) {
    PyErr_Clear();
    refuse_type(values, wanted.c_str());
  }
  for (Py_ssize_t i = 0; i < PyList_Size(items.ptr()); ++i)
    texts.push_back(text_of(nb::borrow(PyList_GetItem(items.ptr(), i)), what));
  return texts;
}

// What is no UTF-8 (a tool may give anything) is seen as \xNN, not dropped.
nb::object str_from(std::string_view text) {
  return checked(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

nb::list list_from(const std::vector<std::string>& texts) {
  nb::list list;
  for (const std::string& text : texts) list.append(str_from(text));
  return list;
}

Json json_from(nb::handle value) { return value_from(value, 0); }

std::uint64_t entry_from(nb::handle value, const char* what) {
  const std::string wanted = std::string(what) + " is the number of an entry, 0 or more";
  if (PyBool_Check(value.ptr()) || PyIndex_Check(value.ptr()) == 0)
    refuse_type(value, wanted.c_str());
  const nb::object index = checked(PyNumber_Index(value.ptr()));
  const unsigned long long number = PyLong_AsUnsignedLongLong(index.ptr());
  if (PyErr_Occurred() == nullptr) return number;
  PyErr_Clear();
  refuse("this is the number of no entry", wanted);
}

nb::object python_from(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kNull:
      return nb::none();
    case Json::Kind::kBool:
      return nb::borrow(value.as_bool() ? Py_True : Py_False);
    case Json::Kind::kInteger:
      return checked(PyLong_FromLongLong(value.as_integer()));
    case Json::Kind::kDouble:
      if (value.is_long_integer())
        return checked(PyLong_FromString(value.long_digits().c_str(), nullptr, 10));
      return checked(PyFloat_FromDouble(value.as_number()));
    case Json::Kind::kString:
      return str_from(value.as_string());
    case Json::Kind::kArray: {
      nb::list list;
      for (const Json& item : value.as_array()) list.append(python_from(item));
      return list;
    }
    case Json::Kind::kObject: {
      nb::dict dict;
      for (const auto& [key, item] : value.as_object()) {
        if (PyDict_SetItem(dict.ptr(), str_from(key).ptr(), python_from(item).ptr()) != 0)
          throw nb::python_error();
      }
      return dict;
    }
  }
  return nb::none();
}

TrustLevel trust_from(int level) {
  if (level < 0 || level > number_of(TrustLevel::kSystem))
    refuse("a level of trust is 0 (hostile) to 5 (system)");
  return static_cast<TrustLevel>(level);
}

}  // namespace anima::python
