// DELETE, UPDATE, MERGE: a WHERE that picks things, then changes to them, all or nothing.
#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "base/text/text.h"
#include "kip/detail/context.h"
#include "kip/detail/pattern.h"
#include "kip/detail/write.h"
#include "store/symbols.h"

namespace anima::kip::detail {

namespace {

using store::EntityKind;

// The distinct things that a variable stands for, ascending.
Outcome<std::vector<EntityId>> pick(const std::vector<Clause>& where, const std::string& variable,
                                    Place place, bool require_named, Context& context,
                                    std::optional<std::uint64_t> limit = {}) {
  PatternPlanner planner(context.snapshot, context.binder, {context.strict, require_named});
  ANIMA_ASSIGN(query::NodePtr node, planner.where(where));
  DotPath path;
  path.variable = variable;
  path.place = place;
  ANIMA_ASSIGN(const auto found, planner.require(path));
  node = query::distinct(std::move(node), {found.slot});
  if (limit) node = query::order_by(std::move(node), {{found.slot, false, true, nullptr}}, *limit);
  const query::Plan plan = planner.finish(std::move(node), {found.slot});
  ANIMA_ASSIGN(const query::Answer answer, query::run(plan, context.run));
  std::vector<EntityId> entities;
  for (const std::uint32_t code : answer.table.columns[0]) {
    if (Term{code}.is_entity()) entities.push_back(EntityId{code});
  }
  std::sort(entities.begin(), entities.end());
  return entities;
}

bool is_link(const Snapshot& snapshot, EntityId entity) {
  return snapshot.kind(entity) == EntityKind::kProposition;
}

std::string title(const Snapshot& snapshot, EntityId entity) {
  if (is_link(snapshot, entity)) return "the link " + id_text(snapshot, entity);
  return std::string(snapshot.name(snapshot.type_of(entity))) + " " +
         quote_json(snapshot.name(entity));
}

Unexpected<Fault> wrong_kind(const Snapshot& snapshot, EntityId entity, const char* wanted,
                             Place place) {
  return refuse(Code::kInvalidSyntax, title(snapshot, entity) + " is no " + wanted,
                "DELETE CONCEPT takes concepts, DELETE PROPOSITIONS takes links", place.offset);
}

// How many concepts or links use a definition.
std::uint64_t uses_of(const Snapshot& snapshot, EntityId entity) {
  store::Pattern pattern;
  const EntityId type = snapshot.type_of(entity);
  if (type == store::kConceptType) {
    pattern.predicate = store::kTypePredicate;
    pattern.object = Term::entity(entity);
  } else if (type == store::kPropositionType) {
    pattern.predicate = store::Predicate::link(entity);
  } else {
    return 0;
  }
  return snapshot.count(pattern);
}

Check may_delete_concept(const Snapshot& snapshot, EntityId entity, Place place) {
  if (is_link(snapshot, entity)) return wrong_kind(snapshot, entity, "concept", place);
  if (is_protected(snapshot, entity)) {
    return refuse(
        Code::kImmutableTarget, title(snapshot, entity) + " is protected and cannot be deleted",
        "nothing was deleted; exclude it: FILTER(?x.name != " + quote_json(snapshot.name(entity)) +
            ")",
        place.offset);
  }
  if (is_kept(snapshot, entity)) return kept_elsewhere(snapshot, entity, place);
  if (const std::uint64_t uses = uses_of(snapshot, entity)) {
    return refuse(Code::kImmutableTarget,
                  "the definition of " + quote_json(snapshot.name(entity)) + " is in use " +
                      std::to_string(uses) + " times",
                  "delete what uses it first", place.offset);
  }
  return {};
}

Check may_delete_link(const Snapshot& snapshot, EntityId entity, Place place) {
  if (!is_link(snapshot, entity)) return wrong_kind(snapshot, entity, "link", place);
  const EntityId subject = snapshot.triple_of(entity).subject;
  if (snapshot.kind(subject) == EntityKind::kConcept && is_schema_node(snapshot, subject)) {
    return refuse(Code::kImmutableTarget,
                  "links of " + title(snapshot, subject) + " are protected and cannot be deleted",
                  "nothing was deleted", place.offset);
  }
  if (is_kept(snapshot, entity)) return kept_elsewhere(snapshot, entity, place);
  return {};
}

Check may_change(const Snapshot& snapshot, EntityId entity, const std::vector<std::string>& keys,
                 bool metadata, Place place) {
  if (is_kept(snapshot, entity)) return kept_elsewhere(snapshot, entity, place);
  if (is_link(snapshot, entity)) return {};
  if (is_schema_node(snapshot, entity)) {
    return refuse(Code::kImmutableTarget,
                  title(snapshot, entity) + " is protected and cannot be changed", {},
                  place.offset);
  }
  for (const std::string& key : keys) {
    if (!metadata && is_fixed_attribute(snapshot, entity, key)) {
      return refuse(Code::kImmutableTarget,
                    "the attribute " + quote_json(key) + " of " + title(snapshot, entity) +
                        " cannot be changed",
                    {}, place.offset);
    }
  }
  return {};
}

Outcome<Reply> delete_keys(const Delete& remove, Context& context) {
  const bool metadata = remove.kind == Delete::Kind::kMetadata;
  for (const std::string& key : remove.keys) {
    if (metadata && key.starts_with('_')) {
      return refuse(Code::kConstraintViolation,
                    "the metadata key " + quote_json(key) + " is the engine's", {},
                    remove.place.offset);
    }
  }
  ANIMA_ASSIGN(const std::vector<EntityId> entities,
               pick(remove.where, remove.variable, remove.place, true, context));
  for (const EntityId entity : entities)
    ANIMA_TRY(may_change(context.snapshot, entity, remove.keys, metadata, remove.place));
  Writing writing(context);
  std::int64_t concepts = 0, links = 0;
  std::vector<store::MovedStatement> gone;
  for (const EntityId entity : entities) {
    ANIMA_ASSIGN(const bool changed, writing.remove_keys(entity, remove.keys, metadata));
    if (!changed) continue;
    ++(is_link(context.snapshot, entity) ? links : concepts);
    for (const std::string& key : remove.keys) {
      const auto term = context.snapshot.find_string(key);
      if (term && !metadata) gone.push_back({{entity, store::Predicate::attribute(*term), Term{}}});
    }
  }
  ANIMA_TRY(writing.follow(gone));
  Reply reply;
  reply.result = Json::object({{"updated_concepts", concepts}, {"updated_propositions", links}});
  return reply;
}

// That there is a thing; of what it says goes all that is about it.
store::Triple existence_of(const Snapshot& snapshot, EntityId entity) {
  return {entity, store::kTypePredicate, Term::entity(snapshot.type_of(entity))};
}

std::vector<store::MovedStatement> removed_with(Writing& writing, const Snapshot& snapshot,
                                                EntityId entity) {
  std::vector<store::MovedStatement> gone;
  gone.push_back(
      {is_link(snapshot, entity) ? snapshot.triple_of(entity) : existence_of(snapshot, entity)});
  for (const EntityId link : writing.links_upon(entity)) gone.push_back({snapshot.triple_of(link)});
  return gone;
}

}  // namespace

Outcome<Reply> run_delete(const Delete& remove, Context& context) {
  if (remove.kind == Delete::Kind::kAttributes || remove.kind == Delete::Kind::kMetadata)
    return delete_keys(remove, context);
  const bool concepts = remove.kind == Delete::Kind::kConcept;
  ANIMA_ASSIGN(const std::vector<EntityId> entities,
               pick(remove.where, remove.variable, remove.place, true, context));
  for (const EntityId entity : entities) {
    ANIMA_TRY(concepts ? may_delete_concept(context.snapshot, entity, remove.place)
                       : may_delete_link(context.snapshot, entity, remove.place));
  }
  Writing writing(context);
  for (const EntityId entity : entities) ANIMA_TRY(writing.may_remove(entity));
  std::int64_t deleted_concepts = 0, deleted_links = 0;
  std::vector<store::MovedStatement> gone;
  for (const EntityId entity : entities) {
    for (const store::MovedStatement& one : removed_with(writing, context.snapshot, entity))
      gone.push_back(one);
    ANIMA_ASSIGN(const std::int64_t links,
                 concepts ? writing.remove_concept(entity) : writing.remove_link(entity));
    deleted_links += links;
    deleted_concepts += concepts ? 1 : 0;
  }
  ANIMA_TRY(writing.follow(gone));
  Reply reply;
  reply.result = Json{JsonObject{}};
  if (concepts) reply.result.set("deleted_concepts", deleted_concepts);
  reply.result.set("deleted_propositions", deleted_links);
  return reply;
}

// --- UPDATE

namespace {

class UpdateRunner {
 public:
  UpdateRunner(const Update& update, Context& context)
      : update_(update), context_(context), writing_(context) {}

