#include "govern/detail/shell_git.h"

#include <algorithm>
#include <array>

#include "govern/detail/shell_paths.h"

namespace anima::govern::detail {
namespace {

bool is_fixed_word(WordForm form) { return form == WordForm::kFixed; }

// Whether git may read the argument as the option: it takes every beginning that is no other
// option's. What only begins like it (--output-indicator-new) counts too.
bool may_be(std::string_view argument, std::string_view option) {
  const std::string_view name = argument.substr(0, argument.find('='));
  return name.size() > 2 && (option.starts_with(name) || name.starts_with(option));
}

// %G? and others of a commit's signature start gpg. Of a date's form %G is a year.
bool shows_signature(std::string_view argument) {
  if (argument.find('%') == argument.npos) return false;
  return (argument.find("%G") != argument.npos && !argument.starts_with("--date")) ||
         argument.find("%(signature") != argument.npos;
}

// Whether the option writes a file or runs a program; of others nothing but output depends.
bool is_harmful(std::string_view argument) {
  constexpr std::array<std::string_view, 5> kHarmful = {"--output", "--ext-diff", "--textconv",
                                                        "--filters", "--show-signature"};
  return std::ranges::any_of(kHarmful,
                             [&](std::string_view option) { return may_be(argument, option); });
}

// --since="$day" begins as written, and what stands behind the sign is a value.
bool is_value(std::string_view argument, WordForm form) {
  constexpr std::array<std::string_view, 7> kValued = {
      "--since=", "--after=", "--until=", "--before=", "--author=", "--grep=", "--committer="};
  return (form == WordForm::kOne || form == WordForm::kShaped) &&
         std::ranges::any_of(kValued,
                             [&](std::string_view option) { return argument.starts_with(option); });
}

}  // namespace

bool starts_gpg(const SimpleCommand& command) {
  return std::ranges::any_of(command.arguments, shows_signature);
}

// What git runs is named in .git/config, which no harmless command writes (leads_out).
JudgedPart judge_git(const SimpleCommand& command) {
  constexpr std::array<std::string_view, 16> kLooks = {
      "status",  "log",        "diff",        "show",       "rev-parse", "ls-files",
      "ls-tree", "describe",   "blame",       "shortlog",   "cat-file",  "rev-list",
      "cherry",  "range-diff", "whatchanged", "show-branch"};
  if (command.arguments.empty() || !is_fixed_word(command.forms[0]) ||
      std::ranges::find(kLooks, command.arguments[0]) == kLooks.end())
    return {{}, ShellEffect::kSends, "talks to other machines or people"};
  for (std::size_t at = 1; at < command.arguments.size(); ++at) {
    if (is_value(command.arguments[at], command.forms[at])) continue;
    if (command.forms[at] > WordForm::kNames)
      return {{}, ShellEffect::kUnknown, "the options are decided when it runs"};
    if (is_harmful(command.arguments[at]))
      return {{}, ShellEffect::kUnknown, "an option of git that writes or runs a program"};
  }
  return {{}, ShellEffect::kReads, "looks at the history"};
}

SimpleCommand without_place(const SimpleCommand& command) {
  std::size_t at = 0;
  while (at < command.arguments.size() && is_fixed_word(command.forms[at])) {
    const std::string& argument = command.arguments[at];
    if (argument == "--no-pager" || argument == "-P") {
      ++at;
    } else if (argument == "-C" && at + 1 < command.arguments.size() &&
               is_fixed_word(command.forms[at + 1]) &&
               !command.arguments[at + 1].starts_with('-') &&
               !leads_out(command.arguments[at + 1], WordForm::kFixed)) {
      at += 2;
    } else {
      break;
    }
  }
  SimpleCommand rest = command;
  const auto step = static_cast<std::ptrdiff_t>(at);
  rest.arguments.erase(rest.arguments.begin(), rest.arguments.begin() + step);
  rest.forms.erase(rest.forms.begin(), rest.forms.begin() + step);
  return rest;
}

}  // namespace anima::govern::detail
