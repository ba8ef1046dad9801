// A call that waits for a person, as text. Thread-safety: functions without state.
#pragma once

#include <string>

#include "govern/approve/approvals.h"

namespace anima::cli {

// The whole call that waits, for a person to answer: with a shell command's parts and what each
// does.
std::string approval_text(const govern::Approval& approval);

}  // namespace anima::cli
