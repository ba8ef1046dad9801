// ToolsOfOthers: the tools of the book (tool_book.h) as a ToolRunner, before the tools of another
// runner: those of MCP servers, and commands of manifests.
//
// A server is started, or reached, at the first call of one of its tools, is kept for the next ones
// and ends with this object. Whenever it is started, and whenever it says that its tools have
// changed, they are compared with what the owner accepted; a difference stops the server in the
// book (an alarm in the audit, and every process sees it) until the owner accepts it. Results are
// {"text", "structured"?, "others"?}; a tool of a manifest gives what its program printed: JSON as
// it is, else {"text"}. How far they are trusted say the declarations, nothing in a result.
// Thread-safety: from any thread; calls of one runner wait for each other. Ownership: space, audit,
// clock and the other runner outlive it. Errors of a call: kDenied (stopped, or stops now),
// kNotFound (removed, a variable that is not set), kInvalidArgument, kNoSandbox, kTimeout,
// kCancelled, kIo, kCorrupt (a result that breaks its schema), kLimitExceeded.
// Source: MCP 2025-11-25, server/tools; issue "any model", 4.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/config.h"
#include "govern/decide/executor.h"
#include "govern/ledger/audit_chain.h"
#include "tools/mcp/tool_book.h"
#include "tools/tool.h"

namespace anima::tools {

struct OthersOptions {
  Environment environment = {};  // of which servers get the variables that were named for them
  bool best_effort = false;      // see SandboxRequest
};

class ToolsOfOthers final : public govern::ToolRunner {
 public:
  ToolsOfOthers(store::Space& space, govern::AuditLog& audit, Clock& clock, OthersOptions options,
                govern::ToolRunner& others);
  ~ToolsOfOthers() override;

  // Reads the book. `taken`: rows of tools that there are; a tool of the same name is left out.
  Status load(const govern::PermissionTable& taken);
  // Adds the rows of what was loaded.
  void add_policies(govern::PermissionTable& table) const;
  // What was loaded, sorted by name.
  const std::vector<govern::ToolDeclaration>& declarations() const { return declarations_; }
  const govern::ToolDeclaration* declaration(std::string_view tool) const;
  // Whether it is one that Anima made for itself (sealed_program.h).
  bool is_sealed(std::string_view tool) const;
  // Why the tool does not run though it is there: its server is stopped; else empty.
  std::string stopped(std::string_view tool) const;

  bool has(std::string_view tool) const override;
  govern::Rehearser* rehearser(std::string_view tool) override {
    return places_.contains(tool) ? nullptr : others_.rehearser(tool);
  }
  Result<Json> run(std::string_view tool, const Json& arguments,
                   std::int64_t timeout_milliseconds) override {
    return run_until({}, tool, arguments, timeout_milliseconds);
  }
  Result<Json> run_until(const std::stop_token& stop, std::string_view tool, const Json& arguments,
                         std::int64_t timeout_milliseconds) override;

 private:
  struct Connection;
  struct Place {  // of a tool: one of a server, or a command
    std::string server;
    std::string name_there;
    const CommandTool* command = nullptr;
  };
  Result<Json> run_command(const CommandTool& tool, const Json& arguments, std::int64_t timeout,
                           const std::stop_token& stop);
  Result<Json> run_there(const Place& place, const Json& arguments, std::int64_t timeout,
                         const std::stop_token& stop);
  Result<Connection*> connection(const ToolServer& server, const std::stop_token& stop);
  Status compare(const ToolServer& server, Connection& connection, const std::stop_token& stop);
  Error alarm(const ToolServer& server, const std::vector<ServerTool>& now);

  store::Space& space_;
  govern::AuditLog& audit_;
  Clock& clock_;
  OthersOptions options_;
  govern::ToolRunner& others_;
  ToolBook book_;
  std::vector<govern::ToolDeclaration> declarations_;
  std::map<std::string, Place, std::less<>> places_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Connection>, std::less<>> connections_;
};

// A declaration as the other lists of tools have them.
ToolInfo info_of(const govern::ToolDeclaration& declaration);

// What a server lists now, for who adds or checks it: starts it, asks, ends it.
struct ServerLook {
  std::string name, version, protocol;  // what it says of itself
  std::vector<ServerTool> tools;        // sorted by name
};
Result<ServerLook> look_at_server(const ToolServer& server, Clock& clock,
                                  const OthersOptions& options, const std::stop_token& stop);

}  // namespace anima::tools
