#include "govern/detail/shell_reach.h"

#include <algorithm>
#include <array>
#include <span>

namespace anima::govern::detail {
namespace {

bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Steps up that are not steps back from a folder named before.
bool climbs(std::string_view path) {
  int depth = 0;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view step = path.substr(at, end - at);
    if (step == ".." && --depth < 0) return true;
    if (step != ".." && !step.empty() && step != ".") ++depth;
    at = end + 1;
  }
  return false;
}

}  // namespace

bool is_hidden_file(std::string_view path) {
  constexpr std::array<std::string_view, 12> kHidden = {"/etc",  "/root", "/home",  "/var",
                                                        "/srv",  "/opt",  "/proc",  "/sys",
                                                        "/boot", "/mnt",  "/media", "/run"};
  constexpr std::array<std::string_view, 9> kShown = {
      "/etc/hosts",        "/etc/resolv.conf", "/etc/ssl/certs",
      "/etc/alternatives", "/etc/ld.so.cache", "/etc/nsswitch.conf",
      "/proc/cpuinfo",     "/proc/meminfo",    "/proc/loadavg"};
  const auto holds = [&](std::string_view folder) { return is_below(path, folder); };
  if (path == "~" || path.starts_with("~/")) return true;
  if (!path.starts_with('/')) return climbs(path);
  return path.find("/..") != path.npos ||
         (std::ranges::any_of(kHidden, holds) && !std::ranges::any_of(kShown, holds));
}

std::string_view hidden_file_of(const SimpleCommand& command, std::string_view name) {
  // Take texts, or names in lists of their own.
  constexpr std::array<std::string_view, 12> kTexts = {"echo", "printf",    ":",   "dpkg",
                                                       "expr", "df",        "apt", "date",
                                                       "git",  "systemctl", "tr",  "dpkg-query"};
  constexpr std::array<std::string_view, 8> kPatternFirst = {"grep", "egrep", "fgrep", "zgrep",
                                                             "sed",  "awk",   "mawk",  "jq"};
  if (among(kTexts, name)) return {};
  bool pattern = among(kPatternFirst, name);
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    if (command.forms[i] == WordForm::kOne || command.forms[i] == WordForm::kOpen) continue;
    std::string_view argument = command.arguments[i];
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
