#include "kip/detail/write.h"

#include <algorithm>
#include <span>
#include <unordered_set>

#include "base/json/text_array.h"
#include "base/text/text.h"
#include "kip/detail/schema.h"
#include "store/own_graphs.h"
#include "store/present.h"
#include "store/restate.h"
#include "store/statements.h"

namespace anima::kip::detail {

using store::Pattern;
using store::Predicate;
using store::Triple;

Check refuse_reserved(const Json& metadata, Place place) {
  for (const JsonMember& member : metadata.as_object()) {
    if (member.first.starts_with('_')) {
      return refuse(Code::kConstraintViolation,
                    "the metadata key " + quote_json(member.first) + " is the engine's",
                    "keys that start with _ are kept by the engine and cannot be written",
                    place.offset);
    }
  }
  return {};
}

std::optional<double> confidence_of(const Json& metadata) {
  const Json* confidence = metadata.find("confidence");
  if (confidence == nullptr || !confidence->is_number() || confidence->as_number() < 0 ||
      confidence->as_number() > 1)
    return std::nullopt;
  return confidence->as_number();
}

const std::string& Writing::now_text() {
  if (now_.empty()) now_ = format_timestamp(store::present(context_.snapshot, *context_.clock));
  return now_;
}

Outcome<EntityId> Writing::type(std::string_view name, Place place) {
  if (const auto known = types_.find(name); known != types_.end()) return known->second;
  auto type = require_type(view(), name, place);
  if (!type && context_.define_on_use) type = define(store::kConceptType, name, place);
  if (!type) return fail(std::move(type).error());
  types_.emplace(name, *type);
  return *type;
}

// The near names that an error would have told are told all the same: a slip of the pen defines
// something, too.
Outcome<EntityId> Writing::define(EntityId of_type, std::string_view name, Place place) {
  if (name.empty() || name.starts_with('$') || name.starts_with('_')) {
    return refuse(Code::kUndefinedName,
                  quote_json(name) + " is not defined, and no name to define on use",
                  "names of your own do not begin with $ or _", place.offset);
  }
  const std::vector<std::string> near = nearest_names(name, defined_names(view(), of_type));
  ANIMA_ASSIGN(const Made made, create_concept(of_type, name, place));
  Json told = Json::object({{"type", view().name(of_type)}, {"name", name}});
  if (!near.empty()) {
    told.set("near", text_array(near));
  }
  defined_.push_back(std::move(told));
  return made.entity;
}

EntityId Writing::known_type(std::string_view name) {
  if (const auto known = types_.find(name); known != types_.end()) return known->second;
  const auto type = view().find_type(name);
  if (type) types_.emplace(name, *type);
  return type.value_or(EntityId::kNone);
}

EntityId Writing::known_predicate(std::string_view name) {
  if (const auto known = predicates_.find(name); known != predicates_.end()) return known->second;
  const auto predicate = view().find_predicate(name);
  if (predicate) predicates_.emplace(name, *predicate);
  return predicate.value_or(EntityId::kNone);
}

Outcome<EntityId> Writing::predicate(std::string_view name, Place place) {
  if (const auto known = predicates_.find(name); known != predicates_.end()) return known->second;
  auto predicate = require_predicate(view(), name, place);
  if (!predicate && context_.define_on_use)
    predicate = define(store::kPropositionType, name, place);
  if (!predicate) return fail(std::move(predicate).error());
  predicates_.emplace(name, *predicate);
  return *predicate;
}

Check Writing::may_write(EntityId entity, Place place) {
  if (!keeps_books_) {
    keeps_books_ = std::ranges::any_of(view().graphs(), [&](store::GraphId graph) {
      return store::is_own_graph(view().graph_name(graph));
    });
  }
  if (*keeps_books_ && is_kept(view(), entity)) return kept_elsewhere(view(), entity, place);
  return {};
}

Outcome<Made> Writing::create_concept(EntityId type, std::string_view name, Place place,
                                      EntityId known) {
  Made made;
  store::AssertOptions options;
  options.graph = context_.graph;
  if (known == EntityId::kNone) known = view().find_concept(type, name).value_or(EntityId::kNone);
  made.created = known == EntityId::kNone;
  if (!made.created) ANIMA_TRY(may_write(known, place));
  ANIMA_ASSIGN(made.entity, transaction_.upsert_concept(type, name, options));
  return made;
}

Outcome<Made> Writing::assert_link(EntityId subject, EntityId predicate, Term object,
                                   std::optional<double> confidence) {
  const Triple triple{subject, Predicate::link(predicate), object};
  store::AssertOptions options;
  options.graph = context_.graph;
  Made made;
  const auto known = view().find_proposition(triple);
  made.created = !known;
  // Said again, it stays as certain as it was, and becomes the word of whoever is trusted more.
  for (const store::Assertion& it :
       known ? view().assertions(triple) : std::vector<store::Assertion>()) {
    if (it.graph != context_.graph) continue;
    options.confidence = it.confidence;
    options.provenance = it.provenance;
    if (context_.keeps_words && view().entry(it.born).trust <= trust()) made.said = it.born;
  }
  if (confidence) options.confidence = *confidence;
  if (made.said != store::Sequence::kNone) {
    ANIMA_ASSIGN(made.entity, store::restate(transaction_, triple, options, made.said));
  } else {
    ANIMA_ASSIGN(made.entity, store::state_link(transaction_, triple, options));
  }
  return made;
}

Outcome<Made> Writing::move_link(const Triple& old, const Triple& now) {
  const auto known = view().find_proposition(now);
  Made made{known.value_or(EntityId::kNone), !known};
  for (const store::Assertion& word : view().assertions(old)) {
    ANIMA_ASSIGN(const EntityId link, restate(now, word));
    if (link != EntityId::kNone) made.entity = link;
  }
  return made;
}

// Who is trusted as far and says it in that graph stays who says it there.
Outcome<EntityId> Writing::restate(const Triple& statement, const store::Assertion& word) {
  const store::Trust trust = view().entry(word.born).trust;
  for (const store::Assertion& own : view().assertions(statement))
    if (own.graph == word.graph && view().entry(own.born).trust >= trust) return EntityId::kNone;
  const store::AssertOptions options{word.graph, word.confidence, word.provenance};
  ANIMA_ASSIGN(const EntityId made, store::restate(transaction_, statement, options, word.born));
  return made;
}

Check Writing::say_of(EntityId from, EntityId to,
                      const std::function<bool(const Triple&)>& wanted) {
  const store::Snapshot all = transaction_.view().with_books();
  std::vector<Triple> rows;
  for (const auto kind : {store::PredicateClass::kAttribute, store::PredicateClass::kMetadata}) {
    Pattern pattern;
    pattern.subject = from;
    pattern.predicate_class = kind;
    store::each_statement(all, pattern, [&](const Triple& row) {
      if (wanted(row)) rows.push_back(row);
    });
  }
  for (const Triple& row : rows) {
    for (const store::Assertion& word : all.assertions(row))
      ANIMA_TRY(restate({to, row.predicate, row.object}, word));
  }
  return {};
}

namespace {

// What somebody says of a thing under an attribute.
struct SaidOf {
  Triple statement;
  store::Assertion word;
  store::Trust trust;

