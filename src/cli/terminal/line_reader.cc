#include "cli/terminal/line_reader.h"

#include <editline/readline.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace anima::cli {

std::string history_file(FileSystem& files, std::string_view name) {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  std::string folder = state != nullptr && *state != 0 ? state
                       : home != nullptr               ? std::string(home) + "/.local/state"
                                                       : "";
  if (folder.empty()) return {};
  folder += "/anima";
  if (!files.make_directories(folder, 0700)) return {};
  return folder + "/" + std::string(name);
}

LineReader::LineReader(std::string history)
    : history_(std::move(history)), interactive_(isatty(STDIN_FILENO) == 1) {
  if (!interactive_) return;
  using_history();
  stifle_history(1000);
  if (!history_.empty()) read_history(history_.c_str());
}

LineReader::~LineReader() {
  if (interactive_ && !history_.empty()) write_history(history_.c_str());
}

std::optional<std::string> LineReader::next(const std::string& prompt) {
  if (!interactive_) {
    std::string line;
    if (!std::getline(std::cin, line)) return std::nullopt;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return line;
  }
  char* const typed = readline(prompt.c_str());
  if (typed == nullptr) return std::nullopt;
  std::string line(typed);
  std::free(typed);
  if (line.find_first_not_of(" \t") != std::string::npos) add_history(line.c_str());
  return line;
}

}  // namespace anima::cli
