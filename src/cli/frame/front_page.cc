#include "cli/frame/front_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/files/file.h"
#include "base/version.h"
#include "cli/frame/verb.h"
#include "store/space_place.h"

namespace anima::cli {
namespace {

struct Task {
  std::string_view title;
  std::array<std::string_view, 5> verbs;  // names; empty ends the row
};

constexpr Task kTasks[] = {
    {"Begin", {"init", "load", "import"}},
    {"Ask", {"ask", "search", "kip"}},
    {"Trust", {"why", "history", "undo"}},
    {"Let it act", {"chat", "run", "mcp"}},
    {"Keep", {"export", "backup", "audit verify", "doctor"}},
};

const Verb* visible_verb(std::string_view name) {
  const std::span<const Verb* const> verbs = all_verbs();
  const auto found = std::ranges::find(verbs, name, &Verb::name);
  return found == verbs.end() || (*found)->hidden ? nullptr : *found;
}

// For who has no space yet: what makes one, and an example in it that is gone with the last line.
constexpr std::string_view kFirstSteps[] = {
    "init",
    "remember \"Ada Berg works at Initech.\"",
    "remember \"Ada Berg works at Globex now.\"",
    "ask \"Where does Ada Berg work?\"",
    "why \"Ada Berg\" works_at Globex",
    "undo last",
};

// Where a verb would look, why there, and what to type when nothing is there.
std::string space_lines(const Context& context) {
  const bool by_variable = context.environment.contains("ANIMA_SPACE") && !context.space_was_named;
  const std::string_view from = context.space_was_named ? "--space"
                                : by_variable           ? "$ANIMA_SPACE"
                                                        : "the default";
  const auto folder =
      store::space_folder(context.space, user_directories(context.environment).data);
  if (!folder) return fmt::format("Space: {}\n", folder.error().describe());
  const bool there = store::names_log(context.files, *folder);
  std::string text = fmt::format("{} {} ({}{})\n", context.paint(Paint::kBold, "Space:"),
                                 store::shown_log(context.files, *folder), from,
                                 there ? "" : "; there is none yet: `anima init` makes it");
  if (there) return text;
  text += '\n' + context.paint(Paint::kBold, "Try it") + '\n';
  for (const std::string_view step : kFirstSteps) text += fmt::format("  anima {}\n", step);
  return text;
}

}  // namespace

std::string front_page(const Context& context) {
  std::size_t width = 0;
  for (const Task& task : kTasks) {
    for (const std::string_view name : task.verbs) width = std::max(width, name.size());
  }
  std::string text = fmt::format(
      "anima {}: an agent runtime whose memory can be asked, reasoned over, explained and "
      "undone\n\n{} anima [--space DIR] VERB ...\n{}",
      version(), context.paint(Paint::kBold, "Usage:"), space_lines(context));
  for (const Task& task : kTasks) {
    text += '\n' + context.paint(Paint::kBold, task.title) + '\n';
    for (const std::string_view name : task.verbs) {
      if (const Verb* verb = visible_verb(name)) {
        text += fmt::format("  {:<{}}  {}\n", verb->name, width, verb->summary);
      }
    }
  }
  return text +
         "\nanima VERB --help   one verb, with an example\n"
         "anima help --all    every verb\n";
}

}  // namespace anima::cli
