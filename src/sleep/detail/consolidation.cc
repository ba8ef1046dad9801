#include "sleep/detail/consolidation.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "sleep/evidence/week.h"

namespace anima::sleep::detail {
namespace {

// How many events a statement is derived from at most: the same thing said a thousand times is one
// fact with some witnesses.
constexpr std::int64_t kMostWitnesses = 8;
constexpr std::size_t kEventsInAnAction = 400;
constexpr std::size_t kMostCounted = 12;  // names that a digest counts

constexpr std::string_view kDefineType =
    "UPSERT { CONCEPT { {type: :of, name: :name} SET ATTRIBUTES {description: :description} SET "
    "PROPOSITIONS { (\"belongs_to_domain\", {type: \"Domain\", name: \"CoreSchema\"}) } } } WITH "
    "METADATA {source: \"SleepConsolidation\", author: \"$system\"}";
constexpr std::string_view kDefineFunctional =
    "UPSERT { CONCEPT { {type: :of, name: :name} SET ATTRIBUTES {description: :description, "
    "functional: true} SET PROPOSITIONS { (\"belongs_to_domain\", {type: \"Domain\", name: "
    "\"CoreSchema\"}) } } } WITH METADATA {source: \"SleepConsolidation\", author: \"$system\"}";
constexpr std::string_view kDefineDomain =
    "UPSERT { CONCEPT { {type: \"Domain\", name: \"UserPreferences\"} SET ATTRIBUTES "
    "{description: \"What people like, prefer and dislike\"} } } WITH METADATA {source: "
    "\"SleepConsolidation\", author: \"$system\"}";
constexpr std::string_view kPreference =
    "UPSERT { CONCEPT ?it { {type: \"Preference\", name: :name} SET ATTRIBUTES {description: "
    ":sentence, holder: :holder, about: :about} SET PROPOSITIONS { (\"belongs_to_domain\", {type: "
    "\"Domain\", name: \"UserPreferences\"}) } } PROPOSITION { ({id: :subject}, :predicate, ?it) } "
    "} WITH METADATA {source: \"SleepConsolidation\", author: \"$system\", confidence: 0.8}";
constexpr std::string_view kPreferenceFrom =
    "UPSERT { PROPOSITION { ({type: \"Preference\", name: :name}, \"derived_from\", {id: :event}) "
    "} } WITH METADATA {source: \"SleepConsolidation\", author: \"$system\"}";
constexpr std::string_view kEventToPreference =
    "UPSERT { PROPOSITION { ({id: :event}, \"consolidated_to\", {type: \"Preference\", name: "
    ":name}) } } WITH METADATA {source: \"SleepConsolidation\", author: \"$system\"}";
constexpr std::string_view kFact =
    "UPSERT { PROPOSITION { ({id: :subject}, :predicate, {id: :object}) } } WITH METADATA {source: "
    ":source, author: \"$system\", confidence: :confidence, observed_at: :at}";
constexpr std::string_view kConfirm =
    "UPDATE ?l SET METADATA {observed_at: :at} WHERE { ?l (id: :link) }";
// It holds again: what ended it before is over.
constexpr std::string_view kRenew =
    "DELETE METADATA {\"valid_to\", \"superseded_by\"} FROM ?l WHERE { ?l (id: :link) }";
constexpr std::string_view kHoldsFrom =
    "UPDATE ?l SET METADATA {observed_at: :at, valid_from: :at} WHERE { ?l (id: :link) }";
constexpr std::string_view kFactFrom =
    "UPSERT { PROPOSITION { (({id: :subject}, :predicate, {id: :object}), \"derived_from\", {id: "
    ":event}) } } WITH METADATA {source: :source, author: \"$system\"}";
constexpr std::string_view kEventToFact =
    "UPSERT { PROPOSITION { ({id: :event}, \"consolidated_to\", ({id: :subject}, :predicate, {id: "
    ":object})) } } WITH METADATA {source: :source, author: \"$system\"}";
constexpr std::string_view kEventToDigest =
    "UPSERT { PROPOSITION { ({id: :event}, \"consolidated_to\", {type: \"Digest\", name: :digest}) "
    "} } WITH METADATA {source: \"SleepConsolidation\", author: \"$system\"}";
constexpr std::string_view kMark =
    "UPSERT { CONCEPT { {id: :event} SET ATTRIBUTES {consolidation_status: \"completed\", "
    "consolidated_at: :now, status: \"archived\", archived_at: :now, archived_by: \"$system\"} } "
    "PROPOSITION { ({id: :event}, \"belongs_to_domain\", {id: :archived}) } WITH METADATA {source: "
    "\"SleepArchive\", author: \"$system\"} }";
constexpr std::string_view kDigest =
    "UPSERT { CONCEPT ?home { {type: \"Domain\", name: :domain} SET ATTRIBUTES {description: "
    "\"What happened, week by week\", made_by: \"$system\"} } CONCEPT { {type: \"Digest\", name: "
    ":name} SET ATTRIBUTES {description: :description, period: :period, event_class: :class, "
    "events: :events, first: :first, last: :last, participants: :participants, topics: :topics} "
    "SET PROPOSITIONS { (\"belongs_to_domain\", ?home) } } } WITH METADATA {source: "
    "\"SleepConsolidation\", author: \"$system\"}";

void count_names(const Json& value, std::map<std::string, std::int64_t>* counts) {
  for (const JsonMember& member : value.as_object())
    (*counts)[member.first] += member.second.as_integer();
}

// The most frequent, then by name.
Json most_frequent(const std::map<std::string, std::int64_t>& counts) {
  std::vector<std::pair<std::int64_t, std::string>> ranked;
  for (const auto& [name, count] : counts) ranked.emplace_back(-count, name);
  std::sort(ranked.begin(), ranked.end());
  if (ranked.size() > kMostCounted) ranked.resize(kMostCounted);
  Json object = Json::object();
  for (const auto& [count, name] : ranked) object.set(name, -count);
  return object;
}

std::string preference_name(std::string_view holder, const LastingStatement& it) {
  return std::string(holder) + " " + it.predicate + " " + it.object;
}

// Times are written with the offset of who spoke, so that the earlier one need not sort first.
bool is_earlier_start(const std::string& one, const std::string& other) {
  const auto first = parse_timestamp(one), second = parse_timestamp(other);
  return first && second ? first->microseconds < second->microseconds : one < other;
}

}  // namespace

EntityId Consolidation::named(std::string_view label) const {
  const Snapshot& snapshot = reading_.snapshot();
  std::vector<EntityId> found = snapshot.concepts_named(label);
  if (found.empty()) found = snapshot.concepts_labelled(label);
  std::erase_if(found, [this](EntityId it) {
    const EntityId type = reading_.snapshot().type_of(it);
    return !reading_.is_concept(it) || reading_.is_definition(it) ||
           type == reading_.event_type() || type == reading_.domain_type();
  });
  return found.size() == 1 ? found[0] : EntityId::kNone;
}

// The one participant who is not the agent.
EntityId Consolidation::speaker(EntityId event) const {
  EntityId one = EntityId::kNone;
  const auto list = parse_json(reading_.text(event, "participants"));
  if (!list || !list->is_array()) return one;
  for (const Json& name : list->as_array()) {
    if (!name.is_string() || name.as_string().starts_with('$')) continue;
    if (one != EntityId::kNone) return EntityId::kNone;
    one = named(name.as_string());
  }
  return one;
}

const std::vector<Consolidation::Resolved>& Consolidation::resolve(EntityId event) {
  if (const auto known = resolved_.find(event); known != resolved_.end()) return known->second;
  std::vector<Resolved>& list = resolved_[event];
  for (LastingStatement& statement : lasting_statements(reading_.text(event, "content_summary"))) {
    if (auto it = resolve(event, std::move(statement))) list.push_back(std::move(*it));
  }
  return list;
}

std::optional<Consolidation::Resolved> Consolidation::resolve(EntityId event,
                                                              LastingStatement statement) const {
  Resolved it;
  const bool speaks = statement.subject == "I" || statement.subject == "Ich";
  it.subject = speaks ? speaker(event) : named(statement.subject);
  if (it.subject == EntityId::kNone) return std::nullopt;
  it.object = named(statement.object);
  const bool known = it.object != EntityId::kNone && it.object != it.subject;
  if (!known && (!statement.preference || statement.doubtful)) return std::nullopt;
  it.statement = std::move(statement);
  // What somebody likes may be a thing that is known: then it is a fact about that.
  it.statement.preference = it.statement.preference && !known;
  if (it.statement.preference) it.object = EntityId::kNone;
  return it;
}

std::vector<EntityId> Consolidation::silent(const std::vector<EntityId>& events) {
  std::vector<EntityId> found;
  std::ranges::copy_if(events, std::back_inserter(found),
                       [this](EntityId event) { return resolve(event).empty(); });
  return found;
}

std::string Consolidation::add(EntityId event, LastingStatement statement) {
  auto it = resolve(event, std::move(statement));
  if (!it) return "its subject and object do not each name one thing that is known";
  for (const EntityId part : {it->subject, it->object}) {
    if (reading_.is_protected(part)) return reading_.title(part) + " is protected";
  }
  if (const EntityId known = known_link(*it); known != EntityId::kNone) {
    const std::string title = reading_.title(known);
    if (reading_.is_reviewed(known)) return title + " was reviewed";
    if (reading_.is_shared(known)) return title + " is stated by a compartment, too";
    if (!reading_.metadata_text(known, "valid_to").empty()) return title + " was ended";
  }
  resolved_[event].push_back(std::move(*it));
  return {};
}

EntityId Consolidation::known_link(const Resolved& it) const {
  const auto predicate = reading_.link(it.statement.predicate);
  if (!predicate) return EntityId::kNone;
  const store::Triple link{it.subject, *predicate, Term::entity(it.object)};
  return reading_.snapshot().find_proposition(link).value_or(EntityId::kNone);
}

std::optional<Action> Consolidation::definitions(const std::vector<EntityId>& events) {
  std::set<std::string> predicates;
  bool preferences = false, digests = false;
  for (const EntityId event : events) {
    const auto& found = resolve(event);
    digests = digests || found.empty();
    for (const Resolved& it : found) {
      predicates.insert(it.statement.predicate);
      preferences = preferences || it.statement.preference;
    }
  }
  Action action{
      "defined", "what events are consolidated to", "it was not defined yet", {}, Trust::kSystem};
  const auto define = [&](std::string_view text, std::string_view of, std::string_view name,
                          std::string_view description) {
    action.statements.push_back(
        {text, Json::object({{"of", of}, {"name", name}, {"description", description}})});
  };
  if (digests && reading_.type("Digest") == EntityId::kNone)
    define(kDefineType, "$ConceptType", "Digest",
           "Events of one class and week in short; sleep keeps it.");
  if (preferences && reading_.type("Preference") == EntityId::kNone)
    define(kDefineType, "$ConceptType", "Preference", "What somebody likes, prefers or dislikes.");
  if (preferences && reading_.domain("UserPreferences") == EntityId::kNone)
    action.statements.push_back({kDefineDomain, Json::object()});
  for (const std::string& name : predicates) {
    if (reading_.link(name)) continue;
    define(is_one_valued(name) ? kDefineFunctional : kDefineType, "$PropositionType", name,
           lasting_description(name));
  }
  if (action.statements.empty()) return std::nullopt;
  action.changes = action.statements.size();
  return action;
}

// How many events a statement is derived from so far.
std::int64_t& Consolidation::support(const std::string& key, EntityId known) {
  const auto found = support_.find(key);
  if (found != support_.end()) return found->second;
  std::int64_t count = 0;
  const auto derived = reading_.link("derived_from");
  if (known != EntityId::kNone && derived) {
    store::Scratch scratch;
    count = static_cast<std::int64_t>(reading_.snapshot().objects(known, *derived, scratch).size());
  }
  return support_.emplace(key, count).first->second;
}

void Consolidation::add_preference(const Resolved& it, EntityId event, Action* action) {
  const std::string holder(reading_.snapshot().name(it.subject));
  const std::string name = preference_name(holder, it.statement);
  const EntityId type = reading_.type("Preference");
  const EntityId known =
      type == EntityId::kNone
          ? EntityId::kNone
          : reading_.snapshot().find_concept(type, name).value_or(EntityId::kNone);
  if (known == EntityId::kNone) {
    action->statements.push_back(
        {kPreference, Json::object({{"name", name},
                                    {"sentence", it.statement.sentence},
                                    {"holder", holder},
                                    {"about", it.statement.object},
                                    {"subject", reading_.id(it.subject)},
                                    {"predicate", it.statement.predicate}})});
  }
  const Json ends = Json::object({{"name", name}, {"event", reading_.id(event)}});
  if (support("c " + name, known)++ < kMostWitnesses)
    action->statements.push_back({kPreferenceFrom, ends});
  action->statements.push_back({kEventToPreference, ends});
  action->reason += (action->reason.empty() ? "it says: " : "; ") + it.statement.sentence;
}

void Consolidation::add_fact(const Resolved& it, EntityId event, Action* action) {
  const std::string at = reading_.text(event, "start_time");
  Json ends = Json::object({{"subject", reading_.id(it.subject)},
                            {"predicate", it.statement.predicate},
                            {"object", reading_.id(it.object)},
                            {"source", it.statement.source}});
  const EntityId known = known_link(it);
  const std::string key =
      "l " + reading_.id(it.subject) + it.statement.predicate + reading_.id(it.object);
  std::int64_t& witnesses = support(key, known);
  if (known == EntityId::kNone) {
    // What a rule stated in this cycle is not made a proposal of a model.
    if (witnesses == 0 || it.statement.evidence.empty()) {
      Json parameters = ends;
      parameters.set("at", at);
      parameters.set("confidence", it.statement.confidence);
      action->statements.push_back({kFact, std::move(parameters)});
    }
  } else if (reading_.metadata_text(known, "observed_at") < at && !reading_.is_shared(known) &&
             reading_.trust(known) <= reading_.trust(event)) {
    const Json parameters = Json::object({{"link", reading_.id(known)}, {"at", at}});
    const std::string ended = reading_.metadata_text(known, "valid_to");
    if (!ended.empty() && ended <= at) {
      action->statements.push_back({kRenew, parameters});
      action->statements.push_back({kHoldsFrom, parameters});
    } else {
      action->statements.push_back({kConfirm, parameters});
    }
  }
  ends.set("event", reading_.id(event));
  if (witnesses++ < kMostWitnesses) action->statements.push_back({kFactFrom, ends});
  action->statements.push_back({kEventToFact, std::move(ends)});
  action->reason += (action->reason.empty() ? "it says: " : "; ") + it.statement.sentence;
  if (!it.statement.evidence.empty()) action->reason += " (" + it.statement.evidence + ")";
}

Statement Consolidation::mark(EntityId event) const {
  return {kMark, Json::object({{"event", reading_.id(event)},
                               {"now", cycle_.time_text()},
                               {"archived", reading_.id(reading_.archived())}})};
}

// Consolidated, it is kept in Archived and leaves the shelves.
void Consolidation::finish(EntityId event, Action* action) const {
  action->statements.push_back(mark(event));
  for (const EntityId domain : reading_.domains_of(event)) {
    if (domain != reading_.archived())
      action->statements.push_back(take_out_of(reading_, event, domain));
  }
}

std::optional<Action> Consolidation::facts_of(EntityId event) {
  const auto& found = resolve(event);
  if (found.empty()) return std::nullopt;
  Action action{"consolidated", reading_.title(event), {}, {}, reading_.trust(event)};
  for (const Resolved& it : found)
    it.statement.preference ? add_preference(it, event, &action) : add_fact(it, event, &action);
  finish(event, &action);
  return action;
}

Consolidation::Digest& Consolidation::digest_of(EntityId event) {
  const Timestamp began = reading_.time(event, "start_time").value_or(cycle_.time());
  std::string event_class = reading_.text(event, "event_class");
  if (event_class.empty()) event_class = "Event";
  const std::string period = iso_week(began);
  const std::string name = period + " " + event_class;
  const auto known = digests_.find(name);
  if (known != digests_.end()) return known->second;
  Digest digest{name, period, event_class, "Digests " + quarter(began), 0, {}, {}, {}, {}};
  const EntityId type = reading_.type("Digest");
  const auto before =
      type == EntityId::kNone ? std::nullopt : reading_.snapshot().find_concept(type, name);
  if (before) {
    double events = 0;
    if (const auto term = reading_.snapshot().attribute(*before, "events"))
      reading_.snapshot().number(*term, &events);
    digest.events = static_cast<std::int64_t>(events);
    digest.first = reading_.text(*before, "first");
    digest.last = reading_.text(*before, "last");
    if (const auto names = parse_json(reading_.text(*before, "participants")))
      count_names(*names, &digest.participants);
    if (const auto names = parse_json(reading_.text(*before, "topics")))
      count_names(*names, &digest.topics);
  }
  return digests_.emplace(name, std::move(digest)).first->second;
}

void Consolidation::count_in(EntityId event, Digest* digest) const {
  ++digest->events;
  const std::string at = reading_.text(event, "start_time");
  if (digest->first.empty() || is_earlier_start(at, digest->first)) digest->first = at;
  if (digest->last.empty() || is_earlier_start(digest->last, at)) digest->last = at;
  if (const auto names = parse_json(reading_.text(event, "participants"))) {
    for (const Json& name : names->as_array()) {
      if (name.is_string()) ++digest->participants[name.as_string()];
    }
  }
  const auto mentions = reading_.link("mentions");
  if (!mentions) return;
  store::Scratch scratch;
  for (const std::uint32_t code : reading_.snapshot().objects(event, *mentions, scratch)) {
    if (reading_.snapshot().kind(EntityId{code}) == store::EntityKind::kConcept)
      ++digest->topics[std::string(reading_.snapshot().name(EntityId{code}))];
  }
}

Statement Consolidation::digest_statement(const Digest& digest) const {
  return {
      kDigest,
      Json::object({{"domain", digest.domain},
                    {"name", digest.name},
                    {"description", fmt::format("{} events of class {} in week {}", digest.events,
                                                digest.event_class, digest.period)},
                    {"period", digest.period},
                    {"class", digest.event_class},
                    {"events", digest.events},
                    {"first", digest.first},
                    {"last", digest.last},
                    {"participants", most_frequent(digest.participants)},
                    {"topics", most_frequent(digest.topics)}})};
}

std::vector<Action> Consolidation::digests_of(std::vector<EntityId> events) {
  struct Keyed {
    Trust trust;
    std::string digest;
    EntityId event;
  };
  std::vector<Keyed> keyed;
  for (const EntityId event : events)
    keyed.push_back({reading_.trust(event), digest_of(event).name, event});
  std::sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) {
    return std::tie(a.trust, a.digest, a.event) < std::tie(b.trust, b.digest, b.event);
  });
  std::vector<Action> actions;
  std::size_t first = 0;
  while (first < keyed.size()) {
    Digest& digest = digests_.find(keyed[first].digest)->second;
    Action action{
        "consolidated", {}, "nothing in it states a fact that lasts", {}, keyed[first].trust};
    std::size_t last = first;
    while (last < keyed.size() && keyed[last].digest == digest.name &&
           keyed[last].trust == action.trust && last - first < kEventsInAnAction) {
      const EntityId event = keyed[last++].event;
      count_in(event, &digest);
      action.statements.push_back(
          {kEventToDigest, Json::object({{"event", reading_.id(event)}, {"digest", digest.name}})});
      finish(event, &action);
    }
    action.statements.insert(action.statements.begin(), digest_statement(digest));
    action.changes = last - first;
    action.about = fmt::format("{} events into Digest {}", last - first, quote_json(digest.name));
    actions.push_back(std::move(action));
    first = last;
  }
  return actions;
}

}  // namespace anima::sleep::detail
