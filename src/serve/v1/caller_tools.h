// What one caller of /v1 works with, as long as his token says the same of him: the tools of the
// memory, of questions and of KIP, in his name. Ownership: the parts outlive it. Thread-safety: the
// memory and the asker with the house's turn; KIP from any thread.
#pragma once

#include <memory>

#include "serve/http/message.h"
#include "serve/mcp_tools/ask_tool.h"
#include "serve/mcp_tools/kip_tool.h"
#include "serve/mcp_tools/mcp_memory.h"
#include "serve/memory_parts.h"

namespace anima::serve::v1 {

struct CallerTools {
  CallerTools(MemoryParts& parts, const http::Caller& caller, bool readonly)
      : memory(*parts.house, *parts.why,
               {.trust = caller.trust,
                .author = caller.name,
                .source = "http",
                .readonly = readonly,
                .subject = caller.name,
                .since = caller.since}),
        asker(*parts.asker, &memory),
        kip(parts.engine,
            {.origin = {.author = caller.name, .source = "http", .trust = caller.trust},
             .readonly = readonly,
             .define_on_use = parts.define_on_use},
            std::make_shared<SystemClock>()),
        of(caller) {}

  McpMemory memory;
  AskTool asker;
  KipTool kip;
  const http::Caller of;
};

}  // namespace anima::serve::v1
