// The things of one type by what tells them apart: their name, or the value of a key attribute.
//
// What the space holds is looked up as it is asked for (names) or read once (keys); what a load
// makes is put in. Thread-safety: one thread. O(1) a look-up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/snapshot.h"

namespace anima::load {

// Entities by a hash of what they are found by; who asks says which of equal hashes is meant. Eight
// bytes a slot, at most half of them filled.
class EntityIndex {
 public:
  template <typename Same>
  store::EntityId find(std::uint32_t hash, const Same& same) const {
    if (slots_.empty()) return store::EntityId::kNone;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = place_of(hash, mask); slots_[at].id != 0; at = (at + 1) & mask) {
      if (slots_[at].hash == hash && same(slots_[at].id))
        return static_cast<store::EntityId>(slots_[at].id);
    }
    return store::EntityId::kNone;
  }
  void insert(std::uint32_t hash, store::EntityId id);

 private:
  struct Slot {
    std::uint32_t hash = 0, id = 0;  // id 0: free
  };
  static std::size_t place_of(std::uint32_t hash, std::size_t mask) {
    return static_cast<std::size_t>((hash * 0x9E3779B97F4A7C15ull) >> 24) & mask;
  }
  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

class Identities {
 public:
  // `type` may be kNone: nothing of it is there yet. An empty attribute: names tell them apart.
  // `live` follows the writes of the transaction.
  Identities(const store::Snapshot& before, const store::Snapshot& live, store::EntityId type,
             std::string key_attribute);

  bool by_name() const { return key_attribute_.empty(); }
  const std::string& key_attribute() const { return key_attribute_; }
  store::EntityId find_key(store::Term key) const;  // kNone: nobody has it
  store::EntityId find_name(std::string_view name) const;
  void put_key(store::Term key, store::EntityId entity);
  void put_name(std::string_view name, store::EntityId entity);
  // Of a thing that was there: it has no key yet, so that who has its name may take it over.
  bool has_no_key(store::EntityId entity) const;

 private:
  void read_keys();

  const store::Snapshot& before_;
  const store::Snapshot& live_;
  store::EntityId type_;
  bool any_before_ = false;
  std::string key_attribute_;
  // By the code of the key, which is the hash: no two keys share it. Names are compared.
  EntityIndex keys_, names_;
};

}  // namespace anima::load
