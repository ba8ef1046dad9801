#include "ask/lexicon/schema_keeper.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "ask/lexicon/schema_words.h"
#include "ask/lexicon/value_counts.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "store/holds.h"
#include "store/statements.h"
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
constexpr std::array<std::string_view, 4> kAliasKeys = {"aliases", "alias", "label", "title"};
constexpr std::size_t kMaxIndexedText = 80;
constexpr std::string_view kListSigns = ",;|/", kSureListSigns = ";|";

bool is_among(std::span<const std::string_view> list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool is_system_name(std::string_view name) { return name.starts_with('$'); }

void add_to(std::uint64_t& count, int step) {
  count = static_cast<std::uint64_t>(static_cast<std::int64_t>(count) + step);
}

bool is_list(const ValueView& value) {
  return value.kind == ValueKind::kJson && value.text.starts_with('[');
}

// Several values hold; what others say against one of them makes no list of it.
bool has_several(const Snapshot& snapshot, EntityId subject, Predicate attribute,
                 store::Scratch& scratch) {
  const auto objects = snapshot.objects(subject, attribute, scratch);
  const std::vector<std::uint32_t> codes(objects.begin(), objects.end());
  const bool listed = std::any_of(codes.begin(), codes.end(), [&](std::uint32_t code) {
    return is_list(snapshot.value(store::Term{code}));
  });
  return listed || (codes.size() > 1 &&
                    store::holding_values(snapshot, subject, attribute, codes).size() > 1);
}

// How many things the subject is linked to by the predicate.
std::size_t degree(const Snapshot& snapshot, EntityId subject, Predicate predicate,
                   store::Scratch& scratch) {
  const auto objects = snapshot.objects(subject, predicate, scratch);
  return static_cast<std::size_t>(
      std::count_if(objects.begin(), objects.end(),
                    [](std::uint32_t code) { return store::Term{code}.is_entity(); }));
}

// One use more or less; true when it is the first or was the last.
bool count_use(std::unordered_map<std::uint32_t, std::uint32_t>& uses, EntityId entity, int step) {
  const auto key = static_cast<std::uint32_t>(entity);
  std::uint32_t& count = uses[key];
  const bool before = count > 0;
  count_by(count, step);
  const bool now = count > 0;
  if (!now) uses.erase(key);
  return before != now;
}

template <typename List>
void sort_unique(List& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

SchemaKeeper::SchemaKeeper(std::shared_ptr<const Pack> pack,
                           const std::vector<memory::RuleSource>& rules,
                           std::vector<Synonym> synonyms)
    : pack_(std::move(pack)), heads_(rule_heads(rules)), declared_(std::move(synonyms)) {}

// --- building

void SchemaKeeper::build(const Snapshot& snapshot, const memory::Reasoner* reasoner) {
  // What was kept is of no use any more; the rest of the object is what it was made with.
  SchemaKeeper fresh(pack_, {}, {});
  std::swap(fresh.heads_, heads_);
  std::swap(fresh.declared_, declared_);
  *this = std::move(fresh);
  schema_ = std::make_shared<Schema>();
  read_types(snapshot);
  for (const Predicate predicate : snapshot.predicates(PredicateClass::kLink))
    read_relation(snapshot, predicate);
  read_members(snapshot);
  count_links(snapshot);
  count_attributes(snapshot);
  read_rules(snapshot, reasoner);
  read_words(snapshot);
}

void SchemaKeeper::read_types(const Snapshot& snapshot) {
  store::Pattern declared;
  declared.predicate = store::kTypePredicate;
  declared.object = store::Term::entity(store::kConceptType);
  std::vector<EntityId> types;
  store::each_statement(snapshot, declared,
                        [&](const Triple& row) { types.push_back(row.subject); });
  std::sort(types.begin(), types.end());
  for (const EntityId type : types) {
    const std::string_view name = snapshot.name(type);
    if (is_system_name(name) || is_among(kSystemTypes, name) || type == store::kEntityType)
      continue;
    type_concepts_[static_cast<std::uint32_t>(type)] = static_cast<TypeId>(schema_->types.size());
    schema_->types.push_back({std::string(name), type, {}, {}, false});
  }
}

void SchemaKeeper::read_relation(const Snapshot& snapshot, const Predicate predicate) {
  const std::string label = store::predicate_label(snapshot, predicate);
  Relation& relation = relations_[predicate];
  if (label == "belongs_to_domain") relation.kind = Relation::Kind::kLeftOut;
  if (is_among(kTypeLinks, label)) relation.kind = Relation::Kind::kTypes;
  if (relation.kind == Relation::Kind::kTypes) read_type_link(snapshot, predicate, label);
  if (relation.kind != Relation::Kind::kThings) return;
  store::Pattern pattern;
  pattern.predicate = predicate;
  std::vector<EntityId> objects;
  EntityId fork = EntityId::kNone, before = EntityId::kNone;
  store::Cursor cursor = snapshot.scan(pattern, store::Order::kSubjectPredicateObject);
  store::each_statement(cursor, [&](const Triple& row) {
    ++relation.rows;
    if (!row.object.is_entity()) return;
    if (row.subject == before && row.subject != fork) {
      fork = row.subject;
      ++relation.forks;
    }
    before = row.subject;
    if (!names_a_value(snapshot.name(row.object.as_entity()))) {
      ++relation.things;
    } else if (relation.things == 0) {
      objects.push_back(row.object.as_entity());
    }
  });
  if (relation.rows == 0 || relation.things > 0) return;
  relation.kind = Relation::Kind::kValues;
  for (const EntityId object : objects) count_use(values_, object, 1);
}

void SchemaKeeper::read_type_link(const Snapshot& snapshot, const Predicate predicate,
                                  const std::string& label) {
  store::Pattern pattern;
  pattern.predicate = predicate;
  std::set<EntityId> types;
  store::each_statement(snapshot, pattern, [&](const Triple& row) {
    ++relations_[predicate].rows;
    if (!row.object.is_entity()) return;
    count_use(linked_, row.object.as_entity(), 1);
    types.insert(row.object.as_entity());
  });
  for (const EntityId type : types) {
    // A type that is declared too is one type.
    const auto declared = type_concepts_.find(static_cast<std::uint32_t>(type));
    if (declared != type_concepts_.end()) {
      linked_types_[{predicate, type}] = declared->second;
      continue;
    }
    linked_types_[{predicate, type}] = static_cast<TypeId>(schema_->types.size());
    schema_->types.push_back({std::string(snapshot.name(type)), type, label,
                              std::string(snapshot.name(snapshot.type_of(type))), false});
  }
}

void SchemaKeeper::read_members(const Snapshot& snapshot) {
  members_.assign(schema_->types.size(), 0);
  system_members_.assign(schema_->types.size(), 0);
  if (const auto person = schema_->find_type("Person")) unnamed_when_empty_.insert(*person);
  for (const auto& [type, id] : type_concepts_) {
    if (!store::is_in_scope(snapshot, {EntityId{type}, store::kTypePredicate,
                                       store::Term::entity(store::kConceptType)}))
      unnamed_when_empty_.insert(id);
  }
  std::vector<EntityId> subjects;
  store::Pattern pattern;
  pattern.predicate = store::kTypePredicate;
  store::each_statement(snapshot, pattern, [&](const Triple& row) {
    subjects.push_back(row.subject);
    if (!row.object.is_entity()) return;
    const auto type = type_concepts_.find(row.object.code);
    if (type == type_concepts_.end()) return;
    ++(is_system_name(snapshot.name(row.subject)) ? system_members_ : members_)[type->second];
  });
  for (const auto& [predicate, relation] : relations_) {
    if (relation.kind != Relation::Kind::kTypes) continue;
    pattern.predicate = predicate;
    store::each_statement(snapshot, pattern, [&, &predicate = predicate](const Triple& row) {
      subjects.push_back(row.subject);
      if (const auto type = linked_type(predicate, row.object.as_entity())) ++members_[*type];
    });
  }
  for (std::size_t i = 0; i < system_members_.size(); ++i)
    schema_->types[i].system = system_members_[i] > 0;
  // A type of genesis that nobody has filled is no word.
  for (const TypeId type : unnamed_when_empty_) {
    if (members_[type] == 0) schema_->types[type].name.clear();
  }
  // Things without a type are asked too, though no word names them all.
  const auto untyped = static_cast<TypeId>(schema_->types.size());
  untyped_ = untyped;
  sort_unique(subjects);
  for (const EntityId entity : subjects) set_types(entity, types_in(snapshot, entity));
  untyped_.reset();
  if (untyped_members_ == 0) return;
  untyped_ = untyped;
  schema_->types.push_back({"", store::kEntityType, {}, {}, false});
}

void SchemaKeeper::count_links(const Snapshot& snapshot) {
  for (auto& [predicate, relation] : relations_) {
    const bool values = relation.kind == Relation::Kind::kValues;
    if (!values && relation.kind != Relation::Kind::kThings) continue;
    const std::string label = store::predicate_label(snapshot, predicate);
    if (values) {
      relation.index = static_cast<int>(schema_->attributes.size());
      new_attribute(label).link = true;
    } else {
      relation.index = static_cast<int>(schema_->predicates.size());
      PredicateInfo& info = new_predicate(label);
      info.link = predicate;
      info.functional = relation.forks == 0;
    }
    store::Pattern pattern;
    pattern.predicate = predicate;
    store::each_statement(snapshot, pattern, [&](const Triple& row) { count(snapshot, row, 1); });
    // What is said of nothing that can be asked about.
    if (values || !schema_->predicates.back().signatures.empty()) continue;
    schema_->predicates.pop_back();
    relation.index = -1;
  }
}

void SchemaKeeper::count_attributes(const Snapshot& snapshot) {
  for (const Predicate predicate : snapshot.predicates(PredicateClass::kAttribute)) {
    const std::string key = store::predicate_label(snapshot, predicate);
    if (key.starts_with('_')) continue;
    store::Pattern pattern;
    pattern.predicate = predicate;
    bool any = false;
    store::each_statement(snapshot, pattern, [&](const Triple& row) {
      if (schema_->types_of_entity(row.subject).empty()) return;
      if (!any) {
        any = true;
        attributes_[predicate] = static_cast<int>(schema_->attributes.size());
        new_attribute(key);
      }
      count(snapshot, row, 1);
    });
    if (any) count_lists(snapshot, predicate, attributes_[predicate]);
  }
}

void SchemaKeeper::count_lists(const Snapshot& snapshot, Predicate predicate, int attribute) {
  store::Pattern pattern;
  pattern.predicate = predicate;
  EntityId fork = EntityId::kNone, before = EntityId::kNone;
  store::Scratch scratch;
  store::Cursor cursor = snapshot.scan(pattern, store::Order::kSubjectPredicateObject);
  store::each_statement(cursor, [&](const Triple& row) {
    const bool again = row.subject == before || is_list(snapshot.value(row.object));
    if (again && row.subject != fork) {
      fork = row.subject;
      if (has_several(snapshot, row.subject, predicate, scratch))
        ++schema_->attributes[static_cast<std::size_t>(attribute)].lists;
    }
    before = row.subject;
  });
}

PredicateInfo& SchemaKeeper::new_predicate(const std::string& label) {
  PredicateInfo info;
  info.name = label;
  info.words = cut_key(label);
  if (info.words.size() > 1 && pack_->is_preposition(info.words.back()))
    info.preposition = info.words.back();
  // "located_in" and "in_region"
  info.contains = pack_->lies_within(info.preposition) ||
                  (info.words.size() > 1 && pack_->lies_within(info.words.front()));
  if (info.words.size() == 2 && pack_->is_whole(info.words[0])) info.contains = true;
  schema_->predicates.push_back(std::move(info));
  return schema_->predicates.back();
}

AttributeInfo& SchemaKeeper::new_attribute(const std::string& key) {
  AttributeInfo info;
  info.key = key;
  info.words = cut_key(key);
  if (info.words.size() > 1 && pack_->is_unit_of_names(info.words.back()))
    info.unit = info.words.back();
  info.measure = !info.unit.empty() || std::ranges::any_of(info.words, [&](const auto& word) {
    return pack_->is_measure(word);
  });
  schema_->attributes.push_back(std::move(info));
  return schema_->attributes.back();
}

// --- concepts of the type Word

void SchemaKeeper::read_words(const Snapshot& snapshot) {
  schema_->synonyms.clear();
  if (const auto type = snapshot.find_type(kWordType)) {
    store::Pattern pattern;
    pattern.predicate = store::kTypePredicate;
    pattern.object = store::Term::entity(*type);
    std::vector<Triple> words;
    store::each_statement(snapshot, pattern, [&](const Triple& row) { words.push_back(row); });
    std::sort(words.begin(), words.end());
    for (const Triple& row : words) schema_->synonyms.push_back(word_of_space(snapshot, row));
  }
  schema_->synonyms.insert(schema_->synonyms.end(), declared_.begin(), declared_.end());
}

bool SchemaKeeper::touches_words(const Snapshot& before, const Snapshot& now,
                                 const StatementChanges& changes) const {
  const auto old_type = before.find_type(kWordType), new_type = now.find_type(kWordType);
  if (old_type != new_type) return true;
  if (!new_type) return false;
  return std::any_of(changes.written.begin(), changes.written.end(), [&](EntityId entity) {
    return now.kind(entity) == store::EntityKind::kConcept && now.type_of(entity) == *new_type;
  });
}

// --- what a thing is

std::optional<TypeId> SchemaKeeper::declared_type(const Snapshot& snapshot, EntityId entity) const {
  const EntityId type = snapshot.type_of(entity);
  const auto found = type_concepts_.find(static_cast<std::uint32_t>(type));
  if (found == type_concepts_.end() || is_system_name(snapshot.name(entity))) return std::nullopt;
  return found->second;
}

std::optional<TypeId> SchemaKeeper::linked_type(Predicate predicate, EntityId object) const {
  const auto found = linked_types_.find({predicate, object});
  if (found == linked_types_.end()) return std::nullopt;
  return found->second;
}

std::vector<TypeId> SchemaKeeper::types_in(const Snapshot& snapshot, EntityId entity) {
  std::vector<TypeId> types;
  if (values_.contains(static_cast<std::uint32_t>(entity))) return types;
  const bool concept_here = snapshot.kind(entity) == store::EntityKind::kConcept &&
                            snapshot.contains({entity, store::kTypePredicate,
                                               store::Term::entity(snapshot.type_of(entity))});
  if (concept_here) {
    if (const auto type = declared_type(snapshot, entity)) types.push_back(*type);
  }
  store::Scratch scratch;
  for (const auto& [predicate, relation] : relations_) {
    if (relation.kind != Relation::Kind::kTypes) continue;
    for (const std::uint32_t code : snapshot.objects(entity, predicate, scratch)) {
      if (const auto type = linked_type(predicate, store::Term{code}.as_entity()))
        types.push_back(*type);
    }
  }
  sort_unique(types);
  const bool untyped = types.empty() && concept_here &&
                       snapshot.type_of(entity) == store::kEntityType &&
                       !linked_.contains(static_cast<std::uint32_t>(entity));
  // Where nothing is untyped yet there is no number for it: follow() sees that by the type.
  if (untyped) types.push_back(untyped_.value_or(static_cast<TypeId>(schema_->types.size())));
  return types;
}

void SchemaKeeper::set_types(EntityId entity, const std::vector<TypeId>& types) {
  const auto counts = [&](const std::vector<TypeId>& list) {
    return untyped_ && list.size() == 1 && list[0] == *untyped_ ? 1 : 0;
  };
  untyped_members_ += counts(types) - counts(schema_->types_of_entity(entity));
  schema_->types_of.set(entity, types);
}

// --- counting

void SchemaKeeper::count_signature(std::vector<Signature>& list, TypeId subject, TypeId object,
                                   int step) {
  const auto before = [](const Signature& a, const std::pair<TypeId, TypeId>& b) {
    return std::pair(a.subject, a.object) < b;
  };
  const std::pair wanted(subject, object);
  auto at = std::lower_bound(list.begin(), list.end(), wanted, before);
  if (at == list.end() || std::pair(at->subject, at->object) != wanted)
    at = list.insert(at, {subject, object, 0});
  count_by(at->count, step);
  if (at->count == 0) list.erase(at);
}

bool SchemaKeeper::count(const Snapshot& snapshot, const Triple& triple, int step) {
  if (triple.predicate.predicate_class() == PredicateClass::kAttribute)
    return count_attribute(snapshot, triple, step);
  const auto found = relations_.find(triple.predicate);
  if (found == relations_.end() || !triple.object.is_entity()) return found != relations_.end();
  const Relation& relation = found->second;
  const EntityId object = triple.object.as_entity();
  if (relation.kind == Relation::Kind::kValues) {
    AttributeInfo& info = schema_->attributes[static_cast<std::size_t>(relation.index)];
    for (const TypeId type : schema_->types_of_entity(triple.subject)) {
      count_named_value(info.types[type], snapshot.name(object), step);
      if (info.types[type].all() == 0) info.types.erase(type);
    }
  } else if (relation.kind == Relation::Kind::kThings) {
    const auto& subjects = schema_->types_of_entity(triple.subject);
    const auto& objects = schema_->types_of_entity(object);
    if (relation.index < 0) return subjects.empty() || objects.empty();
    PredicateInfo& info = schema_->predicates[static_cast<std::size_t>(relation.index)];
    for (const TypeId from : subjects) {
      for (const TypeId to : objects) count_signature(info.signatures, from, to, step);
    }
  }
  return true;
}

bool SchemaKeeper::count_attribute(const Snapshot& snapshot, const Triple& triple, int step) {
  const auto& types = schema_->types_of_entity(triple.subject);
  if (types.empty()) return true;
  const auto found = attributes_.find(triple.predicate);
  if (found == attributes_.end())
    return store::predicate_label(snapshot, triple.predicate).starts_with('_');
  AttributeInfo& info = schema_->attributes[static_cast<std::size_t>(found->second)];
  const ValueView value = snapshot.value(triple.object);
  for (const TypeId type : types) {
    count_value(info.types[type], value, step);
    if (info.types[type].all() == 0) info.types.erase(type);
  }
  if (is_list(value) && !is_among(kAliasKeys, info.key)) {
    const auto list = parse_json(value.text);
    if (list && list->is_array()) {
      for (const Json& one : list->as_array())
        if (one.is_string()) count_text(found->second, one.as_string(), step);
    }
  }
  if (value.kind != ValueKind::kString || is_among(kAliasKeys, info.key)) return true;
  count_text(found->second, value.text, step);
  if (value.text.size() > kMaxIndexedText ||
      value.text.find_first_of(kListSigns) == value.text.npos)
    return true;
  // These signs stand in no name, so each part is a value, also one that stands in no cell alone.
  const std::size_t sign = value.text.find_first_of(kSureListSigns);
  if (sign != value.text.npos) {
    for (const std::string_view part : split(value.text, value.text[sign]))
      count_text(found->second, trim(part), step);
  }
  const auto text = info.separated.try_emplace(std::string(value.text), 0).first;
  count_by(text->second, step);
  if (text->second == 0) info.separated.erase(text);
  return true;
}

// A text that is short enough to be said is a word of questions.
void SchemaKeeper::count_text(int attribute, std::string_view text, int step) {
  if (text.size() > kMaxIndexedText || reads_as_date(text)) return;
  const std::string words = normal_name(text);
  if (words.empty()) return;
  auto& list = schema_->values[words];
  const auto before = [](const ValueEntry& a, const std::pair<int, std::string_view>& b) {
    return std::pair<int, std::string_view>(a.attribute, a.value) < b;
  };
  const std::pair<int, std::string_view> wanted(attribute, text);
  auto at = std::lower_bound(list.begin(), list.end(), wanted, before);
  if (at == list.end() || at->attribute != attribute || at->value != text)
    at = list.insert(at, {attribute, 0, std::string(text)});
  count_by(at->uses, step);
  if (at->uses == 0) list.erase(at);
  if (list.empty()) schema_->values.erase(words);
}

// --- following

bool SchemaKeeper::follow(const Snapshot& before, const Snapshot& now,
                          const StatementChanges& changes,
                          const std::vector<memory::RuleChange>& derived,
                          const memory::Reasoner* reasoner) {
  renamed_.clear();
  words_changed_ = false;
  Touched touched;
  for (const StatementChanges::One& change : changes.statements) {
    const PredicateClass kind = change.triple.predicate.predicate_class();
    if (kind == PredicateClass::kStructural && !note_type_row(now, change, touched)) return false;
    if (kind == PredicateClass::kLink && !note_link(now, change, touched)) return false;
    if (kind != PredicateClass::kStructural) touched.statements.push_back(change.triple);
    if (kind == PredicateClass::kAttribute)
      touched.forks.insert({change.triple.subject, change.triple.predicate});
    if (kind == PredicateClass::kAttribute &&
        is_among(kAliasKeys, store::predicate_label(now, change.triple.predicate)))
      touched.aliased.push_back(change.triple.subject);
  }
  if (!move_things(before, now, touched) || !recount(before, now, touched)) return false;
  count_forks(before, now, touched);
  if (!follow_rules(before, now, derived, touched, reasoner)) return false;
  if (touches_words(before, now, changes)) {
    read_words(now);
    words_changed_ = true;
  }
  return true;
}

// A concept that is new or gone.
bool SchemaKeeper::note_type_row(const Snapshot& snapshot, const StatementChanges::One& change,
                                 Touched& touched) {
  const Triple& row = change.triple;
  if (row.object == store::Term::entity(store::kConceptType)) return false;
  touched.suspects.push_back(row.subject);
  const auto type = type_concepts_.find(row.object.code);
  if (type == type_concepts_.end()) return true;
  const bool system = is_system_name(snapshot.name(row.subject));
  std::int64_t& count = (system ? system_members_ : members_)[type->second];
  const bool any = count > 0;
  count += change.now ? 1 : -1;
  if (any == (count > 0)) return true;
  if (system) schema_->types[type->second].system = count > 0;
  return system || !unnamed_when_empty_.contains(type->second);
}

bool SchemaKeeper::note_link(const Snapshot& snapshot, const StatementChanges::One& change,
                             Touched& touched) {
  const Triple& row = change.triple;
  const auto found = relations_.find(row.predicate);
  if (found == relations_.end()) return false;
  Relation& relation = found->second;
  const int step = change.now ? 1 : -1;
  add_to(relation.rows, step);
  touched.relations.insert(row.predicate);
  if (!row.object.is_entity()) return true;
  const EntityId object = row.object.as_entity();
  if (relation.kind == Relation::Kind::kTypes) {
    const auto type = linked_type(row.predicate, object);
    if (!type) return false;
    members_[*type] += step;
    if (members_[*type] == 0) return false;
    touched.suspects.push_back(row.subject);
    if (count_use(linked_, object, step)) return false;  // a type that is gone
    return true;
  }
  touched.forks.insert({row.subject, row.predicate});
  const bool value = names_a_value(snapshot.name(object));
  if (!value) add_to(relation.things, step);
  if (relation.kind == Relation::Kind::kValues && value && count_use(values_, object, step))
    touched.suspects.push_back(object);
  return true;
}

// Things with other types than before, and all that is said of them, which counts for others now.
bool SchemaKeeper::move_things(const Snapshot& before, const Snapshot& now, Touched& touched) {
  for (const Predicate predicate : touched.relations) {
    const Relation& relation = relations_[predicate];
    if (relation.rows == 0) return false;
    if (relation.kind == Relation::Kind::kTypes || relation.kind == Relation::Kind::kLeftOut)
      continue;
    if ((relation.things == 0) != (relation.kind == Relation::Kind::kValues)) return false;
  }
  sort_unique(touched.suspects);
  for (const EntityId entity : touched.suspects) {
    std::vector<TypeId> types = types_in(now, entity);
    if (types == schema_->types_of_entity(entity)) continue;
    if (!types.empty() && types.back() >= schema_->types.size()) return false;
    touched.moved.emplace_back(entity, std::move(types));
    for (const Snapshot* at : {&before, &now}) {
      store::Scratch scratch;
      for (const auto kind : {PredicateClass::kAttribute, PredicateClass::kLink}) {
        const store::Edges out = at->outgoing(entity, kind, scratch);
        for (std::size_t i = 0; i < out.size(); ++i)
          touched.statements.push_back(
              {entity, Predicate{out.predicates[i]}, store::Term{out.others[i]}});
      }
      const store::Edges in =
          at->incoming(store::Term::entity(entity), PredicateClass::kLink, scratch);
      for (std::size_t i = 0; i < in.size(); ++i)
        touched.statements.push_back(
            {EntityId{in.others[i]}, Predicate{in.predicates[i]}, store::Term::entity(entity)});
    }
    const bool was = before.exists(entity), is = now.exists(entity);
    touched.known_before = touched.known_before || (was && is);
  }
  sort_unique(touched.statements);
  return true;
}

bool SchemaKeeper::recount(const Snapshot& before, const Snapshot& now, Touched& touched) {
  for (const Triple& triple : touched.statements) {
    if (const auto known = attributes_.find(triple.predicate); known != attributes_.end())
      touched.attributes.insert(known->second);
    const auto relation = relations_.find(triple.predicate);
    if (relation == relations_.end()) continue;
    touched.relations.insert(triple.predicate);
    if (relation->second.kind == Relation::Kind::kValues)
      touched.attributes.insert(relation->second.index);
  }
  const auto shape = shapes(touched);
  for (const Triple& triple : touched.statements) {
    if (before.contains(triple)) count(before, triple, -1);
  }
  for (const auto& [entity, types] : touched.moved) {
    const bool was = !schema_->types_of_entity(entity).empty(), is = !types.empty();
    if (was != is) renamed_.push_back({entity, was, is});
    set_types(entity, types);
  }
  sort_unique(touched.aliased);
  for (const EntityId entity : touched.aliased) {
    const bool moved = std::any_of(renamed_.begin(), renamed_.end(),
                                   [&](const NameChange& one) { return one.entity == entity; });
    if (!moved && !schema_->types_of_entity(entity).empty())
      renamed_.push_back({entity, true, true});
  }
  for (const Triple& triple : touched.statements) {
    if (now.contains(triple) && !count(now, triple, 1)) return false;
  }
  words_changed_ = shape != shapes(touched);
  return in_shape(touched);
}

// What of the attributes the words of a language ask for: is it a flag, does it measure something.
std::vector<std::pair<bool, bool>> SchemaKeeper::shapes(const Touched& touched) const {
  std::vector<std::pair<bool, bool>> list;
  for (const int index : touched.attributes) {
    const AttributeInfo& info = schema_->attributes[static_cast<std::size_t>(index)];
    list.emplace_back(info.flags(), info.numeric());
  }
  return list;
}

// Is everything that was counted still there, and nothing that has no place?
bool SchemaKeeper::in_shape(const Touched& touched) const {
  for (const int index : touched.attributes) {
    const AttributeInfo& info = schema_->attributes[static_cast<std::size_t>(index)];
    if (info.types.empty() && !info.link) return false;
  }
  for (const Predicate predicate : touched.relations) {
    const Relation& relation = relations_.at(predicate);
    if (relation.kind != Relation::Kind::kThings || relation.index < 0) continue;
    if (schema_->predicates[static_cast<std::size_t>(relation.index)].signatures.empty())
      return false;
  }
  return (untyped_members_ > 0) == untyped_.has_value();
}

void SchemaKeeper::count_forks(const Snapshot& before, const Snapshot& now,
                               const Touched& touched) {
  store::Scratch scratch;
  for (const auto& [subject, predicate] : touched.forks) {
    if (predicate.predicate_class() == PredicateClass::kAttribute) {
      const auto known = attributes_.find(predicate);
      if (known == attributes_.end()) continue;
      const bool was = has_several(before, subject, predicate, scratch);
      const bool is = has_several(now, subject, predicate, scratch);
      add_to(schema_->attributes[static_cast<std::size_t>(known->second)].lists,
             static_cast<int>(is) - static_cast<int>(was));
      continue;
    }
    const bool was = degree(before, subject, predicate, scratch) > 1;
    const bool is = degree(now, subject, predicate, scratch) > 1;
    Relation& relation = relations_[predicate];
    add_to(relation.forks, static_cast<int>(is) - static_cast<int>(was));
    if (relation.kind == Relation::Kind::kThings && relation.index >= 0)
      schema_->predicates[static_cast<std::size_t>(relation.index)].functional =
          relation.forks == 0;
  }
}

}  // namespace anima::ask
