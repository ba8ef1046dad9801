// The SPARQL prompt: history, completion of keywords, prefixes and predicates, texts over several
// lines, PREFIX and BASE that stay. Commands begin with a backslash, as in psql:
//
//   \d         predicates and types, with how many there are
//   \p         the prefixes that were declared here
//
// and those of shell_output.h. Thread-safety: belongs to one thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/frame/context.h"
#include "cli/terminal/line_editor.h"
#include "cli/verbs/ask/shell_output.h"
#include "store/space.h"

namespace anima::cli {

class SparqlShell {
 public:
  // Appends the result of a whole text.
  using Run = std::function<Status(const std::string& text, bool update, std::string& result)>;

  SparqlShell(Context& context, store::Space& space, std::string base, Run run);
  // Until the end of input; from a pipe as from a terminal. Returns the exit code.
  int run();

 private:
  int run_edited();
  int run_read();
  // Takes a line in; false: the end.
  bool take(const std::string& line, std::string& pending);
  void command(std::string_view line);
  void execute(const std::string& text);
  void show_fault(Error error, std::string_view text);
  bool declare(const std::string& text);
  std::string prologue() const;
  LineEditor::Completions completions(std::string_view line) const;
  std::vector<std::string> predicate_iris() const;

  Context& context_;
  store::Space& space_;
  const std::string base_;
  std::string declared_base_;  // by BASE; empty: none
  Run run_;
  ShellOutput output_;
  std::map<std::string, std::string> prefixes_;  // "ex:" to "<...>"
};

}  // namespace anima::cli
