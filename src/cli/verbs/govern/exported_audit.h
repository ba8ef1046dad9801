// `anima audit verify` over exported files, without the space. Thread-safety: one thread.
#pragma once

#include <optional>
#include <string>

#include "cli/frame/context.h"
#include "store/verify/audit.h"

namespace anima::cli {

// Files, and the public key that the reader trusts.
struct ExportedAudit {
  std::optional<std::string> log, ari, proof, entry, key;
  bool any() const { return log || ari || proof; }
};

// Verifies what is named, says so, and returns the exit code. A checkpoint needs the key.
int verify_exported(Context& context, const ExportedAudit& files,
                    const std::optional<store::Checkpoint>& checkpoint);

}  // namespace anima::cli
