#include "memory/merge_conflicts.h"

#include <algorithm>
#include <array>

#include "base/json/json_member.h"

namespace anima::memory {

std::vector<MergeConflict> merge_conflicts(const store::Snapshot& snapshot) {
  std::vector<MergeConflict> conflicts;
  const auto key = snapshot.find_string(kMergeConflicts);
  if (!key) return conflicts;
  store::Pattern pattern;
  pattern.predicate = store::Predicate::attribute(*key);
  store::Cursor rows = snapshot.scan(pattern);
  std::array<store::Triple, 64> batch;
  while (const std::size_t got = rows.next(batch)) {
    for (std::size_t i = 0; i < got; ++i) {
      const auto list = parse_json(snapshot.value(batch[i].object).text);
      if (!list) continue;
      for (const Json& each : list->as_array()) {
        const Json *kept = each.find("kept"), *other = each.find("other");
        if (kept == nullptr || other == nullptr) continue;
        conflicts.push_back(
            {batch[i].subject, text_member(each, "key"), *kept, *other, text_member(each, "of")});
      }
    }
  }
  std::ranges::stable_sort(conflicts, {}, &MergeConflict::subject);
  return conflicts;
}

}  // namespace anima::memory
