// What the KIP prompt can do beside KIP: commands that begin with a backslash, as in psql.
//
//   \?        these commands           \d        types and predicates
//   \q        leaves                   \d TYPE   a type's attributes, links
//
// and those of shell_output.h.
//
// Thread-safety: belongs to one thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/frame/context.h"
#include "cli/verbs/ask/shell_output.h"
#include "store/space.h"

namespace anima::cli {

class KipShell {
 public:
  // Appends a command's result to the text; false: it failed, and said so.
  using Run = std::function<bool(const std::string& command, std::string& text)>;

  KipShell(Context& context, store::Space& space, Run run);

  // A line that begins with a backslash.
  void command(std::string_view line);
  // A KIP command: its result is shown, or goes to the file of \o.
  void execute(const std::string& text);

 private:
  void describe(std::string_view type);

  Context& context_;
  store::Space& space_;
  Run run_;
  ShellOutput output_;
};

// The types with how many concepts each has, and the predicates with how many links. O(their
// number).
std::string schema_text(const Context& context, const store::Snapshot& snapshot);

// The attributes and links of a type's concepts, with how many have each; of the first 10,000.
// Errors: kNotFound with the names that are near.
Result<std::string> type_text(const Context& context, const store::Snapshot& snapshot,
                              std::string_view type);

}  // namespace anima::cli
