#include "govern/detail/shell_forms.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"
#include "govern/detail/shell_names.h"
#include "govern/detail/shell_parser.h"
#include "govern/detail/shell_scripts.h"
#include "govern/detail/shell_table.h"

namespace anima::govern::detail {
namespace {

using Judge = JudgedPart (*)(const SimpleCommand&);

JudgedPart reads(std::string reason = "only reads") {
  return {{}, ShellEffect::kReads, std::move(reason)};
}
JudgedPart writes(std::string reason) { return {{}, ShellEffect::kWrites, std::move(reason)}; }
JudgedPart deletes(std::string reason) { return {{}, ShellEffect::kDeletes, std::move(reason)}; }
JudgedPart unknown(std::string reason) { return {{}, ShellEffect::kUnknown, std::move(reason)}; }

bool is_fixed(WordForm form) { return form == WordForm::kFixed; }
// Cannot turn out to be an option.
bool is_operand(WordForm form) {
  return form == WordForm::kFixed || form == WordForm::kPrefixed || form == WordForm::kNames;
}

// *.txt: no name that it finds ends in an option's word.
bool has_plain_tail(std::string_view pattern) {
  const std::size_t last = pattern.find_last_of("*?]");
  if (last == std::string_view::npos || last + 2 >= pattern.size()) return false;
  return pattern[last + 1] == '.' && pattern.find_first_not_of('.', last + 1) != pattern.npos;
}

bool has_option(const SimpleCommand& command, std::initializer_list<std::string_view> options) {
  return std::ranges::any_of(command.arguments, [&](const std::string& argument) {
    return std::ranges::find(options, argument) != options.end();
  });
}

// Does a short option of this letter, or a long one that begins so, stand among the arguments?
bool may_have(const SimpleCommand& command, char letter, std::string_view beginning) {
  return std::ranges::any_of(command.arguments, [&](std::string_view argument) {
    if (argument.starts_with("--")) return argument.starts_with(beginning);
    return argument.starts_with('-') && argument.find(letter) != std::string_view::npos;
  });
}

JudgedPart judge_find(const SimpleCommand& command) {
  for (std::size_t i = 0; i < command.forms.size(); ++i) {
    const bool harmless = is_operand(command.forms[i]) || (command.forms[i] == WordForm::kPattern &&
                                                           has_plain_tail(command.arguments[i]));
    if (!harmless) return unknown("what find does is decided when it runs");
  }
  if (has_option(command, {"-delete"})) return deletes("find -delete removes");
  if (has_option(command, {"-fprint", "-fprintf", "-fprint0", "-fls"}))
    return deletes("find writes a file");
  return reads("find looks at files");
}

// sort, shuf and tree write with -o; sort runs a program with --compress-program.
JudgedPart judge_sort(const SimpleCommand& command) {
  const auto harmless = [](WordForm form) {
    return is_operand(form) || form == WordForm::kPattern;
  };
  if (!std::ranges::all_of(command.forms, harmless))
    return unknown("its options are decided when it runs");
  for (std::size_t i = 0; i < command.forms.size(); ++i) {
    if (command.forms[i] == WordForm::kPattern && !has_plain_tail(command.arguments[i]))
      return unknown("a name among the files can be an option that runs a program");
  }
  if (may_have(command, 'o', "--o") || may_have(command, 'T', "--t") ||
      may_have(command, 'o', "--co"))
    return deletes("writes a file");
  const bool pattern = std::ranges::find(command.forms, WordForm::kPattern) != command.forms.end();
  return pattern ? writes("a name among the files could be an option") : reads();
}

JudgedPart judge_sed(const SimpleCommand& command) {
  const bool in_place = std::ranges::any_of(command.arguments, [](const std::string& argument) {
    return argument.starts_with("-i") || argument.starts_with("--in-place");
  });
  if (in_place) return deletes("sed -i overwrites files");
  if (sed_only_prints(command)) return reads("a sed script that only prints");
  return unknown("a sed script can write files and run programs");
}

JudgedPart judge_awk(const SimpleCommand& command) {
  if (awk_only_prints(command)) return reads("an awk program that only prints");
  return unknown("an awk program can write files and run programs");
}

JudgedPart judge_tar(const SimpleCommand& command) {
  for (std::size_t i = 1; i < command.arguments.size(); ++i) {
    if (leads_out(command.arguments[i], command.forms[i]))
      return unknown("tar leaves the work folder");
  }
  if (tar_only_packs(command)) return writes("packs files into an archive");
  return unknown("tar can overwrite files and run programs");
}

JudgedPart judge_cd(const SimpleCommand& command) {
  const bool stays = command.arguments.size() == 1 && is_fixed(command.forms[0]) &&
                     !leaves_folder(command.arguments[0]) &&
                     !leads_to_outbox(command.arguments[0]) &&
                     !command.arguments[0].starts_with('-');
  return stays ? reads("stays in the work folder") : deletes("leaves the work folder");
}

JudgedPart judge_uniq(const SimpleCommand& command) {
  std::size_t operands = 0;
  bool options = true;
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    const std::string& argument = command.arguments[i];
    const WordForm form = command.forms[i];
    const bool one = is_fixed(form) || form == WordForm::kPrefixed;
    if (!one) return unknown("uniq writes its second file");
    if (options && is_fixed(form) && argument.size() > 1 && argument[0] == '-') {
      options = argument != "--";
      // The numbers of fields and characters stand behind these.
      if (argument == "-f" || argument == "-s" || argument == "-w") ++i;
    } else {
      ++operands;
    }
  }
  return operands < 2 ? reads() : deletes("uniq writes its second file");
}

// bash runs substitutions in the subscript of a name that [ -v looks at.
JudgedPart judge_test(const SimpleCommand& command) {
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    const WordForm form = command.forms[i];
    const std::string& argument = command.arguments[i];
    if (is_fixed(form) && argument == "-v") return unknown("-v evaluates a name");
    if (is_fixed(form)) continue;
    if (form != WordForm::kOne && form != WordForm::kPrefixed)
      return unknown("the words of the test are decided when it runs");
    const bool last = i + 1 == command.arguments.size();
    if (!last && (!is_fixed(command.forms[i + 1]) ||
                  command.arguments[i + 1].find('[') != std::string::npos))
      return unknown("what is tested is decided when it runs");
  }
  return reads();
}