  Outcome<Reply> run() {
    ANIMA_TRY(check(update_.attributes));
    ANIMA_TRY(check(update_.metadata));
    std::optional<std::uint64_t> limit;
    if (update_.limit) {
      ANIMA_ASSIGN(const std::int64_t count, context_.binder.count(*update_.limit, "LIMIT", 1));
      limit = static_cast<std::uint64_t>(count);
    }
    ANIMA_ASSIGN(const std::vector<EntityId> entities,
                 pick(update_.where, update_.variable, update_.place, true, context_, limit));
    for (const EntityId entity : entities) {
      if (update_.attributes)
        ANIMA_TRY(
            may_change(context_.snapshot, entity, update_.attributes->keys, false, update_.place));
      if (update_.metadata)
        ANIMA_TRY(
            may_change(context_.snapshot, entity, update_.metadata->keys, true, update_.place));
    }
    std::int64_t updated = 0;
    for (const EntityId entity : entities) {
      ANIMA_ASSIGN(const bool changed, change(entity));
      updated += changed ? 1 : 0;
    }
    Reply reply;
    reply.result = Json::object(
        {{"matched", static_cast<std::int64_t>(entities.size())}, {"updated", updated}});
    if (!writing_.outranked().empty())
      reply.extra.emplace_back("outranked", Json(writing_.outranked()));
    return reply;
  }

