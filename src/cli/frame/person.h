// The person at standard input, whom the agent's user_interact asks.
//
// At a terminal the question is put and the line waited for; Ctrl-C ends the wait. From a pipe or a
// file the next line is taken when it is there within a second, so that a run whose input is open
// but silent is not held up; when it was not, nobody is asked again. Questions go to standard
// error: standard output keeps its shape. Thread-safety: one thread.
#pragma once

#include <optional>
#include <string>

#include "cli/frame/context.h"
#include "tools/user_tool.h"

namespace anima::cli {

class Person {
 public:
  explicit Person(Context& context) : context_(context) {}
  // Without the line's end; nothing at the end of the input, or when nobody answers.
  std::optional<std::string> ask(const std::string& question);
  // What user_interact asks; `this` outlives it.
  tools::AskPerson asker();

 private:
  Context& context_;
  std::string pending_;  // read beyond the last line
  bool gone_ = false;    // the input ended, or nobody answered
};

}  // namespace anima::cli
