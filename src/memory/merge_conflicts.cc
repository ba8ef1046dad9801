#include "memory/merge_conflicts.h"

#include <algorithm>

#include "base/json/json_member.h"
#include "store/statements.h"

namespace anima::memory {

std::vector<MergeConflict> merge_conflicts(const store::Snapshot& snapshot) {
  std::vector<MergeConflict> conflicts;
  const auto key = snapshot.find_string(kMergeConflicts);
  if (!key) return conflicts;
  store::Pattern pattern;
  pattern.predicate = store::Predicate::attribute(*key);
  store::each_statement(snapshot, pattern, [&](const store::Triple& row) {
    const auto list = parse_json(snapshot.value(row.object).text);
    if (!list) return;
    for (const Json& each : list->as_array()) {
      const Json *kept = each.find("kept"), *other = each.find("other");
      if (kept == nullptr || other == nullptr) continue;
      conflicts.push_back(
          {row.subject, text_member(each, "key"), *kept, *other, text_member(each, "of")});
    }
  });
  std::ranges::stable_sort(conflicts, {}, &MergeConflict::subject);
  return conflicts;
}

}  // namespace anima::memory
