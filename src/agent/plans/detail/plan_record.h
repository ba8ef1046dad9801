// A plan as the log keeps it, as JSON that reads again: the sealed part of the record with which it
// begins. On disk: docs/formats.md, kind 27. Thread-safety: functions without state.
#pragma once

#include <cstddef>
#include <string>

#include "agent/plans/kept_plan.h"
#include "base/json/json.h"
#include "base/result.h"

namespace anima::agent::detail {

// {"message","trust","done","tasks","outputs"}: tasks as they stand, what runs as pending, and the
// outputs that are still needed.
Json plan_secret(const KeptPlan& plan);
// Errors: kCorrupt.
Status take_plan_secret(const Json& secret, KeptPlan& plan);

// Tells most messages apart from that of a plan without a key: salted, and so short that a text
// which fits it says nothing.
std::string plan_mark(const std::string& plan, const govern::IncomingMessage& message);

inline constexpr std::size_t kMostKeptBytes = std::size_t{4} << 20;  // of a plan, and of one output
inline constexpr std::size_t kMostAnswerBytes = std::size_t{64} << 10;

// How much of what a step gave is worth keeping: kMostKeptBytes for a step that is not done and
// takes it in, kMostAnswerBytes when the answer is made of it alone, else nothing.
std::size_t most_of_output(const TaskGraph& graph, const std::string& step);

}  // namespace anima::agent::detail
