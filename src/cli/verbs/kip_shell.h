// What the KIP prompt can do beside KIP: commands that begin with a backslash, as in psql.
//
//   \?            these commands              \timing   shows how long each command takes
//   \d            types and predicates        \x        a line a cell, or tables again
//   \d TYPE       a type's attributes, links  \o FILE   results go to a file; \o: here again
//   \format FORM  text, csv, tsv, markdown    \q        leaves
//
// Thread-safety: belongs to one thread.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cli/frame/context.h"
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
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void show(const std::string& text);
  void describe(std::string_view type);
  void redirect(const std::string& path);
  void set_form(std::string_view name);

  Context& context_;
  store::Space& space_;
  Run run_;
  bool timing_ = false;
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

// The types with how many concepts each has, and the predicates with how many links. O(their
// number).
std::string schema_text(const Context& context, const store::Snapshot& snapshot);

// The attributes and links of a type's concepts, with how many have each; of the first 10,000.
// Errors: kNotFound with the names that are near.
Result<std::string> type_text(const Context& context, const store::Snapshot& snapshot,
                              std::string_view type);

}  // namespace anima::cli
