#include "store/space/undo.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
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
#include "store/state/versions.h"
#include "store/symbols.h"
#include "store/undone_acts.h"

namespace anima::store::detail {
namespace {

using Sequences = std::set<Sequence>;

constexpr std::string_view kNothingLeft = "nothing of these entries is left to undo";

Sequence before(Sequence sequence) { return Sequence{to_number(sequence) - 1}; }

Triple triple_of(const WrittenKey& key) { return {key.subject, key.predicate, key.object}; }

bool is_existence(const WrittenKey& key) { return key.predicate == kTypePredicate; }
bool is_link(const WrittenKey& key) {
  return key.predicate.predicate_class() == PredicateClass::kLink;
}

// --- who has a say ------------------------------------------------------------------------------

// An entry that undid others.
struct PastUndo {
  Sequence sequence;
  std::vector<Sequence> entries;
};

// What the entries after the range say of others: the undos, and the causes that are named.
struct Later {
  std::vector<PastUndo> undos;
  std::vector<std::pair<Sequence, Sequence>> causes;  // (entry, its cause)
};

Status read_undo(const LogEntry& entry, Later& later) {
  if (!entry.seal.empty() && entry.payload.empty()) return {};  // erased
  if (is_archived(entry)) return {};                            // an entry with records stays whole
  return store::visit_records(entry, [&](RecordKind kind, std::string_view payload) -> Status {
    if (kind == RecordKind::kUndo) later.undos.push_back({entry.sequence, undone_entries(payload)});
    return {};
  });
}

// By the heads of the entries that the views keep; where a base of an older program has none, by
// the log.
Result<Later> read_later(Sequence first, const SnapshotState& state, const EntryReader& read) {
  Later later;
  const auto caused = [&](Sequence sequence, Sequence cause) {
    if (cause != Sequence::kNone) later.causes.emplace_back(sequence, cause);
  };
  std::uint64_t next = to_number(first);
  const std::uint64_t known_from = std::min(state.base->marks().causes_from, state.sequence + 1);
  if (next < known_from) {
    ANIMA_TRY(read(first, Sequence{known_from - 1}, [&](const LogEntry& entry) -> Status {
      caused(entry.sequence, entry.origin.cause);
      return read_undo(entry, later);
    }));
    next = known_from;
  }
  for (; next <= state.sequence; ++next) {
    const EntryRecord entry = state.entry(next);
    caused(Sequence{next}, Sequence{entry.cause});
    if (!entry.undo) continue;
    ANIMA_TRY(read(Sequence{next}, Sequence{next},
                   [&](const LogEntry& stored) { return read_undo(stored, later); }));
  }
  return later;
}

// The entries that are to be undone, and those that have no say.
class Members {
 public:
  Members(std::span<const Sequence> entries, std::vector<PastUndo> undos)
      : undos_(std::move(undos)), all_(entries.begin(), entries.end()) {
    silence();
  }

  const Sequences& all() const { return all_; }
  void add(const Sequences& more) {
    all_.insert(more.begin(), more.end());
    silence();
  }
  Sequence first() const { return *all_.begin(); }
  bool silent(Sequence sequence) const { return silent_.contains(sequence); }
  bool contains(Sequence sequence) const { return all_.contains(sequence); }
  bool has_say(Sequence sequence) const { return contains(sequence) && !silent(sequence); }

 private:
  // The newest first: an undo that was undone undid nothing.
  void silence() {
    silent_.clear();
    for (auto undo = undos_.rbegin(); undo != undos_.rend(); ++undo) {
      if (silent(undo->sequence) || contains(undo->sequence)) continue;
      silent_.insert(undo->sequence);
      silent_.insert(undo->entries.begin(), undo->entries.end());
    }
  }