  // What a text told, and what another graph says, is in turn. Of what KIP states in its own graph
  // who merges chooses what stays.
  bool in_turn() const { return word.graph != store::GraphId::kDefault || word.provenance != 0; }
  bool replaces(const SaidOf& earlier) const {
    return word.graph == earlier.word.graph && word.born > earlier.word.born &&
           (trust > earlier.trust || (trust == earlier.trust && in_turn()));
  }
  bool stays_for(const SaidOf& other) const {
    return word.graph == other.word.graph && trust >= other.trust &&
           (word.born >= other.word.born || (trust == other.trust && !other.in_turn()));
  }
};

std::vector<SaidOf> said_of(const Snapshot& now, EntityId thing, Predicate attribute) {
  std::vector<SaidOf> said;
  store::Scratch scratch;
  const auto codes = now.objects(thing, attribute, scratch);
  for (const std::uint32_t code : std::vector<std::uint32_t>(codes.begin(), codes.end())) {
    const Triple statement{thing, attribute, Term{code}};
    for (const store::Assertion& word : now.assertions(statement))
      said.push_back({statement, word, now.entry(word.born).trust});
  }
  return said;
}

}  // namespace

Check Writing::say_in_turn(EntityId from, EntityId to, Predicate attribute) {
  const std::vector<SaidOf> theirs = said_of(view(), from, attribute),
                            ours = said_of(view(), to, attribute);
  for (const SaidOf& own : ours) {
    if (std::ranges::any_of(theirs, [&](const SaidOf& one) { return one.replaces(own); }))
      ANIMA_TRY(transaction_.retract(own.statement, own.word.graph));
  }
  for (const SaidOf& one : theirs) {
    if (std::ranges::none_of(ours, [&](const SaidOf& own) { return own.stays_for(one); }))
      ANIMA_TRY(restate({to, attribute, one.statement.object}, one.word));
  }
  return {};
}

namespace {

// A view of a plain value; arrays and objects are kept in `room`.
store::ValueView view_of(const Json& json, store::Value* room) {
  store::ValueView view;
  switch (json.kind()) {
    case Json::Kind::kInteger:
      view.kind = store::ValueKind::kInteger;
      view.integer = json.as_integer();
      return view;
    case Json::Kind::kString:
      view.kind = store::ValueKind::kString;
      view.text = json.as_string();
      return view;
    default:
      *room = store::Value::from_json(json);
      return room->view();
  }
}

}  // namespace

Outcome<Members::Member> Writing::member(std::string_view key, const Json& value, bool metadata) {
  Members::Member member;
  member.key = key;
  store::Value room;
  ANIMA_ASSIGN(member.value, transaction_.term(view_of(value, &room)));
  auto known = keys_.find(key);
  if (known == keys_.end()) {
    if (key.empty())
      return fail(Fault(Error{ErrorCode::kInvalidArgument, "an attribute needs a key", {}, {}}));
    store::ValueView text;
    text.kind = store::ValueKind::kString;
    text.text = key;
    ANIMA_ASSIGN(const Term term, transaction_.term(text));
    known = keys_.emplace(key, term).first;
  }
  member.predicate =
      metadata ? Predicate::metadata(known->second) : Predicate::attribute(known->second);
  return member;
}

Outcome<bool> Writing::set_value(const Made& made, const Members::Member& member) {
  store::AssertOptions options;
  options.graph = context_.graph;
  if (made.created) {  // nothing there yet to be replaced
    ANIMA_TRY(transaction_.add_value({made.entity, member.predicate, member.value}, options));
    return true;
  }
  store::Scratch scratch;
  const auto now = view().objects(made.entity, member.predicate, scratch);
  if (now.size() == 1 && now[0] == member.value.code) {
    // What another graph alone says would go with that graph.
    const auto graphs = graphs_of({made.entity, member.predicate, member.value});
    if (std::find(graphs.begin(), graphs.end(), context_.graph) != graphs.end()) return false;
  }
  if (made.said != store::Sequence::kNone) return restate_value(made, member);
  const bool metadata = member.predicate.predicate_class() == store::PredicateClass::kMetadata;
  note_outranked(made.entity, member);
  const std::span<const Term> values(&member.value, 1);
  ANIMA_TRY(metadata ? transaction_.set_metadata(made.entity, member.key, values, options)
                     : transaction_.set_attribute(made.entity, member.key, values, options));
  return true;
}

// What belongs to the word of somebody else is said as his.
Outcome<bool> Writing::restate_value(const Made& made, const Members::Member& member) {
  store::Scratch scratch;
  const auto list = view().objects(made.entity, member.predicate, scratch);
  const std::vector<std::uint32_t> values(list.begin(), list.end());
  for (const std::uint32_t code : values) {
    const Triple old{made.entity, member.predicate, Term{code}};
    for (const store::Assertion& word : view().assertions(old))
      if (word.graph == context_.graph && view().entry(word.born).trust <= trust())
        ANIMA_TRY(transaction_.retract(old, word.graph));
  }
  store::AssertOptions options;
  options.graph = context_.graph;
  ANIMA_TRY(store::restate(transaction_, {made.entity, member.predicate, member.value}, options,
                           made.said));
  return true;
}

store::Trust Writing::trust() const { return view().entry(view().sequence()).trust; }

// A value that somebody trusted more states stays, and holds.
void Writing::note_outranked(EntityId entity, const Members::Member& member) {
  if (member.predicate.predicate_class() != store::PredicateClass::kAttribute ||
      !store::is_outranked(view(), entity, member.predicate, context_.graph, trust()))
    return;
  outranked_.push_back(Json::object({{"id", id_text(view(), entity)}, {"key", member.key}}));
}

Outcome<bool> Writing::set_values(const Made& made, const Json& object, bool metadata) {
  bool changed = false;
  for (const JsonMember& it : object.as_object()) {
    ANIMA_ASSIGN(const Members::Member member, this->member(it.first, it.second, metadata));
    ANIMA_ASSIGN(const bool one, set_value(made, member));
    changed = changed || one;
  }
  return changed;
}

// The members whose keys have no value yet: reloading genesis never overwrites what was learnt.
Json Writing::absent(const Made& made, const Json& object, bool metadata) {
  Json result{JsonObject{}};
  for (const JsonMember& member : object.as_object()) {
    const bool known = metadata ? view().metadata(made.entity, member.first).has_value()
                                : view().attribute(made.entity, member.first).has_value();
    if (!known) result.set(member.first, member.second);
  }
  return result;
}

Outcome<bool> Writing::set_attributes(const Made& made, const Json& object, Place place) {
  if (context_.privileged && !made.created)
    return set_values(made, absent(made, object, false), false);
  if (!made.created && !object.as_object().empty()) {
    if (is_schema_node(view(), made.entity)) {
      return refuse(
          Code::kImmutableTarget,
          "the definition of " + quote_json(view().name(made.entity)) + " cannot be changed",
          "define a type or predicate of your own", place.offset);
    }
    for (const JsonMember& member : object.as_object()) {
      if (is_fixed_attribute(view(), made.entity, member.first)) {
        return refuse(Code::kImmutableTarget,
                      "the attribute " + quote_json(member.first) + " of " +
                          quote_json(view().name(made.entity)) + " cannot be changed",
                      "put what was learnt into another attribute", place.offset);
      }
    }
  }
  return set_values(made, object, false);
}

Outcome<bool> Writing::set_metadata(const Made& made, const Json& object, Place place) {
  if (context_.privileged && !made.created)
    return set_values(made, absent(made, object, true), true);
  ANIMA_TRY(refuse_reserved(object, place));
  ANIMA_ASSIGN(const Members members, prepare_metadata(object));
  return set_metadata(made, members);
}

Outcome<Members> Writing::prepare_metadata(const Json& object) {
  Members members;
  members.object = &object;
  members.confidence = confidence_of(object);
  members.list.reserve(object.as_object().size());
  for (const JsonMember& it : object.as_object()) {
    ANIMA_ASSIGN(Members::Member member, this->member(it.first, it.second, true));
    members.list.push_back(member);
  }
  return members;
}

Outcome<bool> Writing::set_metadata(const Made& made, const Members& members) {
  if (context_.privileged && !made.created)
    return set_values(made, absent(made, *members.object, true), true);
  bool changed = false;
  bool dated = !made.created;
  for (const Members::Member& member : members.list) {
    ANIMA_ASSIGN(const bool one, set_value(made, member));
    changed = changed || one;
    dated = dated || member.key == "created_at";
  }
  if (!dated) {
    if (!created_at_) {
      ANIMA_ASSIGN(created_at_, member("created_at", Json(now_text()), true));
    }
    ANIMA_TRY(set_value(made, *created_at_));
    changed = true;
  }
  return changed;
}

bool bounds_period(std::string_view key) {
  return key == "valid_from" || key == "valid_to" || key == store::kHeldBefore;
}

Check Writing::take_times(EntityId from, const std::vector<store::Period>& times, EntityId to) {
  store::AssertOptions options;
  options.graph = context_.graph;
  const std::vector<store::Period> known = store::periods_of(view(), to);
  const bool silent = known.size() == 1 && known.front() == store::Period();
  if (silent) {
    return say_of(from, to, [&](const Triple& row) {
      if (row.predicate.predicate_class() != store::PredicateClass::kMetadata) return false;
      return bounds_period(store::predicate_label(view(), row.predicate));
    });
  }
  for (const store::Period& one : times) {
    const bool apart = std::ranges::none_of(
        known, [&](const store::Period& own) { return store::overlap(one, own); });
    if (apart) ANIMA_TRY(store::add_period(transaction_, to, one, options));
  }
  return {};
}

Check Writing::may_withdraw(const Triple& statement, EntityId of) const {
  if (!store::is_stated_by_higher(view(), statement, std::nullopt, trust())) return {};
  return refuse(Code::kImmutableTarget,
                "what is said of " + id_text(view(), of) +
                    " is stated by somebody who is trusted more; nothing was deleted",
                "whoever stated it can remove it, or somebody who is trusted as far");
}

Check Writing::may_remove(EntityId entity) {
  if (view().kind(entity) == store::EntityKind::kConcept) {
    const Triple existence{entity, store::kTypePredicate, Term::entity(view().type_of(entity))};
    ANIMA_TRY(may_withdraw(existence, entity));
  } else {
    ANIMA_TRY(may_withdraw(view().triple_of(entity), entity));
  }
  for (const EntityId link : links_upon(entity))
    ANIMA_TRY(may_withdraw(view().triple_of(link), link));
  return {};
}

Outcome<bool> Writing::remove_keys(EntityId entity, const std::vector<std::string>& keys,
                                   bool metadata) {
  bool changed = false;
  for (const std::string& key : keys) {
    const auto term = view().find_string(key);
    if (!term) continue;
    const Predicate predicate = metadata ? Predicate::metadata(*term) : Predicate::attribute(*term);
    if (store::is_outranked(view(), entity, predicate, context_.graph, trust())) {
      return refuse(Code::kImmutableTarget,
                    quote_json(key) + " of " + id_text(view(), entity) +
                        " is stated by somebody who is trusted more",
                    "whoever stated it can remove it, or somebody who is trusted as far");
    }
    store::Scratch scratch;
    const auto list = view().objects(entity, predicate, scratch);
    const std::vector<std::uint32_t> values(list.begin(), list.end());
    for (const std::uint32_t code : values) {
      ANIMA_TRY(may_withdraw({entity, predicate, Term{code}}, entity));
      for (const store::GraphId graph : graphs_of({entity, predicate, Term{code}})) {
        store::AssertOptions options;
        options.graph = graph;
        ANIMA_TRY(metadata ? transaction_.set_metadata(entity, key, {}, options)
                           : transaction_.set_attribute(entity, key, {}, options));
        changed = true;
      }
    }
  }
  return changed;
}

Check Writing::follow(std::span<const store::MovedStatement> moved) {
  const store::UndoRules* const rules = context_.rules;
  if (rules == nullptr || !rules->follows_moves || moved.empty()) return {};
  ANIMA_TRY(rules->follows_moves(transaction_, moved));
  return {};
}

std::vector<store::Sequence> Writing::words_on(std::initializer_list<EntityId> things,
                                               std::string_view attribute) const {
  std::vector<store::Sequence> words;
  const auto key = context_.snapshot.find_string(attribute);
  if (!key) return words;
  for (const EntityId thing : things) {
    for (const SaidOf& one : said_of(context_.snapshot, thing, Predicate::attribute(*key)))
      words.push_back(one.word.born);
  }
  return words;
}

store::Sequence Writing::word_of_existence(EntityId thing) const {
  const Snapshot& before = context_.snapshot;
  const Triple existence{thing, store::kTypePredicate, Term::entity(before.type_of(thing))};
  store::Sequence word = store::Sequence::kNone;
  for (const store::Assertion& one : before.assertions(existence))
    if (word == store::Sequence::kNone || before.entry(one.born).trust > before.entry(word).trust)
      word = one.born;
  return word;
}

store::Sequence Writing::least_trusted(std::span<const store::Sequence> words) const {
  store::Sequence least = store::Sequence::kNone;
  store::Trust trust = this->trust();
  for (const store::Sequence word : words) {
    if (word == store::Sequence::kNone || view().entry(word).trust >= trust) continue;
    least = word;
    trust = view().entry(word).trust;
  }
  return least;
}

std::vector<store::GraphId> Writing::graphs_of(const Triple& triple) {
  std::vector<store::GraphId> graphs;
  for (const store::Assertion& assertion : view().assertions(triple))
    graphs.push_back(assertion.graph);
  return graphs;
}

std::vector<EntityId> Writing::links_about(EntityId entity) {
  std::vector<EntityId> links;
  std::vector<Triple> rows(256);
  for (const bool as_subject : {true, false}) {
    Pattern pattern;
    if (as_subject) {
      pattern.subject = entity;
    } else {
      pattern.object = Term::entity(entity);
    }
    store::Cursor cursor = view().scan(pattern);
    while (const std::size_t count = cursor.next(rows)) {
      for (std::size_t i = 0; i < count; ++i) {
        if (const auto link = view().find_proposition(rows[i])) links.push_back(*link);
      }
    }
  }
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

// A link is made after its ends, so that the order of the ids is one in which ends come first.
std::vector<EntityId> Writing::links_upon(EntityId entity) {
  std::vector<EntityId> links = links_about(entity);
  std::unordered_set<EntityId> seen(links.begin(), links.end());
  for (std::size_t i = 0; i < links.size(); ++i) {
    for (const EntityId about : links_about(links[i])) {
      if (seen.insert(about).second) links.push_back(about);
    }
  }
  std::sort(links.begin(), links.end());
  return links;
}

Outcome<std::int64_t> Writing::remove_link(EntityId link) {
  ANIMA_ASSIGN(const std::int64_t above, remove_links_upon(link));
  ANIMA_ASSIGN(const bool removed, retract_everywhere(link));
  return above + (removed ? 1 : 0);
}

// What is said about a link goes before the link.
Outcome<std::int64_t> Writing::remove_links_upon(EntityId entity) {
  const std::vector<EntityId> links = links_upon(entity);
  std::int64_t removed = 0;
  for (std::size_t i = links.size(); i-- > 0;) {
    ANIMA_ASSIGN(const bool one, retract_everywhere(links[i]));
    removed += one ? 1 : 0;
  }
  return removed;
}

Outcome<bool> Writing::retract_everywhere(EntityId link) {
  if (!view().exists(link)) return false;
  const Triple triple = view().triple_of(link);
  for (const store::GraphId graph : graphs_of(triple))
    ANIMA_TRY(transaction_.retract_link(triple, graph));
  return true;
}

Outcome<std::int64_t> Writing::remove_concept(EntityId entity) {
  const Triple existence{entity, store::kTypePredicate, Term::entity(view().type_of(entity))};
  ANIMA_ASSIGN(const std::int64_t removed, remove_links_upon(entity));
  for (const store::GraphId graph : graphs_of(existence))
    ANIMA_TRY(transaction_.retract_concept(entity, graph, true));
  types_.clear();
  predicates_.clear();
  return removed;
}

}  // namespace anima::kip::detail
