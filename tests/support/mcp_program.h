// The scripted MCP server of mcp_server.py as a program of the sandbox. It is given to Python as a
// text, so that the sandbox need not see the sources.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files/file.h"
#include "tools/sandbox/program_access.h"

namespace anima::test {

inline tools::ProgramAccess mcp_program(const std::string& mode, const std::string& folder = {}) {
  const auto script =
      read_file(system_files(), ANIMA_SOURCE_DIR "/tests/support/mcp_server.py", 1 << 20);
  EXPECT_TRUE(script.has_value());
  tools::ProgramAccess program;
  program.command = {"/usr/bin/python3", "-I", "-c", script.value_or(""), mode};
  if (!folder.empty()) {
    program.command.push_back(folder);
    program.folders = {{folder, true}};
  }
  return program;
}

}  // namespace anima::test
