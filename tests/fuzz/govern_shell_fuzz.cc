// Any text is taken apart and judged, or refused; offsets stay inside.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "govern/shell_command.h"
#include "govern/shell_judge.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto parsed = anima::govern::parse_shell(text)) {
    for (const auto& command : parsed->commands) ANIMA_CHECK(command.offset <= size + 16);
  }
  (void)anima::govern::judge_shell(text);
  return 0;
}
