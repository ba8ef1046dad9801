// What rules say, as predicates and sets of things that a question can name.
#include <algorithm>

#include "ask/lexicon/schema_keeper.h"

namespace anima::ask {
namespace {

using store::EntityId;
using store::Snapshot;

constexpr std::size_t kMaxDerivedRows = 100'000;

}  // namespace

void SchemaKeeper::read_rules(const Snapshot& snapshot, const memory::Reasoner* reasoner) {
  for (const RuleHead& head : heads_) read_rule(head, snapshot, reasoner);
}

void SchemaKeeper::read_rule(const RuleHead& head, const Snapshot& snapshot,
                             const memory::Reasoner* reasoner) {
  if (head.arity == 1) {
    RuleSet set;
    set.name = head.name;
    if (reasoner != nullptr && read_rule_set(set, snapshot, *reasoner))
      schema_->rule_sets.push_back(std::move(set));
    return;
  }
  if (schema_->find_predicate(head.name) >= 0) return;
  const std::string base = closed_base(head);
  const int closed = base.empty() ? -1 : schema_->find_predicate(base);
  PredicateInfo& info = new_predicate(head.name);
  info.derived = true;
  info.closure_of = closed;
  if (closed >= 0) {
    close_signatures(info);
  } else if (reasoner != nullptr) {
    read_pairs(info, snapshot, *reasoner);
  }
}

// A concept as rules call it.
EntityId SchemaKeeper::thing_called(const Snapshot& snapshot, const std::string& name) const {
  for (const EntityId entity : snapshot.concepts_named(name)) {
    if (!schema_->types_of_entity(entity).empty()) return entity;
  }
  const auto colon = name.find(':');
  if (colon == std::string::npos) return EntityId::kNone;
  const auto type = snapshot.find_type(name.substr(0, colon));
  if (!type) return EntityId::kNone;
  const auto found = snapshot.find_concept(*type, name.substr(colon + 1));
  return found && !schema_->types_of_entity(*found).empty() ? *found : EntityId::kNone;
}

void SchemaKeeper::read_pairs(PredicateInfo& info, const Snapshot& snapshot,
                              const memory::Reasoner& reasoner) {
  info.pairs.clear();
  const auto rows = reasoner.ask(info.name + "(X, Y)", kMaxDerivedRows);
  if (rows) {
    for (const memory::RuleRow& row : *rows) {
      if (row.values.size() != 2) continue;
      const EntityId a = thing_called(snapshot, row.values[0]);
      const EntityId b = thing_called(snapshot, row.values[1]);
      if (a != EntityId::kNone && b != EntityId::kNone) info.pairs.emplace_back(a, b);
    }
  }
  std::sort(info.pairs.begin(), info.pairs.end());
  sign_pairs(info);
}

void SchemaKeeper::sign_pairs(PredicateInfo& info) const {
  std::map<std::pair<TypeId, TypeId>, std::uint32_t> counts;
  for (const auto& [a, b] : info.pairs) {
    for (const TypeId from : schema_->types_of_entity(a)) {
      for (const TypeId to : schema_->types_of_entity(b)) ++counts[{from, to}];
    }
  }
  info.signatures.clear();
  for (const auto& [types, count] : counts)
    info.signatures.push_back({types.first, types.second, count});
}

bool SchemaKeeper::read_rule_set(RuleSet& set, const Snapshot& snapshot,
                                 const memory::Reasoner& reasoner) {
  set.members.clear();
  const auto rows = reasoner.ask(set.name + "(X)", kMaxDerivedRows);
  if (rows) {
    for (const memory::RuleRow& row : *rows) {
      if (row.values.size() != 1) continue;
      const EntityId entity = thing_called(snapshot, row.values[0]);
      if (entity != EntityId::kNone) set.members.push_back(entity);
    }
  }
  std::sort(set.members.begin(), set.members.end());
  type_members(set);
  return !set.members.empty();
}

void SchemaKeeper::type_members(RuleSet& set) const {
  set.types = {};
  for (const EntityId entity : set.members) {
    for (const TypeId type : schema_->types_of_entity(entity)) set.types.add(type);
  }
}

void SchemaKeeper::close_signatures(PredicateInfo& info) const {
  const PredicateInfo& base = schema_->predicates[static_cast<std::size_t>(info.closure_of)];
  std::set<std::pair<TypeId, TypeId>> pairs;
  for (const Signature& one : base.signatures) pairs.insert({one.subject, one.object});
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [a, b] : std::set(pairs)) {
      for (const Signature& one : base.signatures) {
        if (one.subject == b) grown = pairs.insert({a, one.object}).second || grown;
      }
    }
  }
  info.signatures.clear();
  for (const auto& [a, b] : pairs) info.signatures.push_back({a, b, 1});
}

// Who is called so, of those that may have been meant before; any of a gone one's namesakes too.
std::vector<EntityId> SchemaKeeper::once_called(const Snapshot& snapshot, const std::string& name) {
  std::vector<EntityId> found = snapshot.concepts_named(name);
  const auto colon = name.find(':');
  if (colon == std::string::npos) return found;
  const auto type = snapshot.find_type(name.substr(0, colon));
  if (!type) return found;
  if (const auto one = snapshot.find_concept(*type, name.substr(colon + 1))) found.push_back(*one);
  return found;
}

