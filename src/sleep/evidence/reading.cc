#include "sleep/evidence/reading.h"

#include <algorithm>

#include "memory/names.h"
#include "store/fading.h"
#include "store/holds.h"
#include "store/symbols.h"

namespace anima::sleep::detail {
namespace {

constexpr std::string_view kBookkeeping[] = {"belongs_to_domain", "consolidated_to", "derived_from",
                                             "mentions",          "supersedes",      "assigned_to",
                                             "created_by"};

}  // namespace

Reading::Reading(Snapshot snapshot) : snapshot_(std::move(snapshot)) {
  event_ = type("Event");
  domain_ = type("Domain");
  person_ = type("Person");
  task_ = type("SleepTask");
  unsorted_ = domain("Unsorted");
  archived_ = domain("Archived");
  core_ = domain("CoreSchema");
  in_domain_ = link("belongs_to_domain");
  consolidated_to_ = link("consolidated_to");
  for (const std::string_view name : kBookkeeping) {
    if (const auto predicate = link(name)) bookkeeping_.push_back(*predicate);
  }
  std::sort(bookkeeping_.begin(), bookkeeping_.end());
}

EntityId Reading::type(std::string_view name) const {
  return snapshot_.find_type(name).value_or(EntityId::kNone);
}

EntityId Reading::domain(std::string_view name) const {
  if (domain_ == EntityId::kNone) return EntityId::kNone;
  return snapshot_.find_concept(domain_, name).value_or(EntityId::kNone);
}

std::optional<Predicate> Reading::link(std::string_view name) const {
  const auto found = snapshot_.find_predicate(name);
  if (!found) return std::nullopt;
  return Predicate::link(*found);
}

bool Reading::is_concept(EntityId entity) const {
  return snapshot_.kind(entity) == store::EntityKind::kConcept && snapshot_.exists(entity);
}

bool Reading::is_link(EntityId entity) const {
  return snapshot_.kind(entity) == store::EntityKind::kProposition && snapshot_.exists(entity);
}

std::string Reading::title(EntityId entity) const {
  if (snapshot_.kind(entity) == store::EntityKind::kProposition) {
    const store::Triple triple = snapshot_.triple_of(entity);
    return quote_json(store::symbol_label(snapshot_, triple.subject)) + " " +
           store::predicate_label(snapshot_, triple.predicate) + " " +
           quote_json(store::term_label(snapshot_, triple.object));
  }
  return std::string(snapshot_.name(snapshot_.type_of(entity))) + " " +
         quote_json(snapshot_.name(entity));
}

std::string Reading::id(EntityId entity) const {
  const bool link = snapshot_.kind(entity) == store::EntityKind::kProposition;
  return (link ? "P:" : "C:") + std::to_string(static_cast<std::uint32_t>(entity));
}

std::string Reading::text(EntityId entity, std::string_view key) const {
  const auto term = snapshot_.attribute(entity, key);
  return term ? std::string(snapshot_.value(*term).text) : std::string();
}

std::string Reading::metadata_text(EntityId entity, std::string_view key) const {
  const auto term = snapshot_.metadata(entity, key);
  return term ? std::string(snapshot_.value(*term).text) : std::string();
}

std::optional<Timestamp> Reading::time(EntityId entity, std::string_view key) const {
  const std::string said = text(entity, key);
  if (said.empty()) return std::nullopt;
  const auto time = parse_timestamp(said);
  if (!time) return std::nullopt;
  return *time;
}

std::vector<EntityId> Reading::domains_of(EntityId entity) const {
  std::vector<EntityId> domains;
  if (!in_domain_) return domains;
  store::Scratch scratch;
  for (const std::uint32_t code : snapshot_.objects(entity, *in_domain_, scratch))
    domains.push_back(EntityId{code});
  return domains;
}

std::int64_t Reading::members_of(EntityId domain) const {
  if (!in_domain_ || domain == EntityId::kNone) return 0;
  store::Pattern pattern;
  pattern.predicate = *in_domain_;
  pattern.object = Term::entity(domain);
  return static_cast<std::int64_t>(snapshot_.count(pattern));
}

bool Reading::is_special_domain(EntityId entity) const {
  return entity == unsorted_ || entity == archived_ || entity == core_;
}

bool Reading::is_definition(EntityId entity) const {
  const EntityId type = snapshot_.type_of(entity);
  return type == store::kConceptType || type == store::kPropositionType;
}

bool Reading::is_protected(EntityId entity) const {
  if (snapshot_.kind(entity) != store::EntityKind::kConcept) return false;
  if (is_definition(entity) || is_special_domain(entity)) return true;
  const std::string_view name = snapshot_.name(entity);
  if (snapshot_.type_of(entity) == person_ && (name == "$self" || name == "$system")) return true;
  if (!in_domain_ || core_ == EntityId::kNone) return false;
  return snapshot_.contains({entity, *in_domain_, Term::entity(core_)});
}

store::Triple Reading::existence(EntityId entity) const {
  if (snapshot_.kind(entity) == store::EntityKind::kProposition) return snapshot_.triple_of(entity);
  return {entity, store::kTypePredicate, Term::entity(snapshot_.type_of(entity))};
}

bool Reading::is_shared(EntityId entity) const {
  const auto assertions = snapshot_.assertions(existence(entity));
  return std::ranges::any_of(assertions, [](const store::Assertion& assertion) {
    return assertion.graph != store::GraphId::kDefault;
  });
}

bool Reading::is_brought(EntityId entity) const {
  const auto told = snapshot_.find_graph(memory::kToldGraph);
  return std::ranges::any_of(
      snapshot_.assertions(existence(entity)), [&](const store::Assertion& assertion) {
        return assertion.graph != store::GraphId::kDefault && assertion.graph != told;
      });
}

bool Reading::is_orphan(EntityId entity) const {
  if (!is_concept(entity) || snapshot_.type_of(entity) == domain_) return false;
  if (!domains_of(entity).empty() || is_shared(entity)) return false;
  const std::string_view name = snapshot_.name(entity);
  if (is_definition(entity)) return !name.starts_with('$');
  return !is_protected(entity);
}

bool Reading::is_waiting_event(EntityId entity) const {
  if (event_ == EntityId::kNone || !is_concept(entity) || snapshot_.type_of(entity) != event_)
    return false;
  if (!consolidated_to_) return true;
  store::Scratch scratch;
  return snapshot_.objects(entity, *consolidated_to_, scratch).empty();
}

Timestamp Reading::began(EntityId event) const {
  if (const auto start = time(event, "start_time")) return *start;
  const auto history = snapshot_.history(event);
  return history.empty() ? Timestamp{} : snapshot_.entry(history.front()).time;
}

bool Reading::is_bookkeeping(Predicate predicate) const {
  return std::binary_search(bookkeeping_.begin(), bookkeeping_.end(), predicate);
}

bool Reading::is_reviewed(EntityId entity) const { return store::is_reviewed(snapshot_, entity); }

Trust Reading::trust(EntityId entity) const {
  const auto assertions = snapshot_.assertions(existence(entity));
  return assertions.empty() ? Trust::kUntrusted : snapshot_.entry(assertions.front().born).trust;
}

bool Reading::is_evidence(const store::Triple& value, EntityId item) const {
  return store::standing_of(snapshot_, value).trust >= store::trust_of_thing(snapshot_, item);
}

double Reading::confidence(EntityId link) const {
  const bool stated = !snapshot_.assertions(snapshot_.triple_of(link)).empty();
  return stated ? store::stated_confidence(snapshot_, link) : 0.0;
}

}  // namespace anima::sleep::detail
