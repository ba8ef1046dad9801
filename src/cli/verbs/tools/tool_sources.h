// What the verbs share that keep tools of others: the house's settings for them, and how a source
// of tools is shown. Thread-safety: functions over a context, which belongs to one thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/access.h"
#include "tools/mcp/server_declarations.h"
#include "tools/mcp/tools_of_others.h"

namespace anima::cli {

// The beginning of what a tool says of itself, for a table.
std::string first_sentence(std::string_view description);
tools::OthersOptions others_options(const Context& context);
// The folder that a person's relative paths begin in.
std::string current_folder();
// That the program's folders show it nothing of the space or of the rules.
Status check_folders_of(const Context& context, const store::Space& space,
                        const tools::ProgramAccess& program);
// That no tool of Anima's own and of another source has one of these names. Errors: kAlreadyExists.
Status check_names_free(store::Space& space, const std::string& source,
                        const std::vector<govern::ToolDeclaration>& declared);
// One line for each: name, tier, trust of its results, what it says of itself.
std::string declared_table(const Context& context,
                           const std::vector<govern::ToolDeclaration>& declared);
std::vector<govern::ToolDeclaration> declarations_of(const tools::ToolServer& server);
// Starts or reaches the server and asks what it offers.
Result<tools::ServerLook> look_at_tool_server(Context& context, const tools::ToolServer& server);
// Takes what it offers now and keeps it in the space. What reads like an order to a model is shown;
// with `anyway` it is taken. Errors: kDenied (it is not), those of take_offered().
Result<tools::ToolServer> take_tool_server(Context& context, store::Space& space,
                                           tools::ToolServer server, const tools::ServerLook& look,
                                           std::span<const tools::ToolWord> words, bool anyway);
// The same for a new one, after looking at it.
Result<tools::ToolServer> add_tool_server(Context& context, store::Space& space,
                                          tools::ToolServer server,
                                          std::span<const tools::ToolWord> words, bool anyway,
                                          tools::ServerLook* look);
std::string program_text(const tools::ProgramAccess& program);

}  // namespace anima::cli
