// The tools that Anima made for itself, as tools of the agent's table. Each takes the words of the
// goal: the text that it works on is the file that they name, else what stands in quotes or behind
// a colon, and all other words are its arguments. Reading the file and running the tool are calls
// of the executor like any other. Thread-safety: as `act`. Ownership: `others` outlives the table.
#pragma once

#include "tools/external.h"
#include "tools/mcp/tools_of_others.h"

namespace anima::tools {

// What ToolInfo::capabilities of a made tool holds.
inline constexpr std::string_view kMade = "made";

void add_made_tools(ToolTable& table, const ToolsOfOthers& others, Act act, Actor actor);

}  // namespace anima::tools
