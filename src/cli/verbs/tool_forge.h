// What the verbs share that make tools: the forge of the chosen space. Thread-safety: belongs to
// one thread.
#pragma once

#include <memory>
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

// Whether a tool of this name was made here: its book entry is sealed.
Result<bool> is_made_tool(store::Space& space, std::string_view name);

}  // namespace anima::cli