// date -s 12:00, date 01021200: the clock is set.
JudgedPart judge_date(const SimpleCommand& command) {
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    const std::string& argument = command.arguments[i];
    if (!is_fixed(command.forms[i]) || argument.starts_with('+')) continue;
    if (argument.starts_with("--s") || !argument.starts_with('-')) return deletes("sets the clock");
    if (argument == "--date" || argument == "--file" || argument == "--reference") ++i;
    if (argument.starts_with("--")) continue;
    const std::size_t letter = argument.find_first_of("dfrsI", 1);
    if (letter == argument.npos || argument[letter] == 'I') continue;
    if (argument[letter] == 's') return deletes("sets the clock");
    if (letter + 1 == argument.size()) ++i;
  }
  return reads();
}

// Whether a format holds %n, by which bash sets the variable that its argument names.
bool may_set_variable(std::string_view format) {
  for (std::size_t at = format.find('%'); at != format.npos; at = format.find('%', at + 1)) {
    at = format.find_first_not_of("-+ #0123456789.*'hlLjztq", at + 1);
    if (at == format.npos) return false;
    if (format[at] == 'n') return true;
  }
  return false;
}

JudgedPart judge_printf(const SimpleCommand& command) {
  if (command.arguments.empty()) return reads();
  const std::string& format = command.arguments[0];
  if (!is_operand(command.forms[0]) || format.starts_with('-'))
    return unknown("printf -v evaluates a name");
  const bool with_arguments = command.arguments.size() > 1 || command.forms[0] == WordForm::kNames;
  if (with_arguments && (!is_fixed(command.forms[0]) || may_set_variable(format)))
    return unknown("printf %n sets a variable");
  return reads();
}

JudgedPart judge_wait(const SimpleCommand& command) {
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    const std::string& argument = command.arguments[i];
    const bool number = is_fixed(command.forms[i]) &&
                        argument.find_first_not_of("%0123456789") == std::string::npos;
    if (!number && argument != "$!") return unknown("wait -p evaluates a name");
  }
  return reads();
}