  const std::vector<PastUndo> undos_;
  Sequences all_, silent_;
};

// --- keys ---------------------------------------------------------------------------------------

// The keys that entries wrote, each at least once.
Status read_keys(Sequence first, Sequence last, const EntryReader& read, const Views& views,
                 std::vector<WrittenKey>& keys, std::size_t& taken_from) {
  ANIMA_TRY(read(first, last, [&](const LogEntry& entry) -> Status {
    if (is_archived(entry)) return archived_error(entry.sequence);
    if (is_redacted(entry)) ++taken_from;
    if (!entry.seal.empty() && entry.payload.empty()) {
      return fail(ErrorCode::kNotFound,
                  "its content was erased, or is sealed under a key that is not here",
                  entry_place(entry.sequence));
    }
    return views.visit_written(
        entry,
        [&](const WrittenKey& key) -> Status {
          keys.push_back(key);
          return {};
        },
        [](EntityId) -> Status { return {}; });
  }));
  return {};
}

void sort_keys(std::vector<WrittenKey>& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

// The order in which keys go back: what others need first, what others need to be gone from last.
enum class Step : std::uint8_t {
  kNothing,
  kAssertConcept,
  kAssertLink,
  kValues,
  kRetractLink,
  kRetractConcept
};

constexpr Step kSteps[] = {Step::kAssertConcept, Step::kAssertLink, Step::kValues,
                           Step::kRetractLink, Step::kRetractConcept};

// A key to put back, and as of when. There may be very many: what its graph said then and says now
// is looked up where it is needed.
struct Restore {
  WrittenKey key;
  Sequence as_of;
  Step step = Step::kNothing;
};

std::vector<Word> at(const std::vector<Word>& words, std::uint64_t sequence) {
  std::vector<Word> found;
  for (const Word& word : words) {
    if (word.from <= sequence && sequence < word.to) found.push_back(word);
  }
  return found;
}

struct KeyWords {
  std::vector<Word> was, is;
};

KeyWords words_of(const std::vector<Word>& words, Sequence as_of, const SnapshotState& state) {
  return {at(words, to_number(as_of)), at(words, state.sequence)};
}

KeyWords words_of(const Restore& restore, const SnapshotState& state) {
  return words_of(words_of(state, restore.key), restore.as_of, state);
}

bool same_words(const std::vector<Word>& a, const std::vector<Word>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Word& x, const Word& y) {
    return x.object == y.object && x.context.confidence == y.context.confidence &&
           x.context.provenance == y.context.provenance &&
           x.context.word_of() == y.context.word_of();
  });
}

Step step_of(const WrittenKey& key, const KeyWords& words) {
  const bool existence = is_existence(key);
  if (same_words(words.was, words.is)) return Step::kNothing;
  if (!existence && !is_link(key)) return Step::kValues;
  if (words.was.empty()) return existence ? Step::kRetractConcept : Step::kRetractLink;
  return existence ? Step::kAssertConcept : Step::kAssertLink;
}

// The first of the members that wrote the key last, if they did. What has no say is not counted.
std::optional<Sequence> start_of(const std::vector<Sequence>& writers, const Members& members) {
  std::optional<Sequence> start;
  for (auto writer = writers.rbegin(); writer != writers.rend(); ++writer) {
    if (*writer < members.first()) break;
    if (members.has_say(*writer)) {
      start = *writer;
    } else if (!members.silent(*writer)) {
      break;
    }
  }
  return start;
}

// What Anima's own books are written in. The first entry of a book brings it, and all later ones
// rely on it: it is nobody's act, and stays. One that an act took away comes back.
bool defines_a_book(const WrittenKey& key, const Snapshot& now) {
  const EntityId type = now.type_of(key.subject);
  return is_existence(key) && (type == kConceptType || type == kPropositionType) &&
         is_own_graph(now.graph_name(key.graph));
}

std::vector<Restore> restores_of(const std::vector<WrittenKey>& keys, const Members& members,
                                 const Snapshot& now) {
  const SnapshotState& state = now.state();
  std::vector<Restore> restores;
  for (const WrittenKey& key : keys) {
    if (key.predicate == kNamePredicate) continue;  // follows the existence
    const std::vector<Word> words = words_of(state, key);
    const auto start = start_of(writers_of(words), members);
    if (!start) continue;
    const Sequence as_of = before(*start);
    const Step step = step_of(key, words_of(words, as_of, state));
    if (step == Step::kRetractConcept && defines_a_book(key, now)) continue;
    restores.push_back({key, as_of, step});
  }
  return restores;
}

// --- what depends -------------------------------------------------------------------------------

// Entities that would be there no more, each with the entry that had brought it.
using Removed = std::unordered_map<std::uint32_t, Sequence>;

// Those of concepts and links that no graph would state any more.
Removed removed_by(const std::vector<Restore>& restores, const Snapshot& now) {
  // Of one statement in all its graphs: how many words go, and the newest entry that they go back
  // before.
  struct Loss {
    std::size_t words = 0;
    bool stays = false;
    Sequence made = Sequence::kNone;
  };
  std::map<Triple, Loss> losses;
  for (const Restore& restore : restores) {
    if (!is_existence(restore.key) && !is_link(restore.key)) continue;
    const KeyWords words = words_of(restore, now.state());
    Loss& loss = losses[triple_of(restore.key)];
    loss.stays = loss.stays || !words.was.empty();
    loss.words += words.is.size();
    loss.made = std::max(loss.made, Sequence{to_number(restore.as_of) + 1});
  }
  Removed removed;
  for (const auto& [triple, loss] : losses) {
    if (loss.stays || loss.words == 0 || loss.words != now.assertions(triple).size()) continue;
    const EntityId entity = triple.predicate == kTypePredicate
                                ? triple.subject
                                : now.find_proposition(triple).value_or(EntityId::kNone);
    if (entity != EntityId::kNone) removed.emplace(static_cast<std::uint32_t>(entity), loss.made);
  }
  return removed;
}

class Dependents {
 public:
  Dependents(const Members& members, const Later& later, const Snapshot& now)
      : members_(members), later_(later), now_(now), state_(now.state()) {}

