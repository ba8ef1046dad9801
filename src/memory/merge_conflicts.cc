#include "memory/merge_conflicts.h"

#include <algorithm>

#include "base/json/json_member.h"
#include "memory/detail/carried_words.h"
#include "memory/told_texts.h"
#include "store/history.h"
#include "store/holds.h"
#include "store/statements.h"

namespace anima::memory {
namespace {

// As the digest of a quarter, which is of weeks that differ.
bool is_made_by_sleep(const store::Snapshot& snapshot, store::EntityId entity) {
  return detail::is_by_system_alone(
      snapshot, {entity, store::kTypePredicate, store::Term::entity(snapshot.type_of(entity))});
}

bool is_value(const store::Snapshot& now, store::Term value, const Json& json) {
  return value.code != 0 && now.find(store::Value::from_json(json).view()) == value;
}

bool stands(const store::Snapshot& now, const MergeConflict& conflict, const Json& value) {
  const auto key = now.find_string(conflict.key);
  if (!key) return false;
  store::Pattern pattern;
  pattern.subject = conflict.subject;
  pattern.predicate = store::Predicate::attribute(*key);
  bool found = value.is_array();  // of several values
  store::each_statement(now, pattern, [&](const store::Triple& row) {
    found = found || is_value(now, row.object, value);
  });
  return found;
}

// A text told that value of it, and no text does any more.
bool was_taken_back(const store::Snapshot& now, const MergeConflict& conflict) {
  const store::Snapshot all = now.with_books();
  bool told = false;
  for (const store::StatedWord& word : store::words_about(all, conflict.subject)) {
    const store::Predicate key = word.statement.predicate;
    if (key.predicate_class() != store::PredicateClass::kMetadata ||
        !all.value(key.key()).text.starts_with(kToldValue) ||
        !is_value(all, word.statement.object, conflict.other))
      continue;
    if (word.to == store::Sequence::kNone) return false;
    told = true;
  }
  return told && !stands(now, conflict, conflict.other);
}

bool is_over(const store::Snapshot& now, const MergeConflict& conflict) {
  return !stands(now, conflict, conflict.kept) || was_taken_back(now, conflict);
}

}  // namespace

std::vector<MergeConflict> merge_conflicts(const store::Snapshot& snapshot) {
  std::vector<MergeConflict> conflicts;
  const auto key = snapshot.find_string(kMergeConflicts);
  if (!key) return conflicts;
  store::Pattern pattern;
  pattern.predicate = store::Predicate::attribute(*key);
  store::each_statement(snapshot, pattern, [&](const store::Triple& row) {
    if (is_made_by_sleep(snapshot, row.subject)) return;
    const auto list = parse_json(snapshot.value(row.object).text);
    if (!list) return;
    for (const Json& each : list->as_array()) {
      const Json *kept = each.find("kept"), *other = each.find("other");
      if (kept == nullptr || other == nullptr) continue;
      MergeConflict conflict{row.subject, text_member(each, "key"), *kept, *other,
                             text_member(each, "of")};
      if (!is_over(snapshot, conflict)) conflicts.push_back(std::move(conflict));
    }
  });
  std::ranges::stable_sort(conflicts, {}, &MergeConflict::subject);
  return conflicts;
}

}  // namespace anima::memory
