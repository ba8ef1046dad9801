#include "govern/shell_judge.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "govern/detail/shell_scripts.h"

namespace anima::govern {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 77> kReaders = {
    "ls",      "cat",       "head",      "tail",     "wc",       "grep",     "egrep",   "fgrep",
    "cut",     "tr",        "comm",      "diff",     "cmp",      "file",     "stat",    "du",
    "df",      "pwd",       "echo",      "printf",   "date",     "cal",      "true",    "false",
    "test",    "[",         "basename",  "dirname",  "realpath", "readlink", "id",      "whoami",
    "uname",   "hostname",  "uptime",    "free",     "ps",       "seq",      "sleep",   "md5sum",
    "sha1sum", "sha256sum", "sha512sum", "cksum",    "od",       "hexdump",  "strings", "nl",
    "tac",     "rev",       "paste",     "join",     "fold",     "column",   "expr",    ":",
    "which",   "jq",        "wait",      "awk",      "gawk",     "mawk",     "bc",      "base64",
    "base32",  "fmt",       "expand",    "unexpand", "pr",       "numfmt",   "tsort",   "factor",
    "nproc",   "sum",       "b2sum",     "zcat",     "printenv"};
constexpr std::array<std::string_view, 6> kMakers = {"mkdir", "touch", "tee", "cp", "mv", "ln"};
constexpr std::array<std::string_view, 13> kRemovers = {
    "rm",    "rmdir",   "unlink", "shred", "truncate", "dd",     "kill",
    "pkill", "killall", "chmod",  "chown", "chgrp",    "crontab"};
constexpr std::array<std::string_view, 23> kSenders = {
    "curl", "wget",   "ssh",      "scp",   "sftp",   "rsync",    "ftp",      "nc",
    "ncat", "netcat", "telnet",   "socat", "mail",   "mailx",    "sendmail", "mutt",
    "ping", "dig",    "nslookup", "host",  "aria2c", "xdg-open", "git"};
// Run what their arguments say; parse_shell lists that as a command of its own.
constexpr std::array<std::string_view, 13> kWrappers = {
    "env",  "nohup", "nice",    "ionice",  "setsid", "stdbuf", "timeout",
    "time", "exec",  "command", "builtin", "xargs",  "watch"};

bool among(Names names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Outside the work folder, or not known before it runs. Of an option it is the value that counts:
// --target-directory=/etc, -t/etc.
bool leaves_folder(std::string_view path) {
  if (path.starts_with('-') && path.size() > 1) {
    const std::size_t value = path.find('=');
    const bool is_long = path.starts_with("--");
    if (is_long && value == std::string_view::npos) return false;
    return leaves_folder(path.substr(is_long ? value + 1 : 2));
  }
  if (path.empty() || path == "/dev/null" || path == "/dev/stdout" || path == "/dev/stderr")
    return false;
  if (path.front() == '/' || path.front() == '~') return true;
  if (path.find_first_of("$`") != std::string_view::npos) return true;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (path.substr(at, end - at) == "..") return true;
    at = end + 1;
  }
  return false;
}

std::string text_of(const SimpleCommand& command) {
  std::string text = command.program.empty() ? std::string("?") : command.program;
  for (const std::string& argument : command.arguments) text += " " + argument;
  for (const std::string& file : command.writes) text += " >" + file;
  if (text.size() > 200) text = text.substr(0, 200) + "..";
  return text;
}

bool has_option(const SimpleCommand& command, std::initializer_list<std::string_view> options) {
  return std::ranges::any_of(command.arguments, [&](const std::string& argument) {
    return std::ranges::any_of(options, [&](std::string_view option) {
      return argument == option ||
             (option.starts_with("--") && argument.starts_with(std::string(option) + "="));
    });
  });
}

bool in_place(const SimpleCommand& command) {
  return std::ranges::any_of(command.arguments, [](const std::string& argument) {
    return argument.starts_with("-i") || argument.starts_with("--in-place");
  });
}

// find, sed, sort and uniq read unless an option or a script says otherwise.
JudgedPart judge_scripted(const SimpleCommand& command, std::string_view name) {
  if (name == "find") {
    if (has_option(command, {"-delete"}))
      return {{}, ShellEffect::kDeletes, "find -delete removes"};
    if (has_option(command, {"-fprint", "-fprintf", "-fprint0", "-fls"}))
      return {{}, ShellEffect::kDeletes, "find writes a file"};
    return {{}, ShellEffect::kReads, "find looks at files"};
  }
  if (name == "sort") {
    if (std::ranges::any_of(command.arguments, [](const std::string& a) {
          if (a.starts_with("--")) return a.starts_with("--o") || a.starts_with("--co");
          return a.starts_with('-') && a.find('o') != std::string::npos;
        }))
      return {{}, ShellEffect::kDeletes, "sort writes a file"};
    return {{}, ShellEffect::kReads, "sort reads"};
  }
  if (name == "tar") {
    const auto outside = std::ranges::find_if(command.arguments, leaves_folder);
    if (detail::tar_only_packs(command.arguments) && outside == command.arguments.end())
      return {{}, ShellEffect::kWrites, "packs files into an archive"};
    return {{}, ShellEffect::kUnknown, "tar can overwrite files and run programs"};
  }
  if (in_place(command)) return {{}, ShellEffect::kDeletes, "sed -i overwrites files"};
  if (detail::sed_only_prints(command.arguments))
    return {{}, ShellEffect::kReads, "a sed script that only prints"};
  return {{}, ShellEffect::kUnknown, "a sed script can write files and run programs"};
}

bool changes_lookup(std::string_view assignment) {
  for (const std::string_view name : {"PATH=", "LD_", "IFS=", "BASH_ENV=", "ENV="}) {
    if (assignment.starts_with(name)) return true;
  }
  return false;
}

// Programs of which one form is worse than the others.
std::optional<JudgedPart> judge_form(const SimpleCommand& command, std::string_view name) {
  if (name == "cd") {
    const bool stays = command.arguments.size() == 1 && !leaves_folder(command.arguments[0]) &&
                       !command.arguments[0].starts_with('-');
    if (stays) return JudgedPart{{}, ShellEffect::kReads, "stays in the work folder"};
    return JudgedPart{{}, ShellEffect::kDeletes, "leaves the work folder"};
  }
  if (name == "uniq") {
    const auto operands = std::ranges::count_if(
        command.arguments, [](const std::string& a) { return !a.starts_with('-'); });
    if (operands < 2) return JudgedPart{{}, ShellEffect::kReads, "only reads"};
    return JudgedPart{{}, ShellEffect::kDeletes, "uniq writes its second file"};
  }
  if ((name == "test" || name == "[" || name == "printf") && has_option(command, {"-v"}))
    return JudgedPart{{}, ShellEffect::kUnknown, "-v evaluates a name"};
  if (name == "time" && has_option(command, {"-o", "--output"}))
    return JudgedPart{{}, ShellEffect::kDeletes, "time -o writes a file"};
  if (name == "env" && std::ranges::any_of(command.arguments, changes_lookup))
    return JudgedPart{{}, ShellEffect::kUnknown, "the variables can change what runs"};
  return std::nullopt;
}

JudgedPart judge_program(const SimpleCommand& command) {
  const std::string_view name = base_name(command.program);
  if (command.unknown) return {{}, ShellEffect::kUnknown, "what it runs is decided when it runs"};
  if (name.empty()) return {{}, ShellEffect::kReads, "sets variables or redirects"};
  if (name != command.program && !command.program.starts_with("/usr/bin/") &&
      !command.program.starts_with("/bin/"))
    return {{}, ShellEffect::kUnknown, "a program given by its path"};
  if (name == "find" || name == "sed" || name == "sort" || name == "tar")
    return judge_scripted(command, name);
  if (auto form = judge_form(command, name)) return *std::move(form);
  if (among(kReaders, name)) return {{}, ShellEffect::kReads, "only reads"};
  if (among(kWrappers, name))
    return {{}, ShellEffect::kReads, "runs another command, judged apart"};
  if (among(kMakers, name)) {
    const auto outside = std::ranges::find_if(command.arguments, leaves_folder);
    if (outside != command.arguments.end())
      return {{}, ShellEffect::kDeletes, "reaches outside the work folder: " + *outside};
    if (name == "ln") return {{}, ShellEffect::kDeletes, "a link can lead outside the work folder"};
    return {{}, ShellEffect::kWrites, "makes files in the work folder"};
  }
  if (among(kSenders, name)) return {{}, ShellEffect::kSends, "talks to other machines or people"};
  if (among(kRemovers, name)) return {{}, ShellEffect::kDeletes, "removes or alters"};
  return {{}, ShellEffect::kUnknown, "not a program that is known to be harmless"};
}

void raise_to(JudgedPart& part, ShellEffect effect, std::string reason) {
  if (part.effect >= effect) return;
  part.effect = effect;
  part.reason = std::move(reason);
}

JudgedPart judge(const SimpleCommand& command) {
  JudgedPart part = judge_program(command);
  part.command = text_of(command);
  for (const std::string& file : command.writes) {
    if (file == "/dev/null" || file == "/dev/stdout" || file == "/dev/stderr") continue;
    if (file.starts_with("/dev/tcp/") || file.starts_with("/dev/udp/")) {
      raise_to(part, ShellEffect::kSends, "writes to the network: " + file);
    } else if (leaves_folder(file)) {
      raise_to(part, ShellEffect::kDeletes, "writes outside the work folder: " + file);
    } else {
      raise_to(part, ShellEffect::kWrites, "writes " + file);
    }
  }
  // LD_PRELOAD=.. ls, PATH=. ls: the variables decide what runs.
  if (!command.assignments.empty() && !command.program.empty())
    raise_to(part, ShellEffect::kUnknown, "variables before the program can change what runs");
  for (const std::string& assignment : command.assignments) {
    if (changes_lookup(assignment))
      raise_to(part, ShellEffect::kUnknown, "changes what later commands run: " + assignment);
  }
  return part;
}

}  // namespace

std::string_view to_string(ShellEffect effect) {
  switch (effect) {
    case ShellEffect::kReads:
      return "reads";
    case ShellEffect::kWrites:
      return "writes";
    case ShellEffect::kSends:
      return "sends";
    case ShellEffect::kDeletes:
      return "deletes";
    case ShellEffect::kUnknown:
      return "unknown";
  }
  return "unknown";
}

Json ShellJudgement::to_json() const {
  Json list = Json::array();
  for (const JudgedPart& part : parts) {
    list.push_back(Json::object({{"command", part.command},
                                 {"effect", std::string(to_string(part.effect))},
                                 {"reason", part.reason}}));
  }
  return list;
}

Result<ShellJudgement> judge_shell(std::string_view text) {
  ANIMA_ASSIGN(const ShellCommand parsed, parse_shell(text));
  ShellJudgement judgement;
  for (const SimpleCommand& command : parsed.commands) {
    judgement.parts.push_back(judge(command));
    judgement.effect = std::max(judgement.effect, judgement.parts.back().effect);
  }
  return judgement;
}

}  // namespace anima::govern
