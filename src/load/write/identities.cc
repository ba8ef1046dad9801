#include "load/write/identities.h"

#include <algorithm>
#include <functional>

#include "store/statements.h"

namespace anima::load {

using store::EntityId;

namespace {

std::uint32_t name_hash(std::string_view name) {
  const std::uint64_t hash = std::hash<std::string_view>{}(name);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

}  // namespace

void EntityIndex::insert(std::uint32_t hash, EntityId id) {
  if ((size_ + 1) * 2 > slots_.size()) {
    std::vector<Slot> old(std::max<std::size_t>(16, slots_.size() * 2));
    old.swap(slots_);
    size_ = 0;
    for (const Slot& slot : old) {
      if (slot.id != 0) insert(slot.hash, static_cast<EntityId>(slot.id));
    }
  }
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = place_of(hash, mask);
  while (slots_[at].id != 0) at = (at + 1) & mask;
  slots_[at] = {hash, static_cast<std::uint32_t>(id)};
  ++size_;
}

Identities::Identities(const store::Snapshot& before, const store::Snapshot& live, EntityId type,
                       std::string key_attribute)
    : before_(before), live_(live), type_(type), key_attribute_(std::move(key_attribute)) {
  if (type_ == EntityId::kNone) return;
  store::Pattern members;
  members.predicate = store::kTypePredicate;
  members.object = store::Term::entity(type_);
  any_before_ = before_.count(members) > 0;
  if (any_before_ && !key_attribute_.empty()) read_keys();
}

void Identities::read_keys() {
  const auto key = before_.find_string(key_attribute_);
  if (!key) return;
  store::Pattern pattern;
  pattern.predicate = store::Predicate::attribute(*key);
  store::each_statement(before_, pattern, [&](const store::Triple& row) {
    if (before_.type_of(row.subject) == type_) put_key(row.object, row.subject);
  });
}

EntityId Identities::find_key(store::Term key) const {
  return keys_.find(key.code, [](std::uint32_t) { return true; });
}

EntityId Identities::find_name(std::string_view name) const {
  const EntityId made = names_.find(name_hash(name), [&](std::uint32_t id) {
    return live_.name(static_cast<EntityId>(id)) == name;
  });
  if (made != EntityId::kNone) return made;
  if (!any_before_) return EntityId::kNone;
  return before_.find_concept(type_, name).value_or(EntityId::kNone);
}

void Identities::put_key(store::Term key, EntityId entity) {
  if (find_key(key) == EntityId::kNone) keys_.insert(key.code, entity);
}

void Identities::put_name(std::string_view name, EntityId entity) {
  names_.insert(name_hash(name), entity);
}

bool Identities::has_no_key(EntityId entity) const {
  return static_cast<std::uint32_t>(entity) < before_.entity_bound() &&
         !before_.attribute(entity, key_attribute_);
}

}  // namespace anima::load
