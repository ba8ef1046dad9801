#include "serve/mcp_tools/kip_tool.h"

#include <utility>

namespace anima::serve {

KipTool::KipTool(std::shared_ptr<kip::Engine> engine, KipToolOptions options,
                 std::shared_ptr<Clock> clock)
    : engine_(std::move(engine)),
      options_(std::move(options)),
      clock_(std::move(clock)),
      calls_(engine_, options_.origin, !options_.readonly, clock_) {}

Json KipTool::execute(const Json& request, bool readonly, std::stop_token stop) {
  kip::Caller caller;
  caller.origin = options_.origin;
  caller.readonly = readonly;
  caller.define_on_use = options_.define_on_use;
  caller.short_hits = true;
  caller.most_answer_bytes = options_.most_answer_bytes;
  caller.stop = std::move(stop);
  const auto before = engine_->space().snapshot();
  const std::int64_t start = clock_->monotonic_nanoseconds();
  const Timestamp time = clock_->now();
  Json response = engine_->execute(request, caller);
  const std::int64_t took = (clock_->monotonic_nanoseconds() - start) / 1'000'000;
  const auto after = engine_->space().snapshot();
  // Where the log cannot be read the response says so, and it may have been written before that.
  const bool wrote = !readonly && !(before && after && after->sequence() == before->sequence());
  calls_.add(Json::object({{"command", kip::command_family(request)},
                           {"request", request},
                           {"response", response},
                           {"period", took},
                           {"timestamp", format_timestamp(time)}}),
             wrote);
  return response;
}

}  // namespace anima::serve
