// A page of the web as the portal of a world gets it (daemons/portal.h). Thread-safety: plain
// values.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"

namespace anima::world {

struct WebPage {
  std::int64_t status = 0;
  std::string content_type;
  std::string content;
  std::string redirect;  // where it says that it is instead
  bool truncated = false;
};
// Gets a page. Errors: whatever stops it; the agent is told.
using PageFetcher =
    std::function<Result<WebPage>(const std::string& method, const std::string& url)>;

}  // namespace anima::world