// May a name in a row that did not change mean another thing than before?
bool SchemaKeeper::rows_mean_others(const Snapshot& before, const Snapshot& now,
                                    const Touched& touched) const {
  if (touched.known_before) return true;
  return std::any_of(renamed_.begin(), renamed_.end(), [&](const NameChange& one) {
    if (one.was == one.is) return false;
    const std::string_view name = (one.is ? now : before).name(one.entity);
    return before.concepts_named(name).size() + now.concepts_named(name).size() > 1;
  });
}

void SchemaKeeper::follow_pairs(PredicateInfo& info, const Snapshot& before, const Snapshot& now,
                                const memory::RuleChange* change) {
  const auto gone = [&](EntityId entity) { return schema_->types_of_entity(entity).empty(); };
  const bool any_gone =
      std::any_of(renamed_.begin(), renamed_.end(), [](const NameChange& one) { return !one.is; });
  if (any_gone && std::erase_if(info.pairs, [&](const auto& pair) {
                    return gone(pair.first) || gone(pair.second);
                  }) > 0)
    sign_pairs(info);
  if (change == nullptr) return;
  const auto sign = [&](EntityId a, EntityId b, int step) {
    for (const TypeId from : schema_->types_of_entity(a)) {
      for (const TypeId to : schema_->types_of_entity(b))
        count_signature(info.signatures, from, to, step);
    }
  };
  for (const std::vector<std::string>& row : change->deleted) {
    if (row.size() != 2) continue;
    for (const EntityId a : once_called(before, row[0])) {
      for (const EntityId b : once_called(before, row[1])) {
        const auto at = std::lower_bound(info.pairs.begin(), info.pairs.end(), std::pair(a, b));
        if (at == info.pairs.end() || *at != std::pair(a, b)) continue;
        sign(a, b, -1);
        info.pairs.erase(at);
      }
    }
  }
  for (const std::vector<std::string>& row : change->inserted) {
    if (row.size() != 2) continue;
    const EntityId a = thing_called(now, row[0]), b = thing_called(now, row[1]);
    if (a == EntityId::kNone || b == EntityId::kNone) continue;
    info.pairs.insert(std::upper_bound(info.pairs.begin(), info.pairs.end(), std::pair(a, b)),
                      std::pair(a, b));
    sign(a, b, 1);
  }
}

void SchemaKeeper::follow_members(RuleSet& set, const Snapshot& before, const Snapshot& now,
                                  const memory::RuleChange* change) {
  std::erase_if(set.members,
                [&](EntityId entity) { return schema_->types_of_entity(entity).empty(); });
  if (change != nullptr) {
    for (const std::vector<std::string>& row : change->deleted) {
      if (row.size() != 1) continue;
      for (const EntityId entity : once_called(before, row[0])) {
        const auto at = std::lower_bound(set.members.begin(), set.members.end(), entity);
        if (at != set.members.end() && *at == entity) set.members.erase(at);
      }
    }
    for (const std::vector<std::string>& row : change->inserted) {
      if (row.size() != 1) continue;
      const EntityId entity = thing_called(now, row[0]);
      if (entity == EntityId::kNone) continue;
      set.members.insert(std::upper_bound(set.members.begin(), set.members.end(), entity), entity);
    }
  }
  type_members(set);
}

bool SchemaKeeper::follow_rules(const Snapshot& before, const Snapshot& now,
                                const std::vector<memory::RuleChange>& derived,
                                const Touched& touched, const memory::Reasoner* reasoner) {
  const bool all_again = reasoner != nullptr && rows_mean_others(before, now, touched);
  const auto change_of = [&](const std::string& name) -> const memory::RuleChange* {
    const auto found =
        std::find_if(derived.begin(), derived.end(),
                     [&](const memory::RuleChange& change) { return change.predicate == name; });
    return found == derived.end() ? nullptr : &*found;
  };
  for (PredicateInfo& info : schema_->predicates) {
    if (!info.derived) continue;
    if (info.closure_of >= 0) {
      close_signatures(info);
    } else if (reasoner != nullptr) {
      const bool again = all_again || info.pairs.size() >= kMaxDerivedRows;
      again ? read_pairs(info, now, *reasoner)
            : follow_pairs(info, before, now, change_of(info.name));
    }
  }
  if (reasoner == nullptr) return true;
  for (const RuleHead& head : heads_) {
    if (head.arity != 1) continue;
    const auto known = std::find_if(schema_->rule_sets.begin(), schema_->rule_sets.end(),
                                    [&](const RuleSet& set) { return set.name == head.name; });
    const memory::RuleChange* change = change_of(head.name);
    if (known == schema_->rule_sets.end()) {
      // A set with its first member is a new word; so is one that is empty now.
      RuleSet set;
      set.name = head.name;
      if ((change != nullptr || all_again) && read_rule_set(set, now, *reasoner)) return false;
      continue;
    }
    const bool again = all_again || known->members.size() >= kMaxDerivedRows;
    again ? static_cast<void>(read_rule_set(*known, now, *reasoner))
          : follow_members(*known, before, now, change);
    if (known->members.empty()) return false;
  }
  return true;
}

}  // namespace anima::ask
