// What the tools of an MCP server are for this house: names and schemas from the server, everything
// else from the owner.
//
// A tool of which the owner says nothing is taken for one that runs something, so that each call
// asks. "reads" said of a server that is reached over the network, or may use it, is WRITE_SAFE:
// the question itself leaves this machine. What a server hints at (annotations) is never used.
// Thread-safety: pure functions. Source: issue "any model", 4.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "govern/detect/guardian.h"
#include "tools/mcp/tool_book.h"
#include "tools/mcp/tool_manifest.h"

namespace anima::tools {

// One word for each name in lists like "read_*,search": the tools of these names have that effect.
std::vector<ToolWord> words_of_lists(const std::vector<std::string>& lists,
                                     std::string_view effect);

// Takes what a server offers for the tools of `server`, sorted by name. What is the same as before
// keeps its declaration unless a word names it. Errors: kInvalidArgument (a word that names no
// tool, with near names; a wrong declaration, with its place), kConflict (two tools that would have
// one name here).
Status take_offered(ToolServer& server, const std::vector<ServerTool>& offered,
                    std::span<const ToolWord> words);

// Descriptions that read like orders: "name: what of it", as the guardian finds them in names,
// descriptions and schemas of somebody untrusted.
std::vector<std::string> suspicious_tools(const std::vector<ServerTool>& offered,
                                          const govern::Guardian& guardian);

}  // namespace anima::tools
