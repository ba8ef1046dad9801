// What the tests of the judge of shell commands share: lists of lines and what is to become of
// them.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <span>

#include "govern/shell_judge.h"

namespace anima::govern {

// Each runs without a confirmation.
inline void expect_harmless(std::span<const char* const> lines) {
  for (const char* line : lines) {
    const auto judged = judge_shell(line);
    ASSERT_TRUE(judged) << line << ": " << judged.error().describe();
    EXPECT_TRUE(judged->harmless()) << line << "\n" << judged->to_json().dump();
  }
}

// Each is held, or not understood.
inline void expect_held(std::span<const char* const> lines) {
  for (const char* line : lines) {
    const auto judged = judge_shell(line);
    EXPECT_FALSE(judged && judged->harmless()) << line;
  }
}

using Lines = std::initializer_list<const char*>;
inline void expect(Lines held, Lines free) {
  expect_held(held);
  expect_harmless(free);
}

}  // namespace anima::govern
