// anima mcp --front: another MCP server behind the judgement of this house. Thread-safety: belongs
// to one thread.
#pragma once

#include <string>
#include <vector>

#include "cli/frame/context.h"
#include "cli/verbs/serve/mcp_session.h"
#include "govern/trust.h"

namespace anima::cli {

struct FrontOptions {
  govern::Trust trust = govern::Trust::kStandard;  // of calls for no message
  bool questions = true;                           // the person at the client may be asked
  SessionOptions session = {};
};

// `words`: the name of a server that was added, or a command. Gives the exit code.
int run_mcp_front(Context& context, const std::vector<std::string>& words,
                  const FrontOptions& options);

}  // namespace anima::cli