 private:
  // Before anything is read: placeholders have values, paths are of the updated variable, no key is
  // the engine's.
  Check check(const std::optional<Value>& object) const {
    if (!object) return {};
    const bool metadata = &object == &update_.metadata;
    for (std::size_t i = 0; i < object->items.size(); ++i) {
      if (metadata && object->keys[i].starts_with('_')) {
        return refuse(Code::kConstraintViolation,
                      "the metadata key " + quote_json(object->keys[i]) + " is the engine's", {},
                      object->place.offset);
      }
      ANIMA_TRY(check_value(object->items[i]));
    }
    return {};
  }

  Check check_value(const Value& value) const {
    if (value.kind == Value::Kind::kPath) {
      if (value.path.variable != update_.variable) {
        return refuse(Code::kInvalidSyntax,
                      "?" + value.path.variable + " is not the variable that is updated",
                      "only fields of ?" + update_.variable + " can be read here",
                      value.place.offset);
      }
      ANIMA_TRY(path_expression(value.path, 0, VariableKind::kUnknown, context_.snapshot));
      return {};
    }
    if (value.kind == Value::Kind::kPlaceholder) {
      ANIMA_TRY(context_.binder.parameter(value.text, value.place));
    }
    for (const Value& item : value.items) ANIMA_TRY(check_value(item));
    return {};
  }

  Outcome<bool> change(EntityId entity) {
    bool changed = false;
    const Made made{entity, false};
    for (const bool metadata : {false, true}) {
      const std::optional<Value>& object = metadata ? update_.metadata : update_.attributes;
      if (!object) continue;
      Json members{JsonObject{}};
      for (std::size_t i = 0; i < object->items.size(); ++i) {
        bool skip = false;
        ANIMA_ASSIGN(Json value, evaluate(object->items[i], entity, &skip));
        if (!skip) members.set(object->keys[i], std::move(value));
      }
      ANIMA_ASSIGN(const bool some, metadata
                                        ? writing_.set_metadata(made, members, update_.place)
                                        : writing_.set_attributes(made, members, update_.place));
      changed = changed || some;
    }
    return changed;
  }

  // `skip`: an operand was missing, so the key stays as it is.
  Outcome<Json> evaluate(const Value& value, EntityId entity, bool* skip) {
    if (value.kind == Value::Kind::kPath) {
      ANIMA_ASSIGN(const query::Expr expr,
                   path_expression(value.path, 0, VariableKind::kUnknown, context_.snapshot));
      query::Values values(context_.snapshot);
      const std::uint32_t code = code_of(entity);
      if (expr.kind == query::Expr::Kind::kSlot) return Json(id_text(context_.snapshot, entity));
      std::uint32_t out = 0;
      const query::ColumnView view{&code, true};
      expr.function->apply(values, {&view, 1}, 1, &out);
      return json_of(values, out);
    }
    if (value.kind == Value::Kind::kCall) return call(value, entity, skip);
    if (value.kind != Value::Kind::kArray && value.kind != Value::Kind::kObject)
      return context_.binder.value(value);
    Json result = value.kind == Value::Kind::kArray ? Json(JsonArray{}) : Json(JsonObject{});
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      ANIMA_ASSIGN(Json item, evaluate(value.items[i], entity, skip));
      if (value.kind == Value::Kind::kArray) {
        result.push_back(std::move(item));
      } else {
        result.set(value.keys[i], std::move(item));
      }
    }
    return result;
  }

