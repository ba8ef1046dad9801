// The plain values of the library as dicts, whose names are those of the classes in
// anima/_values.py.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../members.h"
#include "convert.h"

namespace anima::python {

namespace nb = nanobind;

// A statement is a tuple of its three texts, trust a number.
nb::list statements_of(const std::vector<Statement>& statements);

template <typename Value>
nb::dict dict_of(const Value& value);
template <typename Value>
nb::list dicts_of(const std::vector<Value>& values);

// Takes the members of a value one by one.
class Members {
 public:
  void operator()(const char* name, const std::string& text) { dict_[name] = str_from(text); }
  void operator()(const char* name, const Json& value) { dict_[name] = python_from(value); }
  void operator()(const char* name, TrustLevel level) { dict_[name] = number_of(level); }
  void operator()(const char* name, const std::vector<std::string>& texts) {
    dict_[name] = list_from(texts);
  }
  void operator()(const char* name, const std::vector<Statement>& statements) {
    dict_[name] = statements_of(statements);
  }
  template <typename Value>
  void operator()(const char* name, const std::vector<Value>& values) {
    dict_[name] = dicts_of(values);
  }
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void operator()(const char* name, Number number) { dict_[name] = number; }
  nb::dict take() { return std::move(dict_); }

 private:
  nb::dict dict_;
};

// Of a value whose members bindings/members.h lists.
template <typename Value>
nb::dict dict_of(const Value& value) {
  Members members;
  bindings::members_of(value, members);
  return members.take();
}

template <typename Value>
nb::list dicts_of(const std::vector<Value>& values) {
  nb::list list;
  for (const Value& value : values) list.append(dict_of(value));
  return list;
}

nb::object member(const nb::dict& dict, const char* name);
// (name, source, trust)
Author author_from(const nb::tuple& author);
// A dict with the members of anima.Tool; a call of `run` takes the GIL.
OwnTool tool_from(const nb::dict& tool);
std::vector<OwnTool> tools_from(const nb::list& tools);
// A function of Python that hears events on any thread. What it raises is the event
// system:handler_error.
std::function<void(const Event&)> handler_from(nb::object handler);

}  // namespace anima::python
