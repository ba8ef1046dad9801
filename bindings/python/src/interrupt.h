// Ctrl-C ends a call that the main thread waits for.
//
// While such a call runs without the GIL, Python's own handler of SIGINT can only note the signal.
// So ours stands before it meanwhile: it wakes a thread that raises the stop of the call, and hands
// the signal on. The call then ends as any stopped one does, and Python raises KeyboardInterrupt.
// Where SIGINT is not Python's to handle nothing is changed.
#pragma once

#include <csignal>
#include <stop_token>

namespace anima::python {

// Made and ended by the thread that calls, with the GIL. Of another thread than the main one it
// does nothing. Calls nest: a tool in Python may call another memory.
class Interruptible {
 public:
  explicit Interruptible(const std::stop_source& stop);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  bool listed_ = false, installed_ = false;
};

}  // namespace anima::python
