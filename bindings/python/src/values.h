// The plain values of the library as dicts, whose names are those of the classes in
// anima/_values.py.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "anima/agent.h"
#include "anima/calls.h"
#include "anima/governance.h"
#include "anima/guarded_session.h"
#include "anima/view.h"

namespace anima::python {

namespace nb = nanobind;

nb::dict dict_of(const Commit& commit);
nb::dict dict_of(const Hit& hit);
nb::dict dict_of(const Proof& proof);
nb::dict dict_of(const CallResult& result);
nb::dict dict_of(const Response& response);
nb::dict dict_of(const ApprovalRequest& request);
nb::dict dict_of(const Context& context);
nb::dict dict_of(const Remembered& remembered);
nb::dict dict_of(const OpenQuestion& question);
nb::dict dict_of(const RememberedText& text);
nb::dict dict_of(const Judgement& judgement);

template <typename T>
nb::list dicts_of(const std::vector<T>& values) {
  nb::list list;
  for (const T& value : values) list.append(dict_of(value));
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
