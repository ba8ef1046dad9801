// The tools that reach outside the graph: files, a calendar, pages of notes, a shell, web pages.
//
// ExternalTools is the ToolRunner that the executor (govern/decide/executor.h) calls after its
// judgement; nothing here judges who may call. Names and arguments are those of the permission
// table:
//
//   file:read        {path, max_bytes?}          -> {path, content, bytes, truncated}
//   file:list        {path?}                     -> {path, entries:[{name, kind}]}
//   file:write       {path, content}             -> {path, bytes}
//   file:delete      {path}                      -> {path}
//   calendar:query   {from?, to?, text?}         -> {events:[{uid, title, start, end, ..}]}
//   calendar:create  {title, start, end?, location?, description?}  -> the event
//   calendar:delete  {uid}                       -> {uid}
//   notion:read      {id?, title?, text?}        -> {pages:[{id, title, edited, text?}]}
//   notion:create    {title, text?}              -> {id, title}
//   sms:send         {to, text}                  -> {id, to:[..], path}
//   shell:execute    {command, timeout?}         -> {exit_code, stdout, stderr, truncated,
//   changes?,
//                                                   ..}; it is rehearsed (shell_runner.h)
//   http:fetch       {url, timeout?}             -> {status, url, content_type, body, ..}
//
// Every result carries "trust":"untrusted": content from outside never becomes a command. Files are
// reached beneath the work folder (read and write, but for .git, since git runs what stands
// there, and the outbox, which sms:send alone fills) and the readable folders (read only); the
// calendar is <work>/calendar.ics, notes are <work>/notion/*.json, messages wait in
// <work>/outbox/*.json for whatever program of the owner's delivers them. Shell and fetch run in
// the sandbox (sandbox.h), with the containment that their danger demands.
//
//   tools::ExternalTools tools(clock, random, {.work_folder = folder});
//   govern::PermissionTable table = govern::PermissionTable::of_the_source();
//   tools::add_external_policies(table);         // rows of the tools that the source does not name
//   govern::Executor executor(std::move(table), tools, audit, line, events, clock, random);
//   tools::add_external_tools(agent.tools(), [&](const govern::CallRequest& call) {
//     return executor.execute(call); }, {.agent = "main", .trust = govern::Trust::kStandard});
//
// Errors of run(): kNotFound (no such tool, file, event), kInvalidArgument (an argument is missing
// or of another kind), kDenied (a path or address that leads out), kNoSandbox, kTimeout, kIo.
// Source: learning_and_psyche 2.10; governance specification 1.7. Thread-safety: run() from any
// thread; two writers of one calendar are serialised within the process. Ownership: clock and
// randomness outlive it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/config.h"
#include "base/files/rooted_folder.h"
#include "base/random.h"
#include "govern/decide/executor.h"
#include "tools/shell_runner.h"
#include "tools/tool.h"

namespace anima::tools {

struct ExternalOptions {
  std::string work_folder;  // absolute; made when missing
  // Where differences of commands wait, absolute, beside the work folder; empty: its name and
  // ".staged".
  std::string state_folder = {};
  std::vector<std::string> readable = {};  // absolute folders
  bool best_effort = false;                // see SandboxRequest
  bool private_addresses = false;          // may http:fetch reach this machine and its network?
  std::string fetcher = {};                // the program anima-fetch; empty: beside this program
  Environment environment = {};            // of which tools of others get what was named for them
};

// The folders of the tools never show them the space: its keys, its log, its policy and settings;
// nor may they write the owner's rules, wherever these lie. Errors: kInvalidArgument when the work
// folder holds the space, holds or lies in a folder of rules, or when a readable folder holds the
// space or lies in it beside the work folder.
Status check_folders(const ExternalOptions& options, const std::string& space_folder,
                     const std::vector<std::string>& rule_folders);

struct ExternalTool {
  ToolInfo info;
  govern::Tier tier = govern::Tier::kReadOnly;
};
// Sorted by name.
std::span<const ExternalTool> external_tools();
const ExternalTool* find_external_tool(std::string_view name);
// Adds the tools above that the table does not have yet, open to every agent.
void add_external_policies(govern::PermissionTable& table);

class ExternalTools final : public govern::ToolRunner, private govern::Rehearser {
 public:
  ExternalTools(Clock& clock, Random& random, ExternalOptions options);
  // What commands of the shell changed, and its undoing.
  const effects::Staging& staging() const { return shell_.staging(); }
  bool has(std::string_view tool) const override;
  govern::Rehearser* rehearser(std::string_view tool) override;
  Result<Json> run(std::string_view tool, const Json& arguments,
                   std::int64_t timeout_milliseconds) override {
    return run_until({}, tool, arguments, timeout_milliseconds);
  }
  Result<Json> run_until(const std::stop_token& stop, std::string_view tool, const Json& arguments,
                         std::int64_t timeout_milliseconds) override;

 private:
  Result<Json> file_read(const Json& arguments);
  Result<Json> file_list(const Json& arguments);
  Result<Json> file_write(const Json& arguments);
  Result<Json> file_delete(const Json& arguments);
  Result<Json> calendar_query(const Json& arguments);
  Result<Json> calendar_create(const Json& arguments);
  Result<Json> calendar_delete(const Json& arguments);
  Result<Json> notion_read(const Json& arguments);
  Result<Json> notion_create(const Json& arguments);
  Result<Json> sms_send(const Json& arguments);
  Result<govern::Rehearsal> rehearse(const std::stop_token& stop, std::string_view tool,
                                     const Json& arguments,
                                     std::int64_t timeout_milliseconds) override;
  Result<Json> conclude(const std::stop_token& stop, std::string_view tool, const Json& arguments,
                        const govern::Rehearsal& rehearsal,
                        std::int64_t timeout_milliseconds) override;
  void forget(std::string_view tool, const govern::Rehearsal& rehearsal) override;
  Result<Json> http_fetch(const std::stop_token& stop, const Json& arguments, std::int64_t timeout);
  Result<RootedFolder> work() const;
  Result<RootedFolder> root_of(std::string_view path) const;

  Clock& clock_;
  Random& random_;
  ExternalOptions options_;
  ShellRunner shell_;
};

// How the result of a tool begins whose call waits for a person.
inline constexpr std::string_view kWaitsForApproval = "waits for approval ";
// The id of the approval that such a result, or the message of such an error, waits for; else
// empty.
std::string_view approval_in(std::string_view result);
// What programs are told in the place of the code of an error that waits.
inline constexpr std::string_view kWaitingCode = "waiting";
// How a tool of the agent's table reaches the executor.
using Act = std::function<govern::Outcome(const govern::CallRequest&)>;
struct Actor {
  std::string agent;
  govern::Trust trust = govern::Trust::kUntrusted;
};
// The tools of 2.10 that leave the process: file_io, http_fetch, shell_exec, and those that learn
// from files: csv_ingest, text_ingest, code_ingest. Each call goes through `act`.
void add_external_tools(ToolTable& table, Act act, Actor actor);

// A program of ours: beside this program, else in ../libexec/anima; empty when it is not there.
std::string find_helper(std::string_view program);
// The one that fetches web pages.
std::string find_fetcher();

}  // namespace anima::tools
