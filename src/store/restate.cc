#include "store/restate.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "store/state/writer.h"

namespace anima::store {

Result<EntityId> restate(Transaction& transaction, const Triple& statement,
                         const AssertOptions& options, Sequence said) {
  return transaction.writer().restate(statement, options, said);
}

namespace {

constexpr std::string_view kTimes[] = {"valid_from", "valid_to", kHeldBefore};
constexpr std::string_view kNewer = "superseded_by";

// Of a link that is stated already, of which another one has taken the place: who holds.
struct Replaced {
  bool said_anew = false;
  std::vector<Term> by;
};
Replaced replaced(const Snapshot& now, const Triple& link, const AssertOptions& options) {
  const EntryInfo entry = now.entry(now.sequence());
  bool again = false;
  for (const Assertion& one : now.assertions(link)) {
    if (one.graph == options.graph) again = now.entry(one.born).trust <= entry.trust;
  }
  if (!again || !is_functional(now, link.predicate)) return {};
  std::vector<Term> by = holders_at(now, link.subject, link.predicate, entry.time);
  const bool anew = by != std::vector{link.object};
  return {anew, std::move(by)};
}

// Whether nobody who is trusted more said when the link holds.
bool may_time(const Snapshot& now, EntityId link, Trust trust) {
  for (const std::string_view name : kTimes) {
    const auto key = now.find_string(name);
    if (!key) continue;
    Scratch scratch;
    const auto codes = now.objects(link, Predicate::metadata(*key), scratch);
    for (const std::uint32_t code : std::vector<std::uint32_t>(codes.begin(), codes.end())) {
      for (const Assertion& one : now.assertions({link, Predicate::metadata(*key), Term{code}}))
        if (now.entry(one.born).trust > trust) return false;
    }
  }
  return true;
}

}  // namespace

Result<EntityId> state_untimed_link(Transaction& transaction, const Triple& link,
                                    const AssertOptions& options) {
  const Snapshot& now = transaction.live();
  return replaced(now, link, options).said_anew
             ? restate(transaction, link, options, now.sequence())
             : transaction.assert_link(link, options);
}

Result<EntityId> state_link(Transaction& transaction, const Triple& link,
                            const AssertOptions& options) {
  const Snapshot& now = transaction.live();
  const Replaced it = replaced(now, link, options);
  if (!it.said_anew) return transaction.assert_link(link, options);
  const EntryInfo entry = now.entry(now.sequence());
  const bool ended = !it.by.empty() && !is_valid(standing_of(now, link), entry.time, entry.time);
  ANIMA_ASSIGN(const EntityId stated, restate(transaction, link, options, entry.sequence));
  if (!ended || !may_time(transaction.live(), stated, entry.trust)) return stated;
  ANIMA_TRY(add_period(transaction, stated, {entry.time, std::nullopt}, options));
  ANIMA_TRY(set_metadata_texts(transaction, stated, kNewer, {}, options));
  return stated;
}

Status set_metadata_texts(Transaction& transaction, EntityId link, std::string_view key,
                          std::span<const std::string> texts, const AssertOptions& options) {
  std::vector<Term> values;
  for (const std::string& text : texts) {
    ANIMA_ASSIGN(const Term value, transaction.term(Value::string(text).view()));
    values.push_back(value);
  }
  return transaction.set_metadata(link, key, values, options);
}

namespace {

std::vector<std::string> bound(const std::optional<Timestamp>& time) {
  return time ? std::vector{format_timestamp(*time)} : std::vector<std::string>();
}

}  // namespace

Status set_periods(Transaction& transaction, EntityId link, std::span<const Period> periods,
                   const AssertOptions& options) {
  const Period last = periods.empty() ? Period() : periods.back();
  std::vector<std::string> before;
  for (std::size_t i = 0; i + 1 < periods.size(); ++i) before.push_back(to_string(periods[i]));
  ANIMA_TRY(set_metadata_texts(transaction, link, "valid_from", bound(last.from), options));
  ANIMA_TRY(set_metadata_texts(transaction, link, "valid_to", bound(last.to), options));
  return set_metadata_texts(transaction, link, kHeldBefore, before, options);
}

Status add_period(Transaction& transaction, EntityId link, const Period& period,
                  const AssertOptions& options) {
  std::vector<Period> periods = periods_of(transaction.live(), link);
  if (periods.back() == Period()) periods.pop_back();  // nothing is said of it
  std::erase_if(periods, [&](const Period& one) { return overlap(one, period); });
  const auto later = std::ranges::find_if(
      periods, [&](const Period& one) { return period.to && one.from && *period.to <= *one.from; });
  periods.insert(later, period);
  return set_periods(transaction, link, periods, options);
}

Status state_existence_anew(Transaction& transaction, GraphId graph, std::string_view type,
                            std::string_view name) {
  const Snapshot& view = transaction.view();
  const auto its_type = view.find_type(type);
  const auto entity = its_type ? view.find_concept(*its_type, name) : std::nullopt;
  if (!entity) return {};
  for (const Triple& existence : {Triple{*entity, kTypePredicate, Term::entity(*its_type)},
                                  Triple{*its_type, kTypePredicate, Term::entity(kConceptType)}})
    ANIMA_TRY(transaction.retract(existence, graph).map([](bool) {}));
  return {};
}

}  // namespace anima::store
