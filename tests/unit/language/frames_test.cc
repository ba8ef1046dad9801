// What sentences tell in open words: tests/cases/learning, a table a language. Nothing is read that
// the table does not have, and of what is plainly stated at least four fifths are.
#include "language/frames/frames.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iostream>

#include "base/civil_days.h"
#include "base/packs.h"
#include "base/text/text.h"

namespace anima::language::frames_test {
namespace {

constexpr double kLeastRead = 0.8;
constexpr std::size_t kLeastSentences = 150, kLeastTraps = 60;

std::string shown(const FrameSide& side) {
  switch (side.kind) {
    case FrameSide::Kind::kSpeaker:
      return "I";
    case FrameSide::Kind::kPronoun:
    case FrameSide::Kind::kRelative: {
      std::string text = side.words;
      text[0] = text[0] == 'M' ? 'm' : text[0];
      return text;
    }
    default:
      return side.name;
  }
}

std::string shown(const Frame& frame) {
  std::string text = frame.denied                      ? "- "
                     : frame.time == FrameTime::kBegan ? "+ "
                     : frame.time == FrameTime::kEnded ? "! "
                                                       : "";
  text += shown(frame.subject) + " " + frame.key + " " + shown(frame.object);
  if (frame.at_second) text += " @" + format_day(day_at_second(*frame.at_second));
  return text;
}

std::string shown(const FramesRead& read) {
  std::string text;
  for (const Frame& one : read.frames) text += (text.empty() ? "" : "; ") + shown(one);
  return text;
}

struct Count {
  std::size_t sentences = 0, traps = 0, plain = 0, read = 0;
};

Count run_table(const std::string& language) {
  std::ifstream file(ANIMA_SOURCE_DIR "/tests/cases/learning/" + language + ".txt");
  const FrameContext context{parse_timestamp("2026-06-15T12:00:00Z").value()};
  Count count;
  for (std::string line; std::getline(file, line);) {
    const std::size_t arrow = line.rfind("=>");
    if (line.empty() || line.front() == '#' || arrow == std::string::npos) continue;
    const std::string sentence(trim(std::string_view(line).substr(0, arrow)));
    const std::string expected(trim(std::string_view(line).substr(arrow + 2)));
    const FramesRead read = read_frames(sentence, language, context);
    const std::string got = shown(read);
    ++count.sentences;
    if (expected.empty()) {
      ++count.traps;
      EXPECT_EQ(got, "") << language << ": " << sentence;
      EXPECT_NE(read.left, "") << sentence;
      continue;
    }
    ++count.plain;
    if (got == expected) ++count.read;
    if (got.empty() && expected != "?")
      std::cout << "not read: " << line << "; " << read.left << "\n";
    if (!got.empty() || expected == "?") {
      EXPECT_EQ(got, expected == "?" ? "" : expected) << language << ": " << sentence;
    }
  }
  return count;
}

class Frames : public testing::TestWithParam<const char*> {};

TEST_P(Frames, TheTableIsReadAndNothingElse) {
  const Count count = run_table(GetParam());
  EXPECT_GE(count.sentences, kLeastSentences);
  EXPECT_GE(count.traps, kLeastTraps);
  EXPECT_GE(static_cast<double>(count.read), kLeastRead * static_cast<double>(count.plain))
      << count.read << " of " << count.plain;
}

INSTANTIATE_TEST_SUITE_P(Languages, Frames, testing::Values("en", "de"));

TEST(FrameWords, EachPackLoadsAndAMistakeIsSaid) {
  for (const std::string& language : FrameWords::languages())
    EXPECT_NE(FrameWords::of(language), nullptr) << language;
  EXPECT_EQ(FrameWords::of("relations"), nullptr);
  EXPECT_FALSE(FrameWords::from_toml("language = \"en\"\nhedges = []\n", "x.toml"));
  EXPECT_FALSE(FrameWords::from_toml("language = \"en\"\n[no_such]\nfirst = []\n", "x.toml"));
  EXPECT_FALSE(FrameWords::from_toml("language = \"en\"\n[works_at]\nsecond = []\n", "x.toml"));
  EXPECT_FALSE(FrameRelations::from_toml("[x]\none_valued = true\n", "x.toml"));
}

}  // namespace
}  // namespace anima::language::frames_test
