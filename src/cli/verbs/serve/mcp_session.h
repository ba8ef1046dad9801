// The guarded session of an MCP client: of `anima mcp --guard`, --act and --front. Thread-safety:
// belongs to one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/conversation/guard_session.h"
#include "cli/frame/context.h"

namespace anima::cli {

struct SessionOptions {
  std::string name = "mcp";
  std::optional<std::string> message = {};  // the owner's words that it acts for
};

// Goes on with the session of that name, or begins it. `caller`: of calls for no message. `door`:
// how the origin of what it writes is named. Errors: those of the space; kDenied for a message that
// is not let in.
Result<std::unique_ptr<agent::GuardSession>> open_session(Context& context,
                                                          agent::GovernedHouse& house,
                                                          const SessionOptions& options,
                                                          govern::Trust caller,
                                                          std::string_view door);

}  // namespace anima::cli
