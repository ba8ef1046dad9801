// What identifies a concept beside its name, and what two concepts cannot both say if they are one.
//
// A type declares in its instance_schema which attributes are keys (`is_key: true`) and which have
// one value at a time (`is_functional: true`); e-mail and web addresses, ids and the numbers of
// registers are keys without being declared. Values are compared in the normal form of their scheme
// (base/text/identifier.h). One identifies only where it is sound by that scheme, and carries
// information enough to name one thing: the form of a web or mail address, a check digit, or four
// letters or digits, with a digit that is not zero, and not all the same; zeros before a number do
// not count. Unless its type declares it, a date or a word with one number of fewer than four
// digits does not. A number, a truth value and a date have one value at a time; a text has, where
// it is declared. A predicate declares `functional: true` (memory/contradiction.h). Thread-safety:
// one thread; lives no longer than its reading.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/identifier.h"
#include "sleep/evidence/reading.h"

namespace anima::sleep::detail {

enum class KeyStrength {
  kNothing,  // says too little to tell one thing from another: "-", "unknown", 0, a list
  kContact,  // several things may share it: a phone, a handle, a short number, a placeholder
  // Of one thing, or of several that it leads to: an e-mail or web address, an account of a couple,
  // the author of two papers. The names decide.
  kAddress,
  kIdentity,  // of one thing alone: a declared key, an id, a number of a register
};

struct Key {
  KeyStrength strength = KeyStrength::kContact;
  Identifier identifier;    // as it is compared
  std::vector<Term> terms;  // as it is stored here, and in other spellings elsewhere
  bool shared = false;      // more than two things of the type have it: it is of none of them alone
};

class Identities {
 public:
  explicit Identities(const Reading& reading) : reading_(reading) {}

  // By attribute.
  std::map<std::string, Key> keys_of(EntityId item);
  // The attribute or predicate of which the two say what cannot both hold; empty: none. `texts`:
  // texts that differ count too, as long as they are no prose, and so do lists and objects of which
  // neither holds the other.
  std::string conflict(EntityId a, EntityId b, bool texts);

 private:
  struct Declared {
    std::set<std::string> keys, functional;
  };
  const Declared& declared(EntityId item);
  // Those that count as evidence.
  std::vector<Term> values_of(EntityId item, std::string_view key) const;
  bool is_shared(EntityId item, std::string_view attribute, const Key& key) const;
  bool values_conflict(EntityId a, EntityId b, std::string_view key, bool texts);
  std::string link_conflict(EntityId a, EntityId b) const;

  const Reading& reading_;
  std::map<EntityId, Declared> declared_;  // by type
};

}  // namespace anima::sleep::detail
