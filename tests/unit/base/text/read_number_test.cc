#include "base/text/read_number.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace anima {
namespace {

TEST(ReadNumber, TakesAWholeTextAlone) {
  EXPECT_EQ(read_number<std::int64_t>("-42"), -42);
  EXPECT_EQ(read_number<double>("1.5e3"), 1500.0);
  for (const std::string_view text : {"", " 1", "1 ", "+1", "1x", "0x1", "1.5", "-"})
    EXPECT_EQ(read_number<std::int64_t>(text), std::nullopt) << text;
}

TEST(ReadNumber, RefusesWhatDoesNotFitAndWhatIsNotFinite) {
  EXPECT_EQ(read_number<std::uint16_t>("65535"), 65535);
  EXPECT_EQ(read_number<std::uint16_t>("65536"), std::nullopt);
  EXPECT_EQ(read_number<std::uint32_t>("-1"), std::nullopt);
  for (const std::string_view text : {"inf", "-inf", "nan", "nan(1)", "infinity", "1e999"})
    EXPECT_EQ(read_number<double>(text), std::nullopt) << text;
}

}  // namespace
}  // namespace anima