  Outcome<Json> call(const Value& value, EntityId entity, bool* skip) {
    std::vector<Json> arguments;
    for (const Value& item : value.items) {
      ANIMA_ASSIGN(Json argument, evaluate(item, entity, skip));
      arguments.push_back(std::move(argument));
    }
    if (*skip) return Json();
    if (value.text == "COALESCE") return arguments[0].is_null() ? arguments[1] : arguments[0];
    for (const Json& argument : arguments) {
      if (!argument.is_number()) {
        *skip = true;
        return Json();
      }
    }
    if (value.text == "CLAMP") {
      Json result = arguments[0];
      if (result.as_number() < arguments[1].as_number()) result = arguments[1];
      if (result.as_number() > arguments[2].as_number()) result = arguments[2];
      return result;
    }
    return arithmetic(value.text == "ADD", arguments[0], arguments[1]);
  }

  static Json arithmetic(bool add, const Json& a, const Json& b) {
    if (a.is_integer() && b.is_integer()) {
      std::int64_t result = 0;
      const bool overflow = add ? __builtin_add_overflow(a.as_integer(), b.as_integer(), &result)
                                : __builtin_mul_overflow(a.as_integer(), b.as_integer(), &result);
      if (!overflow) return Json(result);
    }
    const double result = add ? a.as_number() + b.as_number() : a.as_number() * b.as_number();
    return std::isfinite(result) ? Json(result) : Json();
  }

  const Update& update_;
  Context& context_;
  Writing writing_;
};

}  // namespace

Outcome<Reply> run_update(const Update& update, Context& context) {
  return UpdateRunner(update, context).run();
}

// --- MERGE

namespace {

constexpr std::string_view kAliases = "aliases";
constexpr std::string_view kMergedFrom = "merged_from";  // of sleep
constexpr std::string_view kConflicts = "merge_conflicts";
const std::vector<store::Period> kAlways(1);

class MergeRunner {
 public:
  MergeRunner(const Merge& merge, Context& context)
      : merge_(merge), context_(context), writing_(context) {}

  Outcome<Reply> run() {
    ANIMA_ASSIGN(const EntityId source, single(merge_.source));
    ANIMA_ASSIGN(const EntityId target, single(merge_.target));
    ANIMA_TRY(check(source, target));
    // It vanishes, and its links say of another thing what was said of it.
    ANIMA_TRY(writing_.may_remove(source));
    const Json theirs = attributes_of(context_.snapshot, source);
    const Json ours = attributes_of(context_.snapshot, target);
    ANIMA_TRY(copy_missing(source, target));
    ANIMA_TRY(settle_values(source, target, theirs, ours));
    ANIMA_TRY(keep_other_side(source, target, theirs, ours));
    ANIMA_TRY(move_links(source, target));
    ANIMA_TRY(writing_.remove_concept(source));
    now_said_.push_back(
        {existence_of(context_.snapshot, source), existence_of(context_.snapshot, target)});
    ANIMA_TRY(writing_.follow(now_said_));
    Reply reply;
    reply.result = Json::object({{"merged", true},
                                 {"id", id_text(context_.snapshot, target)},
                                 {"removed_id", id_text(context_.snapshot, source)},
                                 {"links_repointed", repointed_},
                                 {"links_deduplicated", deduplicated_},
                                 {"links_dropped", dropped_}});
    return reply;
  }

 private:
  Outcome<EntityId> single(const std::string& variable) {
    ANIMA_ASSIGN(const std::vector<EntityId> found,
                 pick(merge_.where, variable, merge_.place, true, context_));
    if (found.size() == 1) return found[0];
    if (found.empty())
      return refuse(Code::kNotFound, "?" + variable + " matches nothing", {}, merge_.place.offset);
    std::vector<std::string> titles;
    for (std::size_t i = 0; i < found.size() && i < 3; ++i)
      titles.push_back(title(context_.snapshot, found[i]));
    return refuse(Code::kAmbiguous,
                  "?" + variable + " matches " + std::to_string(found.size()) +
                      " concepts, for one: " + join(titles, ", "),
                  "name both by type and name, or by id", merge_.place.offset);
  }

