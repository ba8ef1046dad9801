// Programs that run what their arguments say.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "govern/detail/shell_names.h"
#include "govern/detail/shell_parser.h"
#include "govern/detail/shell_paths.h"

namespace anima::govern::detail {
namespace {

// Options are read as the program reads them; an option that is not listed here could take the next
// word as its value, and with it the program that is run.
struct Wrapper {
  std::string_view program;
  std::string_view flags;            // letters that take no value
  std::string_view valued;           // letters that take one, attached or as the next word
  std::string_view long_flags = "";  // each followed by a blank; also NAME=VALUE
  std::size_t operands = 0;          // words before the command: timeout 5 CMD
};

constexpr std::array<Wrapper, 17> kWrappers = {
    {{"sudo", "AbEHkKnPSis", "ughpCTrtD"},
     {"doas", "nLs", "uC"},
     {"env", "i0v", "u", "--ignore-environment --null --unset= "},
     {"nohup", "", ""},
     {"nice", "0123456789", "n", "--adjustment= "},
     {"ionice", "t", "cn", "--ignore --class= --classdata= "},
     {"setsid", "cfw", "", "--ctty --fork --wait "},
     {"stdbuf", "", "ioe", "--input= --output= --error= "},
     {"timeout", "v", "sk", "--preserve-status --foreground --verbose --signal= --kill-after= ", 1},
     {"time", "pvaq", "fo", "--portability --verbose --format= --output= "},
     {"exec", "cl", "a"},
     {"command", "p", ""},
     {"builtin", "", ""},
     {"xargs", "0rtx", "InPLdsEa",
      "--null --no-run-if-empty --verbose --exit --max-args= --max-procs= --max-lines= --replace= "
      "--delimiter= "},
     {"chroot", "", "", "", 1},
     {"strace", "fqvt", "oep"},
     {"busybox", "", ""}}};

constexpr std::array<std::string_view, 7> kShells = {"sh",  "bash", "dash", "zsh",
                                                     "ksh", "ash",  "fish"};

std::string_view base_name(std::string_view program) {
  const std::size_t slash = program.rfind('/');
  return slash == std::string_view::npos ? program : program.substr(slash + 1);
}

bool is_assignment_text(std::string_view text) {
  return !text.starts_with('-') && text.find('=') != std::string_view::npos;
}

class Unwrapper {
 public:
  Unwrapper(SimpleCommand& command, int depth, Findings& out)
      : command_(command), depth_(depth), out_(out) {}

  Status run() {
    const std::string_view name = base_name(command_.program);
    const auto* wrapper = std::ranges::find(kWrappers, name, &Wrapper::program);
    if (wrapper != kWrappers.end()) return wrapped(*wrapper);
    if (std::ranges::find(kShells, name) != kShells.end()) return shell();
    if (name == "eval") return evaluate();
    if (name == "source" || name == ".") return unknown();
    if (name == "find") return find();
    if (name == "read") return read();
    if (name == "export" || name == "unset") return change();
    return {};
  }

 private:
  const std::vector<std::string>& arguments() const { return command_.arguments; }
  bool fixed(std::size_t i) const { return command_.forms[i] == WordForm::kFixed; }

  Status unknown() {
    command_.unknown = true;
    return {};
  }

  Status wrapped(const Wrapper& wrapper) {
    // command -v NAME only says where it is.
    if (wrapper.program == "command" && !arguments().empty() && fixed(0) &&
        (arguments()[0] == "-v" || arguments()[0] == "-V"))
      return {};
    const auto start = command_start(wrapper);
    for (std::size_t i = 0; start && i < *start; ++i) {
      if (is_assignment_text(arguments()[i])) give(arguments()[i]);
    }
    return start ? inner(*start) : unknown();
  }

  // Nothing when the words before the command cannot be told from it.
  std::optional<std::size_t> command_start(const Wrapper& wrapper) const {
    std::size_t operands = wrapper.operands;
    bool options = true;
    for (std::size_t at = 0; at < arguments().size(); ++at) {
      const std::string& argument = arguments()[at];
      if (!fixed(at)) return std::nullopt;
      if (options && argument == "--") {
        options = false;
      } else if (options && argument.size() > 1 && argument[0] == '-') {
        const auto taken = option_words(wrapper, argument);
        if (!taken) return std::nullopt;
        at += *taken;
        if (at < arguments().size() && !fixed(at)) return std::nullopt;
      } else if (is_assignment_text(argument) &&
                 (wrapper.program == "env" || wrapper.program == "sudo")) {
        continue;
      } else if (operands > 0) {
        --operands;
        options = false;
      } else {
        return at;
      }
    }
    return arguments().size();
  }

