// How a method calls the library: without the GIL, over its own copy of what is open, so that
// close() of another thread ends nothing under it; where the call can be ended, by a Stop, by a
// time and by Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <optional>
#include <stop_token>
#include <utility>

#include "anima/answers.h"
#include "held.h"
#include "interrupt.h"

namespace anima::python {

namespace nb = nanobind;

// What a program raises, from any thread, to end the calls that it was given to.
class Stop {
 public:
  void request() { source_.request_stop(); }
  bool requested() const { return source_.stop_requested(); }
  const std::stop_source& source() const { return source_; }

 private:
  std::stop_source source_;
};

// `timeout` in seconds, more than none, or None; a Stop or None. Throws Failure.
std::chrono::milliseconds time_of(nb::handle timeout);
std::stop_source source_of(nb::handle stop);

// An exception of a callback in Python that is none of a program's errors (KeyboardInterrupt,
// SystemExit) is kept until the call of the library has ended, and raised then.
void keep_for_caller(nb::python_error error);
void raise_kept();

template <typename T, typename F>
auto with(const Held<T>& held, F&& work) {
  std::optional<T> mine(held.get());
  auto outcome = [&] {
    const Unlocked unlocked;
    auto out = work(*mine);
    mine.reset();
    return out;
  }();
  raise_kept();
  return outcome;
}

template <typename T, typename F>
auto with_stop(const Held<T>& held, const std::stop_source& source,
               std::chrono::milliseconds timeout, F&& work) {
  const CallLimits limits{source.get_token(), timeout};
  auto outcome = [&] {
    const Interruptible interruptible(source);
    return with(held, [&](T& mine) { return work(mine, limits); });
  }();
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  return outcome;
}

template <typename T, typename F>
auto with_limits(const Held<T>& held, nb::handle stop, nb::handle timeout, F&& work) {
  return with_stop(held, source_of(stop), time_of(timeout), std::forward<F>(work));
}

}  // namespace anima::python
