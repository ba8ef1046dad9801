#include "store/space/undo.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/json.h"
#include "store/log/archived.h"
#include "store/log/entry_codec.h"

namespace anima::store::detail {
namespace {

Sequence before(Sequence sequence) { return Sequence{to_number(sequence) - 1}; }

// What the entries since the start of the range did.
struct Changes {
  std::map<WrittenKey, std::vector<Sequence>> writers;  // ascending, each once
  std::map<EntityId, std::vector<Sequence>> reliers;    // entries that rely on an entity
  std::map<Sequence, Sequence> causes;
  Sequence last = Sequence::kNone;
};

void add(std::vector<Sequence>& sequences, Sequence sequence) {
  if (sequences.empty() || sequences.back() != sequence) sequences.push_back(sequence);
}

Result<Changes> gather(const UndoRequest& request, const EntryReader& read, const Views& views) {
  Changes changes;
  ANIMA_TRY(read(request.first, [&](const LogEntry& entry) -> Status {
    const Sequence sequence = entry.sequence;
    changes.last = sequence;
    changes.causes[sequence] = entry.origin.cause;
    if (is_archived(entry)) return archived_error(sequence);
    if (!entry.seal.empty() && entry.payload.empty()) {
      if (sequence > request.last) return {};
      return fail(ErrorCode::kNotFound,
                  "its content was erased, or is sealed under a key that is not here",
                  entry_place(sequence));
    }
    return views.visit_written(
        entry,
        [&](const WrittenKey& key) -> Status {
          add(changes.writers[key], sequence);
          add(changes.reliers[key.subject], sequence);
          return {};
        },
        [&](EntityId entity) -> Status {
          add(changes.reliers[entity], sequence);
          return {};
        });
  }));
  return changes;
}

// A key to put back, and the entry as of which.
struct Restore {
  WrittenKey key;
  Sequence as_of;
};

std::vector<Restore> keys_of(const Changes& changes, const std::set<Sequence>& members) {
  std::vector<Restore> restores;
  for (const auto& [key, writers] : changes.writers) {
    if (!members.contains(writers.back())) continue;
    auto start = writers.end();
    while (start != writers.begin() && members.contains(*std::prev(start))) --start;
    restores.push_back({key, before(*start)});
  }
  return restores;
}

// Older snapshots, each made once.
class History {
 public:
  explicit History(const Snapshot& now) : now_(now) {}
  Result<Snapshot> as_of(Sequence sequence) {
    const auto known = known_.find(sequence);
    if (known != known_.end()) return known->second;
    ANIMA_ASSIGN(Snapshot old, now_.as_of(sequence));
    known_.emplace(sequence, old);
    return old;
  }

