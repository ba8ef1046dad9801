// Tools that another program runs and Anima only judges, from files of declarations: JSON (a list,
// or
// {"tools": [..]}) or TOML ([[tool]]). Thread-safety: one thread. Errors: those of the files, with
// file, tool and member.
#pragma once

#include <string>
#include <vector>

#include "agent/house/own_tools.h"
#include "cli/frame/context.h"

namespace anima::cli {

Result<std::vector<agent::OwnTool>> foreign_tools(Context& context,
                                                  const std::vector<std::string>& files);

}  // namespace anima::cli
