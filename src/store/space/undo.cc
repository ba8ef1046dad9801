#include "store/space/undo.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/json/json.h"
#include "store/act.h"
#include "store/compact.h"
#include "store/holds.h"
#include "store/log/archived.h"
#include "store/log/entry_codec.h"
#include "store/log/redacted.h"
#include "store/own_graphs.h"
#include "store/restate.h"
#include "store/space/undo_dependents.h"
#include "store/space/undo_reliance.h"
#include "store/space/undo_removals.h"
#include "store/space/undo_words.h"
#include "store/state/writer.h"
#include "store/statements.h"
#include "store/symbols.h"
#include "store/undone_acts.h"

namespace anima::store::detail {
namespace {

constexpr std::string_view kNothingLeft = "nothing of these entries is left to undo";

constexpr UndoStep kSteps[] = {UndoStep::kAssertConcept, UndoStep::kAssertLink, UndoStep::kValues,
                               UndoStep::kRetractLink, UndoStep::kRetractConcept};

// The undo while it is planned.
struct Planned {
  Members members;
  std::vector<WrittenKey> keys = {};
  std::vector<Restore> restores = {};
  std::size_t taken_from = 0;  // of the entries: something was forgotten of them
};

// The keys that entries wrote, each at least once. Of what only comes to count again there may be
// nothing left to read.
Status read_keys(Sequence first, Sequence last, const EntryReader& read, const Views& views,
                 Planned& planned) {
  return read(first, last, [&](const LogEntry& entry) -> Status {
    const bool member = planned.members.contains(entry.sequence);
    if (is_archived(entry)) return member ? archived_error(entry.sequence) : Status();
    if (!entry.seal.empty() && entry.payload.empty()) {
      if (!member) return {};
      return fail(ErrorCode::kNotFound,
                  "its content was erased, or is sealed under a key that is not here",
                  entry_place(entry.sequence));
    }
    if (is_redacted(entry)) ++planned.taken_from;
    return views.visit_written(
        entry,
        [&](const WrittenKey& key) -> Status {
          planned.keys.push_back(key);
          return {};
        },
        [](EntityId) -> Status { return {}; });
  });
}

void sort_keys(std::vector<WrittenKey>& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

// What Anima's own books are written in. The first entry of a book brings it, and all later ones
// rely on it: it is nobody's act, and stays. One that an act took away comes back.
bool defines_a_book(const WrittenKey& key, const Snapshot& now) {
  const EntityId type = now.type_of(key.subject);
  return names_existence(key) && (type == kConceptType || type == kPropositionType) &&
         is_own_graph(now.graph_name(key.graph));
}

std::vector<Restore> restores_of(const std::vector<WrittenKey>& keys, const Members& members,
                                 const Snapshot& now) {
  std::vector<Restore> restores;
  for (const WrittenKey& key : keys) {
    if (key.predicate == kNamePredicate) continue;  // follows the existence
    const KeyWords words = words_without(now, key, members);
    if (words.start == Sequence::kNone) continue;
    if (words.step == UndoStep::kRetractConcept && defines_a_book(key, now)) continue;
    restores.push_back({key, words.start, words.step});
  }
  return restores;
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

AssertOptions options_of(const Word& word) {
  return {static_cast<GraphId>(word.context.graph), word.context.confidence,
          word.context.provenance};
}

// What is put back stays the word of whoever stated it: undoing makes nothing the undoer's own. The
// entry is trusted no further than what it brings back, for who reads the log alone.
Status put_back(const Triple& statement, const Word& was, Transaction& transaction) {
  const Sequence said{was.context.word_of()};
  ANIMA_TRY(transaction.lower_trust(transaction.live().entry(said).trust));
  return restate(transaction, statement, options_of(was), said).map([](EntityId) {});
}

// The values of an attribute or metadata key as they were.
Status restore_values(const WrittenKey& key, const KeyWords& words, Transaction& transaction) {
  for (const Word& word : words.is) {
    const bool stays = std::any_of(words.was.begin(), words.was.end(),
                                   [&](const Word& was) { return was.object == word.object; });
    if (stays) continue;
    ANIMA_TRY(transaction.retract({key.subject, key.predicate, word.object}, key.graph));
  }
  for (const Word& word : words.was)
    ANIMA_TRY(put_back({key.subject, key.predicate, word.object}, word, transaction));
  return {};
}

// How often a thing was read goes with it.
Status drop_readings(const WrittenKey& existence, const Snapshot& now, Transaction& transaction) {
  std::vector<Triple> readings;
  Pattern about;
  about.subject = existence.subject;
  about.predicate_class = PredicateClass::kAttribute;
  each_statement(now, about, [&](const Triple& row) {
    for (const Assertion& one : now.assertions(row))
      if (one.graph == existence.graph && notes_readings(now.entry(one.born)))
        readings.push_back(row);
  });
  for (const Triple& row : readings)
    ANIMA_TRY(transaction.retract(row, existence.graph).map([](bool) {}));
  return {};
}

Status perform(const Restore& restore, const Members& members, const Snapshot& now,
               Transaction& transaction) {
  const WrittenKey& key = restore.key;
  const KeyWords words = words_without(now, key, members);
  switch (restore.step) {
    case UndoStep::kNothing:
      return {};
    case UndoStep::kAssertConcept:
    case UndoStep::kAssertLink:
      return put_back(statement_of(key), words.was.front(), transaction);
    case UndoStep::kValues:
      return restore_values(key, words, transaction);
    case UndoStep::kRetractConcept:
      ANIMA_TRY(drop_readings(key, now, transaction));
      [[fallthrough]];
    case UndoStep::kRetractLink:  // alone: what hangs on it has keys of its own
      return transaction.retract(statement_of(key), key.graph).map([](bool) {});
  }
  return {};
}

std::string record_of(const UndoRequest& request, const UndoPlan& plan) {
  JsonArray entries;
  for (const Sequence sequence : plan.entries) entries.emplace_back(to_number(sequence));
  return Json::object({{"first", to_number(request.entries.front())},
                       {"last", to_number(request.entries.back())},
                       {"cascade", request.cascade},
                       {"entries", std::move(entries)}})
      .dump();
}

Status check_entries(const UndoRequest& request, Sequence head) {
  const std::vector<Sequence>& entries = request.entries;
  if (entries.empty() || to_number(entries.front()) < 1 || entries.back() > head) {
    return fail(ErrorCode::kInvalidArgument,
                "there are no such entries; the log ends at " + std::to_string(to_number(head)));
  }
  if (to_number(entries.front()) == 1) {
    return fail(ErrorCode::kInvalidArgument, "the first entry cannot be undone",
                entry_place(entries.front()));
  }
  return {};
}

// Of those that come to count or cease to; ranges of entries that follow each other.
Status read_keys_of_changed(const EntryReader& read, const Views& views, Planned& planned) {
  const Sequences& entries = planned.members.changed();
  for (auto at = entries.begin(); at != entries.end();) {
    const Sequence first = *at;
    Sequence last = first;
    while (++at != entries.end() && to_number(*at) == to_number(last) + 1) last = *at;
    ANIMA_TRY(read_keys(first, last, read, views, planned));
  }
  sort_keys(planned.keys);
  return {};
}

// What a load that comes to count or ceases to replaces, though it did not find it there: what was
// written before it by what does not count. O(that).
Status read_keys_of_replaced(const EntryReader& read, const Views& views, Planned& planned) {
  const Members& members = planned.members;
  std::vector<const WholeRows*> loads;
  for (const Sequence entry : members.changed()) {
    const auto rows = members.rows().of(entry);
    loads.insert(loads.end(), rows.begin(), rows.end());
  }
  if (loads.empty()) return {};
  Planned earlier{members};
  for (const Sequence entry : members.undone()) {
    if (members.contains(entry)) continue;
    ANIMA_TRY(read_keys(entry, entry, read, views, earlier));
  }
  for (const WrittenKey& key : earlier.keys) {
    const bool replaced =
        std::ranges::any_of(loads, [&](const WholeRows* one) { return one->covers(key); });
    if (replaced) planned.keys.push_back(key);
  }
  sort_keys(planned.keys);
  return {};
}

// With the rest of their acts.
Sequences whole_acts_of(const Sequences& found, const Snapshot& now) {
  std::set<Sequence> acts;
  for (const Sequence entry : found) acts.insert(act_of(now, entry));
  Sequences whole;
  for (std::uint64_t at = to_number(*acts.begin()); at <= to_number(now.sequence()); ++at) {
    const bool member = acts.contains(act_of(now, Sequence{at}));
    const bool stays =
        notes_readings(now.entry(Sequence{at})) || keeps_record(now.entry(Sequence{at}));
    if (member && (!stays || found.contains(Sequence{at}))) whole.insert(whole.end(), Sequence{at});
  }
  return whole;
}

// Records stay; what notes readings is undone only where nothing else is named. Errors: kNotFound
// (records alone).
Result<std::vector<Sequence>> named_by(const UndoRequest& request, const Snapshot& now) {
  std::vector<Sequence> named = request.entries;
  std::erase_if(named, [&](Sequence entry) { return keeps_record(now.entry(entry)); });
  if (named.empty())
    return fail(ErrorCode::kNotFound, "Anima keeps a record there, and records stay",
                entry_place(request.entries.front()));
  const std::vector<Sequence> all = named;
  std::erase_if(named, [&](Sequence entry) { return notes_readings(now.entry(entry)); });
  return named.empty() ? all : named;
}

// The link that the key says times of.
std::optional<Triple> timed_by(const WrittenKey& key, const Snapshot& now) {
  if (key.predicate.predicate_class() != PredicateClass::kMetadata) return std::nullopt;
  const std::string name = predicate_label(now, key.predicate);
  if (std::ranges::find(kTimesOfAStatement, name) == std::end(kTimesOfAStatement) ||
      now.kind(key.subject) != EntityKind::kProposition)
    return std::nullopt;
  return now.triple_of(key.subject);
}

// What the knowledge said before and says no more, and the other way round; each once.
class Tell {
 public:
  Tell(const Snapshot& before, const Snapshot& after, UndoPlan& plan)
      : before_(before.knowledge()),
        after_(after.knowledge()),
        now_(before.entry(before.sequence()).time),
        plan_(plan) {}

  void change(const WrittenKey& key) {
    if (key.predicate == kNamePredicate) return;  // told with the existence
    if (const auto link = timed_by(key, after_)) validity(*link);
    std::set<std::uint32_t> objects;
    if (key.object != Term{}) {
      objects.insert(key.object.code);
    } else {
      for (const Snapshot* state : {&before_, &after_})
        for (const std::uint32_t code : state->objects(key.subject, key.predicate, scratch_))
          objects.insert(code);
    }
    for (const std::uint32_t code : objects) {
      const Triple triple{key.subject, key.predicate, Term{code}};
      const bool was = before_.contains(triple), is = after_.contains(triple);
      if (was != is && told_.insert(triple).second) tell(triple, was);
    }
  }

 private:
  // A link that is valid now and was not, or the other way round: one that an end was written for
  // comes back when the end goes.
  void validity(const Triple& link) {
    if (!before_.contains(link) || !after_.contains(link) || !told_.insert(link).second) return;
    const auto holds = [&](const Snapshot& state) {
      return is_valid(standing_of(state, link), now_, now_);
    };
    const bool was = holds(before_);
    if (was != holds(after_)) tell(link, was);
  }

  void tell(const Triple& triple, bool goes) {
    StatementsTold& told = goes ? plan_.going : plan_.coming;
    if (told.count++ < kMostStatementsTold) told.statements.push_back(triple);
  }

  const Snapshot before_, after_;
  const Timestamp now_;
  UndoPlan& plan_;
  std::set<Triple> told_;
  Scratch scratch_;
};

bool withdraws(const Restore& restore, const Members& members, const Snapshot& now) {
  return restore.step == UndoStep::kRetractLink || restore.step == UndoStep::kRetractConcept ||
         (restore.step == UndoStep::kValues &&
          words_without(now, restore.key, members).was.empty());
}

// By the rules of the space.
void leave_what_stays(const UndoRequest& request, const Members& members, const Snapshot& now,
                      const std::vector<WrittenKey>& keys, std::vector<Restore>& restores) {
  if (request.rules == nullptr) return;
  const UndoRules& rules = *request.rules;
  if (rules.keeps)
    std::erase_if(restores, [&](const Restore& one) { return rules.keeps(now, one.key); });
  if (!rules.said_elsewhere) return;
  std::vector<WrittenKey> said = rules.said_elsewhere(now, members.undone(), keys);
  std::ranges::sort(said);
  // A thing that a merge took away is gone, whoever told of it before.
  const auto is_taken_away = [&](const Restore& one) {
    return one.step == UndoStep::kRetractConcept && words_without(now, one.key, members).withdrawn;
  };
  std::erase_if(restores, [&](const Restore& one) {
    return withdraws(one, members, now) && std::ranges::binary_search(said, one.key) &&
           !is_taken_away(one);
  });
}

Status take(const UndoRequest& request, const EntryReader& read, const Views& views,
            const Snapshot& now, Planned& planned) {
  planned.keys.clear();
  planned.taken_from = 0;
  ANIMA_TRY(read_keys_of_changed(read, views, planned));
  ANIMA_TRY(read_keys_of_replaced(read, views, planned));
  const auto more = brought_along(now, planned.keys, planned.members);
  planned.keys.insert(planned.keys.end(), more.begin(), more.end());
  sort_keys(planned.keys);
  planned.restores = restores_of(planned.keys, planned.members, now);
  if (const auto said = said_of_moved(now, planned.restores, planned.members); !said.empty()) {
    planned.keys.insert(planned.keys.end(), said.begin(), said.end());
    sort_keys(planned.keys);
    planned.restores = restores_of(planned.keys, planned.members, now);
  }
  leave_what_stays(request, planned.members, now, planned.keys, planned.restores);
  return {};
}

Result<Planned> plan_undo(const UndoRequest& request, const EntryReader& read, const Views& views,
                          const Snapshot& now) {
  ANIMA_ASSIGN(const std::vector<Sequence> named, named_by(request, now));
  ANIMA_ASSIGN(const Later later, read_later(named, now.state(), read));
  Planned planned{Members(named, later.undos, AllWholeRows(now))};
  ANIMA_TRY(take(request, read, views, now, planned));
  while (true) {
    Sequences found =
        dependents_of(planned.members, later, now, planned.keys, planned.restores, request.rules);
    if (found.empty()) break;
    if (!request.cascade) {
      return fail(ErrorCode::kConflict, "later entries depend on it: " + list(found), {},
                  "--cascade undoes them too");
    }
    if (request.whole_acts) found = whole_acts_of(found, now);
    planned.members.add(found);
    ANIMA_TRY(take(request, read, views, now, planned));
  }
  std::erase_if(planned.restores,
                [](const Restore& one) { return one.step == UndoStep::kNothing; });
  return planned;
}

// What was written again since is left as it is; that it was undone counts when the later writing
// is undone, too.
Status check_left(const Planned& planned) {
  const Members& members = planned.members;
  const bool done =
      std::ranges::none_of(members.all(), [&](Sequence entry) { return members.has_say(entry); });
  const bool wrote = !planned.keys.empty() || members.undo_something();
  if (!planned.restores.empty() || (!done && wrote && planned.taken_from == 0)) return {};
  std::string why(kNothingLeft);
  if (planned.taken_from > 0) why += ": what they said was forgotten for good, or changed again";
  if (done) why += ": they were undone";
  return fail(ErrorCode::kNotFound, std::move(why));
}

// The keys that the transaction wrote so far.
Result<std::vector<WrittenKey>> keys_of(Transaction& transaction, const Views& views) {
  LogEntry entry;
  entry.payload = transaction.writer().pending_operations();
  std::vector<WrittenKey> keys;
  ANIMA_TRY(views.visit_written(
      entry,
      [&](const WrittenKey& key) -> Status {
        keys.push_back(key);
        return {};
      },
      [](EntityId) -> Status { return {}; }));
  sort_keys(keys);
  return keys;
}

}  // namespace

bool is_nothing_left(const Error& error) {
  return error.code == ErrorCode::kNotFound && error.message.starts_with(kNothingLeft);
}

Result<UndoPlan> undo(const UndoRequest& request, const EntryReader& read, const Views& views,
                      Transaction& transaction) {
  const Snapshot now = views.snapshot();
  ANIMA_TRY(check_entries(request, now.sequence()));
  const Sequence first = request.entries.front();
  if (first <= oldest_state(now)) {
    const auto& horizon = now.state().horizon;
    return fail(ErrorCode::kNotFound, "it cannot be undone: " + horizon->said, entry_place(first),
                horizon->hint);
  }
  ANIMA_ASSIGN(const Planned planned, plan_undo(request, read, views, now));
  ANIMA_TRY(check_left(planned));
  for (const UndoStep step : kSteps) {
    for (const Restore& restore : planned.restores) {
      if (restore.step == step) ANIMA_TRY(perform(restore, planned.members, now, transaction));
    }
  }
  if (request.rules != nullptr && request.rules->follows)
    ANIMA_TRY(request.rules->follows(transaction, now, planned.members.undone(), planned.keys));
  ANIMA_ASSIGN(const std::vector<WrittenKey> left, keys_of(transaction, views));
  ANIMA_TRY(bring_along(transaction, now, left));
  if (request.checks) ANIMA_TRY(request.checks(now, transaction.view()));
  const Sequences& undone = planned.members.all();
  UndoPlan plan{{undone.begin(), undone.end()}, 0, {}, {}, planned.taken_from};
  ANIMA_ASSIGN(const std::vector<WrittenKey> changed, keys_of(transaction, views));
  Tell told(now, transaction.view(), plan);
  for (const WrittenKey& key : changed) told.change(key);
  plan.keys = changed.size();
  ANIMA_TRY(transaction.record(RecordKind::kUndo, record_of(request, plan)));
  return plan;
}

}  // namespace anima::store::detail
