// Notes that only grow: every damage shows, and what is whole is read.
#include "base/files/noted_lines.h"

#include <gtest/gtest.h>

#include <string>

#include "base/json/json_member.h"

namespace anima::noted_lines_test {
namespace {

std::string names_of(const NotedLines& notes) {
  std::string names;
  for (const Json& line : notes.lines) names += text_member(line, "name");
  return names;
}

class NotedLinesFile : public testing::Test {
 protected:
  NotedLines read() { return read_noted_lines(system_files(), path_).value(); }
  void append(const char* name) {
    ASSERT_TRUE(append_noted_line(system_files(), path_, Json::object({{"name", name}})));
  }
  void put(const std::string& text) { ASSERT_TRUE(replace_file(system_files(), path_, text)); }

  TemporaryDirectory folder_;
  const std::string path_ = folder_.file("notes.jsonl");
};

TEST_F(NotedLinesFile, GivesWhatWasNoted) {
  EXPECT_TRUE(read().missing);
  append("a");
  append("b");
  const NotedLines notes = read();
  EXPECT_EQ(names_of(notes), "ab");
  EXPECT_FALSE(notes.missing);
  EXPECT_FALSE(notes.damaged_from);
}

TEST_F(NotedLinesFile, EveryChangedByteShows) {
  append("a");
  append("b");
  append("c");
  const std::string whole = *read_file(system_files(), path_);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    put(changed);
    EXPECT_TRUE(read().damaged_from) << changed;
  }
}

TEST_F(NotedLinesFile, ATornLineHidesNoLaterOne) {
  append("a");
  append("b");
  const std::string whole = *read_file(system_files(), path_);
  for (std::size_t cut = whole.find('\n') + 2; cut + 1 < whole.size(); ++cut) {
    put(whole.substr(0, cut));
    append("c");
    const NotedLines notes = read();
    EXPECT_EQ(notes.damaged_from, std::optional<std::uint64_t>(2));
    EXPECT_EQ(names_of(notes), "ac");
  }
}

TEST_F(NotedLinesFile, LinesOfAnOlderProgramCount) {
  put("{\"name\":\"a\"}\n{\"name\":\"b\"}\n");
  append("c");
  EXPECT_EQ(names_of(read()), "abc");
  EXPECT_FALSE(read().damaged_from);
  put(*read_file(system_files(), path_) + "{\"name\":\"d\"}\n");
  EXPECT_EQ(read().damaged_from, std::optional<std::uint64_t>(4)) << "no check, where all have one";
}

}  // namespace
}  // namespace anima::noted_lines_test
