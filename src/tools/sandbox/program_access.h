// A program of the owner's choice that is a tool or serves tools, and what it may reach: the
// folders and the network that he named, and the variables of ours that he named. It runs in the
// sandbox (sandbox.h) in full containment. Thread-safety: plain values, functions over the file
// system.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "base/json/json.h"
#include "base/result.h"
#include "tools/sandbox/sandbox.h"

namespace anima::tools {

struct FolderAccess {
  std::string path;  // absolute
  bool write = false;
  // "DIR", "DIR:rw" or "DIR:ro"; a path that is not absolute begins in `from`. Errors:
  // kInvalidArgument.
  static Result<FolderAccess> parse(std::string_view text, std::string_view from);
  std::string text() const;  // "/a" or "/a:rw"
};

struct ProgramAccess {
  std::vector<std::string> command;      // the program first, an absolute path
  std::vector<FolderAccess> folders;     // beside what the system's programs need
  std::vector<std::string> environment;  // names of variables; their values are kept nowhere
  bool network = false;
  // SHA-256 of the program, in hexadecimal digits, which then runs alone (sealed_program.h): it
  // sees `folders` and nothing of a system. Empty: as all others.
  std::string sealed = {};

  Json to_json() const;
  // Errors: kCorrupt, with the member.
  static Result<ProgramAccess> from_json(const Json& json);
};

// The program as it is found on $PATH. Errors: kNotFound.
Result<std::string> find_program(const std::string& name, const Environment& environment,
                                 std::string_view from);

// What runs it. The space is never shown to it: check_folders() of external.h says so before.
// Errors: kNotFound (a variable that is not set).
Result<SandboxRequest> sandbox_request(const ProgramAccess& program, const Environment& environment,
                                       bool best_effort);

// That no folder is, holds or lies in the space, beside its work folder. Errors: kInvalidArgument.
Status check_program_folders(const ProgramAccess& program, const std::string& space_folder,
                             const std::string& work_folder,
                             const std::vector<std::string>& rule_folders);

// What to do when a program does not start: arguments that are there and are not shown to it.
std::string hidden_arguments_hint(const ProgramAccess& program);

}  // namespace anima::tools
