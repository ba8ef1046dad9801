// Any text: parse it; what parses must format to a text of the same tree, and format to itself.
#include <cstdlib>
#include <string_view>

#include "kip/format.h"
#include "kip/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  auto script = anima::kip::parse({reinterpret_cast<const char*>(data), size});
  if (!script) return 0;
  const std::string once = anima::kip::format(*script);
  if (once.size() > anima::kip::kMaxTextBytes) return 0;
  auto again = anima::kip::parse(once);
  if (!again || again->statements != script->statements || anima::kip::format(*again) != once)
    abort();
  return 0;
}
