// Undo (DATA.md 8): a new transaction that puts back the keys that were last written by some
// entries, as they were before.
//
// A key (an attribute of an entity in a graph, a link in a graph, a concept's existence in a graph)
// says then what the entries that count left there (undo_words.h): what was written again later is
// left alone, and what was undone before comes back with no later undo. A later entry depends on
// them when it names one as its cause, when what it states still stands and relies on an entity
// that would be there no more, or when it merged a thing on to which they had moved or replaced
// something; then undo refuses and lists the entries, or takes them along
// (cascade), with what depends on them. What was undone, and the undo itself, have no say any more:
// such an entry neither depends nor is in the way, until its undo is undone.
//
// From the log it reads the entries that it undoes and the records of undos since; who wrote a key,
// and what it held, it reads from the versions of that key. Complexity: O(what these entries wrote
// and what relies on it), and one look at the head of every entry since the range.
#pragma once

#include <vector>

#include "base/result.h"
#include "store/act.h"
#include "store/log.h"
#include "store/space/undo_members.h"
#include "store/space/views.h"
#include "store/transaction.h"

namespace anima::store::detail {

struct UndoRequest {
  std::vector<Sequence> entries;  // ascending, each once
  bool cascade = false;
  bool whole_acts = false;  // what cascades takes the rest of its act along
  UndoCheck checks = {};
  const UndoRules* rules = nullptr;
};

// What was done, or would be; also the payload of the record kUndo, as JSON.
struct UndoPlan {
  std::vector<Sequence> entries;  // undone: the asked for and, with cascade, dependents; sorted
  std::size_t keys = 0;           // written: put back, and what follows from that
  StatementsTold going, coming;   // of the knowledge
  std::size_t taken_from = 0;     // of `entries`: something was forgotten of them, and stays gone
};

// Whether undo() refused because they were undone, or wrote nothing that could be put back.
bool is_nothing_left(const Error& error);

// Writes into the transaction, which must stand on the newest entry. Errors: kInvalidArgument (no
// such entries, or the first of the log), kConflict (dependent entries, named), kNotFound (one of
// them was erased, or nothing of them is left to undo).
Result<UndoPlan> undo(const UndoRequest& request, const EntryReader& read, const Views& views,
                      Transaction& transaction);

}  // namespace anima::store::detail
