// anima mcp --front: another MCP server behind the judgement of this house. Thread-safety: belongs
// to one thread.
#pragma once

#include <string>
#include <vector>

#include "cli/frame/context.h"
#include "govern/trust.h"

namespace anima::cli {

// `words`: the name of a server that was added, or a command. `questions`: the person at the client
// may be asked. Gives the exit code.
int run_mcp_front(Context& context, const std::vector<std::string>& words, govern::Trust trust,
                  bool questions);

}  // namespace anima::cli
