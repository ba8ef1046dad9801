// Which things are meant by what is to be forgotten (memory/forgetting.h): by name, with what was
// merged into them or withdrawn under the same name, and never what Anima itself is made of.
//
// Snapshots are taken with the books. Thread-safety: functions without state.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/snapshot.h"

namespace anima::memory::detail {

// What a new space begins with, and the types and predicates of Anima's own books. Errors: kDenied,
// saying what it is. O(history of the entity).
Status check_not_own(const store::Snapshot& snapshot, store::EntityId entity);
bool is_of_bootstrap(const store::Snapshot& snapshot, store::EntityId entity);

// A type or a predicate.
bool is_vocabulary(const store::Snapshot& snapshot, store::EntityId entity);
// A concept that is none, nor one that every memory needs by its name.
bool is_thing(const store::Snapshot& snapshot, store::EntityId entity);
// That stands in Anima's own books alone, as a memory, a goal or a turn does: what it is called
// there is no name that somebody gave it, and it is nothing without its text. Of what was
// withdrawn: that stood there.
bool is_book_entry(const store::Snapshot& snapshot, store::EntityId entity);

// A key of Anima's own books whose values are the program's words, as "status": whoever reads them
// decides by them.
bool is_program_key(std::string_view key);
// A key of Anima's own books that tells from whom or where something came, as "source".
bool is_origin_key(std::string_view key);
// One of the words that Anima itself writes under such a key, as "terminal".
bool is_own_origin(std::string_view text);

void add_name(std::vector<std::string>& names, std::string_view name);
// The name and the aliases that it has.
void add_names(const store::Snapshot& snapshot, store::EntityId entity,
               std::vector<std::string>& names);

// Errors: kNotFound (nothing is called so, nor was), kInvalidArgument (several things are). Of what
// was withdrawn, all that had the name. O(entities) for what nothing is called.
Result<std::vector<store::EntityId>> things_named(const store::Snapshot& snapshot,
                                                  const std::string& text);

// Adds to the things what was merged into them, and what was withdrawn with a name that they have
// or had, and to the names all of theirs; again for what was added. A name that another living
// thing has takes nothing. O(entities).
void add_merged_and_withdrawn(const store::Snapshot& snapshot, std::set<store::EntityId>& things,
                              std::vector<std::string>& names);

// What uses a type or a predicate and stays when the things go.
struct VocabularyUses {
  std::size_t count = 0;
  std::vector<std::string> some;  // in words
};
VocabularyUses vocabulary_uses(const store::Snapshot& snapshot, store::EntityId vocabulary,
                               const std::set<store::EntityId>& things);
// Adds the type or predicate to the things, with what it was used for and nobody states any more.
// Requires that nothing uses it. O(entities).
void add_vocabulary(const store::Snapshot& snapshot, store::EntityId vocabulary,
                    std::set<store::EntityId>& things);

}  // namespace anima::memory::detail
