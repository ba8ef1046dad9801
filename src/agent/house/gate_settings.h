// The settings of a gate for who has no program around him: the same layers of the configuration as
// the program reads, without flags, and the same folders of the account. Thread-safety: pure but
// for the files that it reads.
#pragma once

#include <string>

#include "agent/house/gate.h"
#include "base/config.h"
#include "base/files/file.h"
#include "base/result.h"

namespace anima::agent {

// Where this account keeps what it knows of the approvers of its spaces (approver_pins.h).
std::string approver_pin_folder(const Environment& environment);
// approvals.need, the approvers that the account knows, the rules of the account and the machine.
// `folder`: of the space; empty: in memory. Errors: a file that cannot be read, a setting that is
// wrong.
Result<GateOptions> configured_gate(FileSystem& files, const Environment& environment,
                                    const std::string& folder);

}  // namespace anima::agent