  // How many words after an option are its value; nothing for an unknown option.
  static std::optional<std::size_t> option_words(const Wrapper& wrapper,
                                                 std::string_view argument) {
    if (argument.starts_with("--")) {
      const std::size_t equals = argument.find('=');
      const std::string name =
          std::string(argument.substr(0, equals)) + (equals == argument.npos ? " " : "= ");
      return wrapper.long_flags.find(name) == std::string_view::npos
                 ? std::nullopt
                 : std::optional<std::size_t>(0);
    }
    for (std::size_t i = 1; i < argument.size(); ++i) {
      if (wrapper.valued.find(argument[i]) != std::string_view::npos)
        return i + 1 == argument.size() ? 1u : 0u;
      if (wrapper.flags.find(argument[i]) == std::string_view::npos) return std::nullopt;
    }
    return 0;
  }

  // The arguments from `first` to `last` are a command of their own.
  Status inner(std::size_t first, std::size_t last = static_cast<std::size_t>(-1)) {
    last = std::min(last, arguments().size());
    if (first >= last) return {};
    if (depth_ >= kDeepest)
      return fail(ErrorCode::kLimitExceeded, "more than 16 commands inside each other");
    SimpleCommand command;
    command.offset = command_.offset;
    command.unknown = !fixed(first);
    if (!command.unknown) command.program = arguments()[first];
    for (std::size_t i = first + 1; i < last; ++i) {
      command.arguments.push_back(arguments()[i]);
      command.forms.push_back(command_.forms[i]);
    }
    const std::string_view name = base_name(command_.program);
    if (name == "xargs") add_unseen(command, first);
    if (name == "find") place_found(command);
    ANIMA_TRY(unwrap(command, depth_ + 1, out_));
    out_.commands.push_back(std::move(command));
    return {};
  }

  // xargs adds words that nobody has seen, with -I in place of parts of the others, each of which
  // stays one word. Options that it cannot have with -I may undo that.
  void add_unseen(SimpleCommand& command, std::size_t first) const {
    const Unseen unseen = unseen_words(first);
    for (const std::string& text : unseen.texts) {
      command.unknown = command.unknown || command.program.find(text) != std::string::npos;
      for (std::size_t i = 0; i < command.arguments.size(); ++i) {
        const std::string& argument = command.arguments[i];
        if (unseen.gathered)
          command.forms[i] = WordForm::kOpen;
        else if (argument.find(text) != std::string::npos)
          command.forms[i] = std::max(command.forms[i], form_with(argument, text));
      }
    }
    if (!unseen.texts.empty() && !unseen.gathered) return;
    command.arguments.emplace_back("..");
    command.forms.push_back(WordForm::kOpen);
  }

  // Of an argument in which something unseen stands for the text. What looks like an option, or
  // like the format of date, must begin as written.
  static WordForm form_with(std::string_view argument, std::string_view text) {
    const std::size_t at = argument.find(text);
    const bool option = argument.starts_with('-') && at < argument.find('=');
    return option || (argument.starts_with('+') && at == 0) ? WordForm::kOpen : WordForm::kOne;
  }

  struct Unseen {
    std::vector<std::string> texts;  // that stand for words: those of every -I
    bool gathered = false;           // words are added at the end, whatever stands for one
  };

  // What the options of xargs say, which end before `first`.
  Unseen unseen_words(std::size_t first) const {
    Unseen unseen;
    const auto takes = [&](char option, std::string value) {
      if (option == 'I') unseen.texts.push_back(std::move(value));
      unseen.gathered = unseen.gathered || option == 'n' || option == 'L';
    };
    for (std::size_t i = 0; i < first; ++i) {
      const std::string& argument = arguments()[i];
      if (argument.starts_with("--")) {
        unseen.gathered = unseen.gathered || argument.starts_with("--max-args") ||
                          argument.starts_with("--max-lines");
        if (argument.starts_with("--replace=")) takes('I', argument.substr(argument.find('=') + 1));
        continue;
      }
      const std::size_t at = argument.find_first_of("InPLdsEa", 1);
      if (at == std::string::npos) continue;
      if (at + 1 < argument.size())
        takes(argument[at], argument.substr(at + 1));
      else if (++i < first)
        takes(argument[at], arguments()[i]);
    }
    return unseen;
  }

