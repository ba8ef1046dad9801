// Lines edited at a terminal: history, completion by Tab, and what was pasted behind an error.
// libedit is behind this door. Thread-safety: one thread, one editor at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/context.h"

namespace anima::cli {

class LineEditor {
 public:
  // What could stand at the end of the line instead of its last word `typed`, which is a part of
  // it.
  struct Completions {
    std::string_view typed;
    std::vector<std::string> words;
  };
  using Complete = std::function<Completions(std::string_view line)>;

  enum class Read : std::uint8_t { kLine, kInterrupted, kEnd };

  // `history` names a file of the person's own that keeps what was typed.
  LineEditor(Context& context, std::string_view history, Complete complete);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  bool works() const;  // false: the terminal cannot be edited on
  // The next line, without its end. kInterrupted: Ctrl-C, and the line is dropped.
  Read next(const char* prompt, std::string& line);
  void remember(const std::string& text);
  // Passes over lines that came with one that is wrong already: the rest of what was pasted.
  void drop_pasted();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace anima::cli
