// What `anima mcp` asks its client.
#include "cli/verbs/serve/mcp_lines.h"

#include <gtest/gtest.h>

#include <chrono>

#include "base/files/file.h"
#include "support/cli_run.h"

namespace anima::cli::mcp_lines_test {
namespace {

TEST(McpLines, AQuestionThatNobodyAnswersEnds) {
  test::StringStream out, err;
  Context context(out, err, system_files(), {{"HOME", "/nonexistent"}});
  McpLines lines(context, std::chrono::milliseconds(30));
  EXPECT_FALSE(lines.ask("elicitation/create", Json::object({{"message", "May it?"}})));
  EXPECT_NE(out.text().find("elicitation/create"), std::string::npos);
}

}  // namespace
}  // namespace anima::cli::mcp_lines_test