// set -e, +u, -x, -o pipefail; anything else changes what later words mean.
JudgedPart judge_set(const SimpleCommand& command) {
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    const std::string& argument = command.arguments[i];
    if (!is_fixed(command.forms[i])) return unknown("the options are decided when it runs");
    if (argument == "pipefail" && i > 0 && command.arguments[i - 1].ends_with('o')) continue;
    if (argument.size() < 2 || (argument[0] != '-' && argument[0] != '+') ||
        argument.find_first_not_of("euxo", 1) != std::string::npos)
      return unknown("changes how the shell reads");
  }
  return command.arguments.empty() ? reads("shows variables") : reads("stops at errors");
}

// export LC_ALL=C.
JudgedPart judge_export(const SimpleCommand& command) {
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    const std::string_view argument = command.arguments[i];
    const std::size_t equals = argument.find('=');
    if (!is_fixed(command.forms[i]) || equals == argument.npos ||
        !only_shapes_output(argument.substr(0, equals)))
      return unknown("the variables can change what runs");
  }
  return reads("sets the form of output");
}

// bash runs substitutions in the subscript of a name that it unsets.
JudgedPart judge_unset(const SimpleCommand& command) {
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    const std::string& argument = command.arguments[i];
    if (!is_fixed(command.forms[i]) || !is_name(argument) || steers_the_shell(argument))
      return unknown("the variables can change what runs");
  }
  return reads("forgets variables");
}

JudgedPart judge_env(const SimpleCommand& command) {
  if (command.unknown) return unknown("what it runs is decided when it runs");
  for (const std::string& argument : command.arguments) {
    const bool drops = argument.starts_with("--")
                           ? argument != "--null" && argument != "--"
                           : argument.find_first_of("iu", 1) != argument.npos;
    if (argument.starts_with('-') && drops)
      return unknown("drops variables that keep git from running what a folder names");
    if (argument.starts_with('-')) continue;
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos) break;
    if (!only_shapes_output(argument.substr(0, equals)))
      return unknown("the variables can change what runs");
  }
  return reads("runs another command, judged apart");
}

// bash's -a gives a program another name, after which bzcat is bunzip2; -c drops all variables.
JudgedPart judge_exec(const SimpleCommand& command) {
  for (const std::string& argument : command.arguments) {
    if (!argument.starts_with('-')) break;
    if (argument.find_first_of("ac", 1) != std::string::npos)
      return unknown("gives the program another name or other variables");
  }
  return reads("runs another command, judged apart");
}

JudgedPart judge_time(const SimpleCommand& command) {
  if (may_have(command, 'o', "--o")) return deletes("time -o writes a file");
  return reads("runs another command, judged apart");
}

// What git runs is named in .git/config, which no harmless command writes (leads_out).
JudgedPart judge_git(const SimpleCommand& command) {
  constexpr std::array<std::string_view, 16> kLooks = {
      "status",  "log",        "diff",        "show",       "rev-parse", "ls-files",
      "ls-tree", "describe",   "blame",       "shortlog",   "cat-file",  "rev-list",
      "cherry",  "range-diff", "whatchanged", "show-branch"};
  const JudgedPart sends{{}, ShellEffect::kSends, "talks to other machines or people"};
  if (command.arguments.empty() || !is_fixed(command.forms[0])) return sends;
  if (std::ranges::find(kLooks, command.arguments[0]) == kLooks.end()) return sends;
  for (std::size_t at = 1; at < command.arguments.size(); ++at) {
    const std::string& argument = command.arguments[at];
    if (!is_operand(command.forms[at])) return unknown("the options are decided when it runs");
    for (const std::string_view option : {"--o", "--e", "--textc", "--f", "--show-s", "--w"}) {
      const bool plain = argument.starts_with("--oneline") || argument.starts_with("--format") ||
                         argument.starts_with("--follow") || argument.starts_with("--word-diff") ||
                         argument.starts_with("--first-parent") ||
                         argument == "--exclude-standard" || argument == "--others";
      if (argument.starts_with(option) && !plain)
        return unknown("an option of git that writes or runs a program");
    }
  }
  return reads("looks at the history");
}

