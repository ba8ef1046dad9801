// The book of tools that are not Anima's own: MCP servers and manifests that the owner added.
//
// Each is a concept of the graph urn:anima:tools, where the languages that clients speak cannot
// write; adding, accepting, stopping and removing are entries of the log that name who did it, and
// `anima undo` takes them back. What a server had listed when it was added is kept whole: its tools
// are known without starting it, and a change of them is seen. Thread-safety: functions over a
// space, from any thread. Errors: those of the space; kCorrupt (an entry that this program does not
// understand). Complexity: O(entries of the book).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "govern/rules/tool_declaration.h"
#include "store/space.h"
#include "tools/mcp/server_tool.h"
#include "tools/sandbox/program_access.h"

namespace anima::tools {

inline constexpr std::string_view kToolGraph = "urn:anima:tools";

struct ToolServer {
  // A tool of the server, and what it is for this house: the owner's word about what it does.
  struct Known {
    ServerTool offered;
    govern::ToolDeclaration declaration;
  };

  std::string name;
  ProgramAccess program;  // without a command: reached by its address
  std::string url;
  std::string key_env;  // the variable that holds the key for the address; empty: none
  govern::Trust trust = govern::Trust::kUntrusted;  // of what its tools give
  std::vector<Known> tools;                         // sorted by the server's names
  std::string hash;                                 // of what it offered (hash_of_tools)
  std::string stopped;                              // why its tools do not run; empty: they do

  std::vector<ServerTool> offered() const;
  Json to_json() const;
  static Result<ToolServer> from_json(const Json& json);
};

// A tool that is a program: arguments as JSON on its standard input, the result as JSON on its
// standard output.
struct CommandTool {
  govern::ToolDeclaration declaration;
  ProgramAccess program;
};

struct ToolManifest {
  std::string name;
  std::vector<CommandTool> tools;  // sorted by name
  Json to_json() const;
  static Result<ToolManifest> from_json(const Json& json);
};

struct ToolBook {
  std::vector<ToolServer> servers;      // sorted by name
  std::vector<ToolManifest> manifests;  // sorted by name
};

Result<ToolBook> read_tool_book(const store::Snapshot& snapshot);
// Nothing when there is none.
Result<std::optional<ToolServer>> find_tool_server(const store::Snapshot& snapshot,
                                                   std::string_view name);
// Adds it or takes the place of the one of that name.
Status put_tool_server(store::Space& space, const store::Origin& origin, const ToolServer& server);
Status put_tool_manifest(store::Space& space, const store::Origin& origin,
                         const ToolManifest& manifest);
// Errors: kNotFound too.
Status remove_tool_server(store::Space& space, const store::Origin& origin, std::string_view name);
Status remove_tool_manifest(store::Space& space, const store::Origin& origin,
                            std::string_view name);

// Names of servers and manifests: 1 to 32 lower-case letters, digits, - and _. Errors:
// kInvalidArgument.
Status check_source_name(std::string_view name);
// What the house calls a server's tool: "files:read_file"; other characters than a name may have
// stand as "_".
std::string house_name_of(std::string_view server, std::string_view tool);

}  // namespace anima::tools
