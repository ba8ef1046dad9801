#include "agent/telling/detail/timeline.h"

#include <algorithm>
#include <map>
#include <utility>

#include "agent/telling/detail/told_statements.h"
#include "language/frames/frame_words.h"
#include "store/history.h"

namespace anima::agent::detail {

using store::Snapshot;
using store::Term;
using store::Triple;

namespace {

// The relation that a link of this one ends, as likes and dislikes; empty: there is none.
std::string opposite_of(const Snapshot& now, store::Predicate relation) {
  const auto* of = language::FrameRelations::shipped().find(now.name(relation.as_link()));
  return of == nullptr ? std::string() : of->opposite;
}

// One link of the subject may end another one: the space says so, or whoever moves there leaves.
bool has_room_for_one(const Snapshot& now, store::Predicate relation) {
  const auto* of = language::FrameRelations::shipped().find(now.name(relation.as_link()));
  return store::is_functional(now, relation) || (of != nullptr && of->one_valued);
}

}  // namespace

std::vector<Triple> rivals_of(const Snapshot& now, const Triple& link) {
  std::set<Triple> rivals{link};
  if (has_room_for_one(now, link.predicate)) {
    for (const std::uint32_t code : objects_of(now, link.subject, link.predicate))
      rivals.insert({link.subject, link.predicate, Term{code}});
    for (const store::StatedWord& word : store::words_about(now, link.subject))
      if (word.statement.predicate == link.predicate) rivals.insert(word.statement);
  }
  const std::string opposite = opposite_of(now, link.predicate);
  if (const auto other = opposite.empty() ? std::nullopt : now.find_predicate(opposite))
    for (const Triple& one : std::vector<Triple>(rivals.begin(), rivals.end()))
      rivals.insert({one.subject, store::Predicate::link(*other), one.object});
  return {rivals.begin(), rivals.end()};
}

Timeline::Timeline(const Snapshot& state, const Triple& link, const ToldPlace& place)
    : now_(state), place_(place) {
  gather_all(link);
}

Timeline::Timeline(store::Transaction& transaction, const Triple& link, const ToldPlace& place,
                   const KnownBefore* known)
    : transaction_(&transaction), now_(transaction.live()), place_(place), known_(known) {
  gather_all(link);
}

// --- what is known

void Timeline::gather_all(const Triple& link) {
  one_valued_ = store::is_functional(now_, link.predicate);
  for (const Triple& one : rivals_of(now_, link)) gather(one);
  find_starts();
  replay();
  bool changed = false;
  for (Line& line : lines_) {
    if (!differs(line) || (known_ != nullptr && may_be_told(line.link))) continue;
    take_as_it_stands(line);
    changed = true;
  }
  if (changed) {
    find_starts();
    replay();
  }
  forget_made_ends();
  replay();
  for (Line& line : lines_) line.known = periods_of(joined(line.link));
}

bool Timeline::is_told(const Line& line) { return line.stands.empty() && !line.told.empty(); }

bool Timeline::is_told(const Triple& link) const {
  const auto line = std::ranges::find(lines_, link, &Line::link);
  return line != lines_.end() && is_told(*line);
}

void Timeline::add_to(KnownBefore& known) const {
  for (const Line& line : lines_) {
    if (place_.before.contains(line.link)) known.stated.insert(line.link);
    if (is_told(line)) known.told.insert(line.link);
  }
}

// What was known of it, if anything, was all told.
bool Timeline::may_be_told(const Triple& link) const {
  return !known_->stated.contains(link) || known_->told.contains(link);
}

// All that was known of it before was told.
bool Timeline::was_told(const Triple& link) const {
  return known_ != nullptr && known_->stated.contains(link) && known_->told.contains(link);
}

namespace {

bool begins(const ToldTime& time) { return !time.ends; }

// Of a link only what the most trusted said counts.
store::Trust most_trusted(const std::vector<ToldTime>& told) {
  store::Trust most = store::Trust::kHostile;
  for (const ToldTime& one : told)
    if (begins(one)) most = std::max(most, one.trust);
  return most;
}

}  // namespace

void Timeline::gather(const Triple& link) {
  if (!now_.known_proposition(link)) return;
  Line line{link};
  line.told = told_times(now_, link);
  find_authors(line, false);
  if (place_.before.contains(link) && is_stated_by_others(line)) take_as_it_stands(line);
  lines_.push_back(std::move(line));
}

// Who states it; `of_all`: else beside what there are records of.
void Timeline::find_authors(Line& line, bool of_all) const {
  line.authors.clear();
  line.trust = store::Trust::kHostile;
  const bool by_records = std::ranges::any_of(line.told, begins) || was_told(line.link);
  for (const store::Assertion& word : place_.before.assertions(line.link)) {
    const bool told = std::ranges::any_of(
        line.told, [&](const ToldTime& one) { return begins(one) && one.word.entry == word.born; });
    const bool returned = known_ != nullptr && known_->things_return &&
                          word.graph == place_.told.graph && is_unfounded(now_, word, line.told);
    if (!of_all && (told || returned || (by_records && word.graph == place_.told.graph))) continue;
    const store::EntryInfo said = place_.before.entry(word.born);
    if (line.authors.empty() || line.trust < said.trust) {
      line.authors.clear();
      line.trust = said.trust;
    }
    if (line.trust == said.trust) line.authors.insert(std::string(said.author));
  }
}

// Somebody states it whose word is worth as much as what was told, and who told nothing of it.
bool Timeline::is_stated_by_others(const Line& line) {
  const store::Trust told = most_trusted(line.told);
  const bool is_begun = std::ranges::any_of(line.told, begins);
  if (line.authors.empty() || (is_begun && line.trust < told)) return false;
  return !is_begun || line.trust > told ||
         std::ranges::any_of(line.authors, [&](const std::string& author) {
           return std::ranges::none_of(line.told, [&](const ToldTime& one) {
             return begins(one) && one.trust == told && one.author == author;
           });
         });
}

// What was told of it is not all that is known, or not any more.
void Timeline::take_as_it_stands(Line& line) {
  const Snapshot& now = now_;
  if (!place_.before.contains(line.link)) {
    // It was withdrawn otherwise: what was told of its begin goes with it.
    const auto stale = std::stable_partition(line.told.begin(), line.told.end(),
                                             [](const ToldTime& one) { return one.ends; });
    line.stale.assign(stale, line.told.end());
    line.told.erase(stale, line.told.end());
    return;
  }
  find_authors(line, true);
  line.stale = std::exchange(line.told, {});
  const store::Standing standing = store::standing_of(place_.before, line.link);
  line.seen = standing.observed;
  line.asserted = standing.asserted;
  for (const store::Period& period : store::periods_of(now, *now.known_proposition(line.link))) {
    Span span{line.link};
    span.from = span.start = period.from;
    span.end = span.to = period.to;
    span.authors = line.authors;
    span.trust = span.end_trust = line.trust;
    span.told = line.seen;
    line.stands.push_back(std::move(span));
  }
  const auto newer = store::said_of_link(now, *now.known_proposition(line.link), kNewerThanLink);
  if (newer && !line.stands.empty()) line.stands.back().newer_of_end = now.value(*newer).text;
}

// What stands and is older is so by the order of entries, whatever their clocks say.
void Timeline::stand_before(const ToldTime& time) {
  for (Line& one : lines_) {
    const bool older = !one.stands.empty() && one.asserted < time.word.entry;
    if (older && !time.said_earlier) one.seen = std::min(one.seen, time.told);
  }
}

// How far those are trusted on whose word it is there.
store::Trust Timeline::trust_of(const Line& line) {
  return std::max(line.trust, most_trusted(line.told));
}

// What took the place of another began when that ended, where nobody says when.
void Timeline::find_starts() {
  for (const Line& line : std::vector<Line>(lines_))
    for (const ToldTime& one : line.told) stand_before(one);
  const Snapshot& now = now_;
  for (Line& older : lines_) {
    const auto link = now.find_proposition(older.link);
    const auto newer = link ? store::said_of_link(now, *link, kNewerThanLink) : std::nullopt;
    if (!newer) continue;
    for (Line& one : lines_) {
      const auto its_link = now.find_proposition(one.link);
      if (!its_link || now.value(*newer).text != link_id(*its_link)) continue;
      const bool ended_by_it = one_valued_ || one.link.predicate != older.link.predicate;
      if (!one.stands.empty() && !one.stands.back().start) {
        if (trust_of(older) < one.trust) continue;
        one.stands.back().start = store::standing_of(now, older.link).valid_to;
      } else if (!older.stands.empty() && ended_by_it && is_told_by_mover(one, older)) {
        older.stands.back().end = older.stands.back().to = std::nullopt;
      }
    }
  }
  for (Line& line : lines_) {
    if (!line.stands.empty() && !line.stands.back().start)
      line.stands.back().start = told_place_taken(line);
  }
}

// Who told of the one may end the other.
bool Timeline::is_told_by_mover(const Line& one, const Line& older) {
  return one.stands.empty() && std::ranges::any_of(one.told, [&](const ToldTime& time) {
           return begins(time) && (time.trust > older.trust ||
                                   (time.trust == older.trust &&
                                    std::ranges::includes(Authors{time.author}, older.authors)));
         });
}

// When it was told to hold, where that is when something else ended; also when that held again
// since.
std::optional<Timestamp> Timeline::told_place_taken(const Line& line) const {
  const auto ended_at = [&](Timestamp time) {
    return std::ranges::any_of(lines_, [&](const Line& other) {
      const auto link = now_.find_proposition(other.link);
      if (!link || !are_rivals(other.link, line.link) || trust_of(other) < line.trust) return false;
      const auto periods = store::periods_of(now_, *link);
      return std::ranges::find(periods, time, &store::Period::to) != periods.end();
    });
  };
  for (const ToldTime& one : line.stale)
    if (!one.ends && ended_at(one.at.value_or(one.told))) return one.at.value_or(one.told);
  return std::nullopt;
}

// What ended because another one began has no end of its own.
void Timeline::forget_made_ends() {
  for (Line& line : lines_) {
    for (Span& one : line.stands) {
      const bool made =
          one.end && std::ranges::any_of(spans_, [&](const Span& other) {
            const bool itself = other.fact == one.fact && other.start == one.start;
            const bool may_end =
                itself || other.fact == one.fact || are_rivals(other.fact, one.fact);
            return !itself && may_end && other.start == one.end && may_move(other, one);
          });
      if (made) one.end = one.to = std::nullopt;
    }
  }
}

// Somebody else changed when it holds. Who is trusted more and states it anew does not hear what
// was said of its times.
bool Timeline::differs(const Line& line) const {
  if (!line.stands.empty() || std::ranges::none_of(line.told, begins)) return false;
  const std::vector<store::Period> periods = periods_of(joined(line.link));
  const auto are_said = [&](const Snapshot& state) {
    return state.contains(line.link)
               ? periods == store::periods_of(state, *state.find_proposition(line.link))
               : periods.empty();
  };
  return !are_said(now_) && !are_said(place_.before);
}

Timeline::Line* Timeline::line_of(const Triple& link) {
  const auto found = std::ranges::find(lines_, link, &Line::link);
  return found == lines_.end() ? nullptr : &*found;
}

// --- laying it out

void Timeline::replay() {
  struct Item {
    const Line* line;
    ToldTime time;  // of what is taken as it stands: only when it was told
    bool stands = false;
  };
  std::vector<Item> items;
  for (const Line& line : lines_) {
    const store::Trust most = most_trusted(line.told);
    for (const ToldTime& one : line.told)
      if (one.trust >= most) items.push_back({&line, one});
    if (line.stands.empty()) continue;
    items.push_back({&line, {}, true});
    items.back().time.told = line.seen;
  }
  std::ranges::stable_sort(items, was_told_before, &Item::time);
  spans_.clear();
  for (std::size_t at = 0; at < items.size(); ++at) {
    const Item& item = items[at];
    if (item.stands) {
      for (Span span : item.line->stands) {
        span.order = at;
        spans_.push_back(std::move(span));
      }
    } else if (item.time.ends) {
      end(item.time);
    } else {
      begin(item.time, at);
    }
    lay_out();
  }
}

// It is the word of who is trusted more, or as far and says that one, too.
bool Timeline::may_move(const Span& other, const Span& one) {
  return other.trust > one.trust ||
         (other.trust == one.trust && std::ranges::includes(other.authors, one.authors));
}

// What somebody else says who is trusted as far, or who is trusted less, counts for nothing in what
// is told.
bool Timeline::counts_for(const Span& one, const ToldTime& time) {
  return one.trust > time.trust ||
         (one.trust == time.trust && std::ranges::includes(Authors{time.author}, one.authors));
}

bool Timeline::is_rival(const Span& one, const ToldTime& time) const {
  return are_rivals(one.fact, time.fact) && counts_for(one, time);
}

// What held then by an earlier word, else what began next.
std::vector<Timeline::Span>::iterator Timeline::meant_at(const ToldTime& time, Timestamp from) {
  auto meant = spans_.end();
  for (auto one = spans_.begin(); one != spans_.end(); ++one) {
    if (!(one->fact == time.fact) || !counts_for(*one, time) || one->never_held()) continue;
    const bool next =
        one->start && from < *one->start && (meant == spans_.end() || *one->start < *meant->start);
    if (one->holds_at(from) || next) meant = one;
    if (one->holds_at(from)) break;
  }
  return meant;
}

// Something else holds by then that began later, or it ended since.
bool Timeline::is_over_since(const ToldTime& time) const {
  return std::ranges::any_of(spans_, [&](const Span& one) {
    if (!counts_for(one, time)) return false;
    if (one.fact == time.fact) return one.end && *time.at < *one.end && *one.end <= time.told;
    return are_rivals(one.fact, time.fact) && one.start && *time.at < *one.start &&
           one.holds_at(time.told);
  });
}

bool Timeline::began_between(const ToldTime& time, Timestamp first, const Span& last) const {
  return std::ranges::any_of(spans_, [&](const Span& one) {
    return is_rival(one, time) && one.start && last.start && first < *one.start &&
           *one.start < *last.start;
  });
}

// When the last that held before was told to end; what is told behind that began no earlier.
std::optional<Timestamp> Timeline::told_end_before(const ToldTime& time) const {
  std::optional<Timestamp> last;
  for (const Span& one : spans_) {
    if (!one_valued_ || !is_rival(one, time) || !one.end_by || one.never_held()) continue;
    if (one.to == one.end && *one.end <= time.told && (!last || *last < *one.end)) last = one.end;
  }
  return last;
}

// Somebody who is trusted more said when it holds, or that it had ended by then.
bool Timeline::is_outranked(const ToldTime& time, Timestamp from) const {
  return std::ranges::any_of(spans_, [&](const Span& one) {
    const bool ended = one.end && *one.end <= from && one.end_trust > time.trust;
    return one.fact == time.fact && (one.trust > time.trust || ended);
  });
}

void Timeline::begin(const ToldTime& time, std::size_t order) {
  const bool over = time.from_now && time.at && is_over_since(time);
  const Timestamp from = over ? time.told : time.at.value_or(time.told);
  if (is_outranked(time, from)) return;
  const auto is_of = [&](const Span& one) {
    return one.fact == time.fact && counts_for(one, time);
  };
  const bool fresh = std::ranges::none_of(spans_, is_of);
  const auto known = meant_at(time, from);
  const bool holds = known != spans_.end() && known->holds_at(from);
  if (known != spans_.end() && !over) {
    const bool unnamed = time.named && known->from && !known->named;
    const bool wrong = (time.corrects || unnamed) && !began_between(time, from, *known);
    if (wrong || (holds && !known->from && time.at)) {
      known->from = known->start = from;
      known->named = time.named;
      known->order = order;
      known->begun_by = time.word;
      return;
    }
  }
  const bool known_begin =
      std::ranges::any_of(spans_, [&](const Span& one) { return is_of(one) && one.from == from; });
  // Something else may turn out to have held in between.
  const bool twice = holds && known->from && time.named && !known_begin && !over;
  if (holds && !twice) return;
  const bool alone = std::ranges::none_of(
      spans_, [&](const Span& one) { return is_rival(one, time) && one.holds_at(from); });
  Span span{time.fact, {time.author}};
  // Where nothing else held then, nobody knows since when it does.
  span.start = time.at || !fresh || !alone ? from : told_end_before(time);
  if (time.at || !fresh) span.from = from;
  span.trust = time.trust;
  span.named = time.named && !over;
  span.leaves = time.moves;
  span.order = order;
  span.told = time.told;
  span.begun_by = time.word;
  if (twice) {
    span.end = std::exchange(known->end, std::nullopt);
    span.end_is_dated = known->end_is_dated;
    span.end_by = known->end_by;
    span.end_trust = known->end_trust;
    span.newer_of_end = std::exchange(known->newer_of_end, {});
  }
  spans_.push_back(std::move(span));
}

void Timeline::end(const ToldTime& time) {
  std::set<Authors> tellers;
  for (const Span& one : spans_)
    if (one.fact == time.fact) tellers.insert(one.authors);
  for (const Authors& one : tellers) end(time, one);
}

void Timeline::end(const ToldTime& time, const Authors& authors) {
  const Timestamp at = time.at.value_or(time.told);
  const auto is_of = [&](const Span& one) {
    return one.fact == time.fact && one.authors == authors && one.trust <= time.trust;
  };
  auto ended =
      std::ranges::find_if(spans_, [&](const Span& one) { return is_of(one) && one.holds_at(at); });
  if (ended == spans_.end()) {
    // It was only known to hold when that was told, and had ended by then.
    ended = std::ranges::find_if(spans_, [&](const Span& one) {
      return is_of(one) && !one.from && one.start && at < *one.start && !one.end;
    });
    if (ended == spans_.end()) return;
    ended->ended_before = true;
  }
  if (ended->end && ended->end_is_dated) return;  // the first that was told stands
  ended->end = at;
  ended->end_is_dated = time.at.has_value();
  ended->newer_of_end = time.newer;
  ended->end_by = time.word;
  ended->end_trust = time.trust;
}

bool Timeline::are_rivals(const Triple& one, const Triple& other) const {
  return !(one == other) && (one.predicate == other.predicate || one.object == other.object);
}

// When the other one began, for this one: what nobody said the begin of holds by when it was told,
// where that is the opposite of what was told before by somebody who is trusted less.
std::optional<Timestamp> Timeline::begin_for(const Span& other, const Span& one) {
  const bool opposite = other.fact.predicate != one.fact.predicate;
  const bool from_telling = opposite && one.trust < other.trust && one.order < other.order;
  return other.start || !from_telling ? other.start : std::optional(other.told);
}

// Under a relation with room for more only a move ends anything, or is ended.
bool Timeline::ends(const Span& other, const Span& one) const {
  const std::optional<Timestamp> begin = begin_for(other, one);
  const bool may_end = begin && may_move(other, one);
  if (may_end && other.fact == one.fact) return !one.start || *one.start < *begin;
  if (!may_end || !are_rivals(other.fact, one.fact) || other.never_began()) return false;
  const bool of_move =
      (other.leaves && one.order < other.order) || (one.leaves && other.order < one.order);
  if (one.fact.predicate == other.fact.predicate && !one_valued_ && !of_move) return false;
  // That it held when it was told stands against what was told before that.
  if (!one.start) return one.order < other.order || one.told < *begin;
  if (*one.start < *begin) return true;
  return *one.start == *begin && one.order < other.order;
}

void Timeline::lay_out() {
  for (Span& one : spans_) end_by_others(one);
}

std::string Timeline::id_of(const Triple& fact) const {
  const auto link = now_.find_proposition(fact);
  return link ? link_id(*link) : std::string();
}

// An end of its own that was told with a time stays, whatever begins before that.
void Timeline::end_by_others(Span& one) const {
  one.to = one.end;
  one.newer = one.end ? one.newer_of_end : std::string();
  one.ended_by = one.end_by;
  const auto follows = [&](const Span& other) {
    return one.end && one.end_by && !other.from && other.start == one.end &&
           are_rivals(other.fact, one.fact);
  };
  for (const Span& other : spans_)
    if (follows(other)) one.newer = id_of(other.fact);
  if (one.end && one.end_is_dated) return;
  const Span* by = nullptr;
  for (const Span& other : spans_) {
    if (!ends(other, one) || follows(other)) continue;
    const Timestamp begin = *begin_for(other, one);
    const Timestamp at = one.start ? std::max(*one.start, begin) : begin;
    const bool later = by == nullptr || by->order < other.order;
    if (one.to && (*one.to < at || (*one.to == at && !later))) continue;
    by = &other;
    one.to = at;
    one.ended_by = other.begun_by;
    one.newer = other.fact == one.fact ? std::string() : id_of(other.fact);
  }
}

std::vector<Timeline::Span> Timeline::joined(const Triple& fact) const {
  std::map<Authors, std::vector<Span>> told;
  for (const Span& one : spans_)
    if (one.fact == fact) told[one.authors].push_back(one);
  std::vector<Span> all;
  for (auto& [authors, spans] : told)
    for (Span& one : joined_of_one(std::move(spans))) all.push_back(std::move(one));
  return told.size() < 2 ? all : joined_of_all(std::move(all));
}

namespace {

template <typename Spans>
void sort_by_start(Spans& spans) {
  std::ranges::stable_sort(spans, [](const auto& a, const auto& b) {
    return a.start && b.start ? *a.start < *b.start : !a.start && b.start;
  });
}

}  // namespace

// On the words of several: each moment at which one of them says that it holds. Of two begins the
// one that was told last.
std::vector<Timeline::Span> Timeline::joined_of_all(std::vector<Span> all) {
  sort_by_start(all);
  std::vector<Span> times;
  for (Span& one : all) {
    const bool apart =
        times.empty() || (times.back().to && one.start && *times.back().to <= *one.start);
    if (apart) {
      times.push_back(std::move(one));
      continue;
    }
    Span& both = times.back();
    if (one.from && (!both.from || both.order < one.order)) {
      both.from = one.from;
      both.start = one.start;
      both.named = one.named;
      both.begun_by = one.begun_by;
    }
    both.order = std::max(both.order, one.order);
    if (!both.to || (one.to && *one.to <= *both.to)) continue;
    both.to = one.to;
    both.newer = one.newer;
    both.ended_by = one.ended_by;
  }
  return times;
}

// On the word of one.
std::vector<Timeline::Span> Timeline::joined_of_one(std::vector<Span> all) {
  sort_by_start(all);
  std::vector<Span> times;
  for (Span& one : all) {
    if (!times.empty() && times.back().never_held()) times.pop_back();
    const bool goes_on =
        !times.empty() && (!times.back().to || !one.start || *one.start <= *times.back().to);
    // That it holds again was told without a time.
    if (goes_on && (!one.from || !one.named)) {
      times.back().to = one.to;
      times.back().newer = one.newer;
      times.back().ended_by = one.ended_by;
      continue;
    }
    // That it began twice was told: something else may turn out to have held in between.
    if (goes_on) times.back().to = one.start;
    if (times.empty() || !one.never_held()) times.push_back(std::move(one));
  }
  return times;
}

std::vector<store::Period> Timeline::periods_of(const std::vector<Span>& spans) {
  std::vector<store::Period> periods;
  for (const Span& one : spans)
    periods.push_back({one.from || periods.empty() ? one.from : one.start, one.to});
  return periods;
}

// --- what changes

Status Timeline::add(ToldTime time) {
  Line& line = *line_of(time.fact);
  const Snapshot& live = now_;
  // What only is told to hold began not behind the entry that says so, by whose time some readers
  // go.
  if (!time.at && !time.ends) time.told = std::min(time.told, live.entry(live.sequence()).time);
  time.word = {place_.told.provenance, place_.told.confidence, live.sequence()};
  time.trust = place_.trust;
  time.author = place_.author;
  // Somebody who is trusted more states it.
  if (!line.stands.empty() && line.trust > place_.trust)
    return keep_told_time(*transaction_, time, place_.told.graph);
  stand_before(time);
  // What only its predecessor says the begin of goes with it.
  for (Line& other : lines_) {
    const bool has_begin =
        std::ranges::any_of(other.stands, [](const Span& one) { return one.start && !one.from; });
    const bool may_go = other.trust < place_.trust ||
                        (other.trust == place_.trust &&
                         std::ranges::includes(Authors{place_.author}, other.authors));
    if (&other == &line || (may_go && has_begin)) ANIMA_TRY(keep_what_stands(other));
  }
  ANIMA_TRY(keep_told_time(*transaction_, time, place_.told.graph));
  line.told.push_back(std::move(time));
  replay();
  return {};
}

// As records of what was told, for what is told beside it now.
Status Timeline::keep_what_stands(Line& line) {
  for (const ToldTime& one : std::exchange(line.stale, {}))
    ANIMA_TRY(drop_told_time(*transaction_, one, place_.told.graph));
  ToldTime time{line.link};
  time.told = line.seen;
  time.trust = line.trust;
  for (const store::Assertion& one : place_.before.assertions(line.link)) {
    if (place_.before.entry(one.born).trust < line.trust) continue;
    time.word = {one.provenance, one.confidence, one.born};
    time.author = std::string(place_.before.entry(one.born).author);
  }
  for (Span& one : line.stands) {
    time.ends = false;
    time.told = one.start && !one.from ? std::min(line.seen, *one.start) : line.seen;
    time.at = one.from;
    time.named = one.from.has_value();
    ANIMA_TRY(keep_told_time(*transaction_, time, place_.told.graph));
    line.told.push_back(time);
    if (!one.end) continue;
    time.ends = true;
    time.at = one.end;
    time.newer = std::exchange(one.newer_of_end, {});
    ANIMA_TRY(keep_told_time(*transaction_, time, place_.told.graph));
    line.told.push_back(time);
    time.newer.clear();
  }
  line.stands.clear();
  return {};
}

Status Timeline::drop(const ToldTime& time) {
  Line* const line = line_of(time.fact);
  if (line == nullptr) return drop_told_time(*transaction_, time, place_.told.graph);
  const auto is_it = [&](const ToldTime& one) { return one.value == time.value; };
  ANIMA_TRY(drop_told_time(*transaction_, time, place_.told.graph));
  if (std::erase_if(line->told, is_it) == 0) {
    std::erase_if(line->stale, is_it);
    if (time.ends) {
      open_end(time.fact);
    } else if (!time.at || !drop_time(time.fact, time.at)) {
      drop_all(time.fact);
    }
  }
  replay();
  return {};
}

void Timeline::drop_all(const Triple& link) {
  if (Line* const line = line_of(link)) line->stands.clear();
  replay();
}

bool Timeline::drop_time(const Triple& link, std::optional<Timestamp> begin) {
  Line* const line = line_of(link);
  if (line == nullptr || line->stands.size() < 2) return false;
  const bool dropped =
      std::erase_if(line->stands, [&](const Span& one) { return one.from == begin; }) != 0;
  replay();
  return dropped;
}

void Timeline::open_end(const Triple& link) {
  Line* const line = line_of(link);
  if (line == nullptr || line->stands.empty()) return;
  line->stands.back().end = line->stands.back().to = std::nullopt;
  replay();
}

}  // namespace anima::agent::detail
