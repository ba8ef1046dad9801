#include "agent/telling/detail/told_writer.h"

#include <algorithm>
#include <span>
#include <vector>

#include "store/history.h"
#include "store/holds.h"
#include "store/restate.h"
#include "store/statements.h"
#include "store/symbols.h"

namespace anima::agent::detail {
namespace {

using store::EntityId;
using store::GraphId;
using store::Snapshot;
using store::Term;
using store::Triple;

constexpr std::string_view kBegin = "valid_from", kEnd = "valid_to", kNewer = "superseded_by";
constexpr int kMostStepsBack = 16;

bool is_link(const Triple& fact) {
  return fact.predicate.predicate_class() == store::PredicateClass::kLink;
}

std::vector<std::uint32_t> objects_of(const Snapshot& now, EntityId subject,
                                      store::Predicate predicate) {
  store::Scratch scratch;
  const auto codes = now.objects(subject, predicate, scratch);
  return {codes.begin(), codes.end()};
}

bool stands_in(const Snapshot& now, const Triple& fact, GraphId graph) {
  return std::ranges::any_of(now.assertions(fact),
                             [&](const store::Assertion& one) { return one.graph == graph; });
}

std::string link_id(EntityId link) {
  return "P:" + std::to_string(static_cast<std::uint32_t>(link));
}

// Is there a value, and does nobody else state one: neither a compartment that is trusted as far,
// nor somebody who is trusted more?
bool may_correct(const Snapshot& now, const ask::Statement& said, store::Trust trust) {
  const auto key = now.find_string(said.key);
  if (!key) return false;
  const auto predicate = store::Predicate::attribute(*key);
  const auto values = objects_of(now, said.subject, predicate);
  for (const std::uint32_t code : values) {
    for (const auto& one : now.assertions({said.subject, predicate, Term{code}})) {
      const store::Trust by = now.entry(one.born).trust;
      if (by > trust || (by == trust && one.graph != GraphId::kDefault)) return false;
    }
  }
  return !values.empty();
}

Status set_text(store::Transaction& transaction, EntityId link, std::string_view key,
                const std::string& text, const store::AssertOptions& options) {
  std::vector<Term> values;
  if (!text.empty()) {
    ANIMA_ASSIGN(const Term term, transaction.term(store::Value::string(text).view()));
    values.push_back(term);
  }
  return transaction.set_metadata(link, key, values, options);
}

// An end that was written for the link is taken away.
Status reopen(store::Transaction& transaction, EntityId link, const ToldPlace& place) {
  for (const std::string_view key : {kEnd, kNewer}) {
    const auto name = transaction.live().find_string(key);
    if (!name || objects_of(transaction.live(), link, store::Predicate::metadata(*name)).empty())
      continue;
    for (const GraphId graph : {GraphId::kDefault, place.told.graph}) {
      store::AssertOptions options = place.told;
      options.graph = graph;
      ANIMA_TRY(set_text(transaction, link, key, {}, options));
    }
  }
  return {};
}

// In which graph the end was written.
store::AssertOptions options_of_end(const Snapshot& now, EntityId link, const ToldPlace& place) {
  store::AssertOptions options = place.told;
  const auto name = now.find_string(kEnd);
  const auto end = name ? store::said_of_link(now, link, kEnd) : std::nullopt;
  if (end && stands_in(now, {link, store::Predicate::metadata(*name), *end}, GraphId::kDefault))
    options.graph = GraphId::kDefault;
  return options;
}

// What has ended holds again from now on; the time that it held before stays known.
Status begin_again(store::Transaction& transaction, EntityId link, const ToldPlace& place) {
  const Snapshot now = transaction.view();
  const store::Period last = store::periods_of(now, link).back();
  const bool came_back = last.to && *last.to <= place.now && (!last.from || *last.from < *last.to);
  if (!came_back) return reopen(transaction, link, place);
  const store::AssertOptions options = options_of_end(now, link, place);
  ANIMA_TRY(set_text(transaction, link, kNewer, {}, options));
  // Not behind the entry that says so, by whose time some readers go.
  const Snapshot& live = transaction.live();
  const Timestamp from = std::min(place.now, live.entry(live.sequence()).time);
  return store::add_period(transaction, link, {from, std::nullopt}, options);
}

// The time that it held before it came back is its only one again. False: it never came back.
Result<bool> end_return(store::Transaction& transaction, EntityId link, const ToldPlace& place) {
  std::vector<store::Period> periods = store::periods_of(transaction.view(), link);
  if (periods.size() < 2) return false;
  periods.pop_back();
  store::AssertOptions options = place.told;
  for (const GraphId graph : {GraphId::kDefault, place.told.graph}) {
    options.graph = graph;
    const auto name = transaction.live().find_string(store::kHeldBefore);
    const auto held =
        name ? store::said_of_link(transaction.live(), link, store::kHeldBefore) : std::nullopt;
    if (!held ||
        !stands_in(transaction.live(), {link, store::Predicate::metadata(*name), *held}, graph))
      continue;
    ANIMA_TRY(store::set_periods(transaction, link, periods, options));
    return true;
  }
  return false;
}

// What the graph said of it before the entry, as the word of who said it.
Status restate_in(store::Transaction& transaction, const Snapshot& before, const Triple& fact,
                  GraphId graph, const std::set<std::uint64_t>& withdrawn) {
  for (const store::Assertion& one : before.assertions(fact)) {
    if (one.graph != graph || withdrawn.contains(one.provenance)) continue;
    store::AssertOptions options;
    options.graph = one.graph;
    options.confidence = one.confidence;
    options.provenance = one.provenance;
    ANIMA_TRY(store::restate(transaction, fact, options, one.born).map([](EntityId) {}));
  }
  return {};
}

Result<Snapshot> state_before(store::Sequence entry, const ToldPlace& place) {
  return place.before.as_of(store::Sequence{static_cast<std::uint64_t>(entry) - 1});
}

// What it only repeated holds again. True: it did.
Result<bool> take_back_link(store::Transaction& transaction, const Triple& fact,
                            const store::Assertion& told, bool denied, const ToldPlace& place) {
  ANIMA_ASSIGN(const Snapshot before, state_before(told.born, place));
  const bool repeated =
      !denied && std::ranges::any_of(before.assertions(fact), [&](const store::Assertion& one) {
        return one.graph == told.graph && !place.withdrawn.contains(one.provenance);
      });
  if (repeated) {
    ANIMA_TRY(restate_in(transaction, before, fact, told.graph, place.withdrawn));
    return true;
  }
  ANIMA_TRY(transaction.retract_link(fact, told.graph));
  return false;
}

// The links that this one took the place of.
std::vector<EntityId> superseded_by(const Snapshot& now, const Triple& fact) {
  std::vector<EntityId> older;
  const auto newer = now.find_proposition(fact);
  if (!newer) return older;
  for (const std::uint32_t code : objects_of(now, fact.subject, fact.predicate)) {
    const auto link = now.find_proposition({fact.subject, fact.predicate, Term{code}});
    const auto said = link ? store::said_of_link(now, *link, kNewer) : std::nullopt;
    if (said && now.value(*said).text == link_id(*newer)) older.push_back(*link);
  }
  return older;
}

// What this one made place for, and when.
std::optional<std::pair<EntityId, std::string>> what_took_place_of(const Snapshot& now,
                                                                   const Triple& fact) {
  const auto link = is_link(fact) ? now.find_proposition(fact) : std::nullopt;
  const auto said = link ? store::said_of_link(now, *link, kNewer) : std::nullopt;
  const auto end = link ? store::said_of_link(now, *link, kEnd) : std::nullopt;
  if (!said || !end) return std::nullopt;
  for (const std::uint32_t code : objects_of(now, fact.subject, fact.predicate)) {
    const auto newer = now.find_proposition({fact.subject, fact.predicate, Term{code}});
    if (newer && now.value(*said).text == link_id(*newer))
      return std::pair(*newer, std::string(now.value(*end).text));
  }
  return std::nullopt;
}

// The newest of what the author says of it.
std::optional<store::Assertion> told_by(const Snapshot& now, const Triple& fact,
                                        const ToldPlace& place) {
  std::optional<store::Assertion> newest;
  for (const store::Assertion& one : now.assertions(fact)) {
    const bool here = one.graph == place.told.graph || one.graph == GraphId::kDefault;
    if (!here || now.entry(one.born).author != place.author) continue;
    if (!newest || newest->born < one.born) newest = one;
  }
  return newest;
}

// What the graph said before the entry of this. Of what only withdrawn memories told, that before
// it.
Status put_back(store::Transaction& transaction, const Triple& fact, const store::Assertion& told,
                const ToldPlace& place) {
  store::Sequence entry = told.born;
  for (int step = 0; step < kMostStepsBack; ++step) {
    const auto before = state_before(entry, place);
    if (!before) return {};  // that state is not kept any more
    std::optional<store::Sequence> passed;
    bool stands = false;
    const auto codes = objects_of(*before, fact.subject, fact.predicate);
    for (const std::uint32_t code : codes) {
      for (const store::Assertion& one :
           before->assertions({fact.subject, fact.predicate, Term{code}})) {
        if (one.graph != told.graph) continue;
        if (!place.withdrawn.contains(one.provenance)) {
          stands = true;
        } else if (!passed || one.born < *passed) {
          passed = one.born;
        }
      }
    }
    if (stands || !passed || *passed >= entry) {
      for (const std::uint32_t code : codes)
        ANIMA_TRY(restate_in(transaction, *before, {fact.subject, fact.predicate, Term{code}},
                             told.graph, place.withdrawn));
      return {};
    }
    entry = *passed;
  }
  return {};
}

bool holds(const Snapshot& snapshot, const Triple& fact, Timestamp now) {
  return snapshot.contains(fact) && store::is_valid(store::standing_of(snapshot, fact), now, now);
}

// Another link of the subject under the predicate that holds then.
std::optional<EntityId> holding_beside(const Snapshot& now, const Triple& fact, Timestamp time) {
  for (const std::uint32_t code : objects_of(now, fact.subject, fact.predicate)) {
    const Triple other{fact.subject, fact.predicate, Term{code}};
    if (!(other == fact) && holds(now, other, time)) return now.find_proposition(other);
  }
  return std::nullopt;
}

}  // namespace

std::string held_back(const Snapshot& now, const Triple& fact, store::Trust trust,
                      std::optional<GraphId> told) {
  for (const store::Assertion& one : now.assertions(fact)) {
    if (now.entry(one.born).trust > trust) return "somebody who is trusted more stated it";
    const bool own = one.graph == GraphId::kDefault || (told && one.graph == *told);
    if (!own && !is_link(fact)) return "a compartment that is loaded states it";
  }
  return {};
}

Result<EntityId> state_fact(store::Transaction& transaction, const ask::Statement& said,
                            const ToldPlace& place) {
  for (const EntityId thing : {said.subject, said.object}) {
    if (thing != EntityId::kNone && !transaction.live().exists(thing))
      return fail(ErrorCode::kConflict, "what the sentence names is gone", {}, "say it again");
  }
  if (said.is_link()) {
    const Triple link{said.subject, said.predicate, Term::entity(said.object)};
    if (const auto known = transaction.live().find_proposition(link))
      ANIMA_TRY(begin_again(transaction, *known, place));
    return store::state_link(transaction, link, place.told);
  }
  ANIMA_ASSIGN(const Term value, transaction.term(said.value.view()));
  if (said.key == ask::kSaidToBe || said.key == ask::kAlsoCalled) {
    ANIMA_TRY(transaction.add_attribute(said.subject, said.key, value, place.told));
    return EntityId::kNone;
  }
  // What is said corrects what nobody more trusted has said; else it stands beside that.
  store::AssertOptions options = place.told;
  if (may_correct(transaction.live(), said, place.trust)) options.graph = GraphId::kDefault;
  ANIMA_TRY(transaction.set_attribute(said.subject, said.key, std::span(&value, 1), options));
  return EntityId::kNone;
}

Status end_fact(store::Transaction& transaction, const Triple& fact, std::optional<EntityId> newer,
                const ToldPlace& place) {
  if (is_link(fact)) {
    const auto link = transaction.live().find_proposition(fact);
    if (!link) return {};
    store::AssertOptions options = place.told;
    if (stands_in(transaction.live(), fact, GraphId::kDefault)) options.graph = GraphId::kDefault;
    if (newer) ANIMA_TRY(set_text(transaction, *link, kNewer, link_id(*newer), options));
    return set_text(transaction, *link, kEnd, format_timestamp(place.now), options);
  }
  for (const GraphId graph : {GraphId::kDefault, place.told.graph}) {
    if (!stands_in(transaction.live(), fact, graph)) continue;
    ANIMA_TRY(transaction.retract(fact, graph).map([](bool) {}));
  }
  return {};
}

namespace {

// Another link of the subject under a relation that has room for one.
struct Neighbour {
  Triple fact;
  EntityId link = EntityId::kNone;
  std::optional<Timestamp> began, ended;
  bool made_place = false;  // it ended because another one took its place
  bool for_this = false;    // namely the one that is told now
  bool told_since = false;  // since the text that this one takes the place of
  bool yields = false;      // who tells the new one may end it
  bool bounds = false;      // its begin ends one that held before
};

class Timeline {
 public:
  Timeline(store::Transaction& transaction, const Triple& link, EntityId proposition,
           const Begin& begin, const ToldPlace& place)
      : transaction_(transaction), proposition_(proposition), begin_(begin), place_(place) {
    const Snapshot now = transaction.live();
    earlier_ = store::periods_of(now, proposition);
    earlier_.pop_back();
    for (const std::uint32_t code : objects_of(now, link.subject, link.predicate)) {
      const Triple other{link.subject, link.predicate, Term{code}};
      if (!(other == link) && now.contains(other)) add(now, other);
    }
  }