 private:
  const Snapshot now_;
  std::map<Sequence, Snapshot> known_;
};

Triple triple_of(const WrittenKey& key) { return {key.subject, key.predicate, key.object}; }

bool is_existence(const WrittenKey& key) { return key.predicate == kTypePredicate; }
bool is_link(const WrittenKey& key) {
  return key.predicate.predicate_class() == PredicateClass::kLink;
}

std::optional<Assertion> assertion_in(const Snapshot& snapshot, const Triple& triple,
                                      GraphId graph) {
  for (const Assertion& assertion : snapshot.assertions(triple)) {
    if (assertion.graph == graph && assertion.died == Sequence::kNone) return assertion;
  }
  return std::nullopt;
}

// The entity that would be there no more when this key is put back, or kNone.
Result<EntityId> removed_by(const Restore& restore, const Snapshot& now, History& history) {
  const WrittenKey& key = restore.key;
  if (!is_existence(key) && !is_link(key)) return EntityId::kNone;
  ANIMA_ASSIGN(const Snapshot old, history.as_of(restore.as_of));
  const Triple triple = triple_of(key);
  if (assertion_in(old, triple, key.graph)) return EntityId::kNone;
  const std::vector<Assertion> asserted = now.assertions(triple);
  const bool elsewhere =
      std::any_of(asserted.begin(), asserted.end(),
                  [&](const Assertion& assertion) { return assertion.graph != key.graph; });
  if (elsewhere || asserted.empty()) return EntityId::kNone;
  if (is_existence(key)) return key.subject;
  return now.find_proposition(triple).value_or(EntityId::kNone);
}

Result<std::set<Sequence>> dependents(const Changes& changes, const std::set<Sequence>& members,
                                      const Snapshot& now, History& history) {
  std::set<Sequence> found;
  const auto take = [&](Sequence sequence) {
    if (!members.contains(sequence)) found.insert(sequence);
  };
  for (const auto& [sequence, cause] : changes.causes) {
    if (members.contains(cause)) take(sequence);
  }
  for (const Restore& restore : keys_of(changes, members)) {
    ANIMA_ASSIGN(const EntityId removed, removed_by(restore, now, history));
    if (removed == EntityId::kNone) continue;
    const auto reliers = changes.reliers.find(removed);
    if (reliers == changes.reliers.end()) continue;
    const Sequence made = Sequence{to_number(restore.as_of) + 1};
    for (const Sequence sequence : reliers->second) {
      if (sequence > made) take(sequence);
    }
  }
  return found;
}

std::string list(const std::set<Sequence>& sequences) {
  std::string text;
  std::size_t shown = 0;
  for (const Sequence sequence : sequences) {
    if (shown == 20) return text + " and " + std::to_string(sequences.size() - shown) + " more";
    text += (shown++ == 0 ? "" : ", ") + std::to_string(to_number(sequence));
  }
  return text;
}

// What is put back was stated by whoever stated it: undoing makes nobody's word the undoer's own.
Status trust_as(const Assertion& was, const Snapshot& old, Transaction& transaction) {
  return transaction.lower_trust(old.entry(was.born).trust);
}

// The values of an attribute or metadata key as they were.
Status restore_values(const WrittenKey& key, const Snapshot& old, Transaction& transaction) {
  const Snapshot narrow = old.in_graphs(std::span(&key.graph, 1));
  Pattern pattern;
  pattern.subject = key.subject;
  pattern.predicate = key.predicate;
  pattern.predicate_class = key.predicate.predicate_class();
  std::vector<Term> values;
  AssertOptions options;
  options.graph = key.graph;
  Cursor cursor = narrow.scan(pattern);
  Triple rows[64];
  while (const std::size_t count = cursor.next(rows)) {
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(rows[i].object);
      if (const auto assertion = assertion_in(narrow, rows[i], key.graph)) {
        options.confidence = assertion->confidence;
        options.provenance = assertion->provenance;
        ANIMA_TRY(trust_as(*assertion, old, transaction));
      }
    }
  }
  const std::string name(old.value(key.predicate.key()).text);
  if (pattern.predicate_class == PredicateClass::kAttribute) {
    return transaction.set_attribute(key.subject, name, values, options);
  }
  return transaction.set_metadata(key.subject, name, values, options);
}

// The order in which keys go back: what others need first, what others need to be gone from last.
enum class Step { kAssertConcept, kAssertLink, kValues, kRetractLink, kRetractConcept };

struct Action {
  Step step;
  WrittenKey key;
  Sequence as_of;
  AssertOptions options;
};

Result<std::vector<Action>> plan_actions(const std::vector<Restore>& restores, const Snapshot& now,
                                         History& history) {
  std::vector<Action> actions;
  for (const Restore& restore : restores) {
    const WrittenKey& key = restore.key;
    if (!is_existence(key) && !is_link(key)) {
      if (key.predicate != kNamePredicate) {
        actions.push_back({Step::kValues, key, restore.as_of, {}});
      }
      continue;
    }
    ANIMA_ASSIGN(const Snapshot old, history.as_of(restore.as_of));
    const auto was = assertion_in(old, triple_of(key), key.graph);
    const auto is = assertion_in(now, triple_of(key), key.graph);
    const bool concept_key = is_existence(key);
    if (was) {
      actions.push_back({concept_key ? Step::kAssertConcept : Step::kAssertLink,
                         key,
                         restore.as_of,
                         {key.graph, was->confidence, was->provenance}});
    } else if (is) {
      actions.push_back(
          {concept_key ? Step::kRetractConcept : Step::kRetractLink, key, restore.as_of, {}});
    }
  }
  std::stable_sort(actions.begin(), actions.end(),
                   [](const Action& a, const Action& b) { return a.step < b.step; });
  return actions;
}

Status perform(const Action& action, const Snapshot& now, History& history,
               Transaction& transaction) {
  const WrittenKey& key = action.key;
  if (action.step == Step::kAssertConcept || action.step == Step::kAssertLink) {
    ANIMA_ASSIGN(const Snapshot old, history.as_of(action.as_of));
    if (const auto was = assertion_in(old, triple_of(key), key.graph))
      ANIMA_TRY(trust_as(*was, old, transaction));
  }
  switch (action.step) {
    case Step::kAssertConcept:
      ANIMA_TRY(transaction.upsert_concept(key.object.as_entity(), now.name(key.subject),
                                           action.options));
      return {};
    case Step::kAssertLink:
      ANIMA_TRY(transaction.assert_link(triple_of(key), action.options));
      return {};
    case Step::kValues: {
      ANIMA_ASSIGN(const Snapshot old, history.as_of(action.as_of));
      return restore_values(key, old, transaction);
    }
    case Step::kRetractLink:
      return transaction.retract_link(triple_of(key), key.graph);
    case Step::kRetractConcept:
      return transaction.retract_concept(key.subject, key.graph, false);
  }
  return {};
}

std::string record_of(const UndoRequest& request, const UndoPlan& plan) {
  JsonArray entries;
  for (const Sequence sequence : plan.entries) entries.emplace_back(to_number(sequence));
  return Json::object({{"first", to_number(request.first)},
                       {"last", to_number(request.last)},
                       {"cascade", request.cascade},
                       {"entries", std::move(entries)}})
      .dump();
}

Status check_range(const UndoRequest& request, Sequence head) {
  if (to_number(request.first) < 1 || request.last < request.first || request.last > head) {
    return fail(ErrorCode::kInvalidArgument, "there is no such range of entries; the log ends at " +
                                                 std::to_string(to_number(head)));
  }
  if (to_number(request.first) == 1) {
    return fail(ErrorCode::kInvalidArgument, "the first entry cannot be undone",
                entry_place(request.first));
  }
  return {};
}

}  // namespace

