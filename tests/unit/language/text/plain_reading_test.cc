// A text as a person reads it, and where each place of that is written.
#include "language/text/plain_reading.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace anima::language::plain_reading_test {
namespace {

struct Case {
  std::string_view written, read;
};

TEST(PlainReading, OfEscapesMarkupAndSigns) {
  const std::vector<Case> cases = {
      {"nothing to do", "nothing to do"},
      {"", ""},
      {"Zo%C3%A9%20M", "Zoé M"},
      {"Zo%25C3%25A9%2520M", "Zoé M"},
      {"LIKE '%Ada%'", "LIKE '%Ada%'"},
      {"100% of it, 5%de", "100% of it, 5%de"},
      {"Zo&eacute;&nbsp;M", "Zoé M"},
      {"A&ensp;B&emsp;C&thinsp;D&Tab;E&NewLine;F", "A B C D\tE\nF"},
      {"A&#8195;B&#x2009;C&#160;D", "A B C D"},
      {"&amp;amp;eacute;", "é"},
      {"R&D; &nosuch;", "R&D; &nosuch;"},
      {"Zo\\u00e9 \\ud83d\\ude00", "Zoé 😀"},
      {"\\xc3\\xa9 \\xff", "é \\xff"},
      {"\\\"Ada\\\"", "\"Ada\""},
      {"a\\n b", "a  b"},
      {"a\\nAda",
       "a Ada\x1f"
       "a\\nAda"},
      {"C:\\\\nina",
       "C: ina\x1f"
       "C:\\nina"},
      {"Ada<br>Berg", "Ada Berg"},
      {"<b>A</b>da", "Ada"},
      {"<td>Ada</td><td>Berg</td>", " Ada  Berg "},
      {"<a href=\"/x\">Ada</a> Berg", "Ada Berg\x1f href=\"/x\""},
      {"&lt;b&gt;Ada&lt;/b&gt; Berg", "Ada Berg"},
      {"A<!-- x -->B", "AB\x1f x --"},
      {"<Ada> and <ada> and <Mark>", "<Ada> and <ada> and <Mark>"},
      {"a < b, c > d", "a < b, c > d"},
      {"Berg<sup>2</sup>", "Berg 2 "},
      {"[Ada](x) Berg", "Ada Berg\x1fx"},
      {"![Ada](x) [1]", "Ada [1]\x1fx"},
      {"[<b>Ada</b>](x)", "Ada\x1fx"},
      {"[Ada] (x)", "[Ada] (x)"},
      {"Ada\u00a0Berg\u2003!", "Ada Berg !"},
      {"A\u00adda\u200bBerg\u2060", "AdaBerg"},
      {"Berg² m³ ²", "Berg^2 m^3 ²"},
      {"C#² Berg¹²", "C#^2 Berg^12"},
      {"Ada\\_Berg \\*", "Ada_Berg *"},
      {"H₂O", "H₂O"},
      {"Ｃ＋＋，♯", "Ｃ++,#"},
  };
  for (const Case& each : cases)
    EXPECT_EQ(PlainReading(each.written).text(), each.read) << each.written;
}

TEST(PlainReading, SaysWhereItIsWritten) {
  const std::string_view written = "x%20Zo&eacute;\u00ad <b>M</b>&uuml;ller&#178;";
  const PlainReading reading(written);
  const std::size_t at = reading.text().find("Zoé Müller");
  ASSERT_NE(at, std::string_view::npos) << reading.text();
  const std::size_t begin = reading.written_begin(at);
  const std::size_t end = reading.written_end(at + std::string_view("Zoé Müller").size());
  EXPECT_EQ(written.substr(begin, end - begin), "Zo&eacute;\u00ad <b>M</b>&uuml;ller");
}

// Of any bytes: every byte that is read comes from a place of the text.
TEST(PlainReading, OfAnyBytesStaysInside) {
  constexpr std::string_view kPieces[] = {
      "%", "25", "C3", "\\", "u00", "e9", "n", "x",    "&",      "amp", ";",  "#", "<", "b",
      ">", "[",  "]",  "(",  ")",   "!",  "²", "\xff", "\u00ad", " ",   "\"", "/", "-", "\xe2\x80"};
  SeededRandom random(39);
  for (int round = 0; round < 20'000; ++round) {
    std::string written;
    for (std::uint64_t left = random.next() % 24; left > 0; --left)
      written += kPieces[random.next() % std::size(kPieces)];
    const PlainReading reading(written);
    for (std::size_t at = 0; at < reading.text().size(); ++at) {
      if (reading.text()[at] == PlainReading::kAside) continue;
      ASSERT_LT(reading.written_begin(at), reading.written_end(at + 1)) << written;
      ASSERT_LE(reading.written_end(at + 1), written.size()) << written;
    }
  }
}

}  // namespace
}  // namespace anima::language::plain_reading_test
