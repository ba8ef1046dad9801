// The plan of a message by its words alone, without a model: which tools that act it asks for, and
// how often. For agents whose model makes no plan.
//
//   plan_of_words("Tell Ada that I am late", tools)      -> mail:send 1, mail:reply 1
//
// A tool is asked for when the message has a verb that means what the tool does: a word of its
// name, the first word of its description, or a word of the same meaning (a fixed table, English).
// Of the tools that one verb fits, those count whose name and description have the most words in
// common with the message. What stands in quotes is what is to be said, not what is to be done.
// Where the words fail, a tool is missing in the plan, and its call is asked about. Thread-safety:
// pure functions. Complexity: words by tools. Source: issue "any model", 3;
// docs/governance_values.md.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "govern/rules/call_values.h"
#include "govern/rules/tool_declaration.h"

namespace anima::guard {

std::vector<govern::PlannedTool> plan_of_words(
    std::string_view message, std::span<const govern::ToolDeclaration* const> tools);

}  // namespace anima::guard
