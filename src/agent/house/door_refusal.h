// A call that its door itself refuses, for the rights of who makes it, before the gate is asked: in
// the audit it is as what a rule denies. Thread-safety: as the gate. Errors: an entry that cannot
// be written is left out.
#pragma once

#include <string>

#include "agent/house/gate.h"

namespace anima::agent {

Refusal refuse_at_door(Gate& gate, const DoorCall& call, Act act, std::string reason);

}  // namespace anima::agent
