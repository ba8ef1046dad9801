#include "tools/external.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/text/text.h"
#include "tools/detail/arguments.h"
#include "tools/sandbox/sandbox.h"

namespace anima::tools {
namespace {

using govern::Tier;

constexpr std::string_view kShell = "shell:execute";

ShellOptions shell_options(const ExternalOptions& options) {
  return {.work_folder = options.work_folder,
          .state_folder =
              options.state_folder.empty() ? options.work_folder + ".staged" : options.state_folder,
          .readable = options.readable,
          .best_effort = options.best_effort,
          .staging = {}};
}

// A command of the shell runs as the tools' user and shall be able to write here. So the folder
// comes to its place as that user's: one that was made there first would stay root's when the
// process is killed in between.
Status make_work_folder(const std::string& path) {
  if (sandbox_user() == geteuid()) return system_files().make_directories(path, 0755);
  const std::string made = path.substr(0, path.find_last_not_of('/') + 1) + ".new";
  ANIMA_TRY(system_files().make_directories(made, 0755));
  if (chown(made.c_str(), sandbox_user(), static_cast<gid_t>(-1)) == 0) {
    if (renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) return {};
    // Not every file system has that; rename() never replaces a folder that holds something.
    if (errno == EINVAL && std::rename(made.c_str(), path.c_str()) == 0) return {};
  }
  const int problem = errno;
  // Another process brought it there meanwhile, perhaps under the name that this one had made.
  (void)rmdir(made.c_str());
  if (file_exists(system_files(), path)) return {};
  return fail(os_error(problem, "cannot give the work folder to the tools' user", path));
}

ExternalTool make(std::string name, std::string description, Danger danger, Tier tier,
                  std::vector<ToolParameter> parameters, std::vector<std::string> capabilities) {
  ExternalTool tool;
  tool.info.name = std::move(name);
  tool.info.description = std::move(description);
  tool.info.danger = danger;
  tool.info.parameters = std::move(parameters);
  tool.info.capabilities = std::move(capabilities);
  tool.tier = tier;
  return tool;
}

std::vector<ExternalTool> make_table() {
  const std::string time = "2026-03-01, 2026-03-01T09:30 (local) or 2026-03-01T09:30:00Z";
  return {
      make("calendar:create", "adds an event to the calendar file", Danger::kCautious,
           Tier::kWriteSafe,
           {{"title", true, "what it is"},
            {"start", true, time},
            {"end", false, "the same form"},
            {"location", false, "where"},
            {"description", false, "more about it"}},
           {"calendar:write"}),
      make("calendar:delete", "removes an event from the calendar file", Danger::kDangerous,
           Tier::kWriteDestructive, {{"uid", true, "of the event, as calendar:query tells it"}},
           {"calendar:write"}),
      make("calendar:query", "events of the calendar file, by start", Danger::kSafe,
           Tier::kReadOnly,
           {{"from", false, "the first day or time; " + time},
            {"to", false, "before this day or time"},
            {"text", false, "words of the title, place or description"}},
           {"calendar:read"}),
      make("file:delete", "removes a file of the work folder", Danger::kDangerous,
           Tier::kWriteDestructive, {{"path", true, "beneath the work folder"}}, {"file:write"}),
      make("file:list", "what a folder holds", Danger::kSafe, Tier::kReadOnly,
           {{"path", false, "a folder (the work folder)"}}, {"file:read"}),
      make("file:read", "the beginning of a text file", Danger::kDangerous, Tier::kReadOnly,
           {{"path", true, "beneath the work folder or a readable folder"},
            {"max_bytes", false, "how much of it (4096, at most 1048576)"}},
           {"file:read"}),
      make("file:write", "writes a file of the work folder", Danger::kDangerous, Tier::kWriteSafe,
           {{"path", true, "beneath the work folder"}, {"content", true, "the whole text"}},
           {"file:write"}),
      make("http:fetch", "gets a page of the public web", Danger::kCautious, Tier::kWriteSafe,
           {{"url", true, "http or https"}, {"timeout", false, "seconds (10, at most 120)"}},
           {"network"}),
      make("notion:create", "writes a page of notes", Danger::kCautious, Tier::kWriteSafe,
           {{"title", true, "of the page"}, {"text", false, "its text, a block a line"}},
           {"notes:write"}),
      make("notion:read", "pages of notes; with an id or a title their text too", Danger::kSafe,
           Tier::kReadOnly,
           {{"id", false, "of one page"},
            {"title", false, "in any case"},
            {"text", false, "words that the title or text holds"}},
           {"notes:read"}),
      make("shell:execute", "runs a command with /bin/sh in the work folder", Danger::kCritical,
           Tier::kWriteDestructive,
           {{"command", true, "a shell command line"},
            {"timeout", false, "seconds (30, at most 600)"}},
           {"process"}),
      make("sms:send", "puts a message into the outbox of the work folder", Danger::kCautious,
           Tier::kWriteSafe,
           {{"to", true, "one recipient, several with commas or lines between, or a list"},
            {"text", true, "what is sent"}},
           {"message:send"}),
  };
}

std::filesystem::path real_place(const std::string& folder) {
  std::error_code problem;
  const auto place = std::filesystem::weakly_canonical(folder, problem);
  return problem ? std::filesystem::path(folder) : place;
}

bool holds_path(const std::filesystem::path& outer, const std::filesystem::path& inner) {
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace

Status check_folders(const ExternalOptions& options, const std::string& space_folder,
                     const std::vector<std::string>& rule_folders) {
  const auto place_of_work = real_place(options.work_folder);
  for (const std::string& each : rule_folders) {
    const auto rules = real_place(each);
    if (options.work_folder.empty() ||
        (!holds_path(place_of_work, rules) && !holds_path(rules, place_of_work)))
      continue;
    return fail(ErrorCode::kInvalidArgument,
                "the work folder and a folder of the owner's rules hold one another (" + each +
                    "): tools would write the rules that they are judged by",
                options.work_folder, "name a folder beside it");
  }
  if (space_folder.empty()) return {};
  const auto space = real_place(space_folder), work = place_of_work;
  if (!options.work_folder.empty() && holds_path(work, space)) {
    return fail(ErrorCode::kInvalidArgument,
                "the work folder holds the space: tools would reach its log and its policy",
                options.work_folder, "name a folder inside or beside the space");
  }
  for (const std::string& each : options.readable) {
    const auto readable = real_place(each);
    if (!holds_path(readable, space) &&
        (!holds_path(space, readable) || holds_path(work, readable)))
      continue;
    return fail(ErrorCode::kInvalidArgument,
                "a folder that tools may read shows them the space: its keys, its log, its policy",
                each, "name the folders beside the space that they need");
  }
  return {};
}

std::span<const ExternalTool> external_tools() {
  static const std::vector<ExternalTool> table = make_table();
  return table;
}

const ExternalTool* find_external_tool(std::string_view name) {
  for (const ExternalTool& tool : external_tools()) {
    if (tool.info.name == name) return &tool;
  }
  return nullptr;
}

void add_external_policies(govern::PermissionTable& table) {
  for (const ExternalTool& tool : external_tools()) {
    if (table.find(tool.info.name) != nullptr) continue;
    // The calls' own limits end before these.
    table.set({.tool = tool.info.name, .tier = tool.tier, .agents = {"*"}});
  }
}

ExternalTools::ExternalTools(Clock& clock, Random& random, ExternalOptions options)
    : clock_(clock),
      random_(random),
      options_(std::move(options)),
      shell_(clock, random, shell_options(options_)) {
  // What a crash left half applied is whole before anybody looks whether it was done. Where this
  // fails, whoever uses the folder is told.
  (void)shell_.staging().recover();
}

govern::Rehearser* ExternalTools::rehearser(std::string_view tool) {
  return tool == kShell ? this : nullptr;
}

Result<govern::Rehearsal> ExternalTools::rehearse(const std::stop_token& stop,
                                                  std::string_view tool, const Json& arguments,
                                                  std::int64_t timeout) {
  ANIMA_TRY(work().map([](const RootedFolder&) {}));
  return shell_.rehearse(stop, tool, arguments, timeout);
}

Result<Json> ExternalTools::conclude(const std::stop_token& stop, std::string_view tool,
                                     const Json& arguments, const govern::Rehearsal& rehearsal,
                                     std::int64_t timeout) {
  ANIMA_TRY(work().map([](const RootedFolder&) {}));
  return shell_.conclude(stop, tool, arguments, rehearsal, timeout);
}

void ExternalTools::forget(std::string_view tool, const govern::Rehearsal& rehearsal) {
  shell_.forget(tool, rehearsal);
}

bool ExternalTools::has(std::string_view tool) const { return find_external_tool(tool) != nullptr; }

Result<Json> ExternalTools::run_until(const std::stop_token& stop, std::string_view tool,
                                      const Json& arguments, std::int64_t timeout_milliseconds) {
  if (!arguments.is_object()) {
    return fail(ErrorCode::kInvalidArgument, "the arguments of a call are one JSON object");
  }
  if (tool == "file:read") return file_read(arguments);
  if (tool == "file:list") return file_list(arguments);
  if (tool == "file:write") return file_write(arguments);
  if (tool == "file:delete") return file_delete(arguments);
  if (tool == "calendar:query") return calendar_query(arguments);
  if (tool == "calendar:create") return calendar_create(arguments);
  if (tool == "calendar:delete") return calendar_delete(arguments);
  if (tool == "notion:read") return notion_read(arguments);
  if (tool == "notion:create") return notion_create(arguments);
  if (tool == "sms:send") return sms_send(arguments);
  if (tool == kShell) {  // for who judges nothing: at once
    ANIMA_ASSIGN(const govern::Rehearsal rehearsal,
                 rehearse(stop, tool, arguments, timeout_milliseconds));
    return conclude(stop, tool, arguments, rehearsal, timeout_milliseconds);
  }
  if (tool == "http:fetch") return http_fetch(stop, arguments, timeout_milliseconds);
  std::vector<std::string> names;
  for (const ExternalTool& each : external_tools()) names.push_back(each.info.name);
  return fail(ErrorCode::kNotFound, "there is no tool \"" + std::string(tool) + "\"", {},
              did_you_mean(nearest_names(tool, names)));
}

Result<RootedFolder> ExternalTools::work() const {
  const std::string& path = options_.work_folder;
  if (!file_exists(system_files(), path)) ANIMA_TRY(make_work_folder(path));
  ANIMA_TRY(shell_.staging().recover());
  return RootedFolder::open(path);
}

// The folder that an absolute path lies in; the work folder for a relative one.
Result<RootedFolder> ExternalTools::root_of(std::string_view path) const {
  ANIMA_ASSIGN(RootedFolder folder, work());
  if (folder.covers(path)) return folder;
  for (const std::string& each : options_.readable) {
    ANIMA_ASSIGN(RootedFolder readable, RootedFolder::open(each));
    if (readable.covers(path)) return readable;
  }
  return fail(
      ErrorCode::kDenied, "the path leads out of the folders that tools may read",
      std::string(path),
      "they are: " + options_.work_folder +
          (options_.readable.empty() ? std::string() : ", " + join(options_.readable, ", ")));
}

}  // namespace anima::tools