  Sequences find(const std::vector<Restore>& restores) {
    caused();
    Removed removed = removed_by(restores, now_);
    quoted(removed);
    for (const auto& [entity, made] : removed) standing_on(entity, made);
    if (removed.empty()) return std::move(found_);
    for (const Restore& restore : restores) restored_on(restore, removed);
    return std::move(found_);
  }

 private:
  void take(Sequence sequence) {
    if (members_.contains(sequence) || members_.silent(sequence)) return;
    if (!notes_readings(now_.entry(sequence))) found_.insert(sequence);
  }

  void caused() {
    for (const auto& [sequence, cause] : later_.causes) {
      if (members_.has_say(cause)) take(sequence);
    }
  }

  // Links that nobody states, but that were named about what is removed: what is said about them
  // relies on it too.
  void quoted(Removed& removed) const {
    std::vector<std::pair<std::uint32_t, Sequence>> open(removed.begin(), removed.end());
    while (!open.empty()) {
      const auto [entity, made] = open.back();
      open.pop_back();
      const auto offer = [&, since = made](const Version& version) {
        if (version.proposition == 0 || now_.contains(version.triple)) return;
        if (removed.emplace(version.proposition, since).second) {
          open.emplace_back(version.proposition, since);
        }
      };
      visit_versions(state_, SubjectCode{entity}, {}, {}, offer);
      visit_versions_of_object(state_, ObjectCode{entity}, offer);
    }
  }

  // Statements about the entity that stand and would stay.
  void standing_on(std::uint32_t entity, Sequence made) {
    const Edges out = now_.outgoing(static_cast<EntityId>(entity), scratch_);
    for (std::size_t i = 0; i < out.size(); ++i) {
      offer({static_cast<EntityId>(entity), {out.predicates[i]}, {out.others[i]}}, made);
    }
    const Edges in = now_.incoming(Term{entity}, scratch_);
    for (std::size_t i = 0; i < in.size(); ++i) {
      offer({static_cast<EntityId>(in.others[i]), {in.predicates[i]}, {entity}}, made);
    }
    if (now_.type_of(static_cast<EntityId>(entity)) != kPropositionType) return;
    Pattern pattern;
    pattern.predicate = Predicate::link(static_cast<EntityId>(entity));
    Cursor cursor = now_.scan(pattern);
    Triple rows[64];
    while (const std::size_t count = cursor.next(rows)) {
      for (std::size_t i = 0; i < count; ++i) offer(rows[i], made);
    }
  }

  void offer(const Triple& triple, Sequence made) {
    const RowRef row = state_.find(triple.subject, triple.predicate, triple.object);
    if (!row) return;
    state_.each_context(state_.set_of(row), [&](std::uint32_t, const Context& context) {
      Sequence writer{context.born};
      if (writer <= made || members_.has_say(writer)) return;
      if (members_.silent(writer)) writer = with_say(triple, context.graph);
      if (writer > made) take(writer);
    });
  }

