#include "memory/detail/carried_words.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "base/json/json_member.h"
#include "base/text/read_number.h"
#include "memory/detail/forgotten_mentions.h"
#include "memory/detail/forgotten_things.h"
#include "memory/merge_conflicts.h"
#include "store/history.h"
#include "store/holds.h"
#include "store/statements.h"

namespace anima::memory::detail {
namespace {

using store::EntityId;
using store::EntityKind;
using store::Predicate;
using store::PredicateClass;
using store::Sequence;
using store::Snapshot;
using store::StatedWord;
using store::Term;
using store::Triple;

constexpr std::string_view kMadeInto = "consolidated_to";  // from an event to what sleep made of it
constexpr std::string_view kLiesIn = "belongs_to_domain";
constexpr std::string_view kEventText = "content_summary";
constexpr std::string_view kAliases = "aliases";
constexpr std::string_view kMergedFrom = "merged_from";

class Carried {
 public:
  Carried(const Snapshot& snapshot, const std::function<bool(Sequence)>& gone,
          std::set<EntityId>& things, ForgetPlan& plan)
      : now_(snapshot), gone_(gone), things_(things), plan_(plan) {}

  void add() {
    add_made_of_events();
    add_upkept_alone();
    rewrite_lists();
  }

 private:
  // --- who said what

  const std::vector<StatedWord>& words_about(EntityId entity) {
    const auto [found, fresh] = words_.try_emplace(entity);
    if (fresh) found->second = store::words_about(now_, entity);
    return found->second;
  }

  // Whether the entry states of the thing that it is from the source.
  bool claims(EntityId entity, Sequence said) {
    if (!plan_.what.claim) return false;
    const Predicate key = Predicate::metadata(plan_.what.claim->key);
    return std::ranges::any_of(words_about(entity), [&](const StatedWord& word) {
      return word.said == said && word.statement.predicate == key &&
             word.statement.object == plan_.what.claim->value;
    });
  }
  bool is_gone(const Triple& statement, Sequence said) {
    if (gone_(said) || claims(statement.subject, said)) return true;
    const auto link = now_.find_proposition(statement);
    return link && claims(*link, said);
  }

  // Stated at some time, and by nobody who stays.
  bool is_all_gone(EntityId subject, const std::function<bool(const Triple&)>& wanted) {
    bool any = false;
    for (const StatedWord& word : words_about(subject)) {
      if (!wanted(word.statement)) continue;
      any = true;
      if (!is_gone(word.statement, word.said)) return false;
    }
    return any;
  }
  bool is_existence_gone(EntityId thing) {
    const Triple existence{thing, store::kTypePredicate, Term::entity(now_.type_of(thing))};
    for (const store::Assertion& one : now_.assertions(existence))
      if (!gone_(one.born) && !claims(thing, one.born)) return false;
    return is_all_gone(thing,
                       [](const Triple& one) { return one.predicate == store::kTypePredicate; });
  }
  bool is_value_gone(EntityId thing, std::string_view key, const Json& value) {
    const auto name = now_.find_string(key);
    return name && is_all_gone(thing, [&](const Triple& one) {
             return one.predicate == Predicate::attribute(*name) && says(one.object, value);
           });
  }
  bool says(Term term, const Json& value) const {
    const store::ValueView view = now_.value(term);
    if (value.is_string() && view.kind == store::ValueKind::kString)
      return view.text == value.as_string();
    return now_.display(term) == (value.is_string() ? value.as_string() : value.dump());
  }
  bool is_by_system(const Triple& statement) const { return is_by_system_alone(now_, statement); }

  // --- what sleep made of events

  std::optional<Predicate> link(std::string_view name) const {
    const auto relation = now_.find_predicate(name);
    return relation ? std::optional(Predicate::link(*relation)) : std::nullopt;
  }

  bool is_event_gone(EntityId event) {
    const auto key = now_.find_string(kEventText);
    const auto text = [&](const Triple& one) {
      return one.predicate == Predicate::attribute(*key);
    };
    const bool tells = key && std::ranges::any_of(words_about(event), [&](const StatedWord& word) {
                         return text(word.statement);
                       });
    return tells ? is_all_gone(event, text) : is_existence_gone(event);
  }

