#include "govern/detail/shell_forms.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"
#include "govern/detail/shell_git.h"
#include "govern/detail/shell_names.h"
#include "govern/detail/shell_parser.h"
#include "govern/detail/shell_paths.h"
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

// Names whose shape alone is known.
bool is_pattern(WordForm form) { return form == WordForm::kPattern || form == WordForm::kShaped; }

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
    const std::string& argument = command.arguments[i];
    const bool harmless =
        is_operand(command.forms[i]) ||
        (is_pattern(command.forms[i]) && (has_plain_tail(argument) || argument.ends_with('/')));
    if (!harmless) return unknown("what find does is decided when it runs");
  }
  if (has_option(command, {"-delete"})) return deletes("find -delete removes");
  if (has_option(command, {"-fprint", "-fprintf", "-fprint0", "-fls"}))
    return deletes("find writes a file");
  return reads("find looks at files");
}

// sort and shuf write with -o; sort runs a program with --compress-program.
JudgedPart judge_sort(const SimpleCommand& command) {
  const auto harmless = [](WordForm form) { return is_operand(form) || is_pattern(form); };
  if (!std::ranges::all_of(command.forms, harmless))
    return unknown("its options are decided when it runs");
  for (std::size_t i = 0; i < command.forms.size(); ++i) {
    if (is_pattern(command.forms[i]) && !has_plain_tail(command.arguments[i]))
      return unknown("a name among the files can be an option that runs a program");
  }
  if (may_have(command, 'o', "--o") || may_have(command, 'T', "--t") ||
      may_have(command, 'o', "--co"))
    return deletes("writes a file");
  const bool pattern = std::ranges::any_of(command.forms, is_pattern);
  return pattern ? writes("a name among the files could be an option") : reads();
}

JudgedPart judge_sed(const SimpleCommand& command) {
  if (sed_only_prints(command)) return reads("a sed script that only prints");
  if (sed_edits_inside(command)) return writes("edits files of the work folder");
  return unknown("a sed script can write files and run programs");
}

JudgedPart judge_awk(const SimpleCommand& command) {
  if (awk_only_prints(command)) return reads("an awk program that only prints");
  return unknown("an awk program can write files and run programs");
}

JudgedPart judge_tar(const SimpleCommand& command) {
  if (tar_only_packs(command)) return writes("packs files into an archive");
  return unknown("tar can overwrite files, run programs and leave the work folder");
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
    if (form != WordForm::kOne && form != WordForm::kPrefixed && form != WordForm::kShaped)
      return unknown("the words of the test are decided when it runs");
    const bool last = i + 1 == command.arguments.size();
    if (!last && (!is_fixed(command.forms[i + 1]) ||
                  command.arguments[i + 1].find('[') != std::string::npos))
      return unknown("what is tested is decided when it runs");
  }
  return reads();
}

// What date is given is what it prints, or the time that the clock is set to: date -s 12:00, date
// 01021200, and any word that is not known.
JudgedPart judge_date(const SimpleCommand& command) {
  const auto is_one = [](WordForm form) {
    return is_fixed(form) || form == WordForm::kPrefixed || form == WordForm::kShaped ||
           form == WordForm::kOne;
  };
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    const std::string& argument = command.arguments[i];
    const bool fixed = is_fixed(command.forms[i]);
    if (argument.starts_with('+') && is_one(command.forms[i])) continue;
    // --date="$x" begins as written.
    const bool given = argument.starts_with("--date=") && is_one(command.forms[i]);
    if (!fixed && !given) return deletes("may set the clock");
    if (argument.starts_with("--s") || !argument.starts_with('-')) return deletes("sets the clock");
    bool value = argument == "--date" || argument == "--file" || argument == "--reference";
    const std::size_t letter = argument.find_first_of("dfrsI", 1);
    if (!argument.starts_with("--") && letter != argument.npos && argument[letter] != 'I') {
      if (argument[letter] == 's') return deletes("sets the clock");
      value = letter + 1 == argument.size();
    }
    if (value && ++i < command.forms.size() && !is_one(command.forms[i]))
      return deletes("may set the clock");
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
    if (!number && argument != "$!" && argument != kNumber)
      return unknown("wait -p evaluates a name");
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

constexpr std::array<Form, 33> kForms = {{{"find", judge_find},
                                          {"sort", judge_sort},
                                          {"shuf", judge_sort},
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
  // Those of Rust and Go may run the version that a file of the folder names.
  constexpr std::array<std::string_view, 19> kPrograms = {
      "python", "python3", "perl",  "ruby", "node", "npm",     "php", "gcc",  "g++", "clang",
      "make",   "cmake",   "ninja", "java", "git",  "clang++", "pip", "pip3", "bash"};
  if (command.arguments.size() != 1 || !is_fixed(command.forms[0])) return false;
  if (std::ranges::find(kPrograms, name) == kPrograms.end()) return false;
  const std::string& ask = command.arguments[0];
  return ask == "--version" || (ask == "-V" && name.starts_with("python"));
}

}  // namespace

std::optional<JudgedPart> judge_form(const SimpleCommand& command, std::string_view name) {
  if (asks_for_version(command, name)) return reads("tells its version");
  std::optional<SimpleCommand> placed;
  if (name == "git") {
    if (starts_gpg(command)) return unknown("checks signatures, which runs gpg");
    placed = without_place(command);
  }
  const SimpleCommand& judged = placed ? *placed : command;
  if (auto part = judge_by_table(judged, name)) return part;
  const auto* form = std::ranges::find(kForms, name, &Form::program);
  if (form == kForms.end()) return std::nullopt;
  return form->judge(judged);
}

}  // namespace anima::govern::detail
