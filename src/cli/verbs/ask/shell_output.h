// What every shell of the program can do with its results, by commands that begin with a backslash,
// as in psql:
//
//   \timing       shows how long each command takes      \x        a line a cell, or tables again
//   \o FILE       results go to a file; \o: here again   \format FORM  text, csv, tsv, markdown ..
//
// Thread-safety: belongs to one thread.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cli/frame/context.h"

namespace anima::cli {

inline constexpr std::string_view kShellOutputHelp =
    "\\x            a line a cell, or tables again\n"
    "\\format FORM  text, expanded, csv, tsv or markdown\n"
    "\\o FILE       results go to the file; \\o alone: here again\n"
    "\\timing       how long each command takes, on or off\n"
    "\\q            leaves (so does Ctrl-D)\n";

class ShellOutput {
 public:
  explicit ShellOutput(Context& context) : context_(context) {}

  // A command of the table above; false: it is none of them.
  bool command(std::string_view name, const std::string& argument);
  // Shows what `run` appends to its text, and how long it took where that is wanted.
  void execute(const std::function<void(std::string& text)>& run);
  // To the terminal, through the pager where it is long, or to the file of \o.
  void show(const std::string& text);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void redirect(const std::string& path);
  void set_form(std::string_view name);

  Context& context_;
  bool timing_ = false;
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace anima::cli