  // Who wrote last what an undo put back.
  Sequence with_say(const Triple& triple, std::uint32_t graph) const {
    WrittenKey key{static_cast<GraphId>(graph), triple.subject, triple.predicate, {}};
    if (triple.predicate.predicate_class() < PredicateClass::kAttribute) key.object = triple.object;
    const std::vector<Sequence> writers = writers_of(words_of(state_, key));
    const auto last = std::find_if(writers.rbegin(), writers.rend(),
                                   [&](Sequence writer) { return !members_.silent(writer); });
    return last == writers.rend() ? Sequence::kNone : *last;
  }

  // What comes back may rely on what goes.
  void restored_on(const Restore& restore, const Removed& removed) {
    for (const Word& word : words_of(restore, state_).was) {
      const auto on = [&](std::uint32_t entity) {
        const auto made = removed.find(entity);
        if (made != removed.end() && Sequence{word.context.born} > made->second) {
          take(Sequence{word.context.born});
        }
      };
      on(static_cast<std::uint32_t>(restore.key.subject));
      on(word.object.code);
      if (is_link(restore.key)) on(restore.key.predicate.code);
    }
  }

  const Members& members_;
  const Later& later_;
  const Snapshot& now_;
  const SnapshotState& state_;
  Scratch scratch_;
  Sequences found_;
};

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

Status perform(const Restore& restore, const Snapshot& now, Transaction& transaction) {
  const WrittenKey& key = restore.key;
  const KeyWords words = words_of(restore, now.state());
  switch (restore.step) {
    case Step::kNothing:
      return {};
    case Step::kAssertConcept:
    case Step::kAssertLink:
      return put_back(triple_of(key), words.was.front(), transaction);
    case Step::kValues:
      return restore_values(key, words, transaction);
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

// Ranges of entries that follow each other.
Status read_keys_of(const Sequences& entries, const EntryReader& read, const Views& views,
                    std::vector<WrittenKey>& keys, std::size_t& taken_from) {
  for (auto at = entries.begin(); at != entries.end();) {
    const Sequence first = *at;
    Sequence last = first;
    while (++at != entries.end() && to_number(*at) == to_number(last) + 1) last = *at;
    ANIMA_TRY(read_keys(first, last, read, views, keys, taken_from));
  }
  sort_keys(keys);
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

void tell(const Triple& triple, StatementsTold& told) {
  if (told.count++ < kMostStatementsTold) told.statements.push_back(triple);
}

// A link that is valid now and was not, or the other way round, for what is said of it: one that an
// end was written for comes back when the end goes.
void tell_valid(const Triple& link, const Snapshot& before, const Snapshot& after, Timestamp now,
                std::set<Triple>& told, UndoPlan& plan) {
  if (!told.insert(link).second) return;
  const auto holds = [&](const Snapshot& state) {
    return state.contains(link) && is_valid(standing_of(state, link), now, now);
  };
  const bool was = holds(before), is = holds(after);
  const bool stated = before.contains(link) && after.contains(link);  // else it is told anyway
  if (stated && was != is) tell(link, was ? plan.going : plan.coming);
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

// What the knowledge said before and says no more, and the other way round.
void tell_change(const std::vector<Restore>& restores, const std::vector<Triple>& followed,
                 const Snapshot& all, const Snapshot& changed, UndoPlan& plan) {
  const Snapshot before = all.knowledge(), after = changed.knowledge();
  const Timestamp now = all.entry(all.sequence()).time;
  std::set<Triple> told;
  for (const Triple& link : followed) tell_valid(link, before, after, now, told, plan);
  for (const Restore& restore : restores) {
    if (const auto link = timed_by(restore.key, after))
      tell_valid(*link, before, after, now, told, plan);
    std::vector<Term> objects;
    const KeyWords words = words_of(restore, all.state());
    for (const auto* each : {&words.was, &words.is}) {
      for (const Word& word : *each) objects.push_back(word.object);
    }
    std::sort(objects.begin(), objects.end(), [](Term a, Term b) { return a.code < b.code; });
    objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
    for (const Term object : objects) {
      const Triple triple{restore.key.subject, restore.key.predicate, object};
      const bool was = before.contains(triple);
      if (was == after.contains(triple)) continue;
      tell(triple, was ? plan.going : plan.coming);
    }
  }
}

bool withdraws(const Restore& restore, const Snapshot& now) {
  const bool values = restore.step == Step::kValues;
  return restore.step == Step::kRetractLink || restore.step == Step::kRetractConcept ||
         (values && words_of(restore, now.state()).was.empty());
}

// By the rules of the space.
void leave_what_stays(const UndoRequest& request, const Members& members, const Snapshot& now,
                      const std::vector<WrittenKey>& keys, std::vector<Restore>& restores) {
  if (request.rules == nullptr) return;
  const UndoRules& rules = *request.rules;
  if (rules.keeps)
    std::erase_if(restores, [&](const Restore& one) { return rules.keeps(now, one.key); });
  if (!rules.said_elsewhere) return;
  const std::vector<Sequence> undone(members.all().begin(), members.all().end());
  const std::vector<WrittenKey> said = rules.said_elsewhere(now, undone, keys);
  std::erase_if(restores, [&](const Restore& one) {
    return withdraws(one, now) && std::ranges::find(said, one.key) != said.end();
  });
}

}  // namespace

bool is_nothing_left(const Error& error) {
  return error.code == ErrorCode::kNotFound && error.message.starts_with(kNothingLeft);
}

std::vector<Sequence> undone_entries(std::string_view record) {
  std::vector<Sequence> sequences;
  const Result<Json> json = parse_json(record);
  const Json* const entries = json ? json->find("entries") : nullptr;
  if (entries == nullptr || !entries->is_array()) return sequences;
  for (const Json& number : entries->as_array()) {
    if (number.is_integer()) {
      sequences.push_back(Sequence{static_cast<std::uint64_t>(number.as_integer())});
    }
  }
  return sequences;
}

Result<UndoPlan> undo(const UndoRequest& request, const EntryReader& read, const Views& views,
                      Transaction& transaction) {
  const Snapshot now = views.snapshot();
  const SnapshotState& state = now.state();
  ANIMA_TRY(check_entries(request, now.sequence()));
  const Sequence first = request.entries.front();
  if (first <= oldest_state(now)) {
    return fail(ErrorCode::kNotFound, "it cannot be undone: " + state.horizon->said,
                entry_place(first), state.horizon->hint);
  }
  ANIMA_ASSIGN(const Later later, read_later(first, state, read));
  ANIMA_ASSIGN(const std::vector<Sequence> named, named_by(request, now));
  Members members(named, later.undos);
  std::vector<WrittenKey> keys;
  std::size_t taken_from = 0;
  ANIMA_TRY(read_keys_of(members.all(), read, views, keys, taken_from));
  std::vector<Restore> restores = restores_of(keys, members, now);
  leave_what_stays(request, members, now, keys, restores);
  while (true) {
    Sequences found = Dependents(members, later, now).find(restores);
    if (found.empty()) break;
    if (!request.cascade) {
      return fail(ErrorCode::kConflict, "later entries depend on it: " + list(found), {},
                  "--cascade undoes them too");
    }
    if (request.whole_acts) found = whole_acts_of(found, now);
    members.add(found);
    ANIMA_TRY(read_keys_of(found, read, views, keys, taken_from));
    restores = restores_of(keys, members, now);
    leave_what_stays(request, members, now, keys, restores);
  }
  std::erase_if(restores, [](const Restore& one) { return one.step == Step::kNothing; });
  if (restores.empty()) {
    std::string why(kNothingLeft);
    if (taken_from > 0) why += ": what they said was forgotten for good, or changed again";
    return fail(ErrorCode::kNotFound, std::move(why));
  }
  for (const Step step : kSteps) {
    for (const Restore& restore : restores) {
      if (restore.step == step) ANIMA_TRY(perform(restore, now, transaction));
    }
  }
  UndoPlan plan{{members.all().begin(), members.all().end()}, restores.size(), {}, {}, taken_from};
  std::vector<Triple> changed;
  if (request.rules != nullptr && request.rules->follows) {
    ANIMA_ASSIGN(changed, request.rules->follows(transaction, now, plan.entries, keys));
  }
  if (request.checks) ANIMA_TRY(request.checks(now, transaction.view()));
  tell_change(restores, changed, now, transaction.view(), plan);
  ANIMA_TRY(transaction.record(RecordKind::kUndo, record_of(request, plan)));
  return plan;
}

}  // namespace anima::store::detail
