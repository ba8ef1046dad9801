#include "language/times/local_time.h"

#include <ctime>

namespace anima::language {

std::int64_t local_offset_seconds(Timestamp time) {
  const auto seconds = static_cast<std::time_t>(time.microseconds / 1'000'000);
  std::tm local{};
  return localtime_r(&seconds, &local) == nullptr ? 0 : local.tm_gmtoff;
}

}  // namespace anima::language
