// What a Python object holds of the library: it can be closed, and belongs to one process.
//
// A process that was forked has a copy of what its parent holds: a database whose locks are the
// parent's, threads that are not there. Such a copy is neither used nor closed there, and a folder
// that was open while the process was forked is not opened again in the child
// (https://www.sqlite.org/howtocorrupt.html, 2.6); other folders are.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "errors.h"

namespace anima::python {

// The program ends: from now on the threads that go on meanwhile (daemons) stay in the call that
// they make or come back from, until the process ends. What is open is closed under them. Called
// with the GIL, by the thread that ends the program.
void leave();
// Called with the GIL, which a thread that stays lets go.
void stay_if_left();

// Without the GIL for as long as it lives. A thread that comes back once the interpreter is gone
// stays here, too: Python would end it by unwinding what called it, which code of C++ does not
// survive.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() { retake(state_); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  static void retake(PyThreadState* state);
  PyThreadState* state_;
};

// That a folder is open here, for as long as anything stands over it. Empty: in memory.
class OpenFolder {
 public:
  // Throws Failure (kUnsupported) when it was open while this process was forked.
  explicit OpenFolder(const std::string& folder);
  ~OpenFolder();
  OpenFolder(const OpenFolder&) = delete;
  OpenFolder& operator=(const OpenFolder&) = delete;

 private:
  std::string path_;
};
using Folder = std::shared_ptr<OpenFolder>;

// T is a value whose copies share what is open. Thread-safety: every function from any thread.
template <typename T>
class Held {
 public:
  Held(T value, Folder folder)
      : folder_(std::move(folder)), value_(std::move(value)), process_(getpid()) {}
  ~Held() {
    if (process_ == getpid()) {
      close();
    } else {
      new std::optional<T>(std::move(value_));
      new Folder(std::move(folder_));
    }
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  T get() const {
    stay_if_left();
    if (process_ != getpid())
      raise(
          ErrorCode::kUnsupported, "this was opened before the process was forked", {},
          "close it before the fork and open it again behind it, or start children with \"spawn\"");
    const std::lock_guard lock(mutex_);
    if (!value_) raise(ErrorCode::kInvalidArgument, "this is closed");
    return *value_;
  }
  Folder folder() const {
    const std::lock_guard lock(mutex_);
    return folder_;
  }
  bool closed() const {
    stay_if_left();
    if (process_ != getpid()) return false;
    const std::lock_guard lock(mutex_);
    return !value_;
  }
  // Needs the GIL and lets it go meanwhile: threads that end may want it.
  void close() {
    if (process_ != getpid()) return;
    Folder folder;  // goes after the value
    std::optional<T> last;
    {
      const std::lock_guard lock(mutex_);
      last.swap(value_);
      folder.swap(folder_);
    }
    const Unlocked unlocked;
    last.reset();
  }

 private:
  Folder folder_;
  mutable std::mutex mutex_;
  std::optional<T> value_;
  pid_t process_;
};

}  // namespace anima::python
