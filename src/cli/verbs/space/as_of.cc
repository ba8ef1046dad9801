// anima as-of: another verb, on the space as it was.
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/past_time.h"
#include "cli/frame/options.h"
#include "cli/frame/program.h"

namespace anima::cli {
namespace {

int run_as_of(Context& context, Arguments arguments) {
  std::string when;
  std::vector<std::string> words;
  Options options;
  options
      .positional("SEQ|TIME", when,
                  "a log entry's number, a time, a date, yesterday, \"2 hours ago\"")
      .required();
  options.positional("VERB", words, "the verb that is to see it, with its arguments").required();
  // Everything from the second word on belongs to the other verb, options too.
  std::size_t own = 0;
  std::size_t bare = 0;
  while (own < arguments.size() && bare < 2) {
    const std::string& argument = arguments[own];
    if (argument == "--space" || argument == "--set" || argument == "--progress") {
      ++own;
    } else if (!argument.starts_with('-')) {
      ++bare;
    }
    ++own;
  }
  own = std::min(own, arguments.size());
  if (const auto exit = options.parse(context, arguments.first(own))) return *exit;
  std::vector<std::string> command{words.front()};
  command.insert(command.end(), arguments.begin() + static_cast<std::ptrdiff_t>(own),
                 arguments.end());
  if (context.space_was_named) command.insert(command.end(), {"--space", context.space});
  if (context.json) command.emplace_back("--json");
  if (context.salvage) command.emplace_back("--salvage");
  if (context.books) command.emplace_back("--books");
  std::vector<std::string> rest;
  const Verb* verb = find_verb(command, rest);
  if (verb == nullptr) return context.usage_error("there is no verb \"" + command.front() + "\"");
  if (!verb->past) {
    std::string able;
    for (const Verb* one : all_verbs()) {
      if (one->past) able += (able.empty() ? "" : ", ") + std::string(one->name);
    }
    return context.fail({ErrorCode::kDenied,
                         "`" + std::string(verb->name) + "` shows and changes the present only",
                         {},
                         "leave out `as-of`; these can look back: " + able});
  }
  const auto point = past_point(when, SystemClock().now());
  if (!point) return context.fail(point.error());
  context.as_of = *point;
  context.verb = verb;
  return verb->run(context, rest);
}

}  // namespace

extern const Verb kAsOf;
const Verb kAsOf{"as-of",
                 Group::kKnowledge,
                 "runs another verb on the space as it was, if it can look back",
                 "SEQ|TIME VERB ...",
                 "anima as-of 2026-11-01 history Ada",
                 run_as_of};

}  // namespace anima::cli
