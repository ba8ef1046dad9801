#include "store/space/undo_words.h"

#include <algorithm>

#include "store/space/undo_removals.h"

namespace anima::store::detail {
namespace {

using KeyVersions = std::vector<Word>;

KeyVersions stood_at(const KeyVersions& words, std::uint64_t sequence) {
  KeyVersions found;
  for (const Word& word : words) {
    if (word.from <= sequence && sequence < word.to) found.push_back(word);
  }
  return found;
}

bool same_word(const Word& a, const Word& b) {
  return a.object == b.object && a.context.confidence == b.context.confidence &&
         a.context.provenance == b.context.provenance && a.context.word_of() == b.context.word_of();
}

bool same_words(const KeyVersions& a, const KeyVersions& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_word);
}

KeyVersions::const_iterator find_object(const KeyVersions& words, Term object) {
  return std::ranges::find(words, object, &Word::object);
}

// What an entry made of a key. Who writes it replaces what is said on no higher trust
// (Transaction::set_attribute), and leaves the rest beside it.
struct WordChange {
  KeyVersions before, after;
  std::vector<Term> stayed;       // in both
  bool replaces = true;           // nothing that the entry could replace stayed
  Trust trust = Trust::kHostile;  // of the entry

  WordChange(const SnapshotState& state, const KeyVersions& words, Sequence entry)
      : before(stood_at(words, static_cast<std::uint64_t>(entry) - 1)),
        after(stood_at(words, static_cast<std::uint64_t>(entry))),
        trust(state.entry(static_cast<std::uint64_t>(entry)).trust) {
    for (const Word& word : after) {
      if (find_object(before, word.object) == before.end()) continue;
      stayed.push_back(word.object);
      if (trust_of(state, word) <= trust) replaces = false;
    }
  }
  // Whatever was there without others: nobody said anything on a higher trust.
  bool replaces_all(Trust most) const { return stayed.empty() && trust >= most; }

