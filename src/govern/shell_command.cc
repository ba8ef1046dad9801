#include "govern/shell_command.h"

#include <algorithm>

#include "govern/detail/shell_parser.h"

namespace anima::govern {
namespace {

// The shells disagree about control characters, and a program's arguments end at the first NUL.
bool is_control_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n') || byte == 0x7F;
}

SimpleCommand not_understood(const Error& error, std::size_t offset) {
  SimpleCommand command;
  command.unknown = true;
  command.offset = offset;
  command.arguments = {"(" + error.describe() + ")"};
  command.forms = {WordForm::kOpen};
  return command;
}

}  // namespace

Result<ShellCommand> parse_shell(std::string_view text) {
  constexpr std::size_t kMostBytes = 64 << 10;
  if (text.size() > kMostBytes)
    return fail(ErrorCode::kLimitExceeded, "a shell command is longer than 64 KiB");
  if (const auto at = std::ranges::find_if(text, is_control_byte); at != text.end()) {
    return fail(ErrorCode::kSyntax, "a shell command holds a control character",
                "offset " + std::to_string(at - text.begin()), "write tabs and new lines alone");
  }
  detail::Findings found;
  const Status parsed = detail::parse_shell_into(text, 0, 0, found);
  if (!parsed && parsed.error().code != ErrorCode::kUnsupported) return fail(parsed.error());
  ShellCommand result{std::move(found.commands)};
  if (!parsed) result.commands.push_back(not_understood(parsed.error(), text.size()));
  for (SimpleCommand& command : result.commands) {
    command.unknown =
        command.unknown || std::ranges::any_of(command.evaluates, [&](const std::string& variable) {
          return found.loose.contains(variable);
        });
  }
  std::ranges::stable_sort(result.commands, {}, &SimpleCommand::offset);
  return result;
}

}  // namespace anima::govern
