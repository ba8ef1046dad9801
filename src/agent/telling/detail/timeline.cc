#include "agent/telling/detail/timeline.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "agent/telling/detail/told_statements.h"
#include "store/restate.h"

namespace anima::agent::detail {

using store::EntityId;
using store::GraphId;
using store::Snapshot;
using store::Term;
using store::Triple;

namespace {

std::vector<std::string> text_of(const std::optional<Timestamp>& time) {
  return time ? std::vector{format_timestamp(*time)} : std::vector<std::string>();
}

std::vector<std::string> texts_of(std::span<const store::Period> periods) {
  std::vector<std::string> texts;
  for (const store::Period& one : periods) texts.push_back(to_string(one));
  return texts;
}

bool is_same_second(Timestamp a, Timestamp b) {
  return a.microseconds / kMicrosecondsPerSecond == b.microseconds / kMicrosecondsPerSecond;
}

bool holds(const Snapshot& snapshot, const Triple& fact, Timestamp time) {
  return snapshot.contains(fact) && store::is_valid(store::standing_of(snapshot, fact), time, time);
}

}  // namespace

Timeline::Timeline(store::Transaction& transaction, EntityId subject, store::Predicate relation,
                   const ToldPlace& place, bool moves, std::optional<Timestamp> since)
    : transaction_(transaction), place_(place), since_(since), moves_(moves) {
  const Snapshot& now = transaction.live();
  one_valued_ = store::is_functional(now, relation);
  for (const std::uint32_t code : objects_of(now, subject, relation)) {
    const Triple fact{subject, relation, Term{code}};
    const auto link = now.contains(fact) ? now.find_proposition(fact) : std::nullopt;
    if (link) gather(fact, *link);
  }
  find_starts();
  if (!one_valued_) return;
  const std::vector<Span> beginnings = spans_;
  for (const Span& one : beginnings) forget_made_ends(one);
}

void Timeline::gather(const Triple& fact, EntityId link) {
  const Snapshot& now = transaction_.live();
  const store::Standing standing = store::standing_of(now, fact);
  const bool told_since = since_ && *since_ < standing.observed;
  bool own = false, of_another = false;
  store::Trust trust = store::Trust::kHostile;
  for (const store::Assertion& one : now.assertions(fact)) {
    // Of what this transaction wrote nobody knows the entry yet. What the author said with another
    // trust is somebody else's word.
    const bool is_new = one.born > place_.before.sequence();
    const store::Trust by = is_new ? place_.trust : now.entry(one.born).trust;
    const bool by_author =
        is_new || (now.entry(one.born).author == place_.author && by == place_.trust);
    own = own || by_author;
    of_another = of_another || (!by_author && by >= place_.trust);
    trust = std::max(trust, by);
  }
  const bool moves = !told_since && !of_another &&
                     held_back(place_.before, fact, place_.trust, place_.told.graph).empty();
  const bool ends_others = own || trust > place_.trust || (told_since && trust >= place_.trust);
  if (!moves && !ends_others) return;
  for (const store::Period& period : store::periods_of(now, link)) {
    Span span{fact, period.from, period.from, period.to, period.to};
    span.trust = trust;
    span.moves = moves;
    span.told_since = told_since;
    span.seen = standing.observed;
    // When anything else without a begin began to hold nobody knows.
    if (told_since && !span.start) span.start = standing.observed;
    spans_.push_back(std::move(span));
  }
}

void Timeline::find_starts() {
  const Snapshot& now = transaction_.live();
  for (const Span& older : spans_) {
    const auto link = now.find_proposition(older.fact);
    const auto newer = link ? store::said_of_link(now, *link, kNewerThanLink) : std::nullopt;
    if (!newer || older.to != store::standing_of(now, older.fact).valid_to) continue;
    for (Span& one : spans_) {
      const auto its_link = one.start ? std::nullopt : now.find_proposition(one.fact);
      if (its_link && now.value(*newer).text == link_id(*its_link)) one.start = older.to;
    }
  }
}

void Timeline::forget_made_ends(const Span& beginning) {
  for (Span& one : spans_) {
    const bool itself = one.fact == beginning.fact && one.start == beginning.start;
    if (itself || !one.end || one.end != beginning.start || !may_end(beginning, one)) continue;
    one.end.reset();
    // Where nothing is laid out anew, it goes on until that ended.
    if (!one_valued_) one.end = beginning.to;
  }
}

bool Timeline::may_end(const Span& other, const Span& one) const {
  return one.moves && other.start && other.trust >= one.trust;
}

// Under a relation with room for more only a move ends anything, or is ended.
bool Timeline::ends(const Span& other, const Span& one) const {
  if (other.fact == one.fact || !may_end(other, one)) return false;
  if (other.never_held() && !other.is_new) return false;
  if (!one_valued_ && !(moves_ && (one.is_new || other.is_new))) return false;
  if (!one.start || *one.start < *other.start) return true;
  if (one.is_new && other.told_since) return !other.to || *one.start < *other.to;
  return *one.start == *other.start && (other.is_new || one.never_held());
}

void Timeline::lay_out() {
  std::vector<Span> laid = spans_;
  for (Span& one : laid) {
    if (!one.moves) continue;
    one.to = one.end;
    one.newer.reset();
    if (one.end) continue;
    for (const Span& other : spans_) {
      if (!ends(other, one)) continue;
      const Timestamp at = one.start ? std::max(*one.start, *other.start) : *other.start;
      if (one.to && (*one.to < at || (*one.to == at && one.newer && !other.is_new))) continue;
      one.to = at;
      one.newer = transaction_.live().find_proposition(other.fact);
    }
  }
  spans_ = std::move(laid);
}

// A link's times are in their order, and the last one is that of its begin and end.
std::vector<Timeline::Span>::iterator Timeline::last_of(const Triple& link) {
  const auto found = std::ranges::find(spans_.rbegin(), spans_.rend(), link, &Span::fact);
  return found == spans_.rend() ? spans_.end() : std::prev(found.base());
}

// What held then by an earlier word, else what began next.
std::vector<Timeline::Span>::iterator Timeline::meant_at(const Triple& link, Timestamp from) {
  auto meant = spans_.end();
  for (auto one = spans_.begin(); one != spans_.end(); ++one) {
    if (!(one->fact == link) || one->never_held()) continue;
    const bool next =
        one->start && from < *one->start && (meant == spans_.end() || *one->start < *meant->start);
    if (one->holds_at(from) || next) meant = one;
    if (one->holds_at(from)) break;
  }
  return meant;
}

// By somebody who is trusted as far as who tells it now.
bool Timeline::is_known(const Triple& link) const {
  return std::ranges::any_of(place_.before.assertions(link), [&](const store::Assertion& one) {
    return place_.before.entry(one.born).trust >= place_.trust;
  });
}

void Timeline::add(const Triple& link, Timestamp from, bool dated, EarlierBegin earlier) {
  const auto is_of = [&](const Span& one) { return one.fact == link; };
  const bool fresh = !is_known(link);
  if (fresh) std::erase_if(spans_, is_of);
  for (Span& one : spans_) {
    if (is_of(one)) one.moves = true;  // on this word, too
  }
  const auto known = meant_at(link, from);
  const bool holds = known != spans_.end() && known->holds_at(from);
  if (known != spans_.end() &&
      (earlier == EarlierBegin::kIsWrong || (holds && !known->from && dated))) {
    known->from = known->start = from;
    known->is_new = true;
    return;
  }
  const bool twice = holds && known->from && earlier == EarlierBegin::kIsAnother;
  if (holds && !twice) return;
  Span span{link, std::nullopt, from, std::nullopt, std::nullopt};
  if (dated || !fresh) span.from = from;
  span.trust = place_.trust;
  span.moves = span.is_new = true;
  if (twice) span.end = std::exchange(known->end, std::nullopt);
  spans_.push_back(std::move(span));
}

void Timeline::drop(const Triple& link) {
  const std::vector<Span> all = spans_;
  for (const Span& one : all) {
    if (one.fact == link) forget_made_ends(one);
  }
  std::erase_if(spans_, [&](const Span& one) { return one.fact == link; });
}

bool Timeline::drop_time(const Triple& link, Timestamp begin) {
  const auto is_it = [&](const Span& one) { return one.fact == link && one.from == begin; };
  const auto dropped = std::ranges::find_if(spans_, is_it);
  if (dropped == spans_.end() || std::ranges::count(spans_, link, &Span::fact) < 2) return false;
  const Span gone = *dropped;
  forget_made_ends(gone);
  std::erase_if(spans_, is_it);
  // An end that was told is that of what held before, where it went on without a hole.
  for (Span& one : spans_) {
    if (one.fact == link && one.to == gone.start && !one.end) one.end = gone.end;
  }
  return true;
}

void Timeline::begin_at(const Triple& link, std::optional<Timestamp> begin) {
  const auto last = last_of(link);
  if (last == spans_.end()) return;
  if (one_valued_) {
    const Span was = *last;
    forget_made_ends(was);
  }
  last->from = last->start = begin;
}

void Timeline::open_end(const Triple& link) {
  const auto last = last_of(link);
  if (last != spans_.end()) last->end.reset();
}

std::vector<Timeline::Span> Timeline::joined(const Triple& fact) const {
  std::vector<Span> all;
  std::ranges::copy_if(spans_, std::back_inserter(all),
                       [&](const Span& one) { return one.fact == fact; });
  std::ranges::stable_sort(all, [](const Span& a, const Span& b) {
    return a.start && b.start ? *a.start < *b.start : !a.start && b.start;
  });
  std::vector<Span> times;
  for (Span& one : all) {
    if (!times.empty() && times.back().never_held()) times.pop_back();
    const bool goes_on =
        !times.empty() && (!times.back().to || !one.start || *one.start <= *times.back().to);
    // That it holds again was told without a time.
    if (goes_on && (!one.from || (one.seen && is_same_second(*one.from, *one.seen)))) {
      times.back().to = one.to;
      times.back().newer = one.newer;
      continue;
    }
    // That it began twice was told: something else may turn out to have held in between.
    if (goes_on) times.back().to = one.start;
    if (times.empty() || !one.never_held()) times.push_back(std::move(one));
  }
  return times;
}

Result<std::vector<Triple>> Timeline::write(Timestamp told) {
  lay_out();
  std::vector<Triple> links;
  for (const Span& one : spans_) {
    if (one.moves && std::ranges::find(links, one.fact) == links.end()) links.push_back(one.fact);
  }
  std::vector<Triple> held;
  for (const Triple& link : links) {
    if (holds(transaction_.live(), link, told)) held.push_back(link);
  }
  for (const Triple& link : links) ANIMA_TRY(write(link, joined(link)));
  std::erase_if(held, [&](const Triple& link) { return holds(transaction_.live(), link, told); });
  return held;
}

Status Timeline::write(const Triple& fact, const std::vector<Span>& spans) {
  const auto link = transaction_.live().find_proposition(fact);
  if (!link || spans.empty()) return {};
  std::vector<store::Period> periods;
  for (const Span& one : spans)
    periods.push_back({one.from || periods.empty() ? one.from : one.start, one.to});
  const std::vector<store::Period> known = store::periods_of(transaction_.live(), *link);
  const store::Period last = periods.back(), was = known.back();
  const Span& newest = spans.back();
  const auto said_newer = store::said_of_link(transaction_.live(), *link, kNewerThanLink);
  std::vector<std::string> newer;
  if (newest.newer) {
    newer = {link_id(*newest.newer)};
  } else if (last.to && last.to == was.to && said_newer) {
    newer = {std::string(transaction_.live().value(*said_newer).text)};
  }
  periods.pop_back();
  const std::vector<store::Period> before(known.begin(), known.end() - 1);
  if (last.from != was.from) ANIMA_TRY(write_key(fact, *link, kBeginOfLink, text_of(last.from)));
  if (periods != before) ANIMA_TRY(write_key(fact, *link, store::kHeldBefore, texts_of(periods)));
  if (last.to != was.to) ANIMA_TRY(write_key(fact, *link, kEndOfLink, text_of(last.to)));
  const bool same_newer =
      newer.empty() ? !said_newer
                    : said_newer && transaction_.live().value(*said_newer).text == newer.front();
  return same_newer ? Status() : write_key(fact, *link, kNewerThanLink, newer);
}

Status Timeline::write_key(const Triple& fact, EntityId link, std::string_view key,
                           const std::vector<std::string>& texts) {
  store::AssertOptions options = place_.told;
  const bool in_default = stands_in(transaction_.live(), fact, GraphId::kDefault);
  const GraphId graph = in_default ? GraphId::kDefault : place_.told.graph;
  const auto name = transaction_.live().find_string(key);
  for (const GraphId other : {GraphId::kDefault, place_.told.graph}) {
    options.graph = other;
    if (other == graph) {
      ANIMA_TRY(store::set_metadata_texts(transaction_, link, key, texts, options));
      continue;
    }
    const bool said =
        name &&
        std::ranges::any_of(
            objects_of(transaction_.live(), link, store::Predicate::metadata(*name)),
            [&](std::uint32_t code) {
              return stands_in(transaction_.live(),
                               {link, store::Predicate::metadata(*name), Term{code}}, other);
            });
    if (said) ANIMA_TRY(store::set_metadata_texts(transaction_, link, key, {}, options));
  }
  return {};
}

}  // namespace anima::agent::detail
