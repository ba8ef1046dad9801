#include "memory/detail/audience.h"

#include <algorithm>

namespace anima::memory::detail {

Audience audience_of(const MemoryItem& item) { return {item.partition, item.readers}; }

Audience common(const Audience& a, const Audience& b) {
  Audience both{std::max(a.partition, b.partition), a.readers};
  if (a.readers.empty()) both.readers = b.readers;
  if (!a.readers.empty() && !b.readers.empty()) {
    std::erase_if(both.readers, [&](const std::string& reader) {
      return std::ranges::find(b.readers, reader) == b.readers.end();
    });
  }
  std::erase_if(both.readers,
                [&](const std::string& reader) { return !lets_in(both.partition, reader); });
  if (both.readers.empty() && !(a.readers.empty() && b.readers.empty()))
    both.readers = {"operator"};
  return both;
}

std::string readers_of(const MemoryItem& item) {
  std::string readers = "operator";
  const auto add = [&](std::string_view agent) {
    if (agent != "operator" && item.readable_by(agent)) readers += ", " + std::string(agent);
  };
  if (!item.readers.empty()) {
    for (const std::string& agent : item.readers) add(agent);
    return readers;
  }
  for (const std::string_view agent : {"core", "router", "planner", "executor", "memory_keeper",
                                       "guardian", "arbiter", "overseer"})
    add(agent);
  return readers;
}

Status check_audience(const Audience& audience) {
  for (const std::string& reader : audience.readers) {
    if (reader.empty())
      return fail(ErrorCode::kInvalidArgument, "a reader has a name, as \"planner\"");
    if (lets_in(audience.partition, reader)) continue;
    return fail(ErrorCode::kInvalidArgument,
                "'" + reader + "' is not among those whom " +
                    std::string(to_string(audience.partition)) + " lets in",
                {},
                audience.partition == Partition::kSensitive
                    ? "arbiter, overseer, guardian or operator, or a wider partition"
                    : "an agent of the house (core, router, planner, executor, memory_keeper, "
                      "guardian, arbiter, overseer), operator, or the partition PUBLIC");
  }
  return {};
}

}  // namespace anima::memory::detail
