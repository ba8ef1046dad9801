#include "cli/memory_access.h"

#include "base/text.h"
#include "cli/guardian_access.h"

namespace anima::cli {

Remembering::Remembering(std::unique_ptr<Governance> opened, govern::PatternSet patterns)
    : governance(std::move(opened)),
      guardian(std::move(patterns)),
      manager(*governance->space, governance->ledger, guardian, governance->events,
              governance->clock, governance->random) {}

Result<std::unique_ptr<Remembering>> open_memory(Context& context, Access access) {
  ANIMA_ASSIGN(auto governance, open_governance(context, access));
  ANIMA_ASSIGN(auto patterns, patterns_in_use(context));
  return std::make_unique<Remembering>(std::move(governance), std::move(patterns));
}

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  if (count_code_points(line) > 70)
    line = std::string(substring_by_code_points(line, 0, 68)) + "..";
  return line;
}

}  // namespace anima::cli
