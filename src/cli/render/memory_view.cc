#include "cli/render/memory_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/render/text_lines.h"
#include "memory/lost_memories.h"

namespace anima::cli {
Json unreadable_ids(const std::vector<memory::MemoryItem>& items) {
  Json ids = Json::array();
  for (const memory::MemoryItem& item : items) {
    if (memory::is_unreadable(item)) ids.push_back(item.id);
  }
  return ids;
}

void note_unreadable(Context& context, const std::vector<memory::MemoryItem>& items) {
  const auto count = std::ranges::count_if(items, memory::is_unreadable);
  if (count == 0) return;
  context.warn(
      fmt::format("{} of the memories cannot be read; `anima doctor --mend` withdraws "
                  "those whose text is gone",
                  count));
}

std::string content_line(const memory::MemoryItem& item) {
  if (memory::is_unreadable(item)) return "(unreadable)";
  return (item.speaker.empty() ? "" : item.speaker + ": ") + first_line(item.content);
}

}  // namespace anima::cli
