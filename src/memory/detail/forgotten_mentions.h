// What names a thing or a value beside its statements: texts, entries of Anima's own books, things
// of like names, places that are no text (memory/forgetting.h). Snapshots are taken with the books.
// Thread-safety: functions without state. Complexity: O(values + entities).
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "memory/detail/forgotten_names.h"
#include "memory/forgetting.h"
#include "store/snapshot.h"

namespace anima::memory::detail {

// Which texts shall go.
struct TextsWanted {
  bool mentions = false;  // that name them
  bool in_doubt = false;  // and that may
  explicit TextsWanted(const ForgetRequest& request)
      : mentions(request.mentions), in_doubt(request.mentions && request.in_doubt) {}
  Doubt doubt() const { return in_doubt ? Doubt::kIsTaken : Doubt::kIsListed; }
};

// What else names them, once all names are known. What nobody states any more goes. What is wanted
// of texts goes, too, and of Anima's own books the entries. Whether something of that goes.
bool add_mentions(const store::Snapshot& snapshot, const TextsWanted& wanted,
                  std::set<store::EntityId>& things, ForgetPlan& plan);

// The names without those that are shared, and those of others.
ForgottenNames names_beside(const store::Snapshot& snapshot, const std::vector<std::string>& names,
                            const std::vector<std::string>& shared,
                            const std::vector<store::EntityId>& others,
                            Doubt doubt = Doubt::kIsListed);

// Calls `visit` with each statement that has the literal as an attribute or as metadata now.
void each_statement_of(const store::Snapshot& snapshot, store::Term literal,
                       const std::function<void(const store::Triple&)>& visit);
bool is_of_loaded_compartment(const store::Snapshot& snapshot, store::EntityId entity);
// What a new space begins with.
bool is_said_by_bootstrap(const store::Snapshot& snapshot, const store::Triple& triple);
bool is_said_in_books(const store::Snapshot& snapshot, const store::Triple& triple);

}  // namespace anima::memory::detail