  Check check(EntityId source, EntityId target) const {
    const Snapshot& snapshot = context_.snapshot;
    if (is_link(snapshot, source)) return wrong_kind(snapshot, source, "concept", merge_.place);
    if (is_link(snapshot, target)) return wrong_kind(snapshot, target, "concept", merge_.place);
    if (source == target)
      return refuse(Code::kConstraintViolation, "a concept cannot be merged into itself", {},
                    merge_.place.offset);
    if (snapshot.type_of(source) != snapshot.type_of(target)) {
      return refuse(
          Code::kConstraintViolation,
          title(snapshot, source) + " and " + title(snapshot, target) + " are of different types",
          {}, merge_.place.offset);
    }
    if (is_kept(snapshot, target)) return kept_elsewhere(snapshot, target, merge_.place);
    return may_delete_concept(snapshot, source, merge_.place);
  }

  // What the one that stays lacks, it takes over.
  Check copy_missing(EntityId from, EntityId to) {
    const bool fixed = !is_link(context_.snapshot, to) && is_schema_node(writing_.view(), to);
    if (fixed) return {};
    const Json new_attributes =
        missing(attributes_of(context_.snapshot, from), attributes_of(writing_.view(), to));
    const Json new_metadata =
        missing(metadata_of(context_.snapshot, from), metadata_of(writing_.view(), to),
                is_link(context_.snapshot, from));
    ANIMA_TRY(writing_.say_of(from, to, [&](const store::Triple& row) {
      const bool attribute = row.predicate.predicate_class() == store::PredicateClass::kAttribute;
      const std::string key = store::predicate_label(context_.snapshot, row.predicate);
      if (!attribute && !context_.snapshot.contains(row)) return true;  // of the books
      return key != kAliases && key != kConflicts &&
             (attribute ? new_attributes : new_metadata).find(key) != nullptr;
    }));
    return is_link(context_.snapshot, from) ? copy_times(from, to) : Check();
  }

  // Of what both have, what holds is what would hold if all of it had been said of one.
  Check settle_values(EntityId from, EntityId to, const Json& theirs, const Json& ours) {
    if (is_schema_node(writing_.view(), to)) return {};
    for (const JsonMember& member : theirs.as_object()) {
      const auto key = writing_.view().find_string(member.first);
      const Json* const own = ours.find(member.first);
      if (!key || own == nullptr || is_of_merges(member.first) ||
          is_fixed_attribute(writing_.view(), to, member.first))
        continue;
      ANIMA_TRY(writing_.say_in_turn(from, to, store::Predicate::attribute(*key)));
    }
    return {};
  }

  // What a merge writes itself.
  static bool is_of_merges(std::string_view key) {
    return key == kAliases || key == kConflicts || key == kMergedFrom || key.starts_with('_');
  }

  // Nothing that ended ends what is said to hold.
  Check copy_times(EntityId from, EntityId to) {
    const std::vector<store::Period> times = store::periods_of(context_.snapshot, from);
    const bool silent = times.size() == 1 && times.front() == store::Period();
    const bool holds = !created_ && store::periods_of(writing_.view(), to) == kAlways;
    return silent || (holds && times.back().to) ? Check() : writing_.take_times(from, times, to);
  }

  // The other name stays an alias, and what the two say differently stays to be seen: on the word
  // of who merges, or of who is trusted less of those whose names and values are in the list.
  Check keep_other_side(EntityId from, EntityId to, const Json& theirs, const Json& ours) {
    if (is_schema_node(writing_.view(), to)) return {};
    const std::string name(context_.snapshot.name(to));
    Json aliases = listed(ours.find(kAliases));
    add_new(aliases, Json(std::string(context_.snapshot.name(from))), name);
    const Json others = listed(theirs.find(kAliases));
    for (const Json& alias : others.as_array()) add_new(aliases, alias, name);
    std::vector<store::Sequence> words = writing_.words_on({from, to}, kAliases);
    // Sleep goes by what others said.
    if (context_.keeps_words) words.push_back(writing_.word_of_existence(from));
    ANIMA_TRY(set_list(to, kAliases, std::move(aliases), words));
    Json conflicts = conflicts_between(from, to, theirs, ours);
    if (conflicts.as_array().empty()) return {};
    words.clear();
    for (const JsonMember& member : theirs.as_object())
      if (ours.find(member.first) != nullptr) {
        const auto said = writing_.words_on({from, to}, member.first);
        words.insert(words.end(), said.begin(), said.end());
      }
    return set_list(to, kConflicts, std::move(conflicts), words);
  }

