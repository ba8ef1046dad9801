// What identifies a concept beside its name, and what two concepts cannot both say if they are one.
//
// A type declares in its instance_schema which attributes are keys (`is_key: true`) and which have
// one value at a time (`is_functional: true`); e-mail and web addresses, ids and the numbers of
// registers are keys without being declared. A number, a truth value and a date have one value at a
// time; a text has, where it is declared. A predicate declares `functional: true`
// (memory/contradiction.h). Thread-safety: one thread; lives no longer than its reading.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "sleep/evidence/reading.h"

namespace anima::sleep::detail {

enum class KeyStrength {
  kContact,   // several things may share it: a phone, a handle
  kAddress,   // an e-mail or web address: of one thing, or of a household or a company
  kIdentity,  // of one thing alone: a declared key, an id, a number of a register
};

struct Key {
  KeyStrength strength = KeyStrength::kContact;
  std::string value;  // as it is compared
  Term term;          // as it is stored
};

class Identities {
 public:
  explicit Identities(const Reading& reading) : reading_(reading) {}

  // By attribute.
  std::map<std::string, Key> keys_of(EntityId item);
  // The attribute or predicate of which the two say what cannot both hold; empty: none. `texts`:
  // texts that differ count too, as long as they are no prose.
  std::string conflict(EntityId a, EntityId b, bool texts);

 private:
  struct Declared {
    std::set<std::string> keys, functional;
  };
  const Declared& declared(EntityId item);
  bool values_conflict(EntityId a, EntityId b, std::string_view key, bool texts);
  std::string link_conflict(EntityId a, EntityId b) const;

  const Reading& reading_;
  std::map<EntityId, Declared> declared_;  // by type
};

}  // namespace anima::sleep::detail
