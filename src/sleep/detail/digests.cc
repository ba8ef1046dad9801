#include "sleep/detail/digests.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sleep/detail/actions.h"
#include "sleep/evidence/week.h"

namespace anima::sleep::detail {
namespace {

constexpr std::string_view kQuarter =
    "UPSERT { CONCEPT { {type: \"Digest\", name: :name} SET ATTRIBUTES {description: :description, "
    "period: :period, event_class: :class, events: :events, first: :first, last: :last} SET "
    "PROPOSITIONS { (\"belongs_to_domain\", {type: \"Domain\", name: :domain}) } } } WITH METADATA "
    "{source: \"SleepConsolidation\", author: \"$system\"}";
constexpr std::string_view kFold =
    "MERGE CONCEPT ?week INTO ?quarter WHERE { ?week {id: :week} ?quarter {type: \"Digest\", name: "
    ":name} }";
// That the weeks of a quarter differ is no contradiction.
constexpr std::string_view kNoConflicts =
    "DELETE ATTRIBUTES {\"merge_conflicts\"} FROM ?quarter WHERE { ?quarter {type: \"Digest\", "
    "name: "
    ":name} }";

struct Fold {
  std::string period, event_class, domain, first, last;
  std::int64_t events = 0;
  std::vector<EntityId> weeks;
  Trust trust = Trust::kSystem;
};

std::int64_t events_in(const Reading& reading, EntityId digest) {
  double number = 0;
  if (const auto term = reading.snapshot().attribute(digest, "events"))
    reading.snapshot().number(*term, &number);
  return static_cast<std::int64_t>(number);
}

void add(const Reading& reading, EntityId digest, Fold* fold) {
  fold->events += events_in(reading, digest);
  fold->trust = std::min(fold->trust, reading.trust(digest));
  const std::string first = reading.text(digest, "first"), last = reading.text(digest, "last");
  if (fold->first.empty() || first < fold->first) fold->first = first;
  if (fold->last < last) fold->last = last;
}

Action fold_action(const Reading& reading, const std::string& name, const Fold& fold) {
  Action action{"folded",
                fmt::format("{} digests of weeks into Digest \"{}\"", fold.weeks.size(), name),
                "their events were removed long ago",
                {},
                fold.trust,
                fold.weeks.size()};
  action.statements.push_back(
      {kQuarter,
       Json::object({{"name", name},
                     {"description", fmt::format("{} events of class {} in {}", fold.events,
                                                 fold.event_class, fold.period)},
                     {"period", fold.period},
                     {"class", fold.event_class},
                     {"events", fold.events},
                     {"first", fold.first},
                     {"last", fold.last},
                     {"domain", fold.domain}})});
  for (const EntityId week : fold.weeks)
    action.statements.push_back(
        {kFold, Json::object({{"week", reading.id(week)}, {"name", name}})});
  action.statements.push_back({kNoConflicts, Json::object({{"name", name}})});
  return action;
}

}  // namespace

Status fold_old_digests(Cycle& cycle) {
  const std::int64_t days = cycle.policy().remove_archived_after_days;
  if (days <= 0) return {};
  ANIMA_ASSIGN(const Reading reading, cycle.read());
  const EntityId type = reading.type("Digest");
  if (type == EntityId::kNone) return {};
  const std::int64_t cutoff = cycle.time().microseconds - 2 * days * kMicrosecondsPerDay;
  std::map<std::string, Fold> folds;
  store::Scratch scratch;
  const auto codes =
      reading.snapshot().subjects(store::kTypePredicate, Term::entity(type), scratch);
  const std::vector<std::uint32_t> digests(codes.begin(), codes.end());
  for (const std::uint32_t code : digests) {
    const EntityId digest{code};
    const auto last = reading.time(digest, "last");
    if (!last || last->microseconds >= cutoff) continue;
    if (reading.text(digest, "period").find("-W") == std::string::npos) continue;
    const std::string period = quarter(*last), of = reading.text(digest, "event_class");
    Fold& fold = folds[period + " " + of];
    fold.period = period;
    fold.event_class = of;
    fold.domain = "Digests " + period;
    fold.weeks.push_back(digest);
    add(reading, digest, &fold);
  }
  for (auto& [name, fold] : folds) {
    if (const auto before = reading.snapshot().find_concept(type, name))
      add(reading, *before, &fold);
    if (reading.domain(fold.domain) == EntityId::kNone) fold.domain = "Archived";
    if (!cycle.act(fold_action(reading, name, fold))) return {};
  }
  return {};
}

}  // namespace anima::sleep::detail
