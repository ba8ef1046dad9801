// Text of any bytes: what comes out is UTF-8, folding twice changes nothing more.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/json/toml.h"
#include "base/text/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ANIMA_CHECK(anima::is_valid_utf8(text) == (anima::to_utf8(anima::to_utf32(text)) == text));
  const std::string once = anima::to_nfkc(text);
  ANIMA_CHECK(anima::is_valid_utf8(once));
  ANIMA_CHECK(anima::to_nfkc(once) == once);
  ANIMA_CHECK(anima::is_valid_utf8(anima::to_lower(text)));
  (void)anima::parse_toml(text, "fuzz");
  if (const auto time = anima::parse_timestamp(text)) {
    ANIMA_CHECK(anima::parse_timestamp(anima::format_timestamp(*time)) == *time ||
                anima::format_timestamp(*time).size() > 27 ||
                time->microseconds < -62'167'219'200'000'000);
  }
  return 0;
}
