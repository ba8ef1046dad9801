// user_interact: a question to the person whom the agent works for.
//
// What the person says is the tool's output and follows from nothing in the graph, so it is kept in
// the record of a run like the answer of any tool outside, and a replay asks nobody. Where nobody
// can be asked, or the input ends, the tool succeeds with "no input": a run is never held up by it
// unless whoever makes the tool waits. Source: learning_and_psyche 2.10. Thread-safety: as `ask`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tools/tool.h"

namespace anima::tools {

inline constexpr std::size_t kMaxUserAnswerBytes = 4096;

// One line of the person's, without its end; nothing when there is none to be had.
using AskPerson = std::function<std::optional<std::string>(const std::string& question)>;

// An empty `ask` asks nobody.
std::unique_ptr<Tool> make_user_interact(AskPerson ask);

}  // namespace anima::tools
