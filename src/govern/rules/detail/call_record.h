// A call as the trace keeps it: what rules can see of it and nothing else, as JSON that reads
// again.
//
// Texts are kept by their beginnings, objects by that of their JSON, lists item by item, as the
// predicate argument/3 has them (packs/policy/prelude.mg). Tool, agent, trust and tier are told
// apart from the rest, which may hold secrets. On disk: docs/formats.md, kind 26.
// Thread-safety: functions without state.
#pragma once

#include <optional>

#include "base/json/json.h"
#include "base/result.h"
#include "govern/rules/permissions.h"

namespace anima::govern::detail {

// Bytes of a text that rules see: of one that is only carried, and of one that chooses something,
// which may be a path.
inline constexpr std::size_t kLongestCarried = 1024;
inline constexpr std::size_t kLongestChoice = 4096;

// {"tool","agent","trust","tier"}.
Json open_part(const CallRequest& request, const ToolPolicy& tool);
// {"arguments","carried","made_from"}, and "values" of a call that has them.
Json secret_part(const CallRequest& request, const ToolPolicy& tool);

struct RecordedCall {
  CallRequest request;
  ToolPolicy tool;  // its tier, and which arguments it carries
};
// The same call; without its secret part (it was erased) it has no arguments. Errors: kCorrupt.
Result<RecordedCall> recorded_call(const Json& open, std::optional<Json> secret);

}  // namespace anima::govern::detail
