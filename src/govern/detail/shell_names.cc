#include "govern/detail/shell_names.h"

#include <algorithm>
#include <array>

namespace anima::govern::detail {
namespace {

bool all_fixed(const SimpleCommand& command) {
  return std::ranges::all_of(command.forms, [](WordForm form) { return form == WordForm::kFixed; });
}

// "+%s", "+%-d", "+%Y-%m-%d_%H%M": fields of numbers, and what is no name in arithmetic between
// them.
bool is_number_format(std::string_view format) {
  if (!format.starts_with("+%")) return false;
  for (std::size_t i = 1; i < format.size(); ++i) {
    if (format[i] == '-' || format[i] == '_') continue;
    if (format[i] != '%' || ++i >= format.size()) return false;
    if (format[i] == '-' && ++i >= format.size()) return false;
    if (std::string_view("sYmdFHMSjuNyCGgVUWwIkl").find(format[i]) == std::string_view::npos)
      return false;
  }
  return true;
}

bool counts_lines(const SimpleCommand& command) {
  return std::ranges::all_of(command.arguments, [](std::string_view argument) {
    return argument.size() > 1 && argument.front() == '-' &&
           argument.find_first_not_of("lwcm", 1) == std::string_view::npos;
  });
}

bool are_numbers(const SimpleCommand& command) {
  return !command.arguments.empty() &&
         std::ranges::all_of(command.arguments, [](std::string_view argument) {
           return argument.find_first_not_of("-0123456789") == std::string_view::npos;
         });
}

// Most names of variables in a line are; those of the shells' own are not.
constexpr bool is_lower(std::string_view variable) {
  return !variable.empty() && variable.front() >= 'a' && variable.front() <= 'z';
}

}  // namespace

bool steers_the_shell(std::string_view variable) {
  constexpr std::array<std::string_view, 24> kNames = {
      "PATH",   "IFS",        "ENV",       "HOME",   "CDPATH", "SHELLOPTS", "POSIXLY_CORRECT",
      "PS4",    "PWD",        "OLDPWD",    "OPTIND", "TMPDIR", "SHELL",     "PAGER",
      "EDITOR", "VISUAL",     "FUNCNEST",  "TMP",    "TEMP",   "PS0",       "PS1",
      "PS2",    "GLOBIGNORE", "EXECIGNORE"};
  constexpr std::array<std::string_view, 7> kBeginnings = {"BASH", "LD_",    "GIT_",   "XDG_",
                                                           "PERL", "PYTHON", "PROMPT_"};
  static_assert(std::ranges::none_of(kNames, is_lower) &&
                std::ranges::none_of(kBeginnings, is_lower));
  if (is_lower(variable)) return false;
  return std::ranges::find(kNames, variable) != kNames.end() ||
         std::ranges::any_of(kBeginnings,
                             [&](std::string_view name) { return variable.starts_with(name); });
}

bool keeps_its_value(std::string_view variable) {
  constexpr std::array<std::string_view, 35> kChanged = {
      "_",        "UID",     "EUID",     "PPID",     "RANDOM",    "SRANDOM",    "SECONDS",
      "LINENO",   "GROUPS",  "DIRSTACK", "FUNCNAME", "HISTCMD",   "HOSTNAME",   "HOSTTYPE",
      "MACHTYPE", "OSTYPE",  "SHLVL",    "OPTARG",   "OPTERR",    "PIPESTATUS", "MAPFILE",
      "REPLY",    "COLUMNS", "LINES",    "TERM",     "TMOUT",     "TIMEFORMAT", "IGNOREEOF",
      "HOSTFILE", "INPUTRC", "MAIL",     "LANG",     "CHILD_MAX", "FIGNORE",    "COPROC"};
  constexpr std::array<std::string_view, 8> kBeginnings = {"COMP", "EPOCH", "HIST", "READLINE_",
                                                           "LC_",  "MAIL",  "ATTY", "GLOB"};
  static_assert(std::ranges::none_of(kChanged, is_lower) &&
                std::ranges::none_of(kBeginnings, is_lower));
  if (is_lower(variable)) return true;
  return !steers_the_shell(variable) && std::ranges::find(kChanged, variable) == kChanged.end() &&
         std::ranges::none_of(kBeginnings,
                              [&](std::string_view name) { return variable.starts_with(name); });
}

bool is_computed(std::string_view variable) {
  constexpr std::array<std::string_view, 5> kNames = {"RANDOM", "SRANDOM", "SECONDS", "LINENO",
                                                      "HISTCMD"};
  return std::ranges::find(kNames, variable) != kNames.end();
}

bool quotes_the_line(std::string_view variable) {
  constexpr std::array<std::string_view, 6> kNames = {"_",        "PWD",      "OLDPWD",
                                                      "DIRSTACK", "FUNCNAME", "OPTARG"};
  return variable.starts_with("BASH") || variable.starts_with("COMP_") ||
         variable.starts_with("READLINE_") || std::ranges::find(kNames, variable) != kNames.end();
}

bool only_shapes_output(std::string_view variable) {
  constexpr std::array<std::string_view, 5> kNames = {"LANG", "TZ", "NO_COLOR", "COLUMNS",
                                                      "BLOCK_SIZE"};
  return variable.starts_with("LC_") || std::ranges::find(kNames, variable) != kNames.end();
}

bool prints_one_number(const SimpleCommand& command) {
  if (command.program == "wc")
    return command.arguments.size() == 1 && command.arguments[0].size() == 2;
  // The hours of %k and %l begin with a blank.
  return command.program == "nproc" ||
         (command.program == "date" &&
          std::ranges::none_of(command.arguments, [](std::string_view argument) {
            // A file holds several dates.
            if (!argument.starts_with('+'))
              return argument.starts_with('-') && argument.find('f') != argument.npos;
            return argument.find_first_of("kl") != argument.npos;
          }));
}

bool prints_numbers(const SimpleCommand& command) {
  if (command.unknown || !command.assignments.empty() || !all_fixed(command)) return false;
  if (command.program == "wc") return !command.arguments.empty() && counts_lines(command);
  if (command.program == "seq") return are_numbers(command);
  if (command.program == "nproc") return command.arguments.empty();
  if (command.program != "date") return false;
  const auto is_format = [](std::string_view argument) { return argument.starts_with('+'); };
  const auto format = std::ranges::find_if(command.arguments, is_format);
  return std::ranges::count_if(command.arguments, is_format) == 1 && is_number_format(*format);
}

}  // namespace anima::govern::detail
