// The lexicons of a space in one view of it: everything, or what is stated with some trust. They
// are of the newest state, one for each language, and follow it; and of the last earlier state
// asked.
//
// Thread-safety: one thread. Ownership: the space is shared; a lexicon lives until the next call of
// lexicon() or set_rules(). Complexity: as said in lexicon.h; a view by trust makes its rules anew
// after each entry.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ask/lexicon/lexicon.h"
#include "base/clock.h"
#include "base/json/json.h"
#include "memory/compartments/reasoner.h"
#include "store/space.h"

namespace anima::ask {

// What the compartments bring.
struct BroughtWords {
  std::vector<memory::RuleSource> rules;
  std::vector<Synonym> synonyms;
  bool operator==(const BroughtWords&) const = default;
};

class LexiconKeeper {
 public:
  // kHostile: a view of everything.
  LexiconKeeper(std::shared_ptr<store::Space> space, std::shared_ptr<Clock> clock,
                store::Trust floor)
      : space_(std::move(space)), clock_(std::move(clock)), floor_(floor) {}

  // Of those that are not trusted so far nothing is taken.
  void set_words(const BroughtWords& words);
  // At the newest state, or at one before: a sequence number or a time.
  Result<const Lexicon*> lexicon(const store::Snapshot& newest,
                                 const std::shared_ptr<const Pack>& pack,
                                 const std::optional<Json>& as_of);
  // The rules at the state of a lexicon; null when they cannot be run.
  const memory::Reasoner* rules_at(const Lexicon& lexicon);
  // Names the build of a lexicon: numbers in readings are those of one build.
  std::string build_of(const Lexicon& lexicon) const;

 private:
  void forget();
  void drop_lexicons();
  store::Snapshot view_of(const store::Snapshot& snapshot) const;
  Result<const Lexicon*> past_lexicon(const store::Snapshot& newest,
                                      const std::shared_ptr<const Pack>& pack, const Json& as_of);
  Status follow(const store::Snapshot& now);
  std::unique_ptr<memory::Reasoner> reason(const store::Snapshot& view) const;

  std::shared_ptr<store::Space> space_;
  std::shared_ptr<Clock> clock_;
  store::Trust floor_;
  BroughtWords words_;
  bool rules_tell_ = false;         // what only running the rules tells
  std::vector<std::string> heads_;  // of the rules
  // Of the newest state asked, by language; all are at one snapshot.
  std::map<std::string, std::unique_ptr<Lexicon>> lexicons_;
  std::optional<store::Snapshot> known_;        // the view that they are of
  std::unique_ptr<memory::Reasoner> reasoner_;  // at `known_`; null: nobody asked for it yet
  std::uint64_t epoch_ = 0;                     // of `lexicons_`
  // Of the last earlier state asked.
  std::unique_ptr<Lexicon> past_;
  std::string past_key_;
  std::unique_ptr<memory::Reasoner> past_reasoner_;
};

}  // namespace anima::ask
