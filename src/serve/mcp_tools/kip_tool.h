// The tools `execute_kip` and `execute_kip_readonly`: a request of the language of the memory in
// somebody's name, kept in the log of calls (call_log.h). The same over MCP and HTTP.
//
// Thread-safety: every function from any thread. Ownership: shares the engine and the clock.
// Errors: in the answers, as the protocol has them (kip/engine.h).
#pragma once

#include <memory>
#include <stop_token>

#include "kip/engine.h"
#include "serve/mcp_tools/call_log.h"

namespace anima::serve {

struct KipToolOptions {
  store::Origin origin = {.source = {}, .trust = store::Trust::kUntrusted};  // in whose name
  bool readonly = false;       // the log of calls is not written either
  bool define_on_use = false;  // an UPSERT defines types and predicates that are not there
  std::uint64_t most_answer_bytes = std::uint64_t{1} << 20;
};

class KipTool {
 public:
  KipTool(std::shared_ptr<kip::Engine> engine, KipToolOptions options,
          std::shared_ptr<Clock> clock);

  Json execute(const Json& request, bool readonly, std::stop_token stop = {});
  CallLog& calls() { return calls_; }

 private:
  std::shared_ptr<kip::Engine> engine_;
  const KipToolOptions options_;
  std::shared_ptr<Clock> clock_;
  CallLog calls_;
};

}  // namespace anima::serve
