#include "calls.h"

#include <cmath>

namespace anima::python {
namespace {

thread_local std::optional<nb::python_error> kept;

constexpr double kMostSeconds = 1e9;

}  // namespace

std::chrono::milliseconds time_of(nb::handle timeout) {
  if (timeout.is_none()) return std::chrono::milliseconds(0);
  if (PyBool_Check(timeout.ptr()) != 0)
    raise_type("a timeout is a number, and no truth", "seconds, or None for no limit");
  const double seconds = PyFloat_AsDouble(timeout.ptr());
  if (seconds == -1.0 && PyErr_Occurred() != nullptr) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
    PyErr_Clear();
    raise_type("a timeout is a number", "seconds, or None for no limit");
  }
  if (!(seconds > 0))
    raise(ErrorCode::kInvalidArgument, "a timeout is more than 0 seconds", {}, "None for no limit");
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(std::ceil(std::min(seconds, kMostSeconds) * 1000)));
}

std::stop_source source_of(nb::handle stop) {
  if (stop.is_none()) return {};
  Stop* given = nullptr;
  if (!nb::try_cast<Stop*>(stop, given) || given == nullptr)
    raise_type("this cannot stop a call", "stop is an anima.Stop");
  return given->source();
}

void keep_for_caller(nb::python_error error) { kept.emplace(std::move(error)); }

void raise_kept() {
  if (!kept) return;
  const nb::python_error error(std::move(*kept));
  kept.reset();
  throw error;
}

}  // namespace anima::python
