#include "tools/sandbox/program_access.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/files/file.h"
#include "base/json/text_array.h"
#include "base/text/text.h"
#include "tools/external.h"

namespace anima::tools {
namespace {

constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::string_view kShownAnyway[] = {"/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/"};

bool lies_in(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) &&
         (path.size() == folder.size() || folder == "/" || path[folder.size()] == '/');
}

std::string plain_path(const std::string& path) {
  std::string plain = std::filesystem::path(path).lexically_normal().string();
  while (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  return plain;
}

bool is_shown(const ProgramAccess& program, const std::string& path) {
  return std::ranges::any_of(kShownAnyway,
                             [&](std::string_view each) { return path.starts_with(each); }) ||
         std::ranges::any_of(program.folders,
                             [&](const FolderAccess& each) { return lies_in(path, each.path); });
}

Result<std::vector<std::string>> texts_of(const Json& json, std::string_view name) {
  std::vector<std::string> texts;
  const Json* list = json.find(name);
  if (list == nullptr) return texts;
  for (const Json& each : list->as_array()) {
    if (!each.is_string()) {
      return fail(ErrorCode::kCorrupt, "\"" + std::string(name) + "\" must be a list of texts",
                  std::string(name));
    }
    texts.push_back(each.as_string());
  }
  if (!list->is_array()) {
    return fail(ErrorCode::kCorrupt, "\"" + std::string(name) + "\" must be a list of texts",
                std::string(name));
  }
  return texts;
}

// As root, programs run as nobody, to whom the mode of a folder may say no.
Status check_writable(const std::string& folder) {
  struct stat info = {};
  if (geteuid() != 0 || stat(folder.c_str(), &info) != 0) return {};
  const uid_t user = sandbox_user();
  const mode_t wanted = info.st_uid == user   ? S_IWUSR | S_IXUSR
                        : info.st_gid == user ? S_IWGRP | S_IXGRP
                                              : S_IWOTH | S_IXOTH;
  if ((info.st_mode & wanted) == wanted) return {};
  // What an access list gives is for the kernel to say.
  if (getxattr(folder.c_str(), "system.posix_acl_access", nullptr, 0) > 0) return {};
  return fail(ErrorCode::kDenied,
              "as root, programs run as the user nobody, who may not write this folder", folder,
              "`chown nobody " + folder + "`, or start anima as the user whom it belongs to");
}

}  // namespace

Result<FolderAccess> FolderAccess::parse(std::string_view text, std::string_view from) {
  FolderAccess access;
  if (text.ends_with(":rw") || text.ends_with(":ro")) {
    access.write = text.ends_with(":rw");
    text.remove_suffix(3);
  }
  if (text.empty()) {
    return fail(ErrorCode::kInvalidArgument, "a folder is DIR or DIR:rw", {},
                "for example /home/me/notes:rw");
  }
  access.path = plain_path(join_path(from, text));
  if (access.path == "/" || access.path.starts_with("/proc"))
    return fail(ErrorCode::kInvalidArgument, "this is too much to show", access.path,
                "name the folders that are needed");
  return access;
}

std::string FolderAccess::text() const { return write ? path + ":rw" : path; }

Json ProgramAccess::to_json() const {
  Json shown = Json::array();
  for (const FolderAccess& each : folders) shown.push_back(each.text());
  Json json = Json::object({{"command", text_array(command)},
                            {"folders", std::move(shown)},
                            {"env", text_array(environment)},
                            {"network", network}});
  if (!sealed.empty()) json.set("sealed", sealed);
  return json;
}

Result<ProgramAccess> ProgramAccess::from_json(const Json& json) {
  ProgramAccess program;
  ANIMA_ASSIGN(program.command, texts_of(json, "command"));
  ANIMA_ASSIGN(const std::vector<std::string> folders, texts_of(json, "folders"));
  for (const std::string& each : folders) {
    ANIMA_ASSIGN(FolderAccess folder, FolderAccess::parse(each, "/"));
    program.folders.push_back(std::move(folder));
  }
  ANIMA_ASSIGN(program.environment, texts_of(json, "env"));
  const Json* network = json.find("network");
  if (network != nullptr && !network->is_bool())
    return fail(ErrorCode::kCorrupt, "\"network\" must be true or false", "network");
  program.network = network != nullptr && network->as_bool();
  const Json* sealed = json.find("sealed");
  if (sealed != nullptr && (!sealed->is_string() || sealed->as_string().size() != 64))
    return fail(ErrorCode::kCorrupt, "\"sealed\" must be a SHA-256", "sealed");
  if (sealed != nullptr) program.sealed = sealed->as_string();
  return program;
}

Result<std::string> find_program(const std::string& name, const Environment& environment,
                                 std::string_view from) {
  std::vector<std::string> tried;
  if (name.find('/') != std::string::npos) {
    tried.push_back(plain_path(join_path(from, name)));
  } else {
    const auto path = environment.find("PATH");
    for (const std::string_view folder :
         split(path == environment.end() ? "/usr/local/bin:/usr/bin:/bin"
                                         : std::string_view(path->second),
               ':')) {
      if (folder.starts_with('/')) tried.push_back(join_path(folder, name));
    }
  }
  for (const std::string& each : tried) {
    const auto info = system_files().info(each);
    if (info && info->kind == FileInfo::Kind::kFile && access(each.c_str(), X_OK) == 0) return each;
  }
  return fail(ErrorCode::kNotFound, "there is no such program", name,
              "name it by its path, or install it");
}

Result<SandboxRequest> sandbox_request(const ProgramAccess& program, const Environment& environment,
                                       bool best_effort) {
  SandboxRequest request;
  request.arguments = program.command;
  request.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                         {"HOME", "/tmp"},
                         {"TMPDIR", "/tmp"},
                         {"LANG", "C.UTF-8"}};
  for (const std::string& name : program.environment) {
    const auto value = environment.find(name);
    if (value == environment.end()) {
      return fail(ErrorCode::kNotFound, "the variable that this program needs is not set", name,
                  "export " + name + "=.. before");
    }
    request.environment[name] = value->second;
  }
  for (const FolderAccess& each : program.folders) {
    if (each.write) ANIMA_TRY(check_writable(each.path));
    (each.write ? request.writable : request.readable).push_back(each.path);
    if (each.write && request.working_directory == "/tmp") request.working_directory = each.path;
  }
  if (!program.command.empty() && !is_shown(program, program.command[0]))
    request.readable.push_back(program.command[0]);
  request.network = program.network;
  request.demand = Containment::kFull;
  request.best_effort = best_effort;
  // Interpreters reserve far more than they use; what they use is bounded together.
  request.limits.memory_bytes = kUnlimited;
  request.limits.tree_bytes = 1024 * kMiB;
  request.limits.file_bytes = 64 * kMiB;
  request.limits.temporary_bytes = 256 * kMiB;
  request.limits.processes = 128;
  request.limits.open_files = 256;
  return request;
}

Status check_program_folders(const ProgramAccess& program, const std::string& space_folder,
                             const std::string& work_folder,
                             const std::vector<std::string>& rule_folders) {
  for (const FolderAccess& each : program.folders) {
    ExternalOptions shown;
    shown.work_folder = work_folder;
    shown.readable = {each.path};
    ANIMA_TRY(check_folders(shown, space_folder, {}));
    if (!each.write) continue;
    shown.readable.clear();
    shown.work_folder = each.path;
    if (lies_in(each.path, work_folder)) continue;  // what tools may write anyway
    ANIMA_TRY(check_folders(shown, space_folder, rule_folders));
  }
  return {};
}

std::string hidden_arguments_hint(const ProgramAccess& program) {
  std::vector<std::string> hidden;
  for (std::size_t i = 1; i < program.command.size(); ++i) {
    const std::string& argument = program.command[i];
    if (!argument.starts_with('/') || is_shown(program, argument)) continue;
    if (system_files().info(argument)) hidden.push_back(argument);
  }
  if (hidden.empty()) return {};
  return "it does not see " + join(hidden, ", ") + ": name the folders with --folder";
}

}  // namespace anima::tools
