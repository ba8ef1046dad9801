#include "govern/detail/shell_reach.h"

#include <algorithm>
#include <array>

#include "base/rooted_folder.h"

namespace anima::govern::detail {
namespace {

bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Whether a pattern or script is given by an option, so that every operand is a file.
bool gives_pattern(const SimpleCommand& command) {
  return std::ranges::any_of(command.arguments, [](std::string_view argument) {
    if (argument.starts_with("--"))
      return argument.starts_with("--reg") || argument.starts_with("--f") ||
             argument.starts_with("--expr");
    return argument.starts_with('-') && argument.find_first_of("ef") != argument.npos;
  });
}

// Where the value of an option begins: --file=X, -fX. What stands behind an -e is a pattern.
std::size_t value_at(std::string_view option, bool takes_pattern) {
  if (const std::size_t equals = option.find('='); equals != option.npos) return equals + 1;
  const std::size_t path = std::min(option.find_first_of("/~"), option.find(".."));
  if (option.starts_with("--") || path == option.npos) return 0;
  return takes_pattern && option.substr(0, path).find_first_of("eFv") != option.npos ? 0 : path;
}

// git diff /a b and others read files that are in no history, log -O/a the order of names.
bool git_takes_files(const SimpleCommand& command) {
  constexpr std::array<std::string_view, 4> kTake = {"diff", "blame", "apply", "ls-files"};
  return std::ranges::any_of(command.arguments, [&](std::string_view argument) {
    return among(kTake, argument) || argument.starts_with("-O");
  });
}

// Where the command begins that xargs, env .. run, or what stands before could be its option's
// value. It is judged apart.
std::size_t own_arguments(const SimpleCommand& command, std::string_view name) {
  constexpr std::array<std::string_view, 12> kRun = {"xargs",  "env",     "nice",    "nohup",
                                                     "time",   "exec",    "ionice",  "setsid",
                                                     "stdbuf", "timeout", "command", "builtin"};
  const std::vector<std::string>& arguments = command.arguments;
  if (!among(kRun, name)) return arguments.size();
  std::size_t at = 0;
  for (; at < arguments.size() && arguments[at].starts_with('-'); ++at) {
    if (arguments[at].find_last_of("InPLdsEakcoeu") == 1 && arguments[at].size() == 2) ++at;
  }
  return std::min(at, arguments.size());
}

// Of find: behind what -exec at `at` runs, which is judged apart; `at` for another word.
std::size_t behind_exec(const std::vector<std::string>& arguments, std::size_t at) {
  constexpr std::array<std::string_view, 4> kRun = {"-exec", "-execdir", "-ok", "-okdir"};
  if (!among(kRun, arguments[at])) return at;
  while (at + 1 < arguments.size() && arguments[at] != ";" && arguments[at] != "+") ++at;
  return at;
}

// {/etc/a,b}, $'/etc/a', ${x:-/etc/a}: named although it is not known what the word becomes.
bool spells_hidden_file(std::string_view word) {
  if (word.starts_with('/') || word.starts_with('~')) return is_hidden_file(word);
  const bool substitutes = word.starts_with("$(") || word.starts_with('`');
  for (std::size_t at = 0; !substitutes && at < word.size(); ++at) {
    const bool begins = std::string_view("{,-+=").find(word[at]) != std::string_view::npos;
    if (!begins || at + 1 == word.size() || (word[at + 1] != '/' && word[at + 1] != '~')) continue;
    const std::size_t end = std::min(word.find_first_of(",}", at + 1), word.size());
    if (is_hidden_file(word.substr(at + 1, end - at - 1))) return true;
  }
  return false;
}

}  // namespace

bool is_hidden_file(std::string_view path) {
  constexpr std::array<std::string_view, 14> kShown = {"/usr",
                                                       "/bin",
                                                       "/sbin",
                                                       "/lib",
                                                       "/lib32",
                                                       "/lib64",
                                                       "/dev",
                                                       "/tmp",
                                                       "/etc/ld.so.cache",
                                                       "/etc/alternatives",
                                                       "/proc/cpuinfo",
                                                       "/proc/meminfo",
                                                       "/proc/loadavg",
                                                       "/proc/version"};
  if (path.starts_with('~')) return true;  // ~ada and ~- too
  if (!path.starts_with('/')) return climbs_out(path);
  if (path.find("/..") != path.npos) return true;
  const auto holds = [&](std::string_view folder) { return is_below(path, folder); };
  return path != "/" && std::ranges::none_of(kShown, holds);
}

std::string_view hidden_file_of(const SimpleCommand& command, std::string_view name) {
  // Take texts, or names in lists of their own.
  constexpr std::array<std::string_view, 12> kTexts = {
      "basename", "dirname", "echo", "printf",    ":",  "dpkg",
      "expr",     "df",      "apt",  "systemctl", "tr", "dpkg-query"};
  constexpr std::array<std::string_view, 8> kPatternFirst = {"grep", "egrep", "fgrep", "zgrep",
                                                             "sed",  "awk",   "mawk",  "jq"};
  constexpr std::array<std::string_view, 4> kTakesPattern = {"-e", "--expression", "--regexp",
                                                             "--xpath"};
  if (among(kTexts, name) || (name == "git" && !git_takes_files(command))) return {};
  const bool takes_pattern = among(kPatternFirst, name) || name == "xmllint";
  bool pattern = among(kPatternFirst, name) && !gives_pattern(command);
  const std::size_t end = own_arguments(command, name);
  for (std::size_t i = 0; i < end; ++i) {
    if (name == "find") i = behind_exec(command.arguments, i);
    std::string_view argument = command.arguments[i];
    if (command.forms[i] == WordForm::kOne || command.forms[i] == WordForm::kOpen) {
      if (!pattern && spells_hidden_file(argument)) return argument;
      pattern = false;
      continue;
    }
    if (takes_pattern && among(kTakesPattern, argument)) {
      ++i;
      continue;
    }
    const bool option = argument.starts_with('-') && argument.size() > 1;
    if (option) argument.remove_prefix(value_at(argument, takes_pattern));
    if (name == "strings" && argument.starts_with('@')) argument.remove_prefix(1);
    if (!option && pattern) {
      pattern = false;
    } else if (is_hidden_file(argument)) {
      return command.arguments[i];
    }
  }
  return {};
}

}  // namespace anima::govern::detail
