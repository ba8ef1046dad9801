// What a sandboxed process is to find and may do, worked out before it is born: its root, its rules
// of Landlock, its limits, its filter. Errors: kInvalidArgument (a folder that is not absolute),
// those of the file system. Thread-safety: pure functions over the file system.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/sandbox/detail/sandbox_child.h"
#include "tools/sandbox/sandbox.h"

namespace anima::tools::detail {

// Where a bare program (SandboxRequest::bare) finds itself.
inline constexpr std::string_view kBareProgram = "/tool";

struct Folders {
  std::vector<std::string> readable, writable;  // without symbolic links
  std::string private_folder;                   // stands for /tmp; "/tmp" with name spaces
  std::optional<FolderView> view;
};

Result<Folders> resolve_folders(const SandboxRequest& request);
ChildPlan make_plan(const SandboxRequest& request, const SandboxFacts& facts,
                    const Folders& folders);

}  // namespace anima::tools::detail
