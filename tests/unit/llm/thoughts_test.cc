// Thoughts in the text of an answer, whole and in pieces.
#include "llm/detail/thoughts.h"

#include <gtest/gtest.h>

namespace anima::llm::detail::thoughts_test {
namespace {

struct Case {
  std::string_view text, answer;
};
constexpr Case kCases[] = {
    {"Hello", "Hello"},
    {"", ""},
    {"  Hello ", "  Hello "},
    {"<think>plan</think>\n\nHello", "Hello"},
    {"\n<think>\nplan\n</think>\nHello\n", "Hello\n"},
    {"<think></think>Hello", "Hello"},
    {"<think>a</think><think>b</think>c", "c"},
    {"<thinking>a</thinking> b", "b"},
    {"[THINK]a[/THINK]b", "b"},
    {"<think>cut short", ""},
    {"<think>only</think>\n", ""},
    {"plan of it\n</think>\n\nHello", "Hello"},
    // What an answer says of these tags is its own.
    {"Write <think>x</think> before it", "Write <think>x</think> before it"},
    {"It ends with </think> there", "It ends with </think> there"},
    {"So:\n<think>\nx\n</think>\nand on", "So:\n<think>\nx\n</think>\nand on"},
    {"<thinker> is no tag", "<thinker> is no tag"},
    {"<", "<"},
    {"<think", "<think"},
};

TEST(Thoughts, AreNoPartOfTheAnswer) {
  for (const Case& each : kCases) EXPECT_EQ(without_thoughts(each.text), each.answer) << each.text;
}

TEST(Thoughts, ATextInPiecesGivesTheSame) {
  for (const Case& each : kCases) {
    for (std::size_t size = 1; size <= 5; ++size) {
      ThoughtFilter filter;
      std::string told;
      for (std::size_t at = 0; at < each.text.size(); at += size) {
        const std::string piece = filter.feed(each.text.substr(at, size));
        if (filter.takes_back()) told.clear();
        told += piece;
      }
      told += filter.finish();
      EXPECT_EQ(told, each.answer) << each.text << " in pieces of " << size;
    }
  }
}

}  // namespace
}  // namespace anima::llm::detail::thoughts_test
