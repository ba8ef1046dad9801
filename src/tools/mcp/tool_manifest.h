// tools.toml: a person's own tools, declared as data.
//
//   name = "mail"
//   [[tool]]
//   name = "mail:send"
//   description = "Sends a mail."
//   command = ["./send.py"]          # beside this file, or on $PATH
//   effects = ["sends"]
//   network = true
//   env = ["MAIL_KEY"]
//   folders = ["spool:rw"]
//   roles = { to = "recipient", body = "carried" }
//   [tool.arguments]                 # a JSON schema
//   type = "object"
//   required = ["to", "body"]
//   properties = { to = { type = "string" }, body = { type = "string" } }
//
// What else a tool may declare is that of govern/rules/tool_declaration.h. The same tables without
// `command` say what the tools of an MCP server do: their names are then the server's.
// Errors: kSyntax and kInvalidArgument at "file:line:column". Thread-safety: pure functions, but
// for looking programs up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "base/result.h"
#include "tools/mcp/tool_book.h"

namespace anima::tools {

// `path` is where the text was read: what it names begins in that folder. Errors: kNotFound (no
// such program) too.
Result<ToolManifest> read_tool_manifest(std::string_view text, const std::string& path,
                                        const Environment& environment);

// One table of a file that tells of a server's tools: the members of a declaration, as JSON,
// without the name; nothing of it is checked but for what may stand there.
struct ToolWord {
  std::string name;   // the server's, or a pattern that ends in *
  Json members;       // of a declaration
  std::string where;  // in the file
};
Result<std::vector<ToolWord>> read_tool_words(std::string_view text, const std::string& path);

}  // namespace anima::tools
