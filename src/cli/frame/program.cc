#include "cli/frame/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <system_error>

#include "base/text/text.h"
#include "base/version.h"
#include "cli/frame/front_page.h"
#include "cli/frame/interrupt.h"
#include "store/act.h"

namespace anima::cli {
namespace {

struct GroupTitle {
  Group group;
  std::string_view title;
};
constexpr std::array<GroupTitle, 4> kGroups{{{Group::kKnowledge, "Knowledge"},
                                             {Group::kActing, "Acting"},
                                             {Group::kKeeping, "Keeping"},
                                             {Group::kHelp, "Help"}}};

constexpr std::array<std::string_view, 4> kSharedWithValue{"--space", "--progress", "--color",
                                                           "--set"};
constexpr std::array<std::string_view, 6> kSharedFlags{"--json",     "--salvage", "--books",
                                                       "--no-color", "--help",    "-h"};

template <typename Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// How many of the first arguments are options that all verbs share.
std::size_t count_shared(Arguments arguments) {
  std::size_t at = 0;
  while (at < arguments.size()) {
    const std::string& argument = arguments[at];
    const std::string_view name = std::string_view(argument).substr(0, argument.find('='));
    if (contains(kSharedFlags, argument)) {
      at += 1;
    } else if (contains(kSharedWithValue, name)) {
      at += name.size() < argument.size() ? 1 : 2;
    } else {
      break;
    }
  }
  return std::min(at, arguments.size());
}

constexpr std::size_t kMostWords = 3;  // of a verb's name

const Verb* verb_named(std::string_view name) {
  for (const Verb* verb : all_verbs()) {
    if (verb->name == name) return verb;
  }
  return nullptr;
}

// The verbs of several words that begin with this one.
std::vector<const Verb*> verbs_below(std::string_view word) {
  std::vector<const Verb*> below;
  for (const Verb* verb : all_verbs()) {
    if (verb->name.size() > word.size() && verb->name.compare(0, word.size(), word) == 0 &&
        verb->name[word.size()] == ' ') {
      below.push_back(verb);
    }
  }
  return below;
}

std::string listing(const std::vector<const Verb*>& verbs) {
  std::size_t width = 0;
  for (const Verb* verb : verbs) width = std::max(width, verb->name.size());
  std::string text;
  for (const Verb* verb : verbs)
    text += fmt::format("  {:<{}}  {}\n", verb->name, width, verb->summary);
  return text;
}

int report_unknown(Context& context, Arguments arguments) {
  const std::size_t shared = count_shared(arguments);
  const std::string word = shared < arguments.size() ? arguments[shared] : "";
  const bool asks_for_help = contains(arguments, "--help") || contains(arguments, "-h");
  const std::vector<const Verb*> below = verbs_below(word);
  if (!below.empty() && (asks_for_help || shared + 1 == arguments.size())) {
    Stream& stream = asks_for_help ? context.out : context.err;
    stream.write(fmt::format("Usage: anima {} VERB ...\n\n{}", word, listing(below)));
    return asks_for_help ? kDone : kUsage;
  }
  if (word.empty()) {
    (asks_for_help ? context.out : context.err).write(front_page(context));
    return asks_for_help ? kDone : kUsage;
  }
  if (word[0] == '-') return context.usage_error(fmt::format("unknown option {}", word));
  const std::string wanted = below.empty() ? word : word + ' ' + arguments[shared + 1];
  std::vector<std::string> names;
  for (const Verb* verb : all_verbs()) {
    names.emplace_back(verb->name);
    const std::string first(verb->name.substr(0, verb->name.find(' ')));
    if (below.empty() && !contains(names, first)) names.push_back(first);
  }
  return context.usage_error(
      fmt::format("there is no verb \"{}\"", wanted),
      did_you_mean(nearest_names(wanted, std::span<const std::string>(names))));
}

// What was written must have arrived: a full disk is a failure, a reader that went away ends us
// quietly.
int finish(Context& context, int code) {
  context.out.flush();
  context.err.flush();
  const int reason = context.out.failure();
  if (reason == 0) return code;
  if (reason != EPIPE) {
    context.note(
        fmt::format("error: cannot write the result: {}", std::generic_category().message(reason)));
  }
  return code == kDone ? kFailed : code;
}

int run_guarded(Context& context, Arguments arguments) {
  try {
    const store::ActScope act(context.verb->name, store::ActKind::kOwn);
    return context.verb->run(context, arguments);
  } catch (const std::bad_alloc&) {
    return context.fail({ErrorCode::kLimitExceeded, "there is not enough memory", {}, {}});
  } catch (const std::exception& error) {
    return context.fail({ErrorCode::kInternal, error.what(), {}, "this is a defect of anima"});
  }
}

}  // namespace

const Verb* find_verb(Arguments arguments, std::vector<std::string>& rest) {
  const std::size_t shared = count_shared(arguments);
  const Verb* verb = nullptr;
  std::size_t next = shared;
  std::string name;
  for (std::size_t end = shared; end < std::min(arguments.size(), shared + kMostWords); ++end) {
    name += (name.empty() ? "" : " ") + arguments[end];
    if (const Verb* longer = verb_named(name)) {
      verb = longer;
      next = end + 1;
    }
  }
  if (verb == nullptr) return nullptr;
  rest.assign(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(shared));
  rest.insert(rest.end(), arguments.begin() + static_cast<std::ptrdiff_t>(next), arguments.end());
  return verb;
}

std::string overview(const Context& context) {
  std::string text = fmt::format(
      "anima {}: an agent runtime whose memory can be asked, reasoned over, explained and "
      "undone\n\n"
      "{} anima [--space DIR] VERB ...\n",
      version(), context.paint(Paint::kBold, "Usage:"));
  for (const GroupTitle& group : kGroups) {
    std::vector<const Verb*> verbs;
    for (const Verb* verb : all_verbs()) {
      if (verb->group == group.group && !verb->hidden) verbs.push_back(verb);
    }
    if (verbs.empty()) continue;
    text += '\n' + context.paint(Paint::kBold, group.title) + '\n' + listing(verbs);
  }
  return text + "\nanima VERB --help explains a verb, with an example.\n";
}

int run_program(Context& context, const std::vector<std::string>& arguments) {
  if (const std::size_t shared = count_shared(arguments);
      shared < arguments.size() && arguments[shared] == "--version") {
    std::vector<std::string> as_verb = arguments;
    as_verb[shared] = "version";
    return run_program(context, as_verb);
  }
  std::vector<std::string> rest;
  context.verb = find_verb(arguments, rest);
  if (context.verb == nullptr) return finish(context, report_unknown(context, arguments));
  context.words = rest;
  int code = run_guarded(context, rest);
  if (interrupted() && code != kDone) code = kInterrupted;
  return finish(context, code);
}

}  // namespace anima::cli
