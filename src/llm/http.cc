#include "llm/http.h"

#include <array>

namespace anima::llm {
namespace {

struct EndName {
  HttpEnd end;
  std::string_view name;
};
constexpr std::array<EndName, 10> kEndNames{{{HttpEnd::kDone, "done"},
                                             {HttpEnd::kUnreachable, "unreachable"},
                                             {HttpEnd::kBroken, "broken"},
                                             {HttpEnd::kConnectTimeout, "connect_timeout"},
                                             {HttpEnd::kIdleTimeout, "idle_timeout"},
                                             {HttpEnd::kTotalTimeout, "total_timeout"},
                                             {HttpEnd::kTooLong, "too_long"},
                                             {HttpEnd::kInsecure, "insecure"},
                                             {HttpEnd::kCancelled, "cancelled"},
                                             {HttpEnd::kUnavailable, "unavailable"}}};

}  // namespace

std::string_view HttpHead::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

std::string_view to_string(HttpEnd end) {
  for (const EndName& each : kEndNames) {
    if (each.end == end) return each.name;
  }
  return "broken";
}

Result<HttpEnd> http_end(std::string_view name) {
  for (const EndName& each : kEndNames) {
    if (each.name == name) return each.end;
  }
  return fail(ErrorCode::kCorrupt, "a recorded exchange ended in no way that is known",
              std::string(name));
}

}  // namespace anima::llm
