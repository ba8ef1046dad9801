// A command line run by the shell as a person would, and what came of it.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

#include "base/files/file.h"
#include "base/json/json.h"

namespace anima::test {

struct Ran {
  int code = -1;    // of the exit; -1 when a signal ended it or it did not start
  std::string out;  // standard output
  Json json() const {
    const auto parsed = parse_json(out);
    EXPECT_TRUE(parsed.has_value()) << out;
    return parsed ? *parsed : Json();
  }
};

inline Ran run_command(const std::string& command) {
  Ran ran;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 65536> buffer;
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    ran.out.append(buffer.data(), got);
  }
  const int status = ::pclose(pipe);
  if (status >= 0 && WIFEXITED(status)) ran.code = WEXITSTATUS(status);
  return ran;
}

// The program on the space below `folder`; `arguments` and `streams` as the shell reads them.
inline Ran run_anima(const TemporaryDirectory& folder, const std::string& arguments,
                     const std::string& streams = "2>/dev/null </dev/null") {
  return run_command("ANIMA_SPACE=" + folder.file("space") + " " + ANIMA_BINARY_DIR + "/anima " +
                     arguments + " " + streams);
}

// Makes the space below `folder`: no other verb does.
inline void init_space(const TemporaryDirectory& folder) {
  ASSERT_EQ(run_anima(folder, "init").code, 0);
}

}  // namespace anima::test