Result<UndoPlan> undo(const UndoRequest& request, const EntryReader& read, const Views& views,
                      Transaction& transaction) {
  const Snapshot now = views.snapshot();
  ANIMA_TRY(check_range(request, now.sequence()));
  ANIMA_ASSIGN(const Changes changes, gather(request, read, views));
  History history(now);
  std::set<Sequence> members;
  for (std::uint64_t i = to_number(request.first); i <= to_number(request.last); ++i) {
    members.insert(Sequence{i});
  }
  while (true) {
    ANIMA_ASSIGN(std::set<Sequence> found, dependents(changes, members, now, history));
    if (found.empty()) break;
    if (!request.cascade) {
      return fail(ErrorCode::kConflict, "later entries depend on it: " + list(found), {},
                  "--cascade undoes them too");
    }
    members.merge(found);
  }
  ANIMA_ASSIGN(const std::vector<Action> actions,
               plan_actions(keys_of(changes, members), now, history));
  if (actions.empty()) {
    return fail(ErrorCode::kNotFound, "nothing of these entries is left to undo");
  }
  for (const Action& action : actions) ANIMA_TRY(perform(action, now, history, transaction));
  UndoPlan plan{{members.begin(), members.end()}, actions.size()};
  ANIMA_TRY(transaction.record(RecordKind::kUndo, record_of(request, plan)));
  return plan;
}

}  // namespace anima::store::detail
