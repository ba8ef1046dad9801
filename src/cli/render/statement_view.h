// What an approver is asked to sign, as text. Thread-safety: functions without state.
#pragma once

#include <string>

#include "govern/approve/approvers.h"

namespace anima::cli {

// All that the signature covers, a line a member, and what of it a reader could take for something
// else.
std::string statement_text(const govern::Statement& statement);

}  // namespace anima::cli
