// The memory of a space for the verbs that work on it, in the name of the person at the terminal.
//
// Thread-safety: one thread. Ownership: a Remembering holds all that its manager works with.
#pragma once

#include <memory>
#include <string>

#include "cli/govern_access.h"
#include "memory/memory_manager.h"

namespace anima::cli {

struct Remembering {
  Remembering(std::unique_ptr<Governance> opened, govern::PatternSet patterns);
  std::unique_ptr<Governance> governance;
  govern::Guardian guardian;
  memory::MemoryManager manager;
};

// Errors: those of the space, of the patterns in use.
Result<std::unique_ptr<Remembering>> open_memory(Context& context, Access access);

// For a table.
std::string first_line(const std::string& text);

}  // namespace anima::cli
