// Programs that run what their arguments say.
#include <algorithm>
#include <array>

#include "govern/detail/shell_parser.h"
#include "govern/detail/shell_scripts.h"

namespace anima::govern::detail {
namespace {

struct Wrapper {
  std::string_view program;
  std::string_view valued;   // options that take a value, each followed by a blank: "-u -n "
  std::size_t operands = 0;  // arguments before the command: timeout 5 CMD
};

constexpr std::array<Wrapper, 19> kWrappers = {{{"sudo", "-u -g -h -p -C -T -r -t -D ", 0},
                                                {"doas", "-u -C ", 0},
                                                {"env", "-u -C --unset --chdir ", 0},
                                                {"nohup", "", 0},
                                                {"nice", "-n ", 0},
                                                {"ionice", "-c -n -p ", 0},
                                                {"setsid", "", 0},
                                                {"stdbuf", "-i -o -e ", 0},
                                                {"timeout", "-s -k ", 1},
                                                {"time", "-f -o ", 0},
                                                {"exec", "-a ", 0},
                                                {"command", "", 0},
                                                {"builtin", "", 0},
                                                {"xargs", "-I -n -P -L -d -s -E -a ", 0},
                                                {"chroot", "", 1},
                                                {"unshare", "", 0},
                                                {"watch", "-n ", 0},
                                                {"strace", "-o -e -p ", 0},
                                                {"busybox", "", 0}}};

constexpr std::array<std::string_view, 7> kShells = {"sh",  "bash", "dash", "zsh",
                                                     "ksh", "ash",  "fish"};
constexpr std::array<std::string_view, 12> kInterpreters = {
    "python", "python3", "perl", "ruby", "node",  "php",
    "lua",    "awk",     "gawk", "mawk", "tclsh", "osascript"};

std::string_view base_name(std::string_view program) {
  const std::size_t slash = program.rfind('/');
  return slash == std::string_view::npos ? program : program.substr(slash + 1);
}

bool is_assignment_text(std::string_view text) {
  return !text.starts_with('-') && text.find('=') != std::string_view::npos;
}

class Unwrapper {
 public:
  Unwrapper(SimpleCommand& command, const std::vector<bool>& expanded, int depth,
            std::vector<SimpleCommand>& out)
      : command_(command), expanded_(expanded), depth_(depth), out_(out) {}

  Status run() {
    const std::string_view name = base_name(command_.program);
    if (judged_by_arguments(name) && std::ranges::count(expanded_, true) > 0) return unknown();
    const auto* wrapper = std::ranges::find(kWrappers, name, &Wrapper::program);
    if (wrapper != kWrappers.end()) {
      if (name == "env" && splits_a_text()) return unknown();
      return inner(command_start(*wrapper));
    }
    if (std::ranges::find(kShells, name) != kShells.end()) return shell();
    if (name == "eval") return text(0);
    if (name == "source" || name == ".") return unknown();
    if (name == "find") return find();
    if (std::ranges::find(kInterpreters, name) != kInterpreters.end()) return interpreter();
    return {};
  }

 private:
  const std::vector<std::string>& arguments() const { return command_.arguments; }

  Status unknown() {
    command_.unknown = true;
    return {};
  }

  std::size_t command_start(const Wrapper& wrapper) const {
    std::size_t at = 0;
    std::size_t operands = wrapper.operands;
    for (; at < arguments().size(); ++at) {
      const std::string& argument = arguments()[at];
      if (argument == "--") return at + 1 + operands;
      if (argument.starts_with('-') && argument.size() > 1) {
        if (wrapper.valued.find(argument + " ") != std::string_view::npos) ++at;
      } else if (is_assignment_text(argument) &&
                 (wrapper.program == "env" || wrapper.program == "sudo")) {
        continue;
      } else if (operands > 0) {
        --operands;
      } else {
        break;
      }
    }
    return at;
  }

  // env -S "rm x": the words come out of one argument.
  bool splits_a_text() const {
    return std::ranges::any_of(arguments(), [](const std::string& a) {
      if (a.starts_with("--")) return a.starts_with("--s");
      return a.starts_with('-') && a.find('S') != std::string::npos;
    });
  }

  // The arguments from `first` to `last` are a command of their own.
  Status inner(std::size_t first, std::size_t last = static_cast<std::size_t>(-1)) {
    last = std::min(last, arguments().size());
    if (first >= last) return {};
    SimpleCommand command;
    command.offset = command_.offset;
    command.unknown = expanded_[first];
    if (!command.unknown) command.program = arguments()[first];
    // xargs adds arguments that nobody has seen.
    command.unknown |=
        base_name(command_.program) == "xargs" && judged_by_arguments(base_name(command.program));
    std::vector<bool> expanded;
    for (std::size_t i = first + 1; i < last; ++i) {
      command.arguments.push_back(arguments()[i]);
      expanded.push_back(expanded_[i]);
    }
    if (depth_ >= 16)
      return fail(ErrorCode::kLimitExceeded, "more than 16 commands inside each other");
    ANIMA_TRY(unwrap(command, expanded, depth_ + 1, out_));
    out_.push_back(std::move(command));
    return {};
  }

  // The arguments from `first` on, joined, are shell text.
  Status text(std::size_t first) {
    std::string body;
    for (std::size_t i = first; i < arguments().size(); ++i) {
      if (expanded_[i]) return unknown();
      if (!body.empty()) body.push_back(' ');
      body += arguments()[i];
    }
    return parse_shell_into(body, command_.offset, depth_ + 1, out_);
  }

  Status shell() {
    for (std::size_t i = 0; i < arguments().size(); ++i) {
      const std::string& argument = arguments()[i];
      const bool option = argument.size() > 1 && (argument[0] == '-' || argument[0] == '+');
      if (option && argument[1] != '-' && argument.find('c') != std::string::npos) {
        if (i + 1 >= arguments().size() || expanded_[i + 1]) return unknown();
        return parse_shell_into(arguments()[i + 1], command_.offset, depth_ + 1, out_);
      }
      if (!option) return unknown();  // a script
    }
    return unknown();  // reads its commands from standard input
  }

  Status find() {
    for (std::size_t i = 0; i < arguments().size(); ++i) {
      const std::string& argument = arguments()[i];
      if (argument != "-exec" && argument != "-execdir" && argument != "-ok" &&
          argument != "-okdir")
        continue;
      std::size_t last = i + 1;
      while (last < arguments().size() && arguments()[last] != ";" && arguments()[last] != "+")
        ++last;
      ANIMA_TRY(inner(i + 1, last));
      i = last;
    }
    return {};
  }

  // A program text on the command line, or a script, can do anything.
  Status interpreter() {
    if (base_name(command_.program).ends_with("awk") && awk_only_prints(arguments())) return {};
    const bool asks_only =
        arguments().size() == 1 &&
        (arguments()[0] == "--version" || arguments()[0] == "-V" || arguments()[0] == "--help");
    return asks_only ? Status{} : unknown();
  }

  SimpleCommand& command_;
  const std::vector<bool>& expanded_;
  int depth_;
  std::vector<SimpleCommand>& out_;
};

}  // namespace

Status unwrap(SimpleCommand& command, const std::vector<bool>& expanded, int depth,
              std::vector<SimpleCommand>& out) {
  return Unwrapper(command, expanded, depth, out).run();
}

}  // namespace anima::govern::detail
