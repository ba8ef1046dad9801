// Lines typed at a terminal, with editing and history (libedit, behind this door), or read from a
// pipe. Thread-safety: one thread, one reader at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/files/file.h"

namespace anima::cli {

// A file of the person's own, $XDG_STATE_HOME/anima/NAME, whose folder is made; empty when there is
// no place for it.
std::string history_file(FileSystem& files, std::string_view name);

class LineReader {
 public:
  // `history` is a file that keeps what was typed; empty: none is kept. Standard input is read;
  // prompts appear only when it is a terminal.
  explicit LineReader(std::string history = {});
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  bool interactive() const { return interactive_; }
  // Without the line's end; absent at the end of the input.
  std::optional<std::string> next(const std::string& prompt);

 private:
  std::string history_;
  bool interactive_;
};

}  // namespace anima::cli
