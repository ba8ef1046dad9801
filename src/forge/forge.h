// The forge: how a tool that is missing comes to be, in steps that leave the space as it was unless
// all of them succeed.
//
//   detection      the gate of the need (need.h), and the rules: is this permitted here?
//   specification  a generator proposes a source (generator.h)
//   safety_check   the checker reads it (safety.h); what is unsafe goes back with what was found,
//                  three proposals in all
//   compilation    what was checked, in the sandbox (compiler.h)
//   examples       those of the need and of the proposal run in the sandbox, each of them twice; a
//                  proposal that fails one goes back as an unsafe one does
//   simulation     the rules judge the step in a world of their own: stagnation, stability
//   registration   files (tool_store.h), the book of tools (tools/mcp/tool_book.h), facts
//
// Whatever is decided is decided by packs/forge/loop.mg and safety.mg; a generator only proposes.
// The stability of a step begins as the share of the example runs of its generation that held.
//
// Every proposal is an entry of the audit with its source, also one that was refused; so is every
// end. A registered tool is offered and judged like any other; how it runs says
// tools/sandbox/sealed_program.h.
//
// Thread-safety: one thread; generations of one tool in several processes take turns (kBusy).
// Ownership: space, ledger, clock and randomness outlive it.
// Source: learning_and_psyche 1.9 to 1.13, rows O1 to O29, R1 to R9.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "forge/compiler.h"
#include "forge/generator.h"
#include "forge/need.h"
#include "forge/safety.h"
#include "forge/tool_store.h"
#include "govern/ledger/ledger.h"
#include "store/space.h"

namespace anima::forge {

namespace detail {
class RuleWorld;
}

struct ForgeOptions {
  std::string folder;    // of the made tools, absolute: <space>/tools
  store::Origin origin;  // who asks
  SafetyOptions safety = {};
  CompileOptions compile = {};
  GateLimits gate = {};
  std::vector<std::string> vetoes = {};  // of the psyche: what no purpose may hold
  std::string mode = "/development";     // or "/production"
  bool override_production = false;
  bool network_restricted = false;
  bool replace = false;  // makes a new version of a tool that is there
  bool refine = false;   // goes on until the stability converges
  std::int64_t max_attempts = 3;
  std::int64_t retry_delay_ms = 100;
  std::int64_t max_iterations = 10;
  std::int64_t execute_ms = 60'000;
  std::function<void(std::int64_t milliseconds)> sleep = {};  // empty: really
  ToolStore::AtStep at_step = {};
};

struct ForgeReport {
  bool success = false;
  std::string tool_name;
  std::string run;
  std::string stage = "detection";  // as above; "panic", "complete"
  std::optional<Error> error;       // why not
  SafetyReport safety;              // of the last proposal
  std::string compile_errors;
  std::int64_t compile_milliseconds = 0;
  std::int64_t proposals = 0;
  std::vector<SafetyReport> refused;  // of each proposal that was unsafe
  std::vector<std::string> failures;  // of examples, of each proposal that was safe and failed one
  std::int64_t example_runs = 0, examples_held = 0;
  std::optional<MadeTool> tool;
  std::int64_t milliseconds = 0;

  Json to_json() const;
};

struct ForgeStats {
  std::int64_t tools_generated = 0, tools_compiled = 0, tools_rejected = 0, safety_violations = 0,
               panics = 0, last_generation = 0;
};

// The actions of the audit that tell of made tools; their details name the tool as "tool".
inline constexpr std::string_view kToolProposed = "tool_proposed";
inline constexpr std::string_view kToolExamined = "tool_examined";
inline constexpr std::string_view kToolCommitted = "tool_committed";
inline constexpr std::string_view kToolRefused = "tool_refused";
inline constexpr std::string_view kToolWithdrawn = "tool_withdrawn";
inline constexpr std::string_view kToolRecovered = "tool_recovered";

class Forge {
 public:
  // Clears away what a crash left, and sees that the book names what the files hold.
  static Result<std::unique_ptr<Forge>> open(store::Space& space, govern::Ledger& ledger,
                                             Clock& clock, Random& random, ForgeOptions options);
  ~Forge();

  // What went wrong is in the report, exceptions of the generator too.
  ForgeReport generate(const Need& need, Generator& generator);
  // Takes a tool away. Errors: kNotFound.
  Status remove(std::string_view tool);

  const ToolStore& tools() const { return store_; }
  const ForgeStats& stats() const { return stats_; }
  // What the rules say, for example "tool_version(T, V)".
  Result<std::vector<std::vector<std::string>>> ask(std::string_view query) const;

 private:
  class Generation;
  Forge(store::Space& space, govern::Ledger& ledger, Clock& clock, Random& random,
        ForgeOptions options);
  Status recover();
  Status tell_tool(const MadeTool& tool);
  Status forget_tool(std::string_view tool);
  Status write(std::string_view action, Json details);
  Status enter_in_book(const MadeTool& tool);

  store::Space& space_;
  govern::Ledger& ledger_;
  Clock& clock_;
  Random& random_;
  ForgeOptions options_;
  ToolStore store_;
  std::unique_ptr<detail::RuleWorld> world_;
  ForgeStats stats_;
};

// With CRLF as LF, without blanks at the ends of lines and with one line end at the end: what
// counts as the same source.
std::string normalised_source(std::string_view source);

}  // namespace anima::forge