  Result<std::vector<Triple>> fit_in() {
    std::vector<Triple> replaced;
    for (const Neighbour& other : others_) {
      if (!ends_at_begin(other)) continue;
      if (store::is_valid(store::standing_of(transaction_.live(), other.fact), begin_.told,
                          begin_.told))
        replaced.push_back(other.fact);
      ANIMA_TRY(end_fact(transaction_, other.fact, proposition_, place_));
    }
    const Neighbour* next = nullptr;
    for (const Neighbour& other : others_) {
      if (ends_this(other) && (next == nullptr || *other.began < *next->began)) next = &other;
    }
    if (next == nullptr) return replaced;
    const Timestamp end = std::max(begin_.from, *next->began);
    ANIMA_TRY(set_text(transaction_, proposition_, kNewer, link_id(next->link), place_.told));
    ANIMA_TRY(set_text(transaction_, proposition_, kEnd, format_timestamp(end), place_.told));
    return replaced;
  }

 private:
  // What made place for this one when it held before ended then, and not for its return.
  bool held_before_at(Timestamp time) const {
    return std::ranges::any_of(earlier_, [&](const store::Period& one) {
      return (!one.from || *one.from <= time) && (!one.to || time < *one.to);
    });
  }

  void add(const Snapshot& now, const Triple& fact) {
    const auto link = now.find_proposition(fact);
    if (!link) return;
    const store::Standing standing = store::standing_of(now, fact);
    Neighbour other{fact, *link, standing.valid_from, standing.valid_to};
    other.told_since = begin_.since && *begin_.since < standing.observed;
    // When anything else without a begin began to hold nobody knows.
    if (other.told_since && !other.began) other.began = standing.observed;
    if (other.began && other.ended && *other.ended <= *other.began) return;  // it never held
    const auto newer = store::said_of_link(now, *link, kNewer);
    other.made_place = newer.has_value();
    other.for_this = newer && now.value(*newer).text == link_id(proposition_) &&
                     !(other.ended && held_before_at(*other.ended));
    other.bounds = other.told_since && standing.trust >= place_.trust;
    other.yields = !other.told_since &&
                   held_back(place_.before, fact, place_.trust, place_.told.graph).empty();
    for (const store::Assertion& one : now.assertions(fact)) {
      // Of what this transaction wrote nobody knows the entry yet.
      const bool own =
          one.born > place_.before.sequence() || now.entry(one.born).author == place_.author;
      const store::Trust trust = own ? place_.trust : now.entry(one.born).trust;
      other.yields = other.yields && (own || trust < place_.trust);
      other.bounds = other.bounds || own || trust > place_.trust;
    }
    others_.push_back(std::move(other));
  }

