
#include "cli/frame/front_page.h"
#include "cli/frame/options.h"
#include "cli/frame/program.h"

namespace anima::cli {
namespace {

int run_help(Context& context, Arguments arguments) {
  std::vector<std::string> words;
  Options options;
  options.without_config();
  bool all = false;
  options.positional("VERB", words, "the verb to explain; none for those that most people need");
  options.flag("--all", all, "list every verb");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (words.empty()) {
    context.print(all ? overview(context) : front_page(context));
    return kDone;
  }
  words.emplace_back("--help");
  return run_program(context, words);
}

}  // namespace

extern const Verb kHelp;
const Verb kHelp{
    "help",  Group::kHelp, "what the program can do", "[VERB] [--all]", "anima help config show",
    run_help};

}  // namespace anima::cli