// git --no-pager -C folder log: what stands behind the options that change nothing but the place
// below the work folder.
SimpleCommand without_place(const SimpleCommand& command) {
  std::size_t at = 0;
  while (at < command.arguments.size() && is_fixed(command.forms[at])) {
    const std::string& argument = command.arguments[at];
    if (argument == "--no-pager") {
      ++at;
    } else if (argument == "-C" && at + 1 < command.arguments.size() &&
               is_fixed(command.forms[at + 1]) && !command.arguments[at + 1].starts_with('-') &&
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

JudgedPart judge_file(const SimpleCommand& command) {
  if (may_have(command, 'C', "--c")) return writes("compiles a file of magic numbers");
  return reads();
}

// sh -c TEXT, whose commands are judged apart (unwrap), and sh -n FILE.
JudgedPart judge_shell_program(const SimpleCommand& command) {
  if (only_checks_grammar(command)) return reads("only checks the grammar");
  const bool runs_text =
      command.arguments.size() >= 2 && is_fixed(command.forms[0]) && is_fixed(command.forms[1]) &&
      command.arguments[0].starts_with('-') && command.arguments[0].ends_with('c') &&
      command.arguments[0].find_first_not_of("euxc", 1) == std::string::npos &&
      std::ranges::count(command.arguments[0], 'c') == 1 &&
      !command.arguments[1].starts_with('-') && !command.arguments[1].starts_with('+');
  if (!runs_text) return unknown("what the shell runs is not in the line");
  return reads("runs a command line, judged apart");
}

JudgedPart judge_true(const SimpleCommand&) { return reads(); }

struct Form {
  std::string_view program;
  Judge judge;
};

constexpr std::array<Form, 34> kForms = {{{"find", judge_find},
                                          {"sort", judge_sort},
                                          {"shuf", judge_sort},
                                          {"tree", judge_sort},
                                          {"sed", judge_sed},
                                          {"awk", judge_awk},
                                          {"gawk", judge_awk},
                                          {"mawk", judge_awk},
                                          {"tar", judge_tar},
                                          {"cd", judge_cd},
                                          {"uniq", judge_uniq},
                                          {"test", judge_test},
                                          {"[", judge_test},
                                          {"printf", judge_printf},
                                          {"wait", judge_wait},
                                          {"set", judge_set},
                                          {"env", judge_env},
                                          {"date", judge_date},
                                          {"exec", judge_exec},
                                          {"time", judge_time},
                                          {"git", judge_git},
                                          {"read", judge_true},
                                          {"break", judge_true},
                                          {"continue", judge_true},
                                          {"exit", judge_true},
                                          {"return", judge_true},
                                          {"type", judge_true},
                                          {"shift", judge_true},
                                          {"file", judge_file},
                                          {"sh", judge_shell_program},
                                          {"bash", judge_shell_program},
                                          {"dash", judge_shell_program},
                                          {"export", judge_export},
                                          {"unset", judge_unset}}};

// python3 --version.
bool asks_for_version(const SimpleCommand& command, std::string_view name) {
  constexpr std::array<std::string_view, 22> kPrograms = {
      "python", "python3", "perl",    "ruby",  "node",  "npm",   "php",   "gcc",
      "g++",    "clang",   "make",    "cmake", "ninja", "cargo", "rustc", "go",
      "java",   "git",     "clang++", "pip",   "pip3",  "bash"};
  constexpr std::array<std::string_view, 3> kAsks = {"--version", "-V", "version"};
  if (command.arguments.size() != 1 || !is_fixed(command.forms[0])) return false;
  if (std::ranges::find(kPrograms, name) == kPrograms.end()) return false;
  const std::string& ask = command.arguments[0];
  if (ask == "version") return name == "go";
  if (ask == "-V") return name.starts_with("python");
  return std::ranges::find(kAsks, ask) != kAsks.end();
}

// The folder whose files are sent (tools/external.h), at the top of the work folder.
constexpr std::string_view kOutbox = "outbox";

// Whether a pattern may find the name: judged by what stands before its first and behind its last
// unknown character.
bool may_find(std::string_view pattern, std::string_view name) {
  const std::size_t first = pattern.find_first_of("*?[");
  if (first == std::string_view::npos) return pattern == name;
  const std::size_t last = pattern.find_last_of("*?]");
  return name.starts_with(pattern.substr(0, first)) &&
         name.ends_with(pattern.substr(std::max(first, last) + 1));
}

std::vector<std::string_view> steps_of(std::string_view path) {
  std::vector<std::string_view> steps = split(path, '/');
  std::erase_if(steps, [](std::string_view step) { return step.empty() || step == "."; });
  return steps;
}

}  // namespace

bool leaves_folder(std::string_view path) {
  if (path.empty() || path == "/dev/null" || path == "/dev/stdout" || path == "/dev/stderr")
    return false;
  if (path.front() == '/' || path.front() == '~') return true;
  if (path.find_first_of("$`") != std::string_view::npos) return true;
  const auto steps = steps_of(path);
  return std::ranges::any_of(steps,
                             [](std::string_view step) { return step == ".." || step == ".git"; });
}

bool leads_to_outbox(std::string_view path) {
  // Deeper ones too: a folder of this name could be moved up.
  const auto steps = steps_of(path);
  return std::ranges::find(steps, kOutbox) != steps.end() ||
         (!steps.empty() && may_find(steps.front(), kOutbox));
}

bool leads_out(std::string_view argument, WordForm form) {
  switch (form) {
    case WordForm::kFixed:
    case WordForm::kPrefixed:
      break;
    case WordForm::kNames: {
      // .? finds .. and .git; {} of find is wherever find looks.
      const auto steps = steps_of(argument);
      if (argument.find("{}") != std::string_view::npos ||
          std::ranges::any_of(steps, [](std::string_view step) {
            return step.starts_with('.') && step.find_first_of("*?[") != step.npos;
          }))
        return true;
      break;
    }
    case WordForm::kPattern:
      return argument.find('/') != std::string_view::npos || !has_plain_tail(argument) ||
             leads_to_outbox(argument);
    case WordForm::kOne:
    case WordForm::kOpen:
      return true;
  }
  if (!argument.starts_with('-') || argument.size() == 1)
    return leaves_folder(argument) || leads_to_outbox(argument);
  // Of an option the value counts: --target-directory=/etc, -t/etc, -vt../x.
  if (argument.starts_with("--")) {
    const std::size_t value = argument.find('=');
    return value != std::string_view::npos && (leaves_folder(argument.substr(value + 1)) ||
                                               leads_to_outbox(argument.substr(value + 1)));
  }
  return argument.find_first_of("/~$`") != std::string_view::npos ||
         argument.find("..") != std::string_view::npos ||
         argument.find(".git") != std::string_view::npos ||
         argument.find(kOutbox) != std::string_view::npos;
}

bool brings_along(const SimpleCommand& command) {
  const std::vector<std::string>& arguments = command.arguments;
  const bool copies = command.program.ends_with("cp");
  bool merges = false;
  bool to_top = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view place = arguments[i];
    if (place.starts_with("--")) {
      merges = merges || (copies && place.starts_with("--no-t"));
      place.remove_prefix(std::min(place.find('='), place.size() - 1) + 1);
    } else if (place.starts_with('-')) {
      merges = merges || (copies && place.find('T') != place.npos);
      place.remove_prefix(std::min(place.find('t'), place.size() - 1) + 1);
    } else {
      while (place.size() > 1 && place.ends_with('/')) place.remove_suffix(1);
      merges = merges || place.ends_with("/.") || (place == "." && i + 1 < arguments.size());
    }
    to_top = to_top || (place.starts_with('.') && steps_of(place).empty());
  }
  if (merges) return true;
  return to_top && std::ranges::any_of(arguments, [](std::string_view argument) {
           const auto steps = steps_of(argument);
           return !steps.empty() && may_find(steps.back(), kOutbox);
         });
}

std::optional<JudgedPart> judge_form(const SimpleCommand& command, std::string_view name) {
  if (asks_for_version(command, name)) return reads("tells its version");
  const SimpleCommand judged = name == "git" ? without_place(command) : command;
  if (auto part = judge_by_table(judged, name)) return part;
  const auto* form = std::ranges::find(kForms, name, &Form::program);
  if (form == kForms.end()) return std::nullopt;
  return form->judge(judged);
}

}  // namespace anima::govern::detail