  // It held when the new one begins, or was ended by an earlier word of when that was.
  bool ends_at_begin(const Neighbour& other) const {
    const bool before = !other.began || *other.began <= begin_.from;
    if (!other.yields || !before) return false;
    const bool open = !other.ended || begin_.from < *other.ended;
    return other.for_this || (open && (!other.ended || other.made_place));
  }

  bool ends_this(const Neighbour& other) const {
    if (!other.bounds || other.for_this || !other.began) return false;
    const bool open = !other.ended || begin_.from < *other.ended;
    return begin_.from < *other.began || (other.told_since && open);
  }

  store::Transaction& transaction_;
  const EntityId proposition_;
  const Begin& begin_;
  const ToldPlace& place_;
  std::vector<store::Period> earlier_;  // when it held before
  std::vector<Neighbour> others_;
};

}  // namespace

Result<std::vector<Triple>> fit_in_time(store::Transaction& transaction, const Triple& link,
                                        EntityId proposition, const Begin& begin,
                                        const ToldPlace& place) {
  return Timeline(transaction, link, proposition, begin, place).fit_in();
}

Status hold_since(store::Transaction& transaction, EntityId proposition, Timestamp since,
                  const ToldPlace& place) {
  return set_text(transaction, proposition, kBegin, format_timestamp(since), place.told);
}

Status take_back_end(store::Transaction& transaction, const Triple& fact, store::Sequence entry,
                     const ToldPlace& place) {
  if (is_link(fact)) {
    const auto link = transaction.live().find_proposition(fact);
    return link ? reopen(transaction, *link, place) : Status();
  }
  ANIMA_ASSIGN(const Snapshot before, state_before(entry, place));
  for (const GraphId graph : {GraphId::kDefault, place.told.graph})
    ANIMA_TRY(restate_in(transaction, before, fact, graph, place.withdrawn));
  return {};
}

Status take_back(store::Transaction& transaction, const Triple& fact, bool denied,
                 const ToldPlace& place) {
  const auto told = told_by(transaction.live(), fact, place);
  if (!told) return end_fact(transaction, fact, std::nullopt, place);
  const std::vector<EntityId> older = superseded_by(transaction.live(), fact);
  const auto next = what_took_place_of(transaction.live(), fact);
  if (is_link(fact)) {
    const auto known = transaction.live().find_proposition(fact);
    const bool came_back = known && !denied;
    ANIMA_ASSIGN(const bool back,
                 came_back ? end_return(transaction, *known, place) : Result<bool>(false));
    ANIMA_ASSIGN(
        const bool repeated,
        back ? Result<bool>(false) : take_back_link(transaction, fact, *told, denied, place));
    if (repeated) return {};
  } else {
    ANIMA_TRY(transaction.retract(fact, told->graph).map([](bool) {}));
    ANIMA_TRY(put_back(transaction, fact, *told, place));
  }
  const auto other = is_link(fact) && store::is_functional(transaction.live(), fact.predicate)
                         ? holding_beside(transaction.live(), fact, place.now)
                         : std::nullopt;
  for (const EntityId link : older) {
    if (next) {  // takes the place of the older ones, too
      ANIMA_TRY(set_text(transaction, link, kNewer, link_id(next->first), place.told));
      ANIMA_TRY(set_text(transaction, link, kEnd, next->second, place.told));
      continue;
    }
    // What holds by now takes its place instead.
    ANIMA_TRY(other ? set_text(transaction, link, kNewer, link_id(*other), place.told)
                    : reopen(transaction, link, place));
  }
  if (!denied || transaction.live().assertions(fact).empty()) return {};
  return end_fact(transaction, fact, std::nullopt, place);
}

std::string ended_beside(const Snapshot& before, const Snapshot& after, const Triple& link,
                         Timestamp now) {
  std::string text;
  for (const std::uint32_t code : objects_of(before, link.subject, link.predicate)) {
    const Triple one{link.subject, link.predicate, Term{code}};
    if (holds(before, one, now) && !holds(after, one, now))
      text += (text.empty() ? "" : ", ") + store::term_label(before, one.object);
  }
  return text;
}

namespace {

bool is_told_with(const Snapshot& now, const Triple& statement, std::uint64_t provenance) {
  const auto assertions = now.assertions(statement);
  return std::ranges::any_of(
      assertions, [&](const store::Assertion& one) { return one.provenance == provenance; });
}

}  // namespace

namespace {

std::optional<Triple> value_ended_with(const Snapshot& now, EntityId thing,
                                       std::uint64_t provenance, store::Sequence entry) {
  std::optional<Triple> found;
  for (const store::StatedWord& word : store::words_about(now.knowledge(), thing)) {
    if (word.provenance == provenance) return std::nullopt;  // it told a value
    const bool is_value =
        word.statement.predicate.predicate_class() == store::PredicateClass::kAttribute;
    if (is_value && word.to == entry && !now.contains(word.statement)) found = word.statement;
  }
  return found;
}

}  // namespace

std::optional<Triple> ended_with(const Snapshot& now, EntityId thing, std::uint64_t provenance,
                                 store::Sequence entry) {
  const auto key = now.find_string(kEnd);
  if (!key) return value_ended_with(now, thing, provenance, entry);
  store::Pattern pattern;
  pattern.subject = thing;
  pattern.predicate_class = store::PredicateClass::kLink;
  const auto predicate = store::Predicate::metadata(*key);
  std::optional<Triple> found;
  store::each_statement(now, pattern, [&](const Triple& row) {
    const auto link = now.find_proposition(row);
    if (!link) return true;
    const bool ended =
        std::ranges::any_of(objects_of(now, *link, predicate), [&](std::uint32_t code) {
          return is_told_with(now, {*link, predicate, Term{code}}, provenance);
        });
    if (ended) found = row;
    return !ended;
  });
  return found ? found : value_ended_with(now, thing, provenance, entry);
}

std::string held_values(const Snapshot& now, EntityId subject, store::Predicate predicate) {
  std::string text;
  const auto codes = objects_of(now, subject, predicate);
  for (const std::uint32_t code : store::holding_values(now, subject, predicate, codes))
    text += (text.empty() ? "" : ", ") + store::term_label(now, Term{code});
  return text;
}

std::optional<Triple> told_with(const Snapshot& now, EntityId thing, std::uint64_t provenance) {
  for (const auto kind : {store::PredicateClass::kLink, store::PredicateClass::kAttribute}) {
    store::Pattern pattern;
    pattern.subject = thing;
    pattern.predicate_class = kind;
    std::optional<Triple> found;
    store::each_statement(now, pattern, [&](const Triple& row) {
      const bool told = is_told_with(now, row, provenance);
      if (told) found = row;
      return !told;
    });
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace anima::agent::detail
