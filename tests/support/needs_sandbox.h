// Whether this machine can give the sandbox whole, as tests of tools that run programs need it.
#pragma once

#include "support/needs.h"
#include "tools/sandbox/sandbox.h"

namespace anima::test {

inline bool has_user_namespaces() {
  return tools::machine_sandbox().containment() == tools::Containment::kFull;
}

}  // namespace anima::test