  static Trust trust_of(const SnapshotState& state, const Word& word) {
    return state.entry(word.context.word_of()).trust;
  }
};

void apply_change(const SnapshotState& state, const WordChange& change, KeyVersions& words) {
  std::erase_if(words, [&](const Word& word) {
    if (find_object(change.after, word.object) != change.after.end()) return false;
    const bool withdrawn = find_object(change.before, word.object) != change.before.end();
    return withdrawn || (change.replaces && WordChange::trust_of(state, word) <= change.trust);
  });
  for (const Word& word : change.after) {
    const auto known = find_object(change.before, word.object);
    const bool found = known != change.before.end();
    if (found && same_word(*known, word)) continue;
    const bool restates = found && known->context.word_of() == word.context.word_of();
    const auto place = std::ranges::find(words, word.object, &Word::object);
    if (place != words.end()) {
      *place = word;
    } else if (!restates) {
      words.push_back(word);
    }
  }
}

// From what was left after an entry, or from the beginning. `start` receives the first whose change
// comes or goes, and that no later one replaced.
KeyVersions without(const SnapshotState& state, const KeyVersions& words, const Members& members,
                    Sequence after, Sequence& start) {
  const std::vector<Sequence> writers = writers_of(words);
  Trust most = Trust::kHostile;
  for (const Word& word : words) most = std::max(most, WordChange::trust_of(state, word));
  KeyVersions result;
  std::size_t next = writers.size();
  for (; next > 0 && writers[next - 1] > after; --next) {
    const Sequence writer = writers[next - 1];
    if (members.changed().contains(writer)) start = writer;
    if (!members.stands(writer)) continue;
    WordChange change(state, words, writer);
    if (!change.replaces_all(most)) continue;
    result = std::move(change.after);
    break;
  }
  for (; next < writers.size(); ++next) {
    if (members.stands(writers[next]))
      apply_change(state, WordChange(state, words, writers[next]), result);
  }
  // What somebody wrote again stays the word of whoever said it.
  std::erase_if(
      result, [&](const Word& word) { return !members.stands(Sequence{word.context.word_of()}); });
  std::ranges::sort(result, {}, [](const Word& word) { return word.object.code; });
  return result;
}

bool is_withdrawn(const SnapshotState& state, const KeyVersions& words, const Members& members) {
  const std::vector<Sequence> writers = writers_of(words);
  const auto last = std::find_if(writers.rbegin(), writers.rend(),
                                 [&](Sequence writer) { return members.stands(writer); });
  // An undo takes nothing away: it leaves what would be there.
  if (last == writers.rend() || state.entry(static_cast<std::uint64_t>(*last)).undo) return false;
  const WordChange change(state, words, *last);
  return change.after.empty() && !change.before.empty();
}

UndoStep step_of(const WrittenKey& key, const KeyWords& words) {
  const bool existence = names_existence(key);
  if (same_words(words.was, words.is)) return UndoStep::kNothing;
  if (!existence && !names_link(key)) return UndoStep::kValues;
  if (words.was.empty()) return existence ? UndoStep::kRetractConcept : UndoStep::kRetractLink;
  return existence ? UndoStep::kAssertConcept : UndoStep::kAssertLink;
}

// What would come back of a thing that an entry that counts took away stays away; what comes back
// with its thing has a start there. What a text told goes by the records of that (UndoRules).
void leave_removed(const Snapshot& now, const WrittenKey& key, const KeyVersions& words,
                   const Members& members, KeyWords& found) {
  const auto stays = [&](const Word& word) {
    return find_object(found.is, word.object) != found.is.end();
  };
  // That what took the thing counts again is the undo of an undo.
  if (std::ranges::all_of(found.was, stays) && !members.undo_something()) return;
  Sequence last = Sequence::kNone, changed = Sequence::kNone;
  for (const Sequence removal : removals_of(now, key)) {
    // A link may go alone, and what is said of it stay.
    if (!stood_at(words, static_cast<std::uint64_t>(removal)).empty()) continue;
    if (members.stands(removal)) last = std::max(last, removal);
    if (members.changed().contains(removal)) changed = std::max(changed, removal);
  }
  if (last != Sequence::kNone) {
    Sequence ignored = Sequence::kNone;
    const KeyVersions left = without(now.state(), words, members, last, ignored);
    const bool goes = members.changed().contains(last);
    std::erase_if(found.was, [&](const Word& word) {
      return (goes || !stays(word)) && word.context.provenance == 0 &&
             find_object(left, word.object) == left.end();
    });
  }
  if (found.start == Sequence::kNone) found.start = changed;
}

// What a load states the whole of is replaced by it, also where it did not stand at that time.
void leave_replaced(const Snapshot& now, const WrittenKey& key, const KeyVersions& words,
                    const Members& members, KeyWords& found) {
  for (const WholeRows* const load : members.rows().of(key)) {
    const bool goes = members.changed().contains(load->entry);
    if (goes && found.start == Sequence::kNone) found.start = load->entry;
    if (!members.stands(load->entry)) continue;
    const KeyVersions at_load = stood_at(words, static_cast<std::uint64_t>(load->entry));
    Sequence ignored = Sequence::kNone;
    const KeyVersions left = without(now.state(), words, members, load->entry, ignored);
    std::erase_if(found.was, [&](const Word& word) {
      const bool stays = find_object(found.is, word.object) != found.is.end();
      return (goes || !stays) && load->records.contains(word.context.provenance) &&
             Sequence{word.context.word_of()} < load->entry &&
             find_object(at_load, word.object) == at_load.end() &&
             find_object(left, word.object) == left.end();
    });
  }
}

}  // namespace

KeyWords words_without(const Snapshot& now, const WrittenKey& key, const Members& members) {
  const SnapshotState& state = now.state();
  KeyWords found;
  const KeyVersions words = words_of(state, key);
  found.is = stood_at(words, state.sequence);
  std::ranges::sort(found.is, {}, [](const Word& word) { return word.object.code; });
  found.was = without(state, words, members, Sequence::kNone, found.start);
  leave_removed(now, key, words, members, found);
  leave_replaced(now, key, words, members, found);
  found.withdrawn = is_withdrawn(state, words, members);
  // An undo may have written it as the word of what does not count now (undo_reliance.h).
  for (const Word& word : found.is) {
    const Sequence said{word.context.word_of()};
    if (found.start == Sequence::kNone && !members.stands(said)) found.start = said;
  }
  // So may one that counts again be what a merge moved.
  for (const Word& word : found.was) {
    const Sequence said{word.context.word_of()};
    if (found.start == Sequence::kNone && members.changed().contains(said)) found.start = said;
  }
  if (found.start != Sequence::kNone) found.step = step_of(key, found);
  return found;
}

}  // namespace anima::store::detail
