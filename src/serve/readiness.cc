#include "serve/readiness.h"

#include "serve/http/server.h"

namespace anima::serve {
namespace {

http::Response not_ready(const Error& error) {
  http::Response response = http::problem(503, error);
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace

http::Response readiness(store::Space& space, bool readonly) {
  // A log that this process has followed to its end may not be asked by snapshot().
  const auto head = space.log().head();
  if (!head) return not_ready(head.error());
  const auto now = space.snapshot();
  if (!now) return not_ready(now.error());
  if (!readonly) {
    bool turn_came = false;
    const auto written = space.write({}, [&](store::Transaction&) -> Status {
      turn_came = true;
      return fail(ErrorCode::kCancelled, "only the turn was wanted");
    });
    if (!turn_came && !written) return not_ready(written.error());
  }
  return {200, "text/plain; charset=utf-8", "ready\n", {}};
}

}  // namespace anima::serve