  void add_made_of_events() {
    const auto made = link(kMadeInto);
    if (!made) return;
    std::map<EntityId, bool> all_gone;  // what was made; of events that go alone
    store::Pattern pattern;
    pattern.predicate = *made;
    store::each_statement(now_, pattern, [&](const Triple& row) {
      if (!row.object.is_entity()) return;
      const auto [found, fresh] = all_gone.try_emplace(row.object.as_entity(), true);
      found->second = found->second && is_event_gone(row.subject);
    });
    for (const auto& [thing, goes] : all_gone)
      if (goes && is_made_by_sleep(thing)) things_.insert(thing);
  }

  bool is_made_by_sleep(EntityId thing) const {
    if (now_.kind(thing) == EntityKind::kProposition) return is_by_system(now_.triple_of(thing));
    return is_by_system({thing, store::kTypePredicate, Term::entity(now_.type_of(thing))});
  }

  // --- of what nobody else speaks

  void add_upkept_alone() {
    for (std::uint32_t id = 1; id < now_.entity_bound(); ++id) {
      const EntityId entity{id};
      if (now_.kind(entity) != EntityKind::kConcept || !now_.exists(entity) ||
          !is_thing(now_, entity) || is_book_entry(now_, entity) || things_.contains(entity) ||
          !is_existence_gone(entity) || !is_upkept_alone(entity))
        continue;
      things_.insert(entity);
    }
  }

  bool is_upkept_alone(EntityId entity) {
    const auto lies_in = link(kLiesIn), made = link(kMadeInto);
    const auto goes = [&](const Triple& one) {
      const bool named = one.object.is_entity() && things_.contains(one.object.as_entity());
      if (named || things_.contains(one.subject)) return true;
      const auto said = now_.assertions(one);
      return std::ranges::all_of(
          said, [&](const store::Assertion& word) { return is_gone(one, word.born); });
    };
    const auto is_upkeep = [&](const Triple& one) {
      const bool link = one.predicate.predicate_class() == PredicateClass::kLink;
      return is_by_system(one) && (!link || one.predicate == lies_in || one.predicate == made);
    };
    bool alone = true;
    store::Pattern about;
    about.subject = entity;
    for (const auto kind :
         {PredicateClass::kLink, PredicateClass::kAttribute, PredicateClass::kMetadata}) {
      about.predicate_class = kind;
      store::each_statement(
          now_, about, [&](const Triple& one) { alone = alone && (is_upkeep(one) || goes(one)); });
    }
    store::Pattern of;
    of.object = Term::entity(entity);
    store::each_statement(now_, of, [&](const Triple& one) { alone = alone && goes(one); });
    return alone;
  }

  // --- the lists of merges

  void rewrite_lists() {
    constexpr std::string_view kLists[] = {kAliases, kMergeConflicts, kMergedFrom};
    std::map<std::string_view, std::map<Term, std::string>> rewritten;
    for (std::uint32_t id = 1; id < now_.entity_bound(); ++id) {
      const EntityId kept{id};
      if (now_.kind(kept) != EntityKind::kConcept || things_.contains(kept)) continue;
      for (const StatedWord& word : store::words_about(now_, kept)) {
        const Predicate key = word.statement.predicate;
        if (key.predicate_class() != PredicateClass::kAttribute) continue;
        const auto* name = std::ranges::find(kLists, now_.value(key.key()).text);
        if (name == std::end(kLists)) continue;
        const auto list = parse_json(now_.value(word.statement.object).text);
        if (!list || !list->is_array()) continue;
        const Json left = list_without(*name, kept, *list);
        if (left != *list) rewritten[*name].emplace(word.statement.object, left.dump());
      }
    }
    for (const std::string_view name : kLists)
      for (const auto& [term, text] : rewritten[name]) replace(term, text);
  }

