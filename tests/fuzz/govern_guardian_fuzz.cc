// Any bytes are judged, the same way twice, with a risk in range.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "govern/detect/guardian.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const anima::govern::Guardian guardian(std::move(*anima::govern::PatternSet::shipped()));
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto result = guardian.assess(text, anima::govern::Trust::kUntrusted);
  ANIMA_CHECK(result.risk_thousandths >= 100 && result.risk_thousandths <= 1000);
  ANIMA_CHECK(result.to_json() ==
              guardian.assess(text, anima::govern::Trust::kUntrusted).to_json());
  return 0;
}
