// What the space says by now of the things that a sentence speaks of.
// Thread-safety: that of the lexicon, which outlives it. Complexity: O(statements of the thing
// under the predicate).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ask/lexicon/lexicon.h"
#include "ask/parse/statements/statement.h"

namespace anima::ask {

class HeldFacts {
 public:
  HeldFacts(const Lexicon& lexicon, Timestamp now)
      : lexicon_(lexicon), snapshot_(lexicon.snapshot()), now_(now) {}

  // The statement of the space that says this, where it holds.
  std::optional<store::Triple> held_as(const Statement& fact) const;
  std::vector<store::Triple> values_of(store::EntityId thing, std::string_view key) const;
  // What holds of a thing under the fact's predicate.
  std::vector<store::Triple> about(store::EntityId subject, const Statement& fact) const;
  // The links that hold from one thing to another.
  std::vector<store::Triple> between(store::EntityId from, store::EntityId to) const;
  bool says_the_same(const store::Triple& fact, const Statement& other) const;
  bool holds(const store::Triple& fact) const;

 private:
  const Lexicon& lexicon_;
  const store::Snapshot& snapshot_;
  Timestamp now_;
};

// Equal but for case, marks and blanks.
bool same_text(std::string_view a, std::string_view b);

// "Ada's phone", "Ada lives_in": what a fact is about.
std::string what_it_is_about(const Lexicon& lexicon, const store::Triple& fact);

}  // namespace anima::ask