  // No two literals are the same: where the rest of the list is one already that nobody states any
  // more, that one goes, and else the list. An empty one says nothing.
  void replace(Term list, const std::string& left) {
    const auto other = now_.find(store::Value::from_json(parse_json(left).value_or(Json())).view());
    bool stated = left == "[]" || !taken_.insert(left).second;
    if (other && !stated) each_statement_of(now_, *other, [&](const Triple&) { stated = true; });
    if (other && !stated) plan_.what.texts.push_back(*other);
    if (stated) {
      plan_.what.texts.push_back(list);
    } else {
      plan_.what.rewritten.emplace_back(list, left);
    }
  }

  Json list_without(std::string_view name, EntityId kept, const Json& list) {
    Json left = Json::array();
    for (const Json& one : list.as_array()) {
      auto stays = name == kAliases      ? alias_without(kept, one)
                   : name == kMergedFrom ? merged_without(one)
                                         : conflict_without(kept, one);
      if (stays) left.push_back(*std::move(stays));
    }
    return left;
  }

  // The thing of the kept one's type that had the name and is there no more.
  std::optional<EntityId> merged(EntityId kept, const std::string& name) {
    if (!withdrawn_) {
      withdrawn_.emplace();
      for (std::uint32_t id = 1; id < now_.entity_bound(); ++id) {
        const EntityId entity{id};
        if (now_.kind(entity) == EntityKind::kConcept && !now_.exists(entity))
          withdrawn_->emplace(std::pair{now_.type_of(entity), std::string(now_.name(entity))},
                              entity);
      }
    }
    const auto found = withdrawn_->find({now_.type_of(kept), name});
    return found == withdrawn_->end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<Json> alias_without(EntityId kept, const Json& alias) {
    const auto other = alias.is_string() ? merged(kept, alias.as_string()) : std::nullopt;
    return other && is_existence_gone(*other) ? std::nullopt : std::optional(alias);
  }
  std::optional<Json> conflict_without(EntityId kept, const Json& conflict) {
    const std::string key = text_member(conflict, "key");
    const Json *held = conflict.find("kept"), *said = conflict.find("other");
    if (held == nullptr || said == nullptr) return conflict;
    const auto other = merged(kept, text_member(conflict, "of"));
    const bool goes = is_value_gone(kept, key, *held) ||
                      (other && (is_existence_gone(*other) || is_value_gone(*other, key, *said)));
    return goes ? std::nullopt : std::optional(conflict);
  }
  std::optional<Json> merged_without(const Json& one) {
    const std::string id = text_member(one, "id");
    const auto number = id.starts_with("C:")
                            ? read_number<std::uint32_t>(std::string_view(id).substr(2))
                            : std::nullopt;
    if (!number || *number == 0 || *number >= now_.entity_bound()) return one;
    const EntityId other{*number};
    if (is_existence_gone(other)) return std::nullopt;
    Json left = one;
    const Json* const attributes = one.find("attributes");
    if (attributes == nullptr || !attributes->is_object()) return left;
    Json kept = Json::object();
    for (const JsonMember& member : attributes->as_object())
      if (!is_value_gone(other, member.first, member.second)) kept.set(member.first, member.second);
    left.set("attributes", std::move(kept));
    return left;
  }

  const Snapshot& now_;
  const std::function<bool(Sequence)>& gone_;
  std::set<EntityId>& things_;
  ForgetPlan& plan_;
  std::map<EntityId, std::vector<StatedWord>> words_;
  std::set<std::string> taken_;  // what lists are rewritten to
  std::optional<std::map<std::pair<EntityId, std::string>, EntityId>> withdrawn_;
};

}  // namespace

bool is_by_system_alone(const Snapshot& snapshot, const Triple& statement) {
  const auto said = snapshot.assertions(statement);
  return !said.empty() && std::ranges::all_of(said, [&](const store::Assertion& one) {
    return snapshot.entry(one.born).author == store::kSystemAuthor;
  });
}

void add_carried(const Snapshot& snapshot, const std::function<bool(Sequence)>& gone,
                 std::set<EntityId>& things, ForgetPlan& plan) {
  Carried(snapshot, gone, things, plan).add();
}

}  // namespace anima::memory::detail
