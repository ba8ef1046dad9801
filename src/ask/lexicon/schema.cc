#include "ask/lexicon/schema.h"

#include <algorithm>

namespace anima::ask {

bool TypeSet::contains(TypeId id) const { return std::binary_search(ids_.begin(), ids_.end(), id); }

void TypeSet::add(TypeId id) {
  const auto at = std::lower_bound(ids_.begin(), ids_.end(), id);
  if (at == ids_.end() || *at != id) ids_.insert(at, id);
}

TypeSet TypeSet::both(const TypeSet& other) const {
  TypeSet result;
  std::set_intersection(ids_.begin(), ids_.end(), other.ids_.begin(), other.ids_.end(),
                        std::back_inserter(result.ids_));
  return result;
}

TypeSet TypeSet::either(const TypeSet& other) const {
  TypeSet result;
  std::set_union(ids_.begin(), ids_.end(), other.ids_.begin(), other.ids_.end(),
                 std::back_inserter(result.ids_));
  return result;
}

TypeSet AttributeInfo::type_set() const {
  TypeSet result;
  for (const auto& [type, counts] : types) result.add(type);
  return result;
}

bool AttributeInfo::measures(TypeId type) const {
  const auto found = types.find(type);
  if (found == types.end()) return false;
  // Years beside days are dates, told less exactly.
  const ValueCounts& counts = found->second;
  if (!measure && counts.days > 0 && counts.years == counts.numbers) return false;
  return counts.numbers * 2 > counts.all();
}

bool AttributeInfo::dates(TypeId type) const {
  const auto found = types.find(type);
  if (found == types.end()) return false;
  const ValueCounts& counts = found->second;
  const std::uint32_t days = counts.days + (measure ? 0 : counts.years);
  return counts.all() > 0 && days * 10 >= counts.all() * 9;
}

bool AttributeInfo::dates() const {
  return std::ranges::all_of(types, [&](const auto& one) { return dates(one.first); });
}

bool AttributeInfo::clocks(TypeId type) const {
  const auto found = types.find(type);
  return found != types.end() && found->second.clocks > 0 &&
         found->second.clocks == found->second.all();
}

bool AttributeInfo::flags() const {
  for (const auto& [type, counts] : types) {
    if (counts.flags == 0) return false;
  }
  return !types.empty();
}

bool AttributeInfo::counts_from_zero() const {
  bool zeros = false;
  for (const auto& [type, counts] : types) {
    if (counts.negatives > 0 || counts.numbers != counts.all()) return false;
    zeros = zeros || counts.zeros > 0;
  }
  return zeros;
}

bool AttributeInfo::falls_below_zero() const {
  bool negatives = false;
  for (const auto& [type, counts] : types) {
    if (counts.numbers != counts.all()) return false;
    negatives = negatives || counts.negatives > 0;
  }
  return negatives;
}

bool AttributeInfo::numeric() const {
  return std::any_of(types.begin(), types.end(),
                     [&](const auto& one) { return measures(one.first) || dates(one.first); });
}

TypeSet PredicateInfo::subjects() const {
  TypeSet result;
  for (const Signature& one : signatures) result.add(one.subject);
  return result;
}

TypeSet PredicateInfo::objects() const {
  TypeSet result;
  for (const Signature& one : signatures) result.add(one.object);
  return result;
}

TypeSet PredicateInfo::follow(const TypeSet& from, bool inverse) const {
  TypeSet result;
  for (const Signature& one : signatures) {
    if (from.contains(inverse ? one.object : one.subject))
      result.add(inverse ? one.subject : one.object);
  }
  return result;
}

const std::vector<TypeId>& EntityTypes::of(store::EntityId entity) const {
  const auto index = static_cast<std::size_t>(entity);
  return sets_[index < set_of_.size() ? set_of_[index] : 0];
}

void EntityTypes::set(store::EntityId entity, const std::vector<TypeId>& types) {
  const auto index = static_cast<std::size_t>(entity);
  const auto [known, fresh] = known_.try_emplace(types, static_cast<std::uint32_t>(sets_.size()));
  if (fresh) sets_.push_back(types);
  if (index >= set_of_.size()) {
    if (known->second == 0) return;
    set_of_.resize(index + 1, 0);
  }
  set_of_[index] = known->second;
}

void EntityTypes::each(const std::function<void(store::EntityId)>& visit) const {
  for (std::uint32_t i = 0; i < set_of_.size(); ++i) {
    if (set_of_[i] != 0) visit(store::EntityId{i});
  }
}

TypeSet Schema::all_types() const {
  std::vector<TypeId> ids;
  for (TypeId id = 0; id < types.size(); ++id) ids.push_back(id);
  return TypeSet(std::move(ids));
}

int Schema::find_attribute(std::string_view key) const {
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i].key == key) return static_cast<int>(i);
  }
  return -1;
}

int Schema::find_predicate(std::string_view name) const {
  for (std::size_t i = 0; i < predicates.size(); ++i) {
    if (predicates[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

std::optional<TypeId> Schema::find_type(std::string_view name) const {
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].name == name) return static_cast<TypeId>(i);
  }
  return std::nullopt;
}

}  // namespace anima::ask
