#include "govern/detail/shell_names.h"

#include <algorithm>
#include <array>
#include <vector>

#include "govern/detail/shell_parser.h"

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

// stat -c %s FILE: fields of numbers, of files that are no options.
bool shows_numbers_of_files(const SimpleCommand& command) {
  const std::vector<std::string>& arguments = command.arguments;
  if (arguments.size() < 3 || arguments[0] != "-c" || arguments[1].size() != 2 ||
      arguments[1][0] != '%' ||
      std::string_view("sYXZWhugbBai").find(arguments[1][1]) == std::string_view::npos)
    return false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool known = i < 2
                           ? command.forms[i] == WordForm::kFixed
                           : command.forms[i] <= WordForm::kNames && !arguments[i].starts_with('-');
    if (!known) return false;
  }
  return true;
}

// A format of plain bytes whose conversions are %d or %03d, as the pattern of what it prints.
std::optional<std::string> pattern_of_format(std::string_view format, std::size_t values) {
  std::string pattern;
  for (std::size_t at = 0; at < format.size(); ++at) {
    if (format[at] == '%') {
      at = format.find_first_not_of("0123456789", at + 1);
      if (at == format.npos || format[at] != 'd' || values-- == 0) return std::nullopt;
      pattern += kNumber;
    } else if (!is_name_byte(format[at]) &&
               std::string_view("./-,+=@").find(format[at]) == std::string_view::npos) {
      return std::nullopt;
    } else {
      pattern += format[at];
    }
  }
  return values == 0 ? std::optional(pattern) : std::nullopt;
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
  if (command.program == "stat")
    return command.arguments.size() == 3 && command.forms[2] <= WordForm::kPrefixed;
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
  if (command.unknown || !command.assignments.empty()) return false;
  if (command.program == "stat") return shows_numbers_of_files(command);
  if (!all_fixed(command)) return false;
  if (command.program == "wc") return !command.arguments.empty() && counts_lines(command);
  if (command.program == "seq") return are_numbers(command);
  if (command.program == "nproc") return command.arguments.empty();
  if (command.program != "date") return false;
  const auto is_format = [](std::string_view argument) { return argument.starts_with('+'); };
  const auto format = std::ranges::find_if(command.arguments, is_format);
  return std::ranges::count_if(command.arguments, is_format) == 1 && is_number_format(*format);
}

std::optional<std::string> prints_name(const SimpleCommand& command) {
  const std::vector<std::string>& arguments = command.arguments;
  if (command.unknown || !command.assignments.empty() || arguments.empty() ||
      arguments[0].starts_with('-') || command.forms[0] > WordForm::kPrefixed)
    return std::nullopt;
  if (command.program == "printf" && command.forms[0] == WordForm::kFixed) {
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      const bool counted = arguments[i] == kNumber && command.forms[i] == WordForm::kShaped;
      const bool digits = command.forms[i] == WordForm::kFixed && !arguments[i].empty() &&
                          arguments[i].find_first_not_of("0123456789") == std::string::npos;
      if (!counted && !digits) return std::nullopt;
    }
    return pattern_of_format(arguments[0], arguments.size() - 1);
  }
  const bool plain = arguments[0].find_first_of("$`\\\n") == std::string::npos;
  if (command.program != "basename" || arguments.size() > 2 || !plain ||
      arguments[0].ends_with('/'))
    return std::nullopt;
  // Where a number is missing, the last step is another one, or the ending is the whole name.
  const auto may_be_missing = [](std::string_view step) {
    return step.find_first_not_of(kNumber) == std::string_view::npos;
  };
  auto name = changed_pattern(arguments[0], "##*/");
  if (!name || may_be_missing(*name)) return std::nullopt;
  if (arguments.size() == 2) {
    if (command.forms[1] != WordForm::kFixed || arguments[1].starts_with('-')) return std::nullopt;
    name = changed_pattern(*name, "%" + arguments[1]);
    if (!name || may_be_missing(*name)) return std::nullopt;
  }
  return name;
}

}  // namespace anima::govern::detail