  Check set_list(EntityId of, std::string_view key, Json list,
                 std::span<const store::Sequence> words) {
    Json members = Json::object();
    members.set(std::string(key), std::move(list));
    ANIMA_TRY(
        writing_.set_attributes({of, false, writing_.least_trusted(words)}, members, merge_.place));
    return {};
  }

  // A list of {"key","kept","other","of"}; those of earlier merges first. `of`: the name of the one
  // that the other value was said of.
  Json conflicts_between(EntityId from, EntityId to, const Json& theirs, const Json& ours) const {
    const Json now = attributes_of(writing_.view(), to);
    Json conflicts = listed(ours.find(kConflicts));
    const Json earlier = listed(theirs.find(kConflicts));
    for (const Json& each : earlier.as_array()) conflicts.push_back(each);
    for (const JsonMember& member : theirs.as_object()) {
      const Json *own = ours.find(member.first), *held = now.find(member.first);
      if (own == nullptr || is_of_merges(member.first) || *own == member.second) continue;
      const bool is_theirs = held != nullptr && *held == member.second;
      conflicts.push_back(
          Json::object({{"key", member.first},
                        {"kept", is_theirs ? member.second : *own},
                        {"other", is_theirs ? *own : member.second},
                        {"of", std::string(context_.snapshot.name(is_theirs ? to : from))}}));
    }
    return conflicts;
  }

  static Json listed(const Json* value) {
    if (value == nullptr) return Json::array();
    return value->is_array() ? *value : Json::array({*value});
  }

  static void add_new(Json& list, const Json& text, const std::string& name) {
    const JsonArray& there = list.as_array();
    if (text == Json(name) || std::find(there.begin(), there.end(), text) != there.end()) return;
    list.push_back(text);
  }

  // `untimed`: without what says when it holds.
  Json missing(const Json& from, const Json& have, bool untimed = false) const {
    Json result{JsonObject{}};
    for (const JsonMember& member : from.as_object()) {
      const std::string& key = member.first;
      const bool time = bounds_period(key) || (key == "superseded_by" && !created_);
      if (untimed && time) continue;
      if (!member.first.starts_with('_') && have.find(member.first) == nullptr)
        result.set(member.first, member.second);
    }
    return result;
  }

  // Links about `from` become links about `to`; links about those links follow them. Each is moved
  // once, with all its ends, after what it stands on.
  Check move_links(EntityId from, EntityId to) {
    moved_.emplace(from, to);
    for (const EntityId link : writing_.links_upon(from)) ANIMA_TRY(move_link(link));
    return {};
  }

  EntityId now(EntityId end) const {
    const auto found = moved_.find(end);
    return found == moved_.end() ? end : found->second;
  }

  Check move_link(EntityId link) {
    const store::Triple old = context_.snapshot.triple_of(link);
    const EntityId subject = now(old.subject);
    const EntityId end = old.object.is_entity() ? now(old.object.as_entity()) : EntityId::kNone;
    const Term object = old.object.is_entity() ? Term::entity(end) : old.object;
    moved_.emplace(link, EntityId::kNone);
    // What is about a dropped link goes with it.
    if (subject == EntityId::kNone || (old.object.is_entity() && end == EntityId::kNone)) return {};
    if (Term::entity(subject) == object && Term::entity(old.subject) != old.object) {
      ++dropped_;  // it said something about the two that are now one
      return {};
    }
    const store::Triple moved{subject, old.predicate, object};
    ANIMA_ASSIGN(const Made made, writing_.move_link(old, moved));
    now_said_.push_back({old, moved});
    ++(made.created ? repointed_ : deduplicated_);
    moved_[link] = made.entity;
    created_ = made.created;
    return copy_missing(link, made.entity);
  }

  const Merge& merge_;
  Context& context_;
  Writing writing_;
  std::unordered_map<EntityId, EntityId> moved_;  // kNone: dropped
  std::vector<store::MovedStatement> now_said_;
  bool created_ = false;  // the link that is being moved stands nowhere else
  std::int64_t repointed_ = 0, deduplicated_ = 0, dropped_ = 0;
};

}  // namespace

Outcome<Reply> run_merge(const Merge& merge, Context& context) {
  return MergeRunner(merge, context).run();
}

}  // namespace anima::kip::detail