  // find puts paths in place of {}; they begin as its starting points do.
  void place_found(SimpleCommand& command) const {
    command.unknown = command.unknown || command.program.find("{}") != std::string::npos;
    for (std::size_t i = 0; i < command.arguments.size(); ++i) {
      const std::string& argument = command.arguments[i];
      if (argument.find("{}") == std::string::npos) continue;
      const bool alone = argument == "{}" && starts_are_known();
      command.forms[i] = alone ? WordForm::kNames : WordForm::kOpen;
    }
  }

  bool starts_are_known() const {
    return std::ranges::none_of(
               arguments(),
               [](std::string_view argument) { return argument.starts_with("-files0"); }) &&
           std::ranges::all_of(command_.forms,
                               [](WordForm form) { return form != WordForm::kOpen; });
  }

  // The arguments, joined, are shell text, which can set any variable.
  Status evaluate() {
    out_.flow.give_up();
    std::string body;
    for (std::size_t i = 0; i < arguments().size(); ++i) {
      if (!fixed(i)) return unknown();
      if (!body.empty()) body.push_back(' ');
      body += arguments()[i];
    }
    return parse_shell_into(body, command_.offset, depth_ + 1, out_);
  }

  // What a shell of its own runs: it has none of the variables.
  Status child(const std::string& body) {
    Flow flow = std::exchange(out_.flow, Flow());
    ANIMA_TRY(parse_shell_into(body, command_.offset, depth_ + 1, out_));
    if (!out_.flow.followed()) flow.give_up();
    out_.flow = std::move(flow);
    return {};
  }

  Status shell() {
    if (only_checks_grammar(command_)) return {};
    for (std::size_t i = 0; i < arguments().size(); ++i) {
      const std::string& argument = arguments()[i];
      const bool option = argument.size() > 1 && (argument[0] == '-' || argument[0] == '+');
      if (option && argument[1] != '-' && argument.find('c') != std::string::npos) {
        if (i + 1 >= arguments().size() || !fixed(i) || !fixed(i + 1)) return unknown();
        return child(arguments()[i + 1]);
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
      while (last < arguments().size() && !ends_command(last, argument.starts_with("-exec")))
        ++last;
      // In whatever folder it finds: .git, the outbox.
      if (argument.ends_with("dir")) ANIMA_TRY(unknown());
      ANIMA_TRY(inner(i + 1, last));
      i = last;
    }
    return {};
  }

  // NAME or NAME=VALUE: what the shell, or one that env runs, has in its variables.
  void give(std::string_view argument) {
    const std::string_view name = argument.substr(0, argument.find_first_of("+="));
    out_.values.add_anything(name);
    const std::size_t equals = argument.find('=');
    if (equals != argument.npos &&
        argument.find_first_not_of("0123456789", equals + 1) != argument.npos)
      out_.loose.emplace(name);
  }

  // The variables that are named hold something else from then on.
  Status change() {
    for (const std::string& argument : arguments()) give(argument);
    return {};
  }

  // A plus ends a command behind {} alone, and none of those that ask.
  bool ends_command(std::size_t at, bool gathers) const {
    if (arguments()[at] == ";") return true;
    return gathers && arguments()[at] == "+" && arguments()[at - 1] == "{}";
  }

  // read puts what it reads into variables.
  Status read() {
    for (std::size_t i = 0; i < arguments().size(); ++i) {
      const std::string& argument = arguments()[i];
      if (!fixed(i)) return unknown();
      if (argument == "-r") continue;
      if (!is_name(argument) || steers_the_shell(argument) || is_computed(argument))
        return unknown();
      out_.loose.insert(argument);
      out_.values.add_anything(argument);
    }
    out_.loose.insert("REPLY");
    return {};
  }

  SimpleCommand& command_;
  int depth_;
  Findings& out_;
};

}  // namespace

bool only_checks_grammar(const SimpleCommand& command) {
  if (command.arguments.size() < 2 || command.arguments[0] != "-n" ||
      command.forms[0] != WordForm::kFixed)
    return false;
  for (std::size_t i = 1; i < command.arguments.size(); ++i) {
    const std::string& argument = command.arguments[i];
    // An option that ends like *.sh is refused.
    const bool known =
        command.forms[i] <= WordForm::kNames ||
        ((command.forms[i] == WordForm::kPattern || command.forms[i] == WordForm::kShaped) &&
         has_plain_tail(argument));
    const bool operand = known && !argument.empty() && argument.front() != '-' &&
                         argument.front() != '+' &&
                         argument.find("{}") == argument.npos;  // of find: any name
    if (!operand) return false;
  }
  return true;
}

Status unwrap(SimpleCommand& command, int depth, Findings& out) {
  return Unwrapper(command, depth, out).run();
}

}  // namespace anima::govern::detail
