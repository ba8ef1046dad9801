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
  if (path == "~" || path.starts_with("~/")) return true;
  if (!path.starts_with('/')) return climbs_out(path);
  if (path.find("/..") != path.npos) return true;
  const auto holds = [&](std::string_view folder) { return is_below(path, folder); };
  return path != "/" && std::ranges::none_of(kShown, holds);
}

std::string_view hidden_file_of(const SimpleCommand& command, std::string_view name) {
  // Take texts, or names in lists of their own.
  constexpr std::array<std::string_view, 14> kTexts = {
      "basename", "dirname", "echo", "printf", ":",         "dpkg", "expr",
      "df",       "apt",     "date", "git",    "systemctl", "tr",   "dpkg-query"};
  constexpr std::array<std::string_view, 8> kPatternFirst = {"grep", "egrep", "fgrep", "zgrep",
                                                             "sed",  "awk",   "mawk",  "jq"};
  constexpr std::array<std::string_view, 4> kTakesPattern = {"-e", "--expression", "--regexp",
                                                             "--xpath"};
  if (among(kTexts, name)) return {};
  const bool takes_pattern = among(kPatternFirst, name) || name == "xmllint";
  bool pattern = among(kPatternFirst, name) && !gives_pattern(command);
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    if (command.forms[i] == WordForm::kOne || command.forms[i] == WordForm::kOpen) continue;
    std::string_view argument = command.arguments[i];
    if (takes_pattern && among(kTakesPattern, argument)) {
      ++i;
      continue;
    }
    const bool option = argument.starts_with('-') && argument.size() > 1;
    if (option) argument.remove_prefix(std::min(argument.find('=') + 1, argument.size()));
    if (!option && pattern) {
      pattern = false;
    } else if (is_hidden_file(argument)) {
      return command.arguments[i];
    }
  }
  return {};
}

}  // namespace anima::govern::detail
