#include "ask/lexicon/schema.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <span>

#include "base/json.h"
#include "base/text.h"
#include "datalog/parser.h"
#include "store/symbols.h"

namespace anima::ask {
namespace {

using store::EntityId;
using store::Predicate;
using store::PredicateClass;
using store::Snapshot;
using store::Triple;
using store::ValueKind;
using store::ValueView;

constexpr std::string_view kWordType = "Word";
// Predicates whose objects are types (spec, section 2).
constexpr std::array<std::string_view, 6> kTypeLinks = {"has_type", "is_a",        "is-a",
                                                        "type",     "instance_of", "rdf:type"};
constexpr std::array<std::string_view, 4> kSystemTypes = {"Domain", "SleepTask", "Event", "Word"};
constexpr std::size_t kMaxIndexedText = 80;
constexpr std::size_t kMaxDerivedRows = 100'000;

// What rules derive, with the clauses that do.
struct RuleHead {
  std::string name;
  std::size_t arity = 0;
  std::vector<datalog::ast::Clause> clauses;
};

std::vector<RuleHead> rule_heads(const std::vector<memory::RuleSource>& rules) {
  std::map<std::string, RuleHead> heads;
  for (const memory::RuleSource& source : rules) {
    const auto unit = datalog::parse_program(source.text, source.file);
    if (!unit) continue;
    for (const auto& clause : unit->clauses) {
      const std::size_t arity = clause.head.arguments.size();
      if (arity < 1 || arity > 2 || clause.body.empty()) continue;
      RuleHead& head = heads[clause.head.predicate];
      head.name = clause.head.predicate;
      head.arity = arity;
      head.clauses.push_back(clause);
    }
  }
  std::vector<RuleHead> list;
  for (auto& [name, head] : heads) list.push_back(std::move(head));
  return list;
}

// q(X, Y) :- p(X, Y).  q(X, Z) :- p(X, Y), q(Y, Z).  in any order: q is the closure of p, which is
// returned; empty for other rules.
std::string closed_base(const RuleHead& rule) {
  if (rule.arity != 2 || rule.clauses.size() != 2) return {};
  std::string base;
  bool direct = false, stepped = false;
  for (const auto& clause : rule.clauses) {
    for (const auto& literal : clause.body) {
      const bool plain = literal.kind == datalog::ast::LiteralKind::kAtom &&
                         literal.atom.arguments.size() == 2 && !literal.when;
      if (!plain) return {};
      if (literal.atom.predicate == rule.name) continue;
      if (!base.empty() && base != literal.atom.predicate) return {};
      base = literal.atom.predicate;
    }
    const auto variable = [](const datalog::ast::Atom& atom, std::size_t i) {
      const auto& term = atom.arguments[i];
      return term.kind == datalog::ast::TermKind::kVariable ? term.text : std::string();
    };
    const auto& head = clause.head;
    if (clause.body.size() == 1 && clause.body[0].atom.predicate == base) {
      direct = !variable(head, 0).empty() && !variable(head, 1).empty() &&
               variable(head, 0) != variable(head, 1) &&
               variable(head, 0) == variable(clause.body[0].atom, 0) &&
               variable(head, 1) == variable(clause.body[0].atom, 1);
    } else if (clause.body.size() == 2) {
      const datalog::ast::Atom* first = &clause.body[0].atom;
      const datalog::ast::Atom* second = &clause.body[1].atom;
      if (variable(*first, 0) != variable(head, 0)) std::swap(first, second);
      stepped = !variable(*first, 1).empty() && variable(*first, 0) == variable(head, 0) &&
                variable(*first, 1) == variable(*second, 0) &&
                variable(*second, 1) == variable(head, 1) &&
                variable(*first, 1) != variable(*first, 0) &&
                variable(*second, 1) != variable(*second, 0) &&
                (first->predicate == base || second->predicate == base);
    }
  }
  return direct && stepped ? base : std::string();
}

bool contains(std::span<const std::string_view> list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

class Builder {
 public:
  Builder(const Snapshot& snapshot, const Pack& pack, const memory::Reasoner* reasoner)
      : snapshot_(snapshot),
        pack_(pack),
        reasoner_(reasoner),
        schema_(std::make_shared<Schema>()) {}

  std::shared_ptr<const Schema> run(const std::vector<memory::RuleSource>& rules,
                                    const std::vector<Synonym>& synonyms) {
    schema_->types_of.resize(snapshot_.entity_bound());
    read_concepts();
    read_typed_links();
    drop_types_without_use();
    read_links();
    read_attributes();
    read_rules(rules);
    read_words();
    for (const Synonym& one : synonyms) schema_->synonyms.push_back(one);
    return schema_;
  }

 private:
  void each(const store::Pattern& pattern, const std::function<void(const Triple&)>& visit) const {
    store::Cursor cursor = snapshot_.scan(pattern);
    std::array<Triple, 256> rows;
    while (const std::size_t count = cursor.next(rows)) {
      for (std::size_t i = 0; i < count; ++i) visit(rows[i]);
    }
  }

  bool system_name(std::string_view name) const { return name.starts_with('$'); }

  void read_concepts() {
    std::unordered_map<std::uint32_t, int> known;
    store::Pattern declared;
    declared.predicate = store::kTypePredicate;
    declared.object = store::Term::entity(store::kConceptType);
    each(declared, [&](const Triple& row) {
      const std::string_view name = snapshot_.name(row.subject);
      if (system_name(name) || contains(kSystemTypes, name) || row.subject == store::kEntityType)
        return;
      known[static_cast<std::uint32_t>(row.subject)] = static_cast<int>(schema_->types.size());
      schema_->types.push_back({std::string(name), row.subject, {}, {}, 0, false});
    });
    store::Pattern members;
    members.predicate = store::kTypePredicate;
    each(members, [&](const Triple& row) {
      if (!row.object.is_entity()) return;
      if (row.object.as_entity() == store::kEntityType) ++entities_;
      const auto found = known.find(row.object.code);
      if (found == known.end()) return;
      if (system_name(snapshot_.name(row.subject))) {
        schema_->types[static_cast<std::size_t>(found->second)].system = true;
        return;
      }
      ++schema_->types[static_cast<std::size_t>(found->second)].members;
      add_type(row.subject, static_cast<TypeId>(found->second));
    });
  }

  void add_type(EntityId entity, TypeId type) {
    auto& list = schema_->types_of[static_cast<std::size_t>(entity)];
    if (std::find(list.begin(), list.end(), type) == list.end()) list.push_back(type);
  }

  bool is_type_link(std::string_view label) const { return contains(kTypeLinks, label); }

  void read_typed_links() {
    std::map<std::pair<std::string, EntityId>, TypeId> known;
    for (const Predicate predicate : snapshot_.predicates(PredicateClass::kLink)) {
      const std::string label = store::predicate_label(snapshot_, predicate);
      if (!is_type_link(label)) continue;
      store::Pattern pattern;
      pattern.predicate = predicate;
      each(pattern, [&](const Triple& row) {
        if (!row.object.is_entity()) return;
        const EntityId object = row.object.as_entity();
        const std::string name(snapshot_.name(object));
        // A type that is declared too is one type.
        const auto declared = schema_->find_type(name);
        TypeId type;
        const bool is_declared = declared && schema_->types[*declared].link.empty() &&
                                 schema_->types[*declared].id == object;
        if (is_declared) {
          type = *declared;
        } else {
          const auto [found, fresh] = known.try_emplace(std::pair(label, object),
                                                        static_cast<TypeId>(schema_->types.size()));
          type = found->second;
          if (fresh)
            schema_->types.push_back({name, object, label,
                                      std::string(snapshot_.name(snapshot_.type_of(object))), 0,
                                      false});
        }
        ++schema_->types[type].members;
        add_type(row.subject, type);
        linked_types_.insert(object);
      });
    }
  }

  // A type of genesis that nobody has filled is no word.
  void drop_types_without_use() {
    const auto person = schema_->find_type("Person");
    if (person && schema_->types[*person].members == 0) schema_->types[*person].name.clear();
    if (entities_ == 0) return;
    // Things without a type are asked too, though no word names them all.
    const TypeId untyped = static_cast<TypeId>(schema_->types.size());
    bool any = false;
    store::Pattern members;
    members.predicate = store::kTypePredicate;
    members.object = store::Term::entity(store::kEntityType);
    each(members, [&](const Triple& row) {
      auto& list = schema_->types_of[static_cast<std::size_t>(row.subject)];
      if (!list.empty() || linked_types_.contains(row.subject)) return;
      list.push_back(untyped);
      any = true;
    });
    if (any) schema_->types.push_back({"", store::kEntityType, {}, {}, 0, false});
  }

  void name_words(const std::string& name, std::vector<std::string>& words) const {
    words = cut_key(name);
  }

  // Objects that all read as numbers or dates are values that only have names.
  bool objects_are_values(const Predicate predicate) const {
    bool all = true, any = false;
    store::Pattern pattern;
    pattern.predicate = predicate;
    each(pattern, [&](const Triple& row) {
      double number = 0;
      any = true;
      if (!row.object.is_entity()) return;
      const std::string_view name = snapshot_.name(row.object.as_entity());
      all = all && (reads_as_number(name, &number) || reads_as_date(name));
    });
    return all && any;
  }

  void read_links() {
    for (const Predicate predicate : snapshot_.predicates(PredicateClass::kLink)) {
      const std::string label = store::predicate_label(snapshot_, predicate);
      if (is_type_link(label) || label == "belongs_to_domain") continue;
      if (objects_are_values(predicate)) {
        read_value_links(predicate, label);
      } else {
        read_predicate(predicate, label);
      }
    }
  }

  void read_value_links(const Predicate predicate, const std::string& label) {
    AttributeInfo& attribute = new_attribute(label);
    attribute.link = true;
    store::Pattern pattern;
    pattern.predicate = predicate;
    each(pattern, [&](const Triple& row) {
      if (!row.object.is_entity()) return;
      const std::string_view name = snapshot_.name(row.object.as_entity());
      schema_->types_of[static_cast<std::size_t>(row.object.as_entity())].clear();
      for (const TypeId type : schema_->types_of_entity(row.subject)) {
        ValueCounts& counts = attribute.types[type];
        double number = 0;
        if (reads_as_number(name, &number)) {
          ++counts.numbers;
          if (year(number)) ++counts.years;
        } else {
          ++counts.days;
        }
      }
    });
  }

  static bool year(double number) {
    return number >= 1000 && number <= 2999 &&
           number == static_cast<double>(static_cast<int>(number));
  }

  void read_predicate(const Predicate predicate, const std::string& label) {
    std::map<std::pair<TypeId, TypeId>, std::uint32_t> counts;
    store::Pattern pattern;
    pattern.predicate = predicate;
    EntityId before = EntityId::kNone;
    bool functional = true;
    store::Cursor cursor = snapshot_.scan(pattern, store::Order::kSubjectPredicateObject);
    std::array<Triple, 256> rows;
    while (const std::size_t count = cursor.next(rows)) {
      for (std::size_t i = 0; i < count; ++i) {
        const Triple& row = rows[i];
        if (!row.object.is_entity()) continue;
        functional = functional && row.subject != before;
        before = row.subject;
        for (const TypeId subject : schema_->types_of_entity(row.subject)) {
          for (const TypeId object : schema_->types_of_entity(row.object.as_entity()))
            ++counts[{subject, object}];
        }
      }
    }
    if (counts.empty()) return;
    PredicateInfo& info = new_predicate(label);
    info.functional = functional;
    info.link = predicate;
    for (const auto& [types, count] : counts)
      info.signatures.push_back({types.first, types.second, count});
  }

  PredicateInfo& new_predicate(const std::string& label) {
    PredicateInfo info;
    info.name = label;
    info.words = cut_key(label);
    if (info.words.size() > 1 && pack_.is_preposition(info.words.back()))
      info.preposition = info.words.back();
    // "located_in" and "in_region"
    info.contains = pack_.lies_within(info.preposition) ||
                    (info.words.size() > 1 && pack_.lies_within(info.words.front()));
    if (info.words.size() == 2 && pack_.is_whole(info.words[0])) info.contains = true;
    schema_->predicates.push_back(std::move(info));
    return schema_->predicates.back();
  }

  AttributeInfo& new_attribute(const std::string& key) {
    AttributeInfo info;
    info.key = key;
    info.words = cut_key(key);
    if (info.words.size() > 1 && pack_.is_unit(info.words.back())) info.unit = info.words.back();
    schema_->attributes.push_back(std::move(info));
    return schema_->attributes.back();
  }

  static bool names_the_thing(std::string_view key) {
    return key == "aliases" || key == "alias" || key == "label" || key == "title";
  }

  void read_attributes() {
    for (const Predicate predicate : snapshot_.predicates(PredicateClass::kAttribute)) {
      const std::string key = store::predicate_label(snapshot_, predicate);
      if (key.starts_with('_')) continue;
      AttributeInfo* attribute = nullptr;
      std::set<std::string> texts;
      store::Pattern pattern;
      pattern.predicate = predicate;
      each(pattern, [&](const Triple& row) {
        const auto& types = schema_->types_of_entity(row.subject);
        if (types.empty()) return;
        if (attribute == nullptr) attribute = &new_attribute(key);
        const ValueView value = snapshot_.value(row.object);
        for (const TypeId type : types) count_value(attribute->types[type], value);
        if (value.kind != ValueKind::kString || value.text.size() > kMaxIndexedText) return;
        if (texts.insert(std::string(value.text)).second && !names_the_thing(key) &&
            !reads_as_date(value.text))
          add_value(value.text);
      });
      if (attribute != nullptr)
        attribute->distinct_texts = static_cast<std::uint32_t>(texts.size());
    }
  }

  void add_value(std::string_view text) {
    auto& list = schema_->values[normal_name(text)];
    list.push_back({static_cast<int>(schema_->attributes.size()) - 1, std::string(text)});
  }

  static void count_value(ValueCounts& counts, const ValueView& value) {
    switch (value.kind) {
      case ValueKind::kBoolean:
        ++counts.flags;
        break;
      case ValueKind::kInteger:
        ++counts.numbers;
        if (year(static_cast<double>(value.integer))) ++counts.years;
        break;
      case ValueKind::kDouble:
      case ValueKind::kDecimal:
        ++counts.numbers;
        break;
      case ValueKind::kDateTime:
        ++counts.days;
        break;
      case ValueKind::kString:
        reads_as_date(value.text) ? ++counts.days : ++counts.texts;
        break;
      default:
        ++counts.texts;
    }
  }

  // --- rules

  void read_rules(const std::vector<memory::RuleSource>& rules) {
    for (const RuleHead& head : rule_heads(rules)) {
      if (head.arity == 1) {
        read_rule_set(head.name);
        continue;
      }
      if (schema_->find_predicate(head.name) >= 0) continue;
      const std::string base = closed_base(head);
      const int closed = base.empty() ? -1 : schema_->find_predicate(base);
      PredicateInfo& info = new_predicate(head.name);
      info.derived = true;
      info.closure_of = closed;
      if (closed >= 0) {
        close_signatures(info, schema_->predicates[static_cast<std::size_t>(closed)]);
      } else {
        read_pairs(info);
      }
    }
  }

  // A concept as rules call it.
  EntityId thing_called(const std::string& name) const {
    EntityId found = EntityId::kNone;
    for (const EntityId entity : snapshot_.concepts_named(name)) {
      if (schema_->types_of_entity(entity).empty()) continue;
      if (found == EntityId::kNone) found = entity;
    }
    if (found != EntityId::kNone) return found;
    const auto colon = name.find(':');
    if (colon == std::string::npos) return found;
    const auto type = snapshot_.find_type(name.substr(0, colon));
    return type ? snapshot_.find_concept(*type, name.substr(colon + 1)).value_or(found) : found;
  }

  void read_pairs(PredicateInfo& info) {
    if (reasoner_ == nullptr) return;
    const auto rows = reasoner_->ask(info.name + "(X, Y)", kMaxDerivedRows);
    if (!rows) return;
    std::map<std::pair<TypeId, TypeId>, std::uint32_t> counts;
    for (const memory::RuleRow& row : *rows) {
      if (row.values.size() != 2) continue;
      const EntityId a = thing_called(row.values[0]), b = thing_called(row.values[1]);
      if (a == EntityId::kNone || b == EntityId::kNone) continue;
      info.pairs.emplace_back(a, b);
      for (const TypeId from : schema_->types_of_entity(a)) {
        for (const TypeId to : schema_->types_of_entity(b)) ++counts[{from, to}];
      }
    }
    std::sort(info.pairs.begin(), info.pairs.end());
    for (const auto& [types, count] : counts)
      info.signatures.push_back({types.first, types.second, count});
  }

  void read_rule_set(const std::string& name) {
    if (reasoner_ == nullptr) return;
    const auto rows = reasoner_->ask(name + "(X)", kMaxDerivedRows);
    if (!rows) return;
    RuleSet set;
    set.name = name;
    for (const memory::RuleRow& row : *rows) {
      if (row.values.size() != 1) continue;
      const EntityId entity = thing_called(row.values[0]);
      if (entity == EntityId::kNone) continue;
      set.members.push_back(entity);
      for (const TypeId type : schema_->types_of_entity(entity)) set.types.add(type);
    }
    if (set.members.empty()) return;
    std::sort(set.members.begin(), set.members.end());
    schema_->rule_sets.push_back(std::move(set));
  }

  void close_signatures(PredicateInfo& info, const PredicateInfo& base) const {
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
    for (const auto& [a, b] : pairs) info.signatures.push_back({a, b, 1});
  }

  // --- concepts of the type Word

  void read_words() {
    const auto type = snapshot_.find_type(kWordType);
    if (!type) return;
    store::Pattern pattern;
    pattern.predicate = store::kTypePredicate;
    pattern.object = store::Term::entity(*type);
    each(pattern, [&](const Triple& row) {
      Synonym word;
      word.word = std::string(snapshot_.name(row.subject));
      word.means = text_of(row.subject, "means");
      word.most = text_of(row.subject, "most");
      word.language = text_of(row.subject, "lang");
      if (const auto flag = snapshot_.attribute(row.subject, "inverse")) {
        const ValueView value = snapshot_.value(*flag);
        word.inverse = value.kind == ValueKind::kBoolean && value.integer != 0;
      }
      if (const auto where = snapshot_.attribute(row.subject, "where")) {
        const ValueView value = snapshot_.value(*where);
        if (value.kind == ValueKind::kJson) {
          if (auto json = parse_json(value.text)) word.where = std::move(*json);
        }
      }
      for (const store::Assertion& one : snapshot_.assertions(row))
        word.trusted = snapshot_.entry(one.born).trust >= store::Trust::kStandard;
      schema_->synonyms.push_back(std::move(word));
    });
  }

  std::string text_of(EntityId entity, std::string_view key) const {
    const auto term = snapshot_.attribute(entity, key);
    if (!term) return {};
    const ValueView value = snapshot_.value(*term);
    return value.kind == ValueKind::kString ? std::string(value.text) : std::string();
  }

  const Snapshot& snapshot_;
  const Pack& pack_;
  const memory::Reasoner* reasoner_;
  std::shared_ptr<Schema> schema_;
  std::set<EntityId> linked_types_;
  std::uint32_t entities_ = 0;
};

}  // namespace

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
  if (counts.days > 0 && counts.years == counts.numbers) return false;
  return counts.numbers * 2 > counts.all();
}

bool AttributeInfo::dates(TypeId type) const {
  const auto found = types.find(type);
  if (found == types.end()) return false;
  const ValueCounts& counts = found->second;
  return counts.all() > 0 && (counts.days + counts.years) * 10 >= counts.all() * 9;
}

bool AttributeInfo::flags() const {
  for (const auto& [type, counts] : types) {
    if (counts.flags == 0) return false;
  }
  return !types.empty();
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

std::shared_ptr<const Schema> Schema::build(const Snapshot& snapshot,
                                            const std::vector<memory::RuleSource>& rules,
                                            const std::vector<Synonym>& synonyms, const Pack& pack,
                                            const memory::Reasoner* reasoner) {
  return Builder(snapshot, pack, reasoner).run(rules, synonyms);
}

bool Schema::needs_reasoner(const std::vector<memory::RuleSource>& rules) {
  for (const RuleHead& head : rule_heads(rules)) {
    if (head.arity == 1 || closed_base(head).empty()) return true;
  }
  return false;
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

const std::vector<TypeId>& Schema::types_of_entity(store::EntityId entity) const {
  static const std::vector<TypeId> kNone;
  const auto index = static_cast<std::size_t>(entity);
  return index < types_of.size() ? types_of[index] : kNone;
}

}  // namespace anima::ask
