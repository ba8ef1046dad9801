// What the verbs share that make tools: the forge of the chosen space. Thread-safety: belongs to
// one thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/frame/access.h"
#include "forge/forge.h"

namespace anima::cli {

// With what the forge works on, which goes after it.
struct OpenForge {
  std::unique_ptr<Governance> governance;
  std::unique_ptr<forge::Forge> forge;
};

// `options` without folder and origin, which are the space's and the person's. Errors: those of
// open_governance() and of Forge::open().
Result<OpenForge> open_forge(Context& context, forge::ForgeOptions options,
                             std::string_view source);

// Makes a tool from a template, by the settings of the space. What went wrong is in the report too.
// Errors: those of open_forge(), and kAlreadyExists: another tool has the name.
Result<forge::ForgeReport> make_from_template(Context& context, const forge::Need& need,
                                              std::string_view source);
// `anima tool generate ..` that makes what is needed, for a shell.
std::string command_that_makes(const forge::Need& need);

// Whether a tool of this name was made here: its book entry is sealed.
Result<bool> is_made_tool(store::Space& space, std::string_view name);

}  // namespace anima::cli
