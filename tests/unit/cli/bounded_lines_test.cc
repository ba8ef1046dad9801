// Lines of a real pipe, whatever their length.
#include "cli/terminal/bounded_lines.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace anima::cli {
namespace {

using Got = BoundedLines::Got;

// What is read of `input`, written in pieces of `piece` bytes; "!" is a line that was too long.
std::vector<std::string> lines_of(const std::string& input, std::size_t most, std::size_t piece) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  std::jthread writer([&] {
    for (std::size_t at = 0; at < input.size(); at += piece) {
      const std::size_t count = std::min(piece, input.size() - at);
      EXPECT_EQ(write(ends[1], input.data() + at, count), static_cast<ssize_t>(count));
    }
    close(ends[1]);
  });
  std::vector<std::string> lines;
  BoundedLines source(ends[0], most, [] { return true; });
  std::string line;
  for (Got got = source.next(line); got != Got::kEnd; got = source.next(line))
    lines.push_back(got == Got::kLine ? line : "!");
  writer.join();
  close(ends[0]);
  return lines;
}

TEST(BoundedLines, GivesEachLineOnceInAnyPieces) {
  const std::vector<std::string> expected = {"one", "", "three", "last"};
  for (const std::size_t piece : {1U, 2U, 3U, 100U})
    EXPECT_EQ(lines_of("one\n\nthree\nlast", 10, piece), expected) << piece;
  EXPECT_TRUE(lines_of("", 10, 1).empty());
}

TEST(BoundedLines, TellsOfALongLineAndGoesOnBehindIt) {
  const std::vector<std::string> expected = {"ab", "!", "cd"};
  for (const std::size_t length : {5U, 70'000U, 1'000'000U}) {
    const std::string input = "ab\n" + std::string(length, 'x') + "\ncd\n";
    for (const std::size_t piece : {std::size_t{1000}, std::size_t{65'536}})
      EXPECT_EQ(lines_of(input, 4, piece), expected) << length << " in " << piece;
  }
  EXPECT_EQ(lines_of("abcd\nabcde\n", 4, 1), (std::vector<std::string>{"abcd", "!"}));
  EXPECT_EQ(lines_of(std::string(500, 'x'), 4, 7), std::vector<std::string>{"!"});
  EXPECT_EQ(lines_of("abcde\nabcdef\nx\n", 4, 2), (std::vector<std::string>{"!", "!", "x"}));
}

TEST(BoundedLines, ShowsWhatItSkips) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  ASSERT_EQ(write(ends[1], "abcdefgh", 8), 8);
  std::string skipped;
  BoundedLines source(
      ends[0], 4, [] { return true; }, [&](std::string_view bytes) { skipped += bytes; });
  std::jthread writer([&] {
    ASSERT_EQ(write(ends[1], "ij\nok\nlonger", 12), 12);
    close(ends[1]);
  });
  std::string line;
  EXPECT_EQ(source.next(line), Got::kTooLong);
  EXPECT_EQ(skipped, "abcdefghij");
  EXPECT_EQ(source.next(line), Got::kLine);
  EXPECT_EQ(line, "ok");
  EXPECT_EQ(source.next(line), Got::kTooLong);
  EXPECT_EQ(skipped, "abcdefghijlonger");
  EXPECT_EQ(source.next(line), Got::kEnd);
  close(ends[0]);
}

TEST(BoundedLines, EndsWhenItIsToldTo) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  BoundedLines source(ends[0], 4, [] { return false; });
  std::string line;
  EXPECT_EQ(source.next(line), Got::kEnd);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace anima::cli
