// The extension anima._anima: what the package `anima` stands on. Nothing of it is for programs.
#include <nanobind/nanobind.h>

#include "errors.h"
#include "held.h"
#include "memory.h"
#include "rows.h"

NB_MODULE(_anima, module) {
  // A daemon thread that a program leaves holds what it uses; the tests look for what is leaked.
  nanobind::set_leak_warnings(false);
  module.attr("version") = ANIMA_VERSION;
  module.def("leave", &anima::python::leave);
  anima::python::bind_errors();
  anima::python::bind_rows(module);
  anima::python::bind_memory(module);
  anima::python::bind_agent(module);
  anima::python::bind_guard(module);
}
