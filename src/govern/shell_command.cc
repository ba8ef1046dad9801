#include "govern/shell_command.h"

#include <algorithm>
#include <array>

#include "govern/detail/shell_parser.h"

namespace anima::govern {

Result<ShellCommand> parse_shell(std::string_view text) {
  constexpr std::size_t kMostBytes = 64 << 10;
  if (text.size() > kMostBytes)
    return fail(ErrorCode::kLimitExceeded, "a shell command is longer than 64 KiB");
  ShellCommand result;
  ANIMA_TRY(detail::parse_shell_into(text, 0, 0, result.commands));
  std::ranges::stable_sort(result.commands, {}, &SimpleCommand::offset);
  return result;
}

}  // namespace anima::govern
