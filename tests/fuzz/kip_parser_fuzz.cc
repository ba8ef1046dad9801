// Any text: it parses, or the fault says what is wrong and where in the text. Each statement of a
// script parses alone to the same tree from the piece of text that it claims.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "kip/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto script = anima::kip::parse(text);
  if (!script) {
    const anima::kip::Fault& fault = script.error();
    const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
    if (fault.message.empty() || fault.line > static_cast<std::size_t>(lines)) abort();
    if ((fault.line == 0) != (fault.column == 0)) abort();
    return 0;
  }
  std::size_t behind = 0;
  for (const anima::kip::Statement& statement : script->statements) {
    if (statement.place.offset < behind || statement.end <= statement.place.offset) abort();
    behind = statement.end;
    if (behind > size) abort();
    const auto alone = anima::kip::parse(
        text.substr(statement.place.offset, statement.end - statement.place.offset));
    if (!alone || alone->statements.size() != 1 || alone->statements[0] != statement) abort();
  }
  return 0;
}
