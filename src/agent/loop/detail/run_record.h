// What the log keeps of a run beside its facts and decisions, so that it can be repeated: which
// call made each entry, with its arguments, the state that it read, the time that it was told, and
// what was answered from outside the graph.
//
// A run is what one Agent object did between its creation and its end; its number is the sequence
// of its first log entry. One record of RecordKind::kRun an entry, JSON; answers from outside are
// records of their own, JSON with who answered: those of tools and of the person of
// RecordKind::kToolOutput, those of a language model of RecordKind::kModelAnswer. Within an entry
// they are in the order in which they were given. Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/result.h"
#include "store/transaction.h"
#include "tools/tool.h"
#include "tools/workbench.h"

namespace anima::agent::detail {

struct RunRecord {
  std::uint64_t run = 0;   // 0 in the first entry, whose own sequence is the number
  std::uint64_t step = 0;  // from 1
  std::string call;        // add_goal, run_cycle, reflect ..
  Json arguments = Json::object();
  std::uint64_t from = 0;  // the sequence of the snapshot that the call read
  Timestamp now;           // what the clock said, once a call
  Json setup;              // of the first entry: how the agent was made, and the outside tools
};
Json to_json(const RunRecord& record);
Result<RunRecord> run_record_from_json(const Json& json);

// True for a tool that a replay cannot run: it is none of the graph tools that every agent has, or
// its answer does not follow from the snapshot alone. Its answers are recorded.
bool is_outside(const tools::ToolInfo& info);
Json to_json(const tools::ToolInfo& info);
tools::ToolInfo tool_info_from_json(const Json& json);

Json input_json(const tools::ToolInput& input);
tools::ToolInput input_from_json(const Json* json);  // null: an empty one

// Who answered. On disk by name ("tool", "person", "model"), never rename.
enum class Answerer : std::uint8_t { kTool, kPerson, kModel };
std::string_view to_string(Answerer answerer);
// Whose answer a tool brings back.
Answerer answerer_of(const tools::ToolInfo& info);
store::RecordKind record_kind(Answerer answerer);

// One answer from outside, with what it proposed.
struct OutsideAnswer {
  Answerer answerer = Answerer::kTool;
  std::string tool;  // that asked
  tools::ToolOutput output;
  std::vector<tools::Proposal> proposals;
};
Json to_json(const OutsideAnswer& answer);
// Errors: kCorrupt; kUnsupported for an answerer that this program does not know.
Result<OutsideAnswer> outside_answer_from_json(const Json& json);

}  // namespace anima::agent::detail
